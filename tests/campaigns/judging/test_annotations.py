"""Notes and marked passages: offsets in the plain text, sent once or twice, refused, read and exported."""

from __future__ import annotations

import json
import re
import uuid
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from campaigns.collection.documents import store_documents
from campaigns.collection.shown_text import plain_text_of
from campaigns.exchange.exports import EXPORTS
from campaigns.formats.reading import readers as readers_module
from campaigns.formats.reading.readers import Readers
from campaigns.formats.topics import DocumentRecord
from campaigns.judging.notes import requested_notes
from campaigns.log.annotations import LONGEST_NOTE, LONGEST_PASSAGE, MOST_PASSAGES, own_annotations
from campaigns.models import Annotation, Campaign, Document, Judgment
from campaigns.people.members import add_member
from campaigns.quality.adjudication import decide
from campaigns.quality.exclusions import exclude
from campaigns.setup.campaigns import change_settings, close, pause
from tests.campaigns.factories import Api, make_campaign, make_user, signed_in, with_token

pytestmark = pytest.mark.django_db

# An astral character, a letter with two combining marks, and a line end of two characters.
TEXT = "A 🎬 film\r\nby e\u0301\u0323mile, 𝔸da"
HTML = "\n<p>A &amp; 🎬</p><pre>\n x</pre><script>no</script><p>e\u0301nd</p>"


@pytest.fixture
def campaign() -> Campaign:
    campaign = make_campaign("Small")
    records = [
        DocumentRecord("a", "", TEXT, "text/plain"),
        DocumentRecord("b", "", HTML, "text/html"),
        DocumentRecord("h", "", "x" * (LONGEST_PASSAGE + MOST_PASSAGES), "text/plain"),
    ]
    store_documents(collection=campaign.collection, records=records, file="texts")
    return campaign


@pytest.fixture
def grace(campaign: Campaign) -> Api:
    return Api(campaign, "Small-grace")


def wish(document: str = "a", *spans: tuple[int, int], **more: Any) -> dict[str, Any]:
    passages = [{"start": start, "end": end} for start, end in spans]
    return {"id": str(uuid.uuid4()), "topic": "1", "docno": document, "passages": passages, **more}


def exported(campaign: Campaign) -> list[dict[str, Any]]:
    return [json.loads(line) for line in "".join(EXPORTS["passages"].lines(campaign, "")).splitlines()]


def test_offsets_count_code_points(grace: Api) -> None:
    start = TEXT.index("e\u0301")
    spans = [(start, start + 3), (2, 3), (len(TEXT) - 3, len(TEXT)), (2, 3)]
    reply = grace.post("annotations/", wish("a", *spans))
    assert reply.status_code == 201
    assert [(one["start"], one["text"]) for one in reply.json()["passages"]] == [
        (2, "🎬"),
        (start, "e\u0301\u0323"),
        (len(TEXT) - 3, "𝔸da"),
    ]


