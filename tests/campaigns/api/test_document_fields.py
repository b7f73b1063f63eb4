"""Fields of documents on all doors: read by known names or a chosen path, counted before and after."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from campaigns.models import Campaign, Document
from campaigns.setup import campaigns as campaign_services
from tests.campaigns.api.test_archives import archived
from tests.campaigns.factories import Api, make_user

pytestmark = pytest.mark.django_db

LONG = "A text that an assessor must read before any grade can be given."
NESTED = "".join(
    json.dumps({"id": f"d{n}", "meta": {"story": f"{LONG} {n}", "by": "Ada L."}}) + "\n" for n in range(3)
)


@pytest.fixture
def campaign() -> Campaign:
    return campaign_services.create(organiser=make_user("ada"), name="Fresh")


@pytest.fixture
def ada(campaign: Campaign) -> Api:
    return Api(campaign, "ada")


def by_command(campaign: Campaign, tmp_path: Path, *more: str) -> str:
    file, out = tmp_path / "docs.jsonl", io.StringIO()
    file.write_text(NESTED)
    call_command("import_collection", campaign.slug, str(file), *more, stdout=out)
    return out.getvalue()


def test_documents_that_would_be_empty_are_refused_on_all_doors(
    ada: Api, campaign: Campaign, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = "3 of 3 documents would be empty beside the field “meta.story”"
    found = ada.upload("recognition/", NESTED.encode(), "docs.jsonl").json()
    assert any(words in row["detail"] for row in found["noticed"])
    assert found["text_fields"] == [
        {"path": "meta.story", "value": f"{LONG} 0"},
        {"path": "meta.by", "value": "Ada L."},
    ]
    for address, content, name in (
        ("collection/", NESTED.encode(), "docs.jsonl"),
        ("files/", archived({"docs.jsonl": NESTED.encode()}), "all.zip"),
    ):
        reply = ada.upload(address, content, name)
        assert (reply.status_code, words in str(reply.json()["errors"])) == (400, True)
    with pytest.raises(CommandError, match="1 of 1 files were refused"):
        by_command(campaign, tmp_path)
    assert words in capsys.readouterr().err
    assert not Document.objects.exists()


@pytest.mark.parametrize("door", ["collection", "archive", "command"])
def test_a_chosen_field_is_the_text_and_is_remembered(
    door: str, ada: Api, campaign: Campaign, tmp_path: Path
) -> None:
    notice = "field “meta.by” not read"
    if door == "command":
        assert f"{notice}: 3" in by_command(campaign, tmp_path, "--text-field", "meta.story")
    else:
        collection = ("collection/", NESTED.encode(), "docs.jsonl")
        sent = (
            collection
            if door == "collection"
            else ("files/", archived({"d.jsonl": NESTED.encode()}), "a.zip")
        )
        reply = ada.upload(*sent, text_field="meta.story")
        assert [row["what"] for row in reply.json()["noticed"]] == [notice]
    assert Document.objects.get(docno="d1").body == f"{LONG} 1"
    found = ada.upload("recognition/", NESTED.encode(), "docs.jsonl").json()
    assert found["text_field"] == "meta.story"
    assert found["noticed"] == [{"what": notice, "count": 3, "detail": "In 3 of 3 documents."}]
    assert ada.upload("collection/", NESTED.encode(), "docs.jsonl").status_code == 201


def test_pages_in_archives_are_read_by_their_names_and_keep_their_folders(ada: Api) -> None:
    pages = {
        "a/x.html": b'<?xml version="1.0"?>\n<!DOCTYPE html PUBLIC "-//W3C//DTD X" "x"><html>one</html>',
        "a/y.html": b"<!-- saved -->\n<body>two</body>",
        "a/z.htm": b"Plain words first <b>bold</b>",
        "a/index.html": b"<p>one</p>",
        "b/index.html": b"<p>two</p>",
    }
    reply = ada.upload("files/", archived(pages), "pages.zip")
    assert reply.json()["taken"] == {"documents": 5, "new": 5, "changed": 0, "unchanged": 0}
    assert set(Document.objects.values_list("docno", flat=True)) == {"x", "y", "z", "a/index", "b/index"}
    assert Document.objects.get(docno="b/index").body == "<p>two</p>"
    [row] = reply.json()["noticed"]
    assert (row["count"], row["detail"]) == (2, "a/index, b/index")
