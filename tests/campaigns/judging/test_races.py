"""People and processes at the same moment, on real connections."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from campaigns.computing import foresight, phases
from campaigns.computing.live import LiveCampaign
from campaigns.computing.tasks import recompute
from campaigns.core.errors import Refusal
from campaigns.core.recompute_queue import CampaignBusy
from campaigns.judging import next_document, record
from campaigns.judging.claims import ServedDocument
from campaigns.judging.lookup import ActRequest
from campaigns.models import Campaign, Claim, Judgment, LogHead
from campaigns.setup import campaigns
from tests.campaigns.concurrency import somebody_waits, together
from tests.campaigns.factories import add_run, make_campaign, make_user
from tests.plumbing.idle import wait_for

pytestmark = pytest.mark.django_db(transaction=True)

# One topic with many documents, so that everybody can have one.
MANY = {"x": {"1": [f"d{n:03}" for n in range(60)]}}


def opener(campaign: Campaign, user: User) -> Callable[[], ServedDocument | None]:
    topic = campaign.topics.get()
    topic.campaign = campaign
    return lambda: next_document.next_document(campaign=campaign, topic=topic, assessor=user.id)


def test_many_assessors_at_once_each_get_another_document() -> None:
    campaign = make_campaign(lists=MANY)
    recompute(campaign.id)
    people = [make_user(f"person {n}") for n in range(12)]
    served = together([opener(campaign, person) for person in people])
    assert all(isinstance(document, ServedDocument) for document in served), served
    assert len({document.docno for document in served}) == 12
    assert Claim.objects.count() == 12


def test_the_log_has_no_gaps_however_many_write() -> None:
    campaign = make_campaign(lists=MANY)
    people = [make_user(f"person {n}") for n in range(8)]

    def judge(user: User, docno: str) -> record.JudgmentOutcome:
        act = ActRequest(id=uuid.uuid4(), topic="1", docno=docno, grade=1)
        return record.record(campaign=campaign, assessor=user.id, act=act)

    jobs = [lambda person=person, n=n: judge(person, f"d{n:03}") for n, person in enumerate(people)]
    for result in together(jobs):
        assert isinstance(result, record.JudgmentOutcome), result
    assert sorted(Judgment.objects.values_list("sequence", flat=True)) == list(range(1, 9))
    assert LogHead.objects.get(campaign=campaign).length == 8


def test_the_same_act_sent_twice_at_once_is_recorded_once() -> None:
    campaign = make_campaign(lists=MANY)
    grace = User.objects.get(username="Small-grace")
    act = ActRequest(id=uuid.uuid4(), topic="1", docno="d000", grade=2)
    both = together([lambda: record.record(campaign=campaign, assessor=grace.id, act=act)] * 2)
    assert sorted(recorded.created for recorded in both) == [False, True]
    assert Judgment.objects.count() == 1
    assert LogHead.objects.get(campaign=campaign).length == 1


def test_judging_goes_on_while_a_run_is_uploaded() -> None:
    campaign = make_campaign(lists=MANY)
    recompute(campaign.id)
    grace = User.objects.get(username="Small-grace")
    first = opener(campaign, grace)()
    assert first is not None
    act = ActRequest(id=uuid.uuid4(), topic="1", docno=first.docno, grade=1)
    judged: list[Any] = []

    def judge() -> None:
        judged.extend(together([lambda: record.record(campaign=campaign, assessor=grace.id, act=act)]))

    with transaction.atomic():
        add_run(campaign, "late", {"1": ["d001", "new"]})
        # The upload has not committed yet, and the judgment must not wait for it.
        judge()
    assert isinstance(judged[0], record.JudgmentOutcome), judged
    assert campaign.runs.filter(tag="late").exists()


def test_nothing_is_appended_once_closing_has_begun() -> None:
    campaign = make_campaign(lists=MANY)
    grace = User.objects.get(username="Small-grace")
    act = ActRequest(id=uuid.uuid4(), topic="1", docno="d000", grade=1)
    result: list[Any] = []
    judge = threading.Thread(
        target=lambda: result.extend(
            together([lambda: record.record(campaign=campaign, assessor=grace.id, act=act)])
        )
    )
    with transaction.atomic():
        campaigns.close(campaign=Campaign.objects.get(id=campaign.id))
        judge.start()
        # It waits for the log, and finds it closed.
        judge.join(timeout=1)
        assert judge.is_alive()
    judge.join()
    assert isinstance(result[0], Refusal), result
    assert not Judgment.objects.exists()


def test_a_claim_that_goes_to_somebody_else_meanwhile_stays_theirs() -> None:
    campaign = make_campaign(lists=MANY)
    grace, alan = (User.objects.get(username=f"Small-{name}") for name in ("grace", "alan"))
    served = opener(campaign, grace)()
    assert served is not None
    Claim.objects.update(expires_at=timezone.now() - timedelta(minutes=1))
    act = ActRequest(id=uuid.uuid4(), topic="1", docno=served.docno, reason="unreadable")
    judge = threading.Thread(
        target=lambda: together([lambda: record.record(campaign=campaign, assessor=grace.id, act=act)])
    )
    with transaction.atomic():
        LogHead.objects.select_for_update().get(campaign=campaign)
        judge.start()
        wait_for(somebody_waits)
        # The judgment has looked at its claim, and waits for the log.
        Claim.objects.update(assessor=alan, expires_at=timezone.now() + timedelta(minutes=30))
    judge.join()
    assert Judgment.objects.get().reason == "unreadable"
    assert Claim.objects.get(document__docno=served.docno).assessor == alan


def test_a_computation_in_progress_is_not_joined_by_another() -> None:
    campaign = make_campaign(lists=MANY)
    with transaction.atomic():
        phases.lock(campaign.id)
        [result] = together([lambda: in_transaction(campaign.id)])
    assert isinstance(result, CampaignBusy)


def in_transaction(campaign: int) -> None:
    with transaction.atomic():
        phases.lock(campaign)


def test_nobody_who_judges_waits_for_the_worker_to_look_ahead() -> None:
    campaign, live = opened_by_grace()
    with transaction.atomic():
        foreseen = foresight.look_ahead(live)
        assert foreseen
        act = ActRequest(id=uuid.uuid4(), topic="1", docno=foreseen[0][0].document.docno, grade=1)
        grace = User.objects.get(username="Small-grace")
        # Its claim goes, before the worker has ended.
        [judged] = together([lambda: record.record(campaign=campaign, assessor=grace.id, act=act)])
        foresight.write_lookaheads(live, foreseen, {})
    assert isinstance(judged, record.JudgmentOutcome), judged
    assert judged.next is not None
    assert Claim.objects.get().lookahead is None


@pytest.mark.parametrize("same", [True, False])
def test_a_look_ahead_is_for_whoever_had_the_document_open(same: bool) -> None:
    _, live = opened_by_grace()
    foreseen = foresight.look_ahead(live)
    if not same:
        Claim.objects.update(assessor=User.objects.get(username="Small-alan"))
    foresight.write_lookaheads(live, foreseen, {})
    assert bool(Claim.objects.get().lookahead) is same


def test_a_claim_that_is_being_changed_gets_no_look_ahead_and_keeps_nobody_waiting() -> None:
    _, live = opened_by_grace()
    foreseen = foresight.look_ahead(live)
    with transaction.atomic():
        Claim.objects.update(recalled=True)
        [written] = together([lambda: foresight.write_lookaheads(live, foreseen, {})])
    assert written is None
    assert Claim.objects.get().lookahead is None


def opened_by_grace() -> tuple[Campaign, LiveCampaign]:
    """A document on her screen, and the worker's copy of the campaign before it has looked ahead."""
    campaign = make_campaign(lists=MANY)
    opener(campaign, User.objects.get(username="Small-grace"))()
    live = LiveCampaign.from_rows(campaign)
    live.catch_up(known=0)
    return campaign, live
