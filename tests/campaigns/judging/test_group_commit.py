"""Acts that wait for the log together, on real connections."""

from __future__ import annotations

import threading
import uuid
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection, transaction
from django.utils import timezone

from campaigns.core.database import Statement
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


@dataclass(frozen=True)
class PlainAct:
    assessor: int


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


def test_an_act_that_cannot_be_placed_is_refused_to_its_sender_alone() -> None:
    campaign = make_campaign(lists=LISTS)
    people = [make_user(f"person {number}") for number in range(4)]
    named = [
        (people[0], "d0", "1"),
        (people[1], "unknown", "1"),
        (people[2], "d2", "1"),
        (people[3], "d3", "9"),
    ]
    results = while_log_is_locked(campaign, [judge(campaign, *each) for each in named])
    assert [result.code for result in results if isinstance(result, Refusal)] == [
        "not_in_pool",
        "unknown_topic",
    ]
    assert sorted(Judgment.objects.values_list("document__docno", flat=True)) == ["d0", "d2"]
    assert transactions() == 2


def test_an_act_that_came_before_is_answered_as_before() -> None:
    campaign = make_campaign(lists=LISTS)
    people = [make_user(f"person {number}") for number in range(3)]
    again = judge(campaign, people[1], "d1")
    first = again()
    acts = [judge(campaign, people[0], "d0"), again, judge(campaign, people[2], "d2")]
    results = while_log_is_locked(campaign, acts)
    assert [result.created for result in results] == [True, False, True]
    assert results[1].judgment.id == first.judgment.id
    assert Judgment.objects.count() == 3


def test_acts_of_different_topics_take_one_statement_a_step(monkeypatch: pytest.MonkeyPatch) -> None:
    topics = [str(number) for number in range(1, 7)]
    campaign = make_campaign(lists={"x": dict.fromkeys(topics, DOCNOS)})
    people = [make_user(f"person {number}") for number in range(6)]
    steps = Counter[str]()
    real = Statement.rows

    def counted(statement: Statement, given: Any) -> Any:
        steps[statement.name] += 1
        return real(statement, given)

    monkeypatch.setattr(Statement, "rows", counted)
    acts = [judge(campaign, person, "d0", topic) for person, topic in zip(people, topics, strict=True)]
    results = while_log_is_locked(campaign, acts)
    assert [result.next.docno for result in results] == ["d1"] * 6
    # One for the act that was alone, and one for the five behind it.
    assert steps == dict.fromkeys(("look_up", "append", "situations", "claim", "progress"), 2)


def test_the_next_group_begins_while_the_last_waits_for_the_disk() -> None:
    waits, disk = threading.Event(), threading.Event()

    def commit(acts: Sequence[PlainAct], hand_over: Callable[[], None]) -> list[int]:
        if acts[0].assessor == 1:
            hand_over()
            waits.set()
            assert disk.wait(60)
        return [act.assessor for act in acts]

    def act(assessor: int) -> int:
        return group_commit.commit_in_group(-1, PlainAct(assessor), commit, list)

    def second() -> int:
        assert waits.wait(60)
        outcome = act(2)
        disk.set()
        return outcome

    assert together([lambda: act(1), second]) == [1, 2]


def test_an_error_reaches_every_act_of_its_group() -> None:
    groups: list[int] = []

    def commit(acts: Sequence[PlainAct], hand_over: Callable[[], None]) -> list[int]:
        groups.append(len(acts))
        if len(groups) > 1:
            raise ZeroDivisionError
        wait_for(lambda: len(group_commit._queues[-2]._waiting) == 2)
        return [act.assessor for act in acts]

    def act(assessor: int) -> int:
        return group_commit.commit_in_group(-2, PlainAct(assessor), commit, list)

    results = together([partial(act, assessor) for assessor in (1, 2, 3)])
    assert groups == [1, 2]
    assert sum(isinstance(result, ZeroDivisionError) for result in results) == 2
    # Nobody waits for a leader that is gone.
    with pytest.raises(ZeroDivisionError):
        act(1)
