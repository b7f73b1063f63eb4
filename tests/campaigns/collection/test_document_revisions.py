"""Texts that are evidence: refused or kept when a file holds others, and what names them."""

from __future__ import annotations

import hashlib
import io
import json
import re
import tarfile
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import connection

from campaigns.collection.documents import store_documents
from campaigns.formats.errors import FormatError
from campaigns.formats.topics import DocumentRecord
from campaigns.models import (
    Annotation,
    Campaign,
    Collection,
    Deed,
    Document,
    DocumentRevision,
    GuidelineExample,
    Judgment,
    LogHead,
    Repeat,
    TrainingItem,
)
from campaigns.quality.agreement import agreement_of, self_agreement_of
from campaigns.quality.flag_evidence import graded_with_others
from campaigns.quality.training import add_item
from campaigns.setup import campaigns as services
from campaigns.setup.examples import add_examples
from tests.campaigns.factories import Api, add_run, make_campaign, make_user

pytestmark = pytest.mark.django_db

DOCNOS = "abcdefghijklmn"


def lines(**texts: str) -> bytes:
    rows = [{"docno": docno, "title": docno, "body": body} for docno, body in texts.items()]
    return "\n".join(map(json.dumps, rows)).encode()


FIRST = {docno: f"first text of {docno}" for docno in DOCNOS}


@pytest.fixture
def campaign() -> Campaign:
    campaign = make_campaign()
    assert Api(campaign, "Small-ada").upload("collection/", lines(**FIRST), "docs.jsonl").status_code == 201
    return campaign


@pytest.fixture
def ada(campaign: Campaign) -> Api:
    return Api(campaign, "Small-ada")


@pytest.fixture
def grace(campaign: Campaign) -> Api:
    return Api(campaign, "Small-grace")


def replace(ada: Api, replace: bool = False, **texts: str) -> Any:
    return ada.upload(
        "collection/", lines(**texts), "other.jsonl", **({"replace": "true"} if replace else {})
    )


def mark(api: Api, docno: str, start: int, end: int, **more: Any) -> Any:
    body = {"id": str(uuid.uuid4()), "topic": "1", "docno": docno, "passages": [{"start": start, "end": end}]}
    return api.post("annotations/", body | more)


def judged(campaign: Campaign) -> None:
    assert Api(campaign, "Small-grace").judge("1", "a", 1).status_code == 201


def undone(campaign: Campaign) -> None:
    judged(campaign)
    act = {"id": str(uuid.uuid4()), "topic": "1", "docno": "a", "undo": True}
    assert Api(campaign, "Small-grace").post("judgments/", act).status_code == 201


def imported(campaign: Campaign) -> None:
    assert Api(campaign, "Small-ada").upload("qrels/", b"1 0 a 1\n", "qrels").status_code == 201


def marked(campaign: Campaign) -> None:
    assert mark(Api(campaign, "Small-grace"), "a", 0, 5).status_code == 201


def example(campaign: Campaign) -> None:
    add_examples(campaign=campaign, docnos=["a"], grade=1, reason="so it is")


def trained(campaign: Campaign) -> None:
    add_item(campaign=campaign, topic="1", docno="a", grade=1, reason="so it is")


def beside(campaign: Campaign) -> None:
    """Of another campaign that shares the collection."""
    other = services.create(organiser=make_user("bob"), name="Beside", collection=campaign.collection)
    add_examples(campaign=other, docnos=["a"], grade=1, reason="so it is")


USES = [judged, undone, imported, marked, example, trained, beside]


