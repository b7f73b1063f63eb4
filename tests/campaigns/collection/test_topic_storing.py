"""Storing topics: in blocks that leave no trace, and in little memory."""

from __future__ import annotations

import tracemalloc

import pytest
from django.contrib.auth.models import User

from campaigns.collection import topics
from campaigns.collection.topics import StoredTopics, store_topics
from campaigns.formats.topics import TopicRecord
from campaigns.models import Campaign, TopicRevision
from tests.campaigns.factories import make_campaign

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign()


def store(campaign: Campaign, records: list[TopicRecord], *, reword: bool = False) -> StoredTopics:
    user = User.objects.get(username="Small-ada")
    return store_topics(campaign=campaign, user=user, records=records, reword=reword)


@pytest.mark.parametrize("at_once", [1, 3, 1000])
def test_blocks_add_and_reword_as_one_file(
    campaign: Campaign, at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(topics, "STORED_AT_ONCE", at_once)
    there = campaign.topics.count()
    first = [TopicRecord(f"n{n}", f"title {n}", "de\\s'c", "narr") for n in range(7)]
    assert store(campaign, first) == StoredTopics(7, 0, 0)
    again = [*(TopicRecord(f"n{n}", f"other {n}") for n in range(4)), *first[4:], TopicRecord("n7", "late")]
    assert store(campaign, again, reword=True) == StoredTopics(1, 4, 3)
    rows = campaign.topics.filter(number__startswith="n").values_list(
        "number", "position", "title", "revision"
    )
    assert list(rows) == [
        *((f"n{n}", there + n, f"other {n}", 2) for n in range(4)),
        *((f"n{n}", there + n, f"title {n}", 1) for n in range(4, 7)),
        ("n7", there + 7, "late", 1),
    ]
    revisions = TopicRevision.objects.filter(topic__number="n1").order_by("revision")
    words = revisions.values_list("revision", "title", "description", "narrative", "author__username")
    assert list(words) == [
        (1, "title 1", "de\\s'c", "narr", "Small-ada"),
        (2, "other 1", "", "", "Small-ada"),
    ]


def test_topics_take_a_fraction_of_their_texts_to_be_stored(campaign: Campaign) -> None:
    records = [TopicRecord(f"n{n}", "title", "d" * 10_000) for n in range(1500)]
    texts = 15 << 20
    tracemalloc.start()
    try:
        store(campaign, records)
        assert tracemalloc.get_traced_memory()[1] < texts / 2
        tracemalloc.reset_peak()
        store(campaign, [TopicRecord(one.number, "title", "e" * 10_000) for one in records[:150]])
        # Topics that the file does not name are not read.
        assert tracemalloc.get_traced_memory()[1] < texts / 2
    finally:
        tracemalloc.stop()
