"""One message is enough for a campaign that no process has in hand; what a crash takes is written again."""

from __future__ import annotations

import pytest

from campaigns.computing import tasks, worker
from campaigns.computing.tasks import recompute
from campaigns.core.jobs import let_go, take_in_hand
from campaigns.models import Computed, Priority
from tests.campaigns.factories import Api, make_campaign

pytestmark = pytest.mark.django_db


def test_one_message_is_under_way_until_the_work_is_done() -> None:
    campaign = make_campaign()
    assert take_in_hand(campaign.id)
    assert not take_in_hand(campaign.id)
    recompute(campaign.id)
    assert take_in_hand(campaign.id)
    let_go(campaign.id)


def test_a_process_that_fails_lets_go(monkeypatch: pytest.MonkeyPatch) -> None:
    campaign = make_campaign()

    def fail(live: object) -> None:
        raise RuntimeError("broken")

    monkeypatch.setattr(worker, "bring_up_to_date", fail)
    with pytest.raises(RuntimeError):
        recompute(campaign.id)
    assert take_in_hand(campaign.id)
    let_go(campaign.id)


def test_a_campaign_that_another_process_computes_stays_in_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    campaign = make_campaign()

    def busy(live: object) -> None:
        raise worker.Busy

    monkeypatch.setattr(worker, "bring_up_to_date", busy)
    recompute(campaign.id)
    assert not take_in_hand(campaign.id)
    let_go(campaign.id)


def test_queues_lost_in_a_crash_are_written_again() -> None:
    campaign = make_campaign(scope="topic")
    recompute(campaign.id)
    early = dict(Priority.objects.filter(topic__number="1").values("as_of", "documents", "weights").get())
    grace = Api(campaign, "Small-grace")
    docno = grace.get("next/", topic="1").json()["docno"]
    grace.judge("1", docno, 1)
    recompute(campaign.id)
    assert Priority.objects.get(topic__number="1").as_of == 1
    # As the disk has it when the database crashed before the scores were committed.
    Priority.objects.filter(topic__number="1").update(**early)
    Computed.objects.filter(campaign=campaign).update(applied=0)
    tasks.forget_copies()
    recompute(campaign.id)
    assert Priority.objects.get(topic__number="1").as_of == 1
    assert Computed.objects.get(campaign=campaign).applied == 1