def test_without_a_reader_passages_are_to_be_sent_again(
    campaign: Campaign, grace: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent = wish("b", (0, 1))
    grace.client.raise_request_exception = False
    Document.objects.update(html=None)
    with monkeypatch.context() as without:
        without.setattr(readers_module, "readers", Readers)
        without.setattr("sys.executable", "/nonexistent/python")
        reply = grace.post("annotations/", sent)
    assert (reply.status_code, reply.json()["code"], reply["Retry-After"]) == (503, "no_reader", "1")
    assert not Annotation.objects.exists()
    assert grace.post("annotations/", sent).status_code == 201


def test_the_plain_text_is_what_the_screen_shows(campaign: Campaign) -> None:
    texts = {row.docno: plain_text_of(row) for row in campaign.collection.documents.all()}
    assert texts["a"] == TEXT
    assert texts["b"] == "A & 🎬 xe\u0301nd"
    others = [("JVBERi0=", "application/pdf"), ("?", "application/x-unknown")]
    assert [plain_text_of(Document(body=body, content_type=kind)) for body, kind in others] == ["", ""]


def test_what_is_sent_again_is_stored_once(campaign: Campaign, grace: Api) -> None:
    one = wish("a", (0, 1), note="why")
    replies = [grace.post("annotations/", one) for _ in range(3)]
    assert [reply.status_code for reply in replies] == [201, 200, 200]
    assert replies[0].json() == replies[2].json()
    assert Annotation.objects.count() == 1
    reply = Api(campaign, "Small-alan").post("annotations/", one)
    assert (reply.status_code, reply.json()["code"]) == (409, "id_taken")


def test_a_newer_note_replaces_in_reading_and_the_log_keeps_both(campaign: Campaign, grace: Api) -> None:
    for note in ("first", "second"):
        grace.post("annotations/", wish("a", (0, 1), note=note))
    topic, assessor = Annotation.objects.values_list("topic", "assessor")[0]
    [row] = own_annotations(topic=topic, assessor=assessor)
    assert (row["docno"], row["note"]) == ("a", "second")
    assert Annotation.objects.count() == 2
    grace.post("annotations/", wish("a"))
    assert exported(campaign) == []


def test_the_export_has_a_line_for_each_passage_and_each_note(campaign: Campaign, grace: Api) -> None:
    grace.post("annotations/", wish("a", (2, 3), (4, 8), note="a film"))
    grace.judge("1", "a", 2)
    grace.post("annotations/", wish("b", note="no idea"))
    lines = exported(campaign)
    assert list(lines[0]) == ["topic", "docno", "assessor", "grade", "start", "end", "text", "when", "note"]
    names = ("docno", "grade", "start", "end", "text", "note")
    short = [tuple(one[name] for name in names) for one in lines]
    assert short == [
        ("a", 2, 2, 3, "🎬", "a film"),
        ("a", 2, 4, 8, "film", "a film"),
        ("b", None, None, None, None, "no idea"),
    ]
    assert {one["assessor"] for one in lines} == {"Small-grace"}


@pytest.mark.parametrize(
    ("spans", "more", "code"),
    [
        ([(0, len(TEXT) + 1)], {}, "bad_passages"),
        ([(3, 3)], {}, "bad_passages"),
        ([(3, 2)], {}, "bad_passages"),
        ([(-1, 2)], {}, "invalid"),
        ([(0, 1)] * (MOST_PASSAGES + 1), {}, "invalid"),
        ([], {"note": "x" * (LONGEST_NOTE + 1)}, "invalid"),
        ([], {"note": 3}, "invalid"),
        ([], {"colour": "red"}, "invalid"),
        ([(0, LONGEST_PASSAGE + 1)], {"docno": "h"}, "bad_passages"),
        # No text is stored here.
        ([(0, 1)], {"docno": "c"}, "bad_passages"),
        ([], {"docno": "nothing"}, "not_in_pool"),
    ],
)
def test_bad_bodies_are_refused(grace: Api, spans: Any, more: dict[str, Any], code: str) -> None:
    reply = grace.post("annotations/", wish("a", *spans, **more))
    assert (reply.status_code, reply.json()["code"]) == (400, code)
    assert not Annotation.objects.exists()


def test_an_unknown_topic_is_not_found(grace: Api) -> None:
    assert grace.post("annotations/", wish("a", topic="9")).status_code == 404


def test_notes_wait_while_the_campaign_is_not_open(campaign: Campaign, grace: Api) -> None:
    for stop in (pause, close):
        stop(campaign=campaign)
        reply = grace.post("annotations/", wish("a", note="late"))
        # The browser keeps what is refused by this code.
        assert (reply.status_code, reply.json()["code"]) == (409, "campaign_not_open")


def test_notes_are_taken_after_the_topic_is_closed(campaign: Campaign, grace: Api) -> None:
    grace.judge("1", "a", 1)
    grace.post("topics/1/close/")
    assert grace.post("annotations/", wish("a", note="on second thoughts")).status_code == 201


def test_only_members_who_may_judge_write_notes(campaign: Campaign) -> None:
    make_user("eve")
    path = "/api/v1/campaigns/small/annotations/"
    for client, status in (
        (Client(), 401),
        (signed_in("eve"), 404),
        (with_token("Small-grace", "read"), 403),
        (with_token("Small-grace", "judge"), 201),
    ):
        assert client.post(path, wish("a"), content_type="application/json").status_code == status
    assert signed_in("Small-grace").get(path).status_code == 405


def test_organisers_see_notes_on_the_document_and_without_names_in_adjudication(campaign: Campaign) -> None:
    for name, grade in (("grace", 0), ("alan", 2)):
        api = Api(campaign, f"Small-{name}")
        api.judge("1", "a", grade)
        assert api.post("annotations/", wish("a", (4, 8), note=f"as {grade} it is")).status_code == 201
    ada = signed_in("Small-ada")
    document = ada.get("/campaigns/small/document/?docno=a&all").content.decode()
    assert document.count("noted by Small-") == 2
    assert len(re.findall(r"<mark[^>]*>film</mark>", document)) == 2
    case = ada.get("/campaigns/small/adjudicate/?topic=1&docno=a").content.decode()
    assert case.index("as 0 it is") < case.index("as 2 it is")
    assert "Small-grace" not in case
    assert len(re.findall(r"<mark[^>]*>film</mark>", case)) == 2
    decision = {
        "act": "decide",
        "id": str(uuid.uuid4()),
        "topic": "1",
        "docno": "a",
        "grade": "2",
        "seen": "",
        "document_revision": "1",
    }
    assert re.search(r'name="document_revision"\s+value="1"', case)
    Document.objects.filter(docno="a").update(revision=2)
    page = ada.post("/campaigns/small/adjudicate/", decision, follow=True).content.decode()
    assert "he text of a was replaced while you had it open" in page
    assert not Judgment.objects.filter(adjudication=True).exists()
    decision["document_revision"] = "2"
    for _ in range(2):
        ada.post("/campaigns/small/adjudicate/", {**decision, "note": " it names it "})
    assert Annotation.objects.get(assessor__username="Small-ada").note == "it names it"


@pytest.fixture
def asking(campaign: Campaign) -> Campaign:
    return change_settings(campaign=campaign, note_on_disagreement=True)


def asks(api: Api, docno: str, grade: int | None, **more: Any) -> bool:
    reply = api.judge("1", docno, grade, **more)
    assert reply.status_code == 201
    return bool(reply.json()["asks_note"])


def requested(campaign: Campaign, name: str) -> list[str]:
    assessor = User.objects.get(username=f"Small-{name}").id
    return [one.docno for one in requested_notes(campaign=campaign, assessor=assessor)]


def test_a_note_is_asked_where_anothers_grade_differs(asking: Campaign, grace: Api) -> None:
    alan = Api(asking, "Small-alan")
    assert not asks(grace, "a", 1)
    assert not asks(grace, "b", 1)
    assert asks(alan, "a", 2)
    assert not asks(alan, "b", 1)
    # No grade differs from none, and none from a grade.
    assert not asks(alan, "c", None, reason="unreadable")
    assert not asks(grace, "c", 2)
    assert (requested(asking, "alan"), requested(asking, "grace")) == (["a"], [])


def test_no_note_is_asked_unless_the_campaign_says_so(campaign: Campaign, grace: Api) -> None:
    asks(grace, "a", 1)
    assert not asks(Api(campaign, "Small-alan"), "a", 2)
    assert requested(campaign, "alan") == []


def test_trying_grades_does_not_reveal_anothers(asking: Campaign, grace: Api) -> None:
    alan = Api(asking, "Small-alan")
    asks(grace, "a", 1)
    assert asks(alan, "a", 2)
    assert not asks(alan, "a", 0)
    assert not asks(alan, "a", None, undo=True)
    assert not asks(alan, "a", 2)
    # Nor does the page of requests, which stays as it was asked.
    assert requested(asking, "alan") == ["a"]
    assert not asks(alan, "a", 1)
    assert requested(asking, "alan") == ["a"]
    assert not asks(alan, "a", None, undo=True)
    assert requested(asking, "alan") == []


def test_the_same_id_again_asks_again(asking: Campaign, grace: Api) -> None:
    asks(grace, "a", 1)
    act = {"id": str(uuid.uuid4()), "topic": "1", "docno": "a", "grade": 2}
    replies = [Api(asking, "Small-alan").post("judgments/", act) for _ in range(2)]
    assert [(one.status_code, one.json()["asks_note"]) for one in replies] == [(201, True), (200, True)]


def test_undone_decided_and_excluded_grades_ask_for_nothing(asking: Campaign, grace: Api) -> None:
    alan = Api(asking, "Small-alan")
    for docno in "abd":
        asks(grace, docno, 1)
    asks(grace, "a", None, undo=True)
    assert not asks(alan, "a", 2)
    ada = User.objects.get(username="Small-ada")
    assert asks(alan, "d", 2)
    # A decision is no other assessor's grade.
    add_member(campaign=asking, username=make_user("Small-eve").username, role="assessor")
    decide(campaign=asking, adjudicator=ada, id=uuid.uuid4(), topic="1", docno="d", grade=0)
    exclude(campaign=asking, username="Small-grace")
    asking.refresh_from_db()
    assert not asks(alan, "b", 2)
    assert not asks(Api(asking, "Small-eve"), "d", 2)
    assert requested(asking, "eve") == []


def test_a_written_note_is_no_longer_requested(asking: Campaign, grace: Api) -> None:
    alan = Api(asking, "Small-alan")
    for docno in "ab":
        asks(grace, docno, 1)
        asks(alan, docno, 2)
    assert requested(asking, "alan") == ["b", "a"]
    page = signed_in("Small-alan").get("/judge/small/work").content.decode()
    assert 'href="/judge/small/1/#open=a"' in page
    # A passage alone is no note.
    alan.post("annotations/", wish("a", (0, 1)))
    alan.post("annotations/", wish("b", note="it is all about it"))
    assert requested(asking, "alan") == ["a"]
    change_settings(campaign=asking, note_on_disagreement=False)
    assert "Requested notes" not in signed_in("Small-alan").get("/judge/small/work").content.decode()


def test_nothing_is_requested_where_no_note_can_be_written(asking: Campaign, grace: Api) -> None:
    asks(grace, "a", 1)
    asks(Api(asking, "Small-alan"), "a", 2)
    pause(campaign=asking)
    assert requested(asking, "alan") == []


def test_asking_for_notes_costs_no_statement(asking: Campaign, grace: Api) -> None:
    counted = []
    alan = Api(asking, "Small-alan")
    asks(grace, "a", 1)
    asks(grace, "b", 1)
    # The first one prepares statements.
    asks(alan, "d", 1)
    for docno, wanted in (("a", True), ("b", False)):
        change_settings(campaign=asking, note_on_disagreement=wanted)
        with CaptureQueriesContext(connection) as captured:
            assert asks(alan, docno, 2) is wanted
        counted.append(len(captured))
    assert counted[0] == counted[1]


def test_a_decision_needs_a_note_where_grades_differ(asking: Campaign, grace: Api) -> None:
    asks(grace, "a", 1)
    asks(Api(asking, "Small-alan"), "a", 2)
    ada = signed_in("Small-ada")
    required = re.compile(r"<textarea\s+id=.note.[^>]*\srequired\s*>")
    assert required.search(ada.get("/campaigns/small/adjudicate/").content.decode())
    change_settings(campaign=asking, note_on_disagreement=False)
    assert not required.search(ada.get("/campaigns/small/adjudicate/").content.decode())
