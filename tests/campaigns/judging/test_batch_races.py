"""Batches of judgments beside whatever else happens at that moment, on real connections."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import transaction

from campaigns.computing.tasks import recompute
from campaigns.core.errors import Refusal
from campaigns.judging import next_document, record, topic_closure
from campaigns.judging.batches import record_all
from campaigns.judging.lookup import ActRequest, RecordedJudgment
from campaigns.models import Campaign, Claim, Judgment, LogHead, Topic
from campaigns.setup import campaigns
from tests.campaigns.concurrency import somebody_waits, together
from tests.campaigns.factories import make_campaign
from tests.plumbing.idle import wait_for

pytestmark = pytest.mark.django_db(transaction=True)

MANY = {"x": {topic: [f"d{n:03}" for n in range(60)] for topic in "12"}}


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign(lists=MANY)


def user(name: str) -> int:
    return User.objects.get(username=f"Small-{name}").id


def acts_on(docnos: range, topic: str = "1") -> list[ActRequest]:
    return [ActRequest(id=uuid.uuid4(), topic=topic, docno=f"d{n:03}", grade=n % 3) for n in docnos]


def sending(campaign: Campaign, acts: list[ActRequest], name: str = "grace") -> Callable[[], Any]:
    mine, assessor = Campaign.objects.get(id=campaign.id), user(name)
    return lambda: record_all(campaign=mine, assessor=assessor, acts=acts)


def codes(outcomes: list[RecordedJudgment | Refusal]) -> set[str]:
    return {one.code if isinstance(one, Refusal) else str(one.created) for one in outcomes}


def while_waiting(send: Callable[[], Any], meanwhile: Callable[[], Any]) -> Any:
    """What a batch is answered that has been looked up, and waits for the log while something else ends."""
    result: list[Any] = []
    thread = threading.Thread(target=lambda: result.extend(together([send])))
    with transaction.atomic():
        LogHead.objects.select_for_update().get()
        thread.start()
        wait_for(somebody_waits)
        meanwhile()
    thread.join()
    return result[0]


def test_the_same_batch_on_two_lines_at_once_is_recorded_once(campaign: Campaign) -> None:
    acts = acts_on(range(50))
    both = together([sending(campaign, acts)] * 2)
    assert sorted(codes(outcomes).pop() for outcomes in both) == ["False", "True"], both
    assert Judgment.objects.count() == LogHead.objects.get().length == 50


def test_batches_and_single_acts_of_many_leave_no_gap(campaign: Campaign) -> None:
    alan = user("alan")
    single = [ActRequest(id=uuid.uuid4(), topic="2", docno=f"d{n:03}", grade=1) for n in range(4)]

    def judge(act: ActRequest) -> record.JudgmentOutcome:
        return record.record(campaign=campaign, assessor=alan, act=act)

    whole = [sending(campaign, acts_on(range(20 * n, 20 * n + 20))) for n in range(3)]
    results = together([*whole, *(lambda act=act: judge(act) for act in single)])
    assert all(codes(outcomes) == {"True"} for outcomes in results[:3]), results
    assert all(isinstance(one, record.JudgmentOutcome) for one in results[3:]), results
    rows = list(
        Judgment.objects.order_by("sequence").values_list("sequence", "topic__number", "document__docno")
    )
    assert [row[0] for row in rows] == list(range(1, 65))
    # Each batch lies in one piece, in its order.
    of_batches = [docno for _, topic, docno in rows if topic == "1"]
    pieces = [of_batches[start : start + 20] for start in (0, 20, 40)]
    assert all(piece == sorted(piece) for piece in pieces)
    assert len({docno for piece in pieces for docno in piece}) == 60


def test_a_topic_that_closes_while_the_batch_waits_is_closed_to_it(campaign: Campaign) -> None:
    acts = [*acts_on(range(5)), *acts_on(range(5), topic="2")]
    ada, topic = User.objects.get(username="Small-ada"), Topic.objects.get(number="2")
    campaigns.change_settings(campaign=campaign, min_judgments=0)
    record.record(campaign=campaign, assessor=ada.id, act=acts_on(range(50, 51), topic="2")[0])

    def close() -> None:
        topic_closure.close_for_all(campaign=campaign, topic=topic, organiser=ada)

    outcomes = while_waiting(sending(campaign, acts), close)
    assert codes(outcomes[:5]) == {"True"}
    assert codes(outcomes[5:]) == {"topic_closed"}
    assert Judgment.objects.filter(assessor=user("grace")).count() == 5


def test_a_campaign_that_closes_while_the_batch_waits_takes_nothing(campaign: Campaign) -> None:
    outcomes = while_waiting(
        sending(campaign, acts_on(range(5))),
        lambda: campaigns.close(campaign=Campaign.objects.get(id=campaign.id)),
    )
    assert codes(outcomes) == {"campaign_not_open"}
    assert not Judgment.objects.exists()


def test_a_claim_that_goes_to_somebody_else_meanwhile_stays_theirs(campaign: Campaign) -> None:
    recompute(campaign.id)
    topic = Topic.objects.get(number="1")
    served = next_document.next_document(campaign=campaign, topic=topic, assessor=user("grace"))
    assert served is not None
    acts = [ActRequest(id=uuid.uuid4(), topic="1", docno=served.docno, reason="other")]
    alan = user("alan")
    outcomes = while_waiting(sending(campaign, acts), lambda: Claim.objects.update(assessor=alan))
    assert codes(outcomes) == {"True"}
    assert Claim.objects.get().assessor_id == alan
