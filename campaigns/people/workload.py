"""Workload: totals of each member, and one assessor's work in detail."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from itertools import pairwise
from typing import Any

from django.contrib.auth.models import User
from django.db import connection
from django.db.models import Count, OuterRef, Subquery
from django.db.models.functions import Coalesce
from django.utils.translation import gettext

from campaigns.core.measured import where_measured
from campaigns.log.activity import ActCounts, acts_by_each, grades_by_each, repeats_by_each
from campaigns.log.current import is_by_assessor
from campaigns.log.judgments import made_at
from campaigns.log.tallies import judged_by_each
from campaigns.models import Campaign, TopicAssignment
from campaigns.quality.flags import flagged_kinds

ASSESSOR_DAYS = 60
# So many of the latest acts in a topic show how long they took.
LATEST_PACES = 20


@dataclass(frozen=True)
class Work:
    """Log entries; judgments, those without a grade among them (`refused`); answers to repeat checks.
    `seconds`: median of active time for a judgment, to two digits; `slow`: what one in ten took longer than;
    both of the `timed` among `timeable` acts, None unless these are most. `exact`: share of what the queue
    served them, None if nothing. `last_place`: of their last act in the log."""

    acts: int
    judged: int
    refused: int
    repeats: int
    undone: int
    revised: int
    seconds: float | None
    slow: float | None
    timed: int
    timeable: int
    exact: float | None
    last_place: int
    last: Any


@dataclass(frozen=True)
class Day:
    day: date
    judged: int


@dataclass(frozen=True)
class GradeShare:
    """Shares in hundredths of the person's documents, and of everybody else's."""

    grade: int
    label: str
    count: int
    share: float | None
    others: float | None


@dataclass(frozen=True)
class TopicWork:
    """`seconds`: median of the person's latest judgments in the topic."""

    number: str
    title: str
    judged: int
    relevant: int
    seconds: float | None
    last: Any


@dataclass(frozen=True)
class Assessor:
    work: Work
    grades: list[GradeShare]
    topics: list[TopicWork]
    days: list[Day]


@dataclass(frozen=True)
class Workload:
    """`judged`: judgments; `repeats`: answers to repeat checks; `days`: on which they judged; `seconds`:
    median of a judgment's active time; `given`: topics assigned to them that are open and that they are not
    done with; `decided`: in adjudication."""

    person: int
    username: str
    role: str
    paused: bool
    deactivated: bool
    judged: int
    topics: int
    days: int
    seconds: float | None
    last: Any
    decided: int
    repeats: int
    given: int
    # Open topics that they are done with, and the overlap documents there that wait for their grade.
    done: int = 0
    overlap_left: int = 0
    # Judgments until all their topics have the minimum.
    left: int = 0
    # Labels of what their judgments show.
    flags: tuple[str, ...] = ()

    @property
    def per_day(self) -> float | None:
        return self.judged / self.days if self.days else None


def workload_of(*, campaign: Campaign) -> list[Workload]:
    """Everybody with a role, organisers first."""
    acts = acts_by_each(campaign=campaign)
    times = made_at(campaign=campaign, places=[one.last for one in acts.values()])
    held: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    for (_, person), counts in judged_by_each(campaign=campaign).items():
        held[person].append(counts)
    flags, repeats = flagged_kinds(campaign=campaign), repeats_by_each(campaign=campaign)
    return [
        _workload(
            row,
            held[row[0]],
            acts.get(row[0], ActCounts()),
            times,
            repeats=repeats.get(row[0], 0),
            flags=tuple(flags.get(row[1], ())),
        )
        for row in campaign.memberships.annotate(given=_assigned_open())
        .order_by("-role", "user__username")
        .values_list("user_id", "user__username", "user__is_active", "role", "paused_at", "given")
    ]


def _workload(
    member: tuple[int, str, bool, str, Any, int],
    held: list[tuple[int, int]],
    acts: ActCounts,
    times: dict[int, Any],
    *,
    repeats: int,
    flags: tuple[str, ...],
) -> Workload:
    person, username, active, role, paused_at, given = member
    return Workload(
        person=person,
        username=username,
        role=role,
        paused=paused_at is not None,
        deactivated=not active,
        judged=sum(judged for judged, _ in held),
        topics=sum(judged > 0 for judged, _ in held),
        days=len(acts.judging),
        seconds=acts.seconds_at(0.5),
        last=times.get(acts.last),
        decided=sum(decided for _, decided in held),
        repeats=repeats,
        given=given,
        flags=flags,
    )


