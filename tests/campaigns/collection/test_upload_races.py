"""Uploads at the same moment: one waits for the other, and neither is answered with an error of the site."""

from __future__ import annotations

import io
from collections.abc import Callable
from threading import Event
from time import sleep
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.db import transaction

from campaigns.collection.document_revisions import JudgedTexts
from campaigns.collection.documents import StoredDocuments, store_documents, storing_documents
from campaigns.collection.topics import StoredTopics, set_method, store_topics
from campaigns.core.errors import Refusal
from campaigns.exchange.qrels import store_qrels
from campaigns.formats.qrels import read_qrels
from campaigns.formats.topics import DocumentRecord, TopicRecord
from campaigns.judging.batches import record_all
from campaigns.judging.lookup import ActRequest
from campaigns.judging.notes import AnnotationRequest, annotate
from campaigns.judging.record import record
from campaigns.models import Campaign, Collection, Document, DocumentRevision, Judgment, Topic
from campaigns.operations.campaign_deletion import delete_campaign
from campaigns.setup.campaigns import pause
from tests.campaigns.concurrency import somebody_waits, together
from tests.campaigns.factories import add_run, make_campaign

pytestmark = pytest.mark.django_db(transaction=True)

MANY = [f"many-{n:05}" for n in range(12_000)]


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign()


def topics(campaign: Campaign, *numbers: str, title: str = "what") -> Callable[[], StoredTopics]:
    records = [TopicRecord(number, title, "", "") for number in numbers]
    user = User.objects.get(username="Small-ada")
    return lambda: store_topics(campaign=campaign, user=user, records=records, reword=True)


def documents(docnos: list[str]) -> Callable[[], StoredDocuments]:
    records = [DocumentRecord(docno, "title", "text", "") for docno in docnos]
    # Each has the row as it was when its request began.
    collection = Collection.objects.get()
    return lambda: store_documents(collection=collection, records=records, file="texts")


def refused(results: list[Any]) -> list[Any]:
    return [result for result in results if isinstance(result, Exception)]


def test_the_same_topics_at_once_are_stored_once(campaign: Campaign) -> None:
    numbers = [f"t{n}" for n in range(40)]
    results = together([topics(campaign, *numbers)] * 4)
    assert not refused(results)
    assert sorted(result.added for result in results) == [0, 0, 0, 40]


def test_other_topics_at_once_are_stored_one_behind_the_other(campaign: Campaign) -> None:
    before = campaign.topics.count()
    assert not refused(together([topics(campaign, f"a{n}", f"b{n}") for n in range(4)]))
    positions = campaign.topics.values_list("position", flat=True)
    assert sorted(positions) == [*range(before + 8)]


def test_topics_are_worded_while_they_get_a_method(campaign: Campaign) -> None:
    numbers = list(campaign.topics.values_list("number", flat=True))

    def choose(method: str) -> Callable[[], int]:
        rows = list(Topic.objects.filter(campaign=campaign))
        return lambda: set_method(campaign=campaign, topics=rows, method=method)

    for turn in range(8):
        words = [topics(campaign, *numbers, f"new {turn}", title=f"{turn} {n}") for n in range(2)]
        assert not refused(together([*words, choose("A"), choose("B")])), turn


def test_the_same_documents_in_other_orders(campaign: Campaign) -> None:
    results = together([documents(MANY), documents(MANY[::-1]), documents(MANY[5000:] + MANY[:5000])])
    assert sorted((result.new, result.unchanged) for result in results) == [(0, len(MANY))] * 2 + [
        (len(MANY), 0)
    ]


def test_documents_while_runs_and_qrels_name_them_for_the_first_time(campaign: Campaign) -> None:
    user = User.objects.get(username="Small-ada")
    lines = "".join(f"1 0 {docno} 1\n" for docno in MANY)

    def judgments() -> object:
        parsed = read_qrels(io.BytesIO(lines.encode()), "qrels")
        return store_qrels(campaign=Campaign.objects.get(), user=user, parsed=parsed, file="qrels")

    def run() -> None:
        add_run(Campaign.objects.get(), "late", {"1": MANY})

    results = together([documents(MANY[::-1]), run, judgments])
    assert not refused(results)
    assert Collection.objects.get().documents.filter(docno__startswith="many").count() == len(MANY)


def test_documents_of_a_collection_that_is_being_deleted_go_with_it(campaign: Campaign) -> None:
    pause(campaign=campaign)
    stored, goes_on = Event(), Event()

    def upload() -> None:
        with transaction.atomic():
            documents(MANY[:10])()
            stored.set()
            goes_on.wait()

    def delete() -> None:
        stored.wait()
        delete_campaign(campaign=Campaign.objects.get(), confirmation=campaign.slug)

    def watch() -> None:
        while not somebody_waits():
            sleep(0.01)
        goes_on.set()

    assert together([upload, delete, watch]) == [None] * 3
    assert not Collection.objects.exists()
    assert not Document.objects.exists()


def one_waits_for_the_other(first: Callable[[], Any], second: Callable[[], Any]) -> list[Any]:
    """The first holds its transaction open until the second waits for it."""
    done, goes_on = Event(), Event()

    def hold_open() -> Any:
        with transaction.atomic():
            try:
                return first()
            finally:
                done.set()
                goes_on.wait()

    def follow() -> Any:
        done.wait()
        return second()

    def watch() -> None:
        done.wait()
        while not somebody_waits():
            sleep(0.01)
        goes_on.set()

    return together([hold_open, follow, watch])[:2]


