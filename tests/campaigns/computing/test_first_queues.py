"""Of many topics a few are served before all are read, exactly as they are served later."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from campaigns.computing import phases, stored_queues, worker
from campaigns.computing.arrays import OutdatedArrays
from campaigns.computing.live import LiveCampaign
from campaigns.computing.written import Written
from campaigns.models import Campaign, Claim, Computed, LogHead, Membership, Priority
from campaigns.setup import campaigns as services
from selection.registry import METHODS
from tests.campaigns.computing.test_fold import judge_at_random
from tests.campaigns.factories import Api, make_campaign

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def few_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored_queues, "ALL_KEPT_FRESH", 1)


def judged(**settings: Any) -> Campaign:
    campaign = make_campaign(scope="topic", **settings)
    judge_at_random(campaign, 9, seed=4)
    Priority.objects.all().delete()
    Computed.objects.all().delete()
    campaign.refresh_from_db()
    return campaign


def queue_rows() -> list[tuple[object, ...]]:
    rows = Priority.objects.order_by("topic").values_list(
        *("topic", "documents", "weights", "inclusion", "sources", "method", "remaining", "pool_size"),
        *("best_weight", "as_of", "configuration"),
    )
    return [tuple(bytes(x) if isinstance(x, memoryview) else x for x in row) for row in rows]


# This campaign lacks the texts that CAL reads.
@pytest.mark.parametrize("method", [name for name in METHODS if name != "cal"])
def test_first_queues_equal_those_of_a_whole_copy(method: str) -> None:
    campaign = judged(method=method)
    phases.first_queues(LiveCampaign.from_rows(campaign), Written())
    early = queue_rows()
    assert len(early) == 2
    Priority.objects.all().delete()
    worker.bring_up_to_date(LiveCampaign.from_rows(campaign))
    assert queue_rows() == early


def test_topics_on_a_screen_come_first(monkeypatch: pytest.MonkeyPatch) -> None:
    campaign = judged()
    monkeypatch.setattr(stored_queues, "QUEUES_AT_ONCE", 1)
    first, second = campaign.topics.order_by("position")
    Claim.objects.all().delete()
    now = timezone.now()
    Claim.objects.create(
        topic=second,
        document=campaign.collection.documents.get(docno="k"),
        assessor=Membership.objects.filter(campaign=campaign, role="assessor").earliest("id").user,
        created=now,
        expires_at=now + timedelta(minutes=5),
    )
    live = LiveCampaign.from_rows(campaign)
    phases.first_queues(live, Written())
    assert list(Priority.objects.values_list("topic", flat=True)) == [second.id]
    phases.first_queues(live, Written())
    assert set(Priority.objects.values_list("topic", flat=True)) == {first.id, second.id}


def test_a_campaign_whose_topics_depend_on_each_other_waits_for_the_whole_log() -> None:
    campaign = judged()
    assert phases.next_phase(LiveCampaign.from_rows(campaign), Written()) is phases.first_queues
    services.change_settings(campaign=campaign, scope="campaign")
    campaign.refresh_from_db()
    assert phases.next_phase(LiveCampaign.from_rows(campaign), Written()) is not phases.first_queues


def test_a_judgment_in_between_is_not_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also of a topic that would not be among the first to be written."""
    monkeypatch.setattr(stored_queues, "QUEUES_AT_FIRST", 0)
    campaign = judged()
    live = LiveCampaign.from_rows(campaign)
    phases.first_queues(live, Written())
    early = set(Priority.objects.values_list("as_of", flat=True))
    Api(campaign, "Small-grace").judge("2", "m", 1)
    worker.bring_up_to_date(live)
    length = LogHead.objects.get(campaign=campaign).length
    assert early == {length - 1}
    assert set(Priority.objects.values_list("as_of", flat=True)) == {length}


def test_settings_that_changed_meanwhile_are_not_taken_for_these() -> None:
    campaign = judged()
    live = LiveCampaign.from_rows(campaign)
    services.change_settings(campaign=campaign, p=0.5)
    with pytest.raises(OutdatedArrays):
        phases.first_queues(live, Written())
    assert not Priority.objects.exists()