@pytest.mark.parametrize("use", USES, ids=lambda use: use.__name__)
def test_a_text_that_is_evidence_is_refused_or_kept(
    campaign: Campaign, ada: Api, use: Callable[[Campaign], None]
) -> None:
    use(campaign)
    refused = replace(ada, a="second text", b="second text")
    assert (refused.status_code, refused.json()["code"]) == (400, "judged_documents")
    assert [error["detail"].split(" ")[0] for error in refused.json()["errors"]] == ["a"]
    assert set(Document.objects.values_list("docno", "body")) == set(FIRST.items())
    taken = replace(ada, True, a="second text", b="second text", c=FIRST["c"])
    assert taken.json()["taken"] == {"documents": 3, "new": 0, "changed": 2, "unchanged": 1}
    kept = DocumentRevision.objects.get()
    assert (kept.document.docno, kept.revision, kept.body) == ("a", 1, FIRST["a"])
    assert kept.sha256 == hashlib.sha256(f"a\n{FIRST['a']}".encode()).hexdigest()
    assert set(Document.objects.filter(revision=2).values_list("docno", flat=True)) == {"a", "b"}
    told = Deed.objects.filter(campaign=campaign, kind="documents").last()
    assert told is not None
    assert told.detail["replaced"] == 1


CHANGES = {
    "title": {"title": "other"},
    "body": {"body": "other"},
    "content type": {"content_type": "text/markdown"},
    "nothing": {"body": "", "title": ""},
}


@pytest.mark.parametrize("change", CHANGES, ids=str)
def test_each_part_of_a_text_counts(campaign: Campaign, ada: Api, change: str) -> None:
    judged(campaign)
    row = {"docno": "a", "title": "a", "body": FIRST["a"], **CHANGES[change]}
    reply = ada.upload("collection/", json.dumps(row).encode() + b"\n" + lines(z="new"), "one.jsonl")
    assert reply.json()["code"] == "judged_documents"
    assert not Document.objects.filter(docno="z").exists()


def test_html_that_is_read_otherwise_is_the_same_text(campaign: Campaign, ada: Api) -> None:
    page = json.dumps({"docno": "a", "body": "<p>one <b>two</b></p>", "content_type": "text/html"}).encode()
    ada.upload("collection/", page, "page.jsonl")
    judged(campaign)
    assert ada.upload("collection/", page, "page.jsonl").json()["taken"]["unchanged"] == 1
    Document.objects.filter(docno="a").update(html="<p>one</p>")
    assert ada.upload("collection/", page, "page.jsonl").json()["taken"]["unchanged"] == 1
    dated = page.replace(b"{", b'{"year": "1999", ', 1)
    assert ada.upload("collection/", dated, "page.jsonl").json()["taken"]["changed"] == 1
    document = Document.objects.get(docno="a")
    assert (document.html, document.metadata) == ("<p>one</p>", {"year": "1999"})
    assert ada.upload("collection/", page, "page.jsonl").json()["taken"]["changed"] == 1
    Document.objects.filter(docno="a").update(html=None)
    assert ada.upload("collection/", page, "page.jsonl").json()["taken"]["unchanged"] == 1


def test_metadata_are_no_text(campaign: Campaign, ada: Api) -> None:
    judged(campaign)
    row = {"docno": "a", "title": "a", "body": FIRST["a"], "year": "1999"}
    reply = ada.upload("collection/", json.dumps(row).encode(), "one.jsonl")
    assert reply.json()["taken"] == {"documents": 1, "new": 0, "changed": 1, "unchanged": 0}
    document = Document.objects.get(docno="a")
    assert (document.revision, document.metadata) == (1, {"year": "1999"})


def test_a_first_text_is_new_and_replaces_none() -> None:
    campaign = make_campaign()
    judged(campaign)
    reply = replace(Api(campaign, "Small-ada"), a="first", z="new")
    assert reply.json()["taken"] == {"documents": 2, "new": 2, "changed": 0, "unchanged": 0}
    assert Document.objects.get(docno="a").revision == 1


def test_an_empty_text_that_was_judged_is_a_text(campaign: Campaign, ada: Api) -> None:
    empty = json.dumps({"docno": "a", "title": "", "body": ""}).encode()
    judged(campaign)
    assert ada.upload("collection/", empty, "e.jsonl", replace="true").json()["taken"]["changed"] == 1
    assert ada.upload("collection/", empty, "e.jsonl").json()["taken"]["unchanged"] == 1
    grace = Api(campaign, "Small-grace")
    assert mark(grace, "a", 0, 0, passages=[], note="it is empty").status_code == 201
    assert replace(ada, a="third text").json()["code"] == "judged_documents"
    assert replace(ada, True, a="third text").json()["taken"]["changed"] == 1
    assert list(Document.objects.filter(docno="a").values_list("revision", "body")) == [(3, "third text")]
    kept = DocumentRevision.objects.order_by("revision").values_list("revision", "body")
    assert list(kept) == [(1, FIRST["a"]), (2, "")]


