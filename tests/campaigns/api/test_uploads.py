"""Uploads through the API: taken whole, or refused whole with every line that is wrong."""

from __future__ import annotations

import gzip
import json
from typing import Any

import pytest

from campaigns.models import Campaign, Document, Judgment, Ranking, Run, Topic, TopicRevision
from campaigns.setup import campaigns as campaign_services
from tests.campaigns.factories import Api, make_campaign, make_user, run_text

pytestmark = pytest.mark.django_db

DOCUMENTS = [
    {"_id": f"d{n}", "title": f"Title {n}", "text": f"Line one\nof\t{n} \\ with \u0000 odd bytes"}
    for n in range(5)
]


@pytest.fixture
def campaign() -> Campaign:
    ada = make_user("Fresh-ada")
    return campaign_services.create(organiser=ada, name="Fresh")


@pytest.fixture
def ada(campaign: Campaign) -> Api:
    return Api(campaign, "Fresh-ada")


def jsonl(rows: list[dict[str, str]]) -> bytes:
    return "\n".join(json.dumps(row) for row in rows).encode()


def test_a_collection_is_stored_as_it_is(ada: Api) -> None:
    reply = ada.upload("collection/", gzip.compress(jsonl(DOCUMENTS)), "docs.jsonl.gz")
    assert reply.status_code == 201, reply.content
    assert reply.json()["taken"] == {"documents": 5, "new": 5, "changed": 0, "unchanged": 0}
    document = Document.objects.get(docno="d3")
    assert document.title == "Title 3"
    assert document.body == "Line one\nof\t3 \\ with \ufffd odd bytes"


def test_a_docno_twice_refuses_the_collection(ada: Api) -> None:
    reply = ada.upload("collection/", jsonl([*DOCUMENTS, DOCUMENTS[2]]), "docs.jsonl")
    assert reply.status_code == 400
    body = reply.json()
    assert body["code"] == "bad_file"
    assert "d2" in body["errors"][0]["detail"]
    assert not Document.objects.exists()


def test_runs_of_other_topics_name_the_likelier_mistake(ada: Api) -> None:
    ada.upload("topics/", b"001\tone\n002\ttwo\n004\tthree\n", "topics.tsv")
    answers = {"1": ["d1"], "2": ["d2"], "3": ["d3"], "002": ["d1"]}
    errors = ada.upload("runs/", run_text("other", answers), "other").json()["errors"]
    assert errors[0]["line"] is None
    assert errors[0]["detail"].startswith("3 of the 4 topics in this file are none of the campaign's")
    assert "numbered 001, 002, 004 …" in errors[0]["detail"]
    assert [error["detail"] for error in errors[1:]] == [f"the campaign has no topic {n}" for n in "123"]
    # One strange topic among many is no other file.
    errors = ada.upload("runs/", run_text("other", {"001": ["d1"], "9": ["d2"]}), "other").json()["errors"]
    assert [error["detail"] for error in errors] == ["the campaign has no topic 9"]
    assert not Run.objects.exists()


def test_documents_known_by_docno_get_their_text(ada: Api, campaign: Campaign) -> None:
    ada.upload("topics/", b"1\tsomething\n", "topics.tsv")
    assert ada.upload("runs/", run_text("early", {"1": ["d1", "d9"]}), "early").status_code == 201
    before = Document.objects.get(docno="d1").id
    ada.upload("collection/", jsonl(DOCUMENTS), "docs.jsonl")
    assert Document.objects.get(docno="d1").id == before
    assert Document.objects.get(docno="d1").title == "Title 1"


def test_runs_before_topics_are_told_so_once(ada: Api) -> None:
    reply = ada.upload("runs/", run_text("early", {"1": ["a"], "2": ["b"]}), "early.run")
    assert reply.status_code == 400
    (error,) = reply.json()["errors"]
    assert "no topics yet" in error["detail"]
    assert not Run.objects.exists()


