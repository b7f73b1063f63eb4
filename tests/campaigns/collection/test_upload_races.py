"""Uploads at the same moment: one waits for the other, and neither is answered with an error of the site."""

from __future__ import annotations

import io
from collections.abc import Callable
from threading import Event
from time import sleep
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import transaction

from campaigns.collection.documents import store_documents
from campaigns.collection.topics import StoredTopics, set_method, store_topics
from campaigns.exchange.qrels import store_qrels
from campaigns.formats.qrels import read_qrels
from campaigns.formats.topics import DocumentRecord, TopicRecord
from campaigns.models import Campaign, Collection, Document, Topic
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


def documents(docnos: list[str]) -> Callable[[], int]:
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
    assert results == [len(MANY)] * 3


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