def _assigned_open() -> Coalesce:
    own = TopicAssignment.objects.filter(
        assessor=OuterRef("user"), topic__campaign=OuterRef("campaign"), topic__closed_at=None
    ).exclude(topic__completions__assessor=OuterRef("user"))
    return Coalesce(Subquery(own.values("assessor").annotate(n=Count("pk")).values("n")), 0)


def assessor_details(*, campaign: Campaign, user: User) -> Assessor:
    acts = acts_by_each(campaign=campaign).get(user.id, ActCounts())
    counts: Counter[tuple[bool, int | None]] = Counter()
    topics: defaultdict[int, Counter[int | None]] = defaultdict(Counter)
    for given in grades_by_each(campaign=campaign):
        own = given.assessor == user.id
        counts[own, given.grade] += given.count
        if own:
            topics[given.topic][given.grade] += given.count
    served = acts.exact + acts.inexact
    work = Work(
        acts=acts.acts,
        judged=sum(n for (own, _), n in counts.items() if own),
        refused=counts[True, None],
        repeats=repeats_by_each(campaign=campaign).get(user.id, 0),
        undone=acts.undone,
        revised=acts.revised,
        seconds=acts.seconds_at(0.5),
        slow=acts.seconds_at(0.9),
        timed=acts.timed,
        timeable=acts.judged,
        exact=acts.exact / served if served else None,
        last_place=acts.last,
        last=made_at(campaign=campaign, places=[acts.last]).get(acts.last),
    )
    rows = _topics(campaign, user.id, topics)
    return Assessor(work, _shares(campaign, counts), rows, _latest([acts.days]))


_MEDIAN = where_measured(
    "percentile_cont(0.5) WITHIN GROUP (ORDER BY act.milliseconds) / 1000", "act.milliseconds", "act.timeable"
)
# The head of each topic is found by itself, however many acts there are.
_HEADS = f"""
SELECT t.id, t.number, t.title, {_MEDIAN}, max(act.created)
FROM campaigns_topic t CROSS JOIN LATERAL (
  SELECT CASE WHEN NOT undo THEN milliseconds END AS milliseconds, nullif(undo, true) AS timeable, created
  FROM campaigns_judgment
  WHERE assessor_id = %s AND topic_id = t.id AND {is_by_assessor()} ORDER BY sequence DESC LIMIT %s) act
WHERE t.id = ANY(%s) GROUP BY t.id ORDER BY max(act.created) DESC
"""  # noqa: S608


def _topics(
    campaign: Campaign, assessor: int, given: Mapping[int, Mapping[int | None, int]]
) -> list[TopicWork]:
    relevant = campaign.relevant_grades
    with connection.cursor() as cursor:
        cursor.execute(_HEADS, [assessor, LATEST_PACES, list(given)])
        return [
            TopicWork(
                number,
                title,
                judged=sum(given[topic].values()),
                relevant=sum(given[topic].get(grade, 0) for grade in relevant),
                seconds=seconds,
                last=last,
            )
            for topic, number, title, seconds, last in cursor
        ]


def _shares(campaign: Campaign, counts: Mapping[tuple[bool, int | None], int]) -> list[GradeShare]:
    def total(own: bool) -> int:
        return sum(n for (whose, grade), n in counts.items() if whose is own and grade is not None)

    mine, theirs = total(True), total(False)
    labels = {row["grade"]: row["label"] for row in campaign.grades}
    if any(grade == -2 for _, grade in counts):
        labels = {-2: gettext("junk"), **labels}
    return [
        GradeShare(
            grade,
            label,
            counts.get((True, grade), 0),
            100 * counts.get((True, grade), 0) / mine if mine else None,
            100 * counts.get((False, grade), 0) / theirs if theirs else None,
        )
        for grade, label in labels.items()
    ]


def days_of(*, campaign: Campaign, days: int = ASSESSOR_DAYS) -> list[Day]:
    """The latest days with judgments, in their order."""
    return _latest([acts.days for acts in acts_by_each(campaign=campaign).values()], days)


def _latest(counts: Iterable[Mapping[date, int]], most: int = ASSESSOR_DAYS) -> list[Day]:
    sums: Counter[date] = Counter()
    for of_one in counts:
        sums.update(of_one)
    return [Day(day, sums[day]) for day in sorted(sums)[-most:]]


def bars(days: list[Day]) -> list[dict[str, Any]]:
    """Each day's height in hundredths of the busiest. `gap`: not the day after the one before."""
    most = max((day.judged for day in days), default=0) or 1
    apart = [1, *((later.day - day.day).days for day, later in pairwise(days))]
    return [
        {"day": day, "height": max(100 * day.judged / most, 2), "gap": gap > 1}
        for day, gap in zip(days, apart, strict=False)
    ]