def test_judged_topics_are_not_renamed_by_mistake() -> None:
    small = make_campaign("Small")
    assert Api(small, "Small-grace").judge("1", "a", 1).status_code == 201
    ada = Api(small, "Small-ada")
    shifted = b"1\ttitle 2\n2\ttitle 3\n3\tnew\n"
    reply = ada.upload("topics/", shifted, "shifted.tsv")
    assert reply.status_code == 400
    said = [error["detail"] for error in reply.json()["errors"]]
    assert said[0] == "topic 1 has a judgment and would be renamed: 'title 1' → 'title 2'"
    assert "Reword judged topics" in said[1]
    assert len(said) == 2
    titles = list(small.topics.values_list("number", "title"))
    assert titles == [("1", "title 1"), ("2", "title 2")]
    assert ada.upload("topics/", shifted, "shifted.tsv", reword="maybe").status_code == 400
    assert ada.upload("topics/", shifted, "shifted.tsv", reword="true").json()["taken"]["revised"] == 2
    assert list(small.topics.values_list("title", flat=True)) == ["title 2", "title 3", "new"]


def test_a_judged_topic_may_get_a_description() -> None:
    small = make_campaign("Small")
    assert Api(small, "Small-grace").judge("1", "a", 1).status_code == 201
    reply = Api(small, "Small-ada").upload("topics/", b"1\ttitle 1\tall about one\n", "more.tsv")
    assert reply.json()["taken"] == {"topics": 0, "revised": 1, "unchanged": 0}


def test_topics_are_added_revised_and_left_alone(ada: Api, campaign: Campaign) -> None:
    assert ada.upload("topics/", b"1\tone\n2\ttwo\n", "t.tsv").json()["taken"] == {
        "topics": 2,
        "revised": 0,
        "unchanged": 0,
    }
    again = ada.upload("topics/", b"2\ttwo, better\n1\tone\n3\tthree\n", "t.tsv").json()
    assert again["taken"] == {"topics": 1, "revised": 1, "unchanged": 1}
    assert list(campaign.topics.values_list("number", "revision")) == [("1", 1), ("2", 2), ("3", 1)]
    assert TopicRevision.objects.filter(topic__number="2").count() == 2


def test_a_run_is_stored_in_evaluation_order(ada: Api, campaign: Campaign) -> None:
    ada.upload("topics/", b"1\tone\n", "t.tsv")
    text = b"1 Q0 low 1 0.5 mine\n1 Q0 tie-a 2 2.5 mine\n1 Q0 tie-b 3 2.5 mine\n"
    reply = ada.upload("runs/", text, "mine.run", group="us")
    assert reply.status_code == 201, reply.content
    packed = Ranking.objects.get(run__tag="mine").documents
    ids = [int.from_bytes(bytes(packed)[at : at + 4], "little") for at in range(0, len(packed), 4)]
    rows = Document.objects.in_bulk(ids)
    assert [rows[document].docno for document in ids] == ["tie-b", "tie-a", "low"]
    assert any("tie" in row["what"] for row in reply.json()["noticed"])
    assert Run.objects.get().group == "us"


def test_every_wrong_line_is_named_and_nothing_stored(ada: Api) -> None:
    ada.upload("topics/", b"1\tone\n", "t.tsv")
    text = b"1 Q0 a 1 3 t\n1 Q0 b 2 nan t\n1 Q0 c 3 t\n1 Q0 a 4 1 t\n"
    reply = ada.upload("runs/", text, "bad.run")
    assert reply.status_code == 400
    assert {row["line"] for row in reply.json()["errors"]} == {2, 3, 4}
    assert not Run.objects.exists()
    assert not Document.objects.exists()


def test_unknown_topics_and_documents_are_named_by_line(ada: Api) -> None:
    ada.upload("collection/", jsonl(DOCUMENTS), "docs.jsonl")
    ada.upload("topics/", b"1\tone\n", "t.tsv")
    text = b"1 Q0 d1 1 3 t\n1 Q0 dx 2 2 t\n7 Q0 d2 1 1 t\n"
    reply = ada.upload("runs/", text, "strange.run")
    assert reply.status_code == 400
    found = {(row["line"], row["field"]) for row in reply.json()["errors"]}
    assert found == {(2, "docno"), (3, "topic")}
    assert not Run.objects.exists()