def test_an_empty_text_is_a_text_from_the_first_file_on() -> None:
    campaign = make_campaign()
    ada = Api(campaign, "Small-ada")
    empty = json.dumps({"docno": "a", "title": "", "body": ""}).encode()
    assert ada.upload("collection/", empty, "e.jsonl").json()["taken"]["new"] == 1
    judged(campaign)
    assert replace(ada, a="second text").json()["code"] == "judged_documents"


def test_the_first_hundred_are_named_and_all_counted() -> None:
    docnos = [f"d{n:03}" for n in range(130)]
    campaign = make_campaign("Small", {"x": {"1": docnos}})
    ada = Api(campaign, "Small-ada")
    ada.upload("collection/", lines(**dict.fromkeys(docnos, "first")), "docs.jsonl")
    ada.upload("qrels/", "".join(f"1 0 {docno} 1\n" for docno in docnos).encode(), "qrels")
    other = lines(**dict.fromkeys(docnos, "second"))
    problem = ada.upload("collection/", other, "docs.jsonl").json()
    assert [error["detail"].split(" ")[0] for error in problem["errors"]] == docnos[:100]
    assert "130 documents" in problem["detail"]
    assert "Replace judged documents" in problem["detail"]


def test_what_is_unchanged_is_not_written(campaign: Campaign, ada: Api) -> None:
    def versions() -> list[Any]:
        with connection.cursor() as cursor:
            cursor.execute("SELECT docno, xmin::text, ctid::text FROM campaigns_document ORDER BY docno")
            return list(cursor.fetchall())

    judged(campaign)
    Collection.objects.update(indexed_until=10**6)
    before, head = versions(), LogHead.objects.get().replacements
    reply = ada.upload("collection/", lines(**FIRST), "docs.jsonl")
    assert reply.json()["taken"] == {"documents": 14, "new": 0, "changed": 0, "unchanged": 14}
    assert versions() == before
    assert LogHead.objects.get().replacements == head
    assert Collection.objects.get().indexed_until == 10**6


def test_a_docno_twice_is_noticed_where_nothing_changes(campaign: Campaign) -> None:
    records = [DocumentRecord("a", "a", FIRST["a"])] * 2
    with pytest.raises(FormatError, match="has the docno of document 1: a"):
        store_documents(collection=campaign.collection, records=records, file="twice")


def test_each_row_names_the_text_that_it_is_about(campaign: Campaign, ada: Api, grace: Api) -> None:
    for use in (judged, example, trained):
        use(campaign)
    assert mark(grace, "a", 6, 10).json()["document_revision"] == 1
    assert replace(ada, True, a="another text, which is longer").status_code == 201
    alan = Api(campaign, "Small-alan")
    alan.judge("1", "a", 0)
    assert mark(alan, "a", 8, 12).json()["passages"][0]["text"] == "text"
    for model in (Judgment, Annotation):
        assert list(
            model._default_manager.order_by("created").values_list("document_revision", flat=True)
        ) == [1, 2]
    assert (
        GuidelineExample.objects.get().document_revision == TrainingItem.objects.get().document_revision == 1
    )
    # Examples are shown with the text for which they were chosen.
    shown = grace.get(f"examples/{GuidelineExample.objects.get().id}/").json()["document"]
    assert (shown["body"], shown["document_revision"]) == (FIRST["a"], 1)
    log = ada.get("judgments/").json()["results"]
    assert [row["document_revision"] for row in log] == [1, 2]
    own = grace.get("judgments/", topic="1").json()["results"]
    assert [row["document_revision"] for row in own] == [1]