def with_text(body: str) -> Callable[[], StoredDocuments]:
    records = [DocumentRecord("a", "", body)]
    return lambda: store_documents(
        collection=Collection.objects.get(), records=records, file="f", replace=True
    )


def judge(seen: int | None = None) -> Callable[[], Any]:
    act = ActRequest(uuid4(), "1", "a", grade=1, document_revision=seen)
    assessor = User.objects.get(username="Small-grace").id
    return lambda: record(campaign=Campaign.objects.get(), assessor=assessor, act=act)


def test_a_judgment_before_a_replacement_keeps_its_text(campaign: Campaign) -> None:
    with_text("first")()
    judgment, stored = one_waits_for_the_other(judge(1), with_text("second"))
    assert (judgment.judgment.document_revision, stored.replaced) == (1, 1)
    kept = DocumentRevision.objects.get()
    assert (kept.revision, kept.body) == (1, "first")


def test_a_judgment_after_a_replacement_names_the_new_text(campaign: Campaign) -> None:
    with_text("first")()
    stored, judgment = one_waits_for_the_other(with_text("second"), judge())
    assert (stored.replaced, judgment.judgment.document_revision) == (0, 2)
    assert not DocumentRevision.objects.exists()


def test_a_judgment_of_a_text_that_is_gone_is_refused(campaign: Campaign) -> None:
    with_text("first")()
    _, refusal = one_waits_for_the_other(with_text("second"), judge(1))
    assert isinstance(refusal, Refusal)
    assert refusal.code == "text_replaced"
    assert not Judgment.objects.exists()


def test_several_acts_during_a_replacement_are_looked_up_again(campaign: Campaign) -> None:
    with_text("first")()
    assessor = User.objects.get(username="Small-grace").id
    acts = [ActRequest(uuid4(), "1", docno, grade=1) for docno in "ab"]
    together_ = lambda: record_all(campaign=Campaign.objects.get(), assessor=assessor, acts=acts)  # noqa: E731
    _, outcomes = one_waits_for_the_other(with_text("second"), together_)
    assert [outcome.judgment.document_revision for outcome in outcomes] == [2, 1]


def test_passages_wait_for_a_replacement(campaign: Campaign) -> None:
    with_text("first text")()
    assessor = User.objects.get(username="Small-grace").id
    wish = AnnotationRequest(uuid4(), "1", "a", spans=[(0, 5)])
    mark = lambda: annotate(campaign=Campaign.objects.get(), assessor=assessor, request=wish)  # noqa: E731
    _, (annotation, _) = one_waits_for_the_other(with_text("other text"), mark)
    assert (annotation.document_revision, annotation.passages[0]["text"]) == (2, "other")


def test_judging_and_replacing_at_once_always_agree(campaign: Campaign) -> None:
    """Whatever comes first, the text of each judgment is the present one or kept."""
    people = [User.objects.get(username=f"Small-{name}").id for name in ("grace", "alan")]
    for turn in range(6):
        acts = [
            lambda one=one: record(
                campaign=Campaign.objects.get(), assessor=one, act=ActRequest(uuid4(), "1", "a", grade=1)
            )
            for one in people
        ]
        assert not refused(together([*acts, with_text(f"text {turn}")]))
    document = Document.objects.get(docno="a")
    kept = set(document.revisions.values_list("revision", flat=True))
    assert set(Judgment.objects.values_list("document_revision", flat=True)) <= kept | {document.revision}


def test_judging_goes_on_while_an_archive_replaces_texts(campaign: Campaign) -> None:
    """Others see the earlier text until the commit; what they say of it by then names it."""
    with_text("first")()
    record_of = DocumentRecord("a", "", "second")
    replaced, judged = Event(), Event()

    def upload() -> StoredDocuments:
        with storing_documents(
            collection=Collection.objects.get(), records=[record_of], file="f", replace=True
        ) as stored:
            replaced.set()
            judged.wait(60)
        return stored

    def work() -> Any:
        replaced.wait(60)
        try:
            return judge(1)()
        finally:
            judged.set()

    stored, judgment = together([upload, work])
    assert (judgment.judgment.document_revision, stored.replaced) == (1, 1)
    assert list(DocumentRevision.objects.values_list("revision", "body")) == [(1, "first")]
    assert Document.objects.get(docno="a").revision == 2


def test_a_text_that_is_judged_during_an_upload_is_not_replaced_unasked(campaign: Campaign) -> None:
    with_text("first")()
    records = [DocumentRecord("a", "", "second"), DocumentRecord("new", "", "new")]
    replaced, judged = Event(), Event()

    def upload() -> None:
        with storing_documents(collection=Collection.objects.get(), records=records, file="f"):
            replaced.set()
            judged.wait(60)

    def work() -> Any:
        replaced.wait(60)
        try:
            return judge(1)()
        finally:
            judged.set()

    refusal, judgment = together([upload, work])
    assert isinstance(refusal, JudgedTexts)
    assert judgment.judgment.document_revision == 1
    assert Document.objects.get(docno="a").body == "first"
    assert not Document.objects.filter(docno="new").exists()