def test_a_tag_twice_is_refused(ada: Api) -> None:
    ada.upload("topics/", b"1\tone\n", "t.tsv")
    assert ada.upload("runs/", run_text("t", {"1": ["a"]}), "one").status_code == 201
    reply = ada.upload("runs/", run_text("t", {"1": ["b"]}), "two")
    assert reply.status_code == 400
    assert reply.json()["errors"][0]["field"] == "tag"


def test_qrels_join_the_log_once(ada: Api, campaign: Campaign) -> None:
    ada.upload("topics/", b"1\tone\n", "t.tsv")
    ada.upload("runs/", run_text("t", {"1": ["a", "b", "c"]}), "one")
    first = ada.upload("qrels/", b"1 0 a 2\n1 0 b 0\n1 0 c -1\n", "qrels.txt")
    assert first.json()["taken"] == {"judgments": 2, "unchanged": 0}
    again = ada.upload("qrels/", b"1 0 a 1\n1 0 b 0\n", "qrels.txt")
    assert again.json()["taken"] == {"judgments": 1, "unchanged": 1}
    assert list(Judgment.objects.order_by("sequence").values_list("sequence", "grade")) == [
        (1, 2),
        (2, 0),
        (3, 1),
    ]
    assert b"".join(ada.get("qrels/")) == b"1 0 a 1\n1 0 b 0\n"


def test_qrels_outside_the_campaign_are_refused(ada: Api) -> None:
    ada.upload("topics/", b"1\tone\n", "t.tsv")
    reply = ada.upload("qrels/", b"1 0 a 9\n8 0 a 1\n", "qrels.txt").json()
    assert (reply["code"], reply["errors"][0]["field"]) == ("other_grades", "map")
    reply = ada.upload("qrels/", b"1 0 a 1\n8 0 a 1\n", "qrels.txt").json()
    assert {(row["line"], row["field"]) for row in reply["errors"]} == {(2, "topic")}
    assert not Judgment.objects.exists()


def test_a_decompression_bomb_names_the_limit(ada: Api, settings: Any) -> None:
    settings.MAX_UNPACKED_BYTES = 1_000_000
    ada.upload("topics/", b"1\tone\n", "t.tsv")
    reply = ada.upload("runs/", gzip.compress(b"1 Q0 a 1 1 t\n" * 200_000), "bomb.gz")
    assert reply.status_code == 400
    assert "1,000,000" in reply.json()["errors"][0]["detail"] or "MB" in reply.json()["errors"][0]["detail"]
    assert not Run.objects.exists()


@pytest.mark.parametrize("path", ["collection/", "topics/", "runs/", "qrels/"])
@pytest.mark.parametrize("content", [b"", b"\xff\xfe\x00\x01\xff", b"\x1f\x8b\x08\x00broken"])
def test_empty_and_unreadable_files(ada: Api, path: str, content: bytes) -> None:
    reply = ada.upload(path, content, "file")
    assert reply.status_code == 400
    assert reply.json()["errors"]
    assert not Topic.objects.exists()
    assert not Document.objects.exists()


@pytest.mark.parametrize("path", ["collection/", "topics/", "runs/", "qrels/"])
def test_the_wrong_body_method_and_people(ada: Api, campaign: Campaign, path: str) -> None:
    # A collection can be asked for by name, in JSON, but has no such field.
    assert ada.post(path, {"file": "text"}).status_code == (400 if path == "collection/" else 415)
    assert ada.client.post(ada.root + path, {}).status_code == 400
    assert ada.upload(path, b"1\tone\n", "t.tsv", colour="red").status_code == 400
    assert ada.client.delete(ada.root + path).status_code == 405
    make_campaign("Other")
    assert Api(campaign, "Other-ada").upload(path, b"x", "x").status_code == 404
    campaign_services_people(campaign)
    assert Api(campaign, "Other-grace").upload(path, b"x", "x").status_code == 403


def campaign_services_people(campaign: Campaign) -> None:
    from campaigns.people.members import add_member

    add_member(campaign=campaign, username="Other-grace", role="assessor")