def test_the_earlier_text_can_be_read_by_who_judged_it(campaign: Campaign, ada: Api, grace: Api) -> None:
    judged(campaign)
    replace(ada, True, a="second")
    earlier = grace.get("documents/a/earlier/", revision=1).json()
    assert (earlier["body"], earlier["document_revision"]) == (FIRST["a"], 1)
    assert grace.get("documents/a/earlier/", revision=2).status_code == 404
    assert Api(campaign, "Small-alan").get("documents/a/earlier/", revision=1).status_code == 404
    whole = ada.get("documents/a/").json()
    assert (whole["body"], whole["document_revision"]) == ("second", 2)
    assert [(row["revision"], row["sha256"]) for row in whole["earlier"]] == [(1, earlier["sha256"])]
    assert ada.get("documents/a/content/", revision=1).content.decode() == FIRST["a"]


def test_an_act_names_the_text_on_the_screen(campaign: Campaign, ada: Api, grace: Api) -> None:
    assert grace.get("next/", topic="1").json()["document"]["document_revision"] == 1
    judged(campaign)
    replace(ada, True, a="second", b="second")
    assert grace.get("next/", topic="1", docno="a").json()["document"]["document_revision"] == 2
    act = {"topic": "1", "grade": 0, "document_revision": 1}
    # The text that was judged is kept, and may be meant again; that of b was seen by no act, and is gone.
    reply = grace.post("judgments/", act | {"id": str(uuid.uuid4()), "docno": "a"})
    assert (reply.status_code, Judgment.objects.get(id=reply.json()["judgment"]["id"]).document_revision) == (
        201,
        1,
    )
    reply = grace.post("judgments/", act | {"id": str(uuid.uuid4()), "docno": "b"})
    assert (reply.status_code, reply.json()["code"]) == (409, "text_replaced")
    assert mark(grace, "b", 0, 2, document_revision=1).json()["code"] == "text_replaced"
    several = [act | {"id": str(uuid.uuid4()), "docno": "b"}, {**act, "id": str(uuid.uuid4()), "docno": "c"}]
    outcomes = grace.post("judgments/", several).json()["results"]
    assert [row["status"] for row in outcomes] == [409, 201]


def test_another_text_shown_again_measures_no_agreement(campaign: Campaign, ada: Api, grace: Api) -> None:
    Campaign.objects.update(repeat_share=0.5, seed=1)
    judged(campaign)
    first = Judgment.objects.get()
    answer = {name: getattr(first, name) for name in ("campaign", "topic", "document", "assessor", "created")}
    Repeat.objects.create(first=first, grade=0, document_revision=1, **answer)
    [found] = self_agreement_of(campaign=campaign)
    assert (found.graded, found.same) == (1, 0)
    Repeat.objects.create(
        first=first, grade=1, document_revision=2, **answer | {"created": first.created.replace(year=2100)}
    )
    assert self_agreement_of(campaign=campaign) == []


def test_judgments_of_an_earlier_text_are_marked(campaign: Campaign, ada: Api, grace: Api) -> None:
    grace.judge_all("1", {"a": 1, "b": 1})
    replace(ada, True, a="second")
    addresses = ("documents/", "topics/1/", "history/")
    for address in addresses:
        page = ada.client.get(f"/campaigns/{campaign.slug}/{address}").content.decode()
        assert page.count("on an earlier text") == 1, address
        assert re.search(r"docno=a\b.*?on an earlier text", page, re.DOTALL), address
    grace.judge("1", "a", 0)
    for address in addresses[:2]:
        page = ada.client.get(f"/campaigns/{campaign.slug}/{address}").content.decode()
        assert "on an earlier text" not in page, address


