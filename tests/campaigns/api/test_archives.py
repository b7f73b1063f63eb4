"""Files of any kind: recognised by their beginning, and archives that are taken whole or refused whole."""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile

import pytest

from campaigns.exchange import uploads
from campaigns.formats import archives
from campaigns.models import Campaign, Document, Judgment, Run, Topic
from campaigns.setup import campaigns as campaign_services
from tests.campaigns.factories import Api, make_user, run_text

pytestmark = pytest.mark.django_db

TOPICS = b"1\tsorting rows\n2\tcounting columns\n"
DOCUMENTS = b'{"docno": "a", "title": "Rows", "body": "All of them."}\n{"docno": "b", "body": "None."}\n'
QRELS = b"1 0 a 1\n2 0 b 0\n"
# In an order in which nothing could be stored.
FILES = {
    "late/qrels.txt": QRELS,
    "runs/x.gz": gzip.compress(run_text("x", {"1": ["a", "b"], "2": ["b"]})),
    "runs/y": run_text("y", {"1": ["b"], "2": ["a"]}),
    "topics": TOPICS,
    "README.md": b"# What this is\n",
    "__MACOSX/._topics": b"\0\5",
    "docs": DOCUMENTS,
}


def archived(files: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return out.getvalue()


def tarred(files: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return out.getvalue()


@pytest.fixture
def campaign() -> Campaign:
    make_user("Fresh-ada")
    return campaign_services.create(organiser=make_user("ada"), name="Fresh")


@pytest.fixture
def ada(campaign: Campaign) -> Api:
    return Api(campaign, "ada")


@pytest.mark.parametrize("pack", [archived, tarred])
def test_an_archive_is_stored_in_the_order_of_work(ada: Api, pack: object) -> None:
    content = pack(FILES)  # type: ignore[operator]
    reply = ada.upload("files/", content, "all.archive", group="Uni")
    assert reply.status_code == 201, reply.content
    body = reply.json()
    assert body["kind"] == "archive"
    assert {what: count for what, count in body["taken"].items() if count} == {
        "documents": 2,
        "new": 2,
        "topics": 2,
        "runs": 2,
        "judgments": 2,
    }
    left_out = [row for row in body["noticed"] if row["what"].startswith("left out")]
    assert left_out == [
        {"what": "left out: README.md", "count": 1, "detail": "It looks like a Markdown page."}
    ]
    assert {run.tag: (run.group, run.file_name) for run in Run.objects.all()} == {
        "x": ("Uni", "x.gz"),
        "y": ("Uni", "y"),
    }
    assert Document.objects.get(docno="a").title == "Rows"
    assert Judgment.objects.count() == 2


@pytest.mark.parametrize("pack", [archived, tarred])
def test_an_archive_with_a_broken_file_changes_nothing(ada: Api, pack: object) -> None:
    broken = FILES | {"runs/y": run_text("y", {"1": ["b"]}) + b"1 Q0 d\n"}
    reply = ada.upload("files/", pack(broken), "all.archive")  # type: ignore[operator]
    assert reply.status_code == 400
    body = reply.json()
    assert "all.archive/runs/y" in body["detail"]
    assert (body["errors"][0]["line"], body["errors"][0]["detail"][:9]) == (2, "3 columns")
    for model in (Document, Topic, Run, Judgment):
        assert not model.objects.exists()


def test_an_archive_of_pages_is_a_collection(ada: Api) -> None:
    pages = {"web/a.html": b"<html><title>A</title>", "web/notes.md": b"# B\n", "c.pdf": b"%PDF-1.4\n"}
    reply = ada.upload("files/", archived(pages), "pages.zip")
    assert reply.json()["taken"] == {"documents": 3, "new": 3, "changed": 0, "unchanged": 0}
    assert set(Document.objects.values_list("docno", flat=True)) == {"a", "notes", "c"}


def test_an_archive_stored_again_counts_unchanged_documents_alone(ada: Api) -> None:
    for _ in range(2):
        taken = ada.upload("files/", archived(FILES), "all.archive", group="Uni").json()["taken"]
        Run.objects.all().delete()
    assert taken["unchanged"] == taken["documents"] == Document.objects.exclude(body="").count()


@pytest.mark.parametrize(
    ("content", "detail"),
    [
        (archived({"logo.gif": b"GIF89a", "notes.txt": b"hello"})[:-30], "is not a whole zip file"),
        (archived({"a.csv": b"a,b\nc,d\n"}), "no file in it that can be imported"),
        (tarred(FILES)[:-40], "cut short"),
        (archived(FILES).replace(gzip.compress(b"")[:3], b"abc", 1)[:80] + b"PK", "not a whole zip file"),
        (b"no archive at all", "damaged or cut short"),
    ],
)
def test_an_archive_that_cannot_be_read_is_refused(ada: Api, content: bytes, detail: str) -> None:
    reply = ada.upload("files/", content, "some.zip")
    assert reply.status_code == 400, reply.content
    assert detail in str(reply.json()["errors"])
    assert not Document.objects.exists()


@pytest.mark.parametrize("pack", [archived, tarred])
def test_an_archive_of_too_many_files_is_refused(
    ada: Api, pack: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archives, "MOST_MEMBERS", 4)
    reply = ada.upload("files/", pack(FILES), "all.archive")  # type: ignore[operator]
    assert reply.status_code == 400
    assert "more than 4 files" in str(reply.json()["errors"])
    assert not Document.objects.exists()


def test_of_many_files_left_out_the_first_are_named(ada: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "_MOST_REPORTED", 1)
    others = {f"notes/{name}.txt": b"Nothing of note." for name in "abc"}
    reply = ada.upload("files/", archived({"docs": DOCUMENTS, **others}), "all.zip")
    assert [(row["what"], row["count"]) for row in reply.json()["noticed"]] == [
        ("left out: notes/a.txt", 1),
        ("left out: further files", 2),
    ]


def test_a_file_is_recognised_by_its_beginning(ada: Api) -> None:
    found = ada.upload("recognition/", TOPICS, "misnamed.run", size=len(TOPICS)).json()
    assert found == {
        "kind": "topics",
        "words": "a topics file",
        "certain": False,
        "topics": 2,
        "other_grades": None,
        "first": [{"name": "number", "value": "1"}, {"name": "title", "value": "sorting rows"}],
        "noticed": [],
        "text_field": "",
        "text_fields": [],
        "table": None,
        "pieces": [],
    }
    assert ada.upload("recognition/", TOPICS, "t", size=9999).json()["topics"] is None
    run = ada.upload("recognition/", FILES["runs/x.gz"], "x").json()
    assert (run["kind"], run["first"][0]) == ("run", {"name": "topic", "value": "1"})
    assert ada.upload("recognition/", archived(FILES), "all.zip").json()["kind"] == "archive"
    assert ada.upload("recognition/", b"GIF89a", "logo").json()["words"] == "an image"
    assert not Topic.objects.exists()


def test_only_organisers_upload(campaign: Campaign) -> None:
    stranger = Api(campaign, "Fresh-ada")
    for path in ("files/", "recognition/"):
        assert stranger.upload(path, TOPICS, "t").status_code == 404
        assert stranger.get(path).status_code in (404, 405)


def test_a_body_without_a_file_is_refused(ada: Api) -> None:
    for path in ("files/", "recognition/"):
        assert ada.client.post(ada.root + path, {}).status_code == 400
        assert ada.get(path).status_code == 405
