"""Acts that wait for the log together, on real connections."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection, transaction
from django.utils import timezone

from campaigns.core.errors import Refusal
from campaigns.judging import group_commit, record
from campaigns.judging.lookup import ActRequest
from campaigns.models import Campaign, Judgment, LogHead, Topic
from tests.campaigns.concurrency import somebody_waits, together
from tests.campaigns.factories import make_campaign, make_user
from tests.plumbing.idle import wait_for

pytestmark = pytest.mark.django_db(transaction=True)

DOCNOS = [f"d{number}" for number in range(9)]
LISTS = {"x": {"1": DOCNOS, "2": DOCNOS}}


def judge(campaign: Campaign, user: User, docno: str, topic: str = "1") -> Callable[[], Any]:
    act = ActRequest(id=uuid.uuid4(), topic=topic, docno=docno, grade=1)
    return lambda: record.record(campaign=campaign, assessor=user.id, act=act)


def gathered(campaign: Campaign, waiting: int) -> bool:
    return len(group_commit._queues[campaign.id]._waiting) == waiting


def while_log_is_locked(
    campaign: Campaign, acts: Sequence[Callable[[], Any]], before_release: Callable[[], Any] = lambda: None
) -> list[Any]:
    """Results of acts that come in this order: the first waits for the log, the others for the first."""
    results: list[Any] = [None] * len(acts)

    def run(index: int) -> None:
        [results[index]] = together([acts[index]])

    threads = [threading.Thread(target=run, args=(index,)) for index in range(len(acts))]
    with transaction.atomic():
        LogHead.objects.select_for_update().get(campaign=campaign)
        for waiting, thread in enumerate(threads):
            thread.start()
            if waiting == 0:
                wait_for(somebody_waits)
            else:
                wait_for(partial(gathered, campaign, waiting))
        before_release()
    for thread in threads:
        thread.join()
    return results


def transactions() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(DISTINCT xmin::text) FROM campaigns_judgment")
        return int(cursor.fetchone()[0])


def test_acts_that_wait_for_the_log_share_a_commit() -> None:
    campaign = make_campaign(lists=LISTS)
    people = [make_user(f"person {number}") for number in range(6)]
    acts = [judge(campaign, person, DOCNOS[number]) for number, person in enumerate(people)]
    results = while_log_is_locked(campaign, acts)
    assert [result.judgment.sequence for result in results] == [1, 2, 3, 4, 5, 6]
    assert transactions() == 2
    assert LogHead.objects.get(campaign=campaign).length == 6
    # The first took what was still free; the others have one each.
    assert [result.next.docno for result in results if result.next] == ["d1", "d6", "d7", "d8"]
    assert [result.progress.judged for result in results] == [1] * 6


def test_two_acts_of_one_assessor_are_committed_one_after_the_other() -> None:
    campaign = make_campaign(lists=LISTS)
    alan, grace, ada = (make_user(name) for name in ("alan", "grace", "ada"))
    acts = [judge(campaign, alan, "d0"), judge(campaign, grace, "d1"), judge(campaign, grace, "d2")]
    results = while_log_is_locked(campaign, [*acts, judge(campaign, ada, "d3")])
    assert [result.judgment.sequence for result in results] == [1, 2, 4, 3]
    assert transactions() == 3


def test_a_refused_act_stops_no_other_of_its_group() -> None:
    campaign = make_campaign(lists=LISTS)
    people = [make_user(f"person {number}") for number in range(3)]
    acts = [judge(campaign, person, f"d{number}") for number, person in enumerate(people[:2])]

    def close_second_topic() -> None:
        Topic.objects.filter(number="2").update(closed_at=timezone.now(), closed_by=people[2])

    results = while_log_is_locked(
        campaign, [*acts, judge(campaign, people[2], "d2", "2")], close_second_topic
    )
    assert isinstance(results[2], Refusal)
    assert results[2].code == "topic_closed"
    assert sorted(Judgment.objects.values_list("document__docno", flat=True)) == ["d0", "d1"]


def test_acts_of_a_closing_campaign_are_all_refused() -> None:
    campaign = make_campaign(lists=LISTS)
    people = [make_user(f"person {number}") for number in range(3)]
    acts = [judge(campaign, person, f"d{number}") for number, person in enumerate(people)]

    def close() -> None:
        LogHead.objects.filter(campaign=campaign).update(accepting=False)

    results = while_log_is_locked(campaign, acts, close)
    assert all(isinstance(result, Refusal) for result in results), results
    assert not Judgment.objects.exists()