def test_only_grades_of_one_text_are_compared(campaign: Campaign, ada: Api, grace: Api) -> None:
    docnos = DOCNOS[:12]
    add_run(campaign, "all", {"1": list(DOCNOS)})
    alan = Api(campaign, "Small-alan")
    Campaign.objects.update(overlap_share=1, overlap_assessors=3)
    grace.judge_all("1", dict.fromkeys(docnos, 1))
    replace(ada, True, a="second", b="second")
    # A count of the log goes on where it was.
    assert agreement_of(campaign=campaign).documents == 0
    alan.judge_all("1", dict.fromkeys(docnos, 1))
    found = agreement_of(campaign=campaign)
    assert (found.documents, found.apart, found.pairs[0].documents) == (10, 2, 10)
    own, others, _ = graded_with_others(campaign, [User.objects.get(username="Small-grace").id]).popitem()[1]
    assert len(own) == len(others) == 10
    ada.judge_all("1", {"a": 0})
    found = agreement_of(campaign=campaign)
    assert (found.documents, found.apart) == (11, 2)
    page = ada.client.get(f"/campaigns/{campaign.slug}/people/").content.decode()
    assert "2 documents have grades of several texts" in page


def test_documents_with_notes_are_not_removed(campaign: Campaign, ada: Api) -> None:
    marked(campaign)
    ada.client.post(f"/campaigns/{campaign.slug}/setup/drop-documents/")
    assert Document.objects.get(docno="a").body == FIRST["a"]


def archive(content: bytes) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        member = tarfile.TarInfo("docs.jsonl")
        member.size = len(content)
        tar.addfile(member, io.BytesIO(content))
    return packed.getvalue()


def test_archives_obey(campaign: Campaign, ada: Api) -> None:
    judged(campaign)
    content = archive(lines(a="second", z="new"))
    assert ada.upload("files/", content, "docs.tar").json()["code"] == "judged_documents"
    taken = ada.upload("files/", content, "docs.tar", replace="true").json()["taken"]
    assert taken == {"documents": 2, "new": 1, "changed": 1, "unchanged": 0}
    assert DocumentRevision.objects.get().body == FIRST["a"]


def test_single_files_obey(campaign: Campaign, ada: Api, grace: Api) -> None:
    ada.upload("collection/", b"<p>first", "a.html")
    judged(campaign)
    assert ada.upload("collection/", b"<p>second", "a.html").json()["code"] == "judged_documents"
    assert ada.upload("collection/", b"<p>second", "a.html", replace="true").status_code == 201
    assert "first" in grace.get("documents/a/earlier/", revision=2).json()["rendered"]


def test_a_page_gets_the_docno_that_is_sent_with_it(campaign: Campaign, ada: Api) -> None:
    reply = ada.upload("collection/", b"<p>first", "index.html", docno="site/a/index")
    assert (reply.status_code, reply.json()["noticed"][0]["detail"]) == (201, "site/a/index")
    assert Document.objects.get(docno="site/a/index").body == "<p>first"
    for name, docno in (("index.html", "two words"), ("index.html", "a/../b"), ("docs.jsonl", "one")):
        content = lines(z="new") if name == "docs.jsonl" else b"<p>first"
        refused = ada.upload("collection/", content, name, docno=docno)
        assert (refused.status_code, refused.json()["errors"][0]["field"]) == (400, "docno")
    assert not Document.objects.filter(docno__in=["index", "z", "one"]).exists()


def test_the_command_obeys(campaign: Campaign, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    judged(campaign)
    file = tmp_path / "docs.jsonl"
    file.write_bytes(lines(a="second", b=FIRST["b"], z="new"))
    with pytest.raises(CommandError):
        call_command("import_collection", campaign.slug, str(file))
    assert "a would get another text, and has 1 judgment" in capsys.readouterr().err
    call_command("import_collection", campaign.slug, str(file), "--replace-judged")
    assert "3 documents (1 new, 1 changed, 1 unchanged)" in capsys.readouterr().out
    assert DocumentRevision.objects.get().body == FIRST["a"]


def test_a_text_may_be_replaced_again_and_again(campaign: Campaign, ada: Api, grace: Api) -> None:
    judged(campaign)
    replace(ada, True, a="second")
    grace.judge("1", "a", 0)
    replace(ada, True, a="third")
    replace(ada, True, a="third")
    assert list(DocumentRevision.objects.values_list("revision", "body")) == [(1, FIRST["a"]), (2, "second")]
    assert list(Judgment.objects.values_list("document_revision", flat=True)) == [1, 2]
    assert Document.objects.get(docno="a").revision == 3
