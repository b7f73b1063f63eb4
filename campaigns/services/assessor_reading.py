"""What the page of one assessor reads."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any

from django.contrib.auth.models import User
from django.db import connection
from django.utils.translation import gettext

from campaigns.models import Campaign

DAYS = 60


@dataclass(frozen=True)
class Work:
    """Acts, and of the documents judged: how many with a grade, how many they could not judge. `seconds`:
    median of active time for a judgment. `exact`: share of what the queue served them, None if nothing."""

    acts: int
    graded: int
    refused: int
    undone: int
    revised: int
    seconds: float | None
    slow: float | None
    exact: float | None
    first: Any
    last: Any


@dataclass(frozen=True)
class Day:
    day: date
    judged: int
    seconds: float | None


@dataclass(frozen=True)
class GradeShare:
    """Shares in hundredths of the person's documents, and of everybody else's."""

    grade: int
    label: str
    count: int
    share: float
    others: float | None


@dataclass(frozen=True)
class TopicWork:
    number: str
    title: str
    judged: int
    relevant: int
    seconds: float | None
    last: Any


_WORK = """
SELECT count(*), count(*) FILTER (WHERE undo),
  count(*) FILTER (WHERE supersedes_id IS NOT NULL AND NOT undo),
  percentile_cont(0.5) WITHIN GROUP (ORDER BY milliseconds) / 1000,
  percentile_cont(0.9) WITHIN GROUP (ORDER BY milliseconds) / 1000,
  count(*) FILTER (WHERE served_exactly)::float / nullif(count(served_exactly), 0),
  min(created), max(created)
FROM campaigns_judgment WHERE campaign_id = %(campaign)s AND assessor_id = %(assessor)s
"""

_HELD = """
WITH latest AS (
  SELECT DISTINCT ON (assessor_id, topic_id, document_id)
    assessor_id, topic_id, document_id, grade, undo, milliseconds, created
  FROM campaigns_judgment WHERE campaign_id = %(campaign)s
  ORDER BY assessor_id, topic_id, document_id, sequence DESC)
"""

_GRADES = f"""
{_HELD} SELECT assessor_id = %(assessor)s, grade, count(*) FROM latest WHERE NOT undo GROUP BY 1, 2
"""  # noqa: S608

_TOPICS = f"""
{_HELD} SELECT t.number, t.title, count(*), count(*) FILTER (WHERE grade = ANY(%(relevant)s)),
  percentile_cont(0.5) WITHIN GROUP (ORDER BY milliseconds) / 1000, max(created)
FROM latest JOIN campaigns_topic t ON t.id = topic_id
WHERE assessor_id = %(assessor)s AND NOT undo GROUP BY t.id ORDER BY max(created) DESC
"""  # noqa: S608

_DAYS = """
SELECT created::date, count(*), percentile_cont(0.5) WITHIN GROUP (ORDER BY milliseconds) / 1000
FROM campaigns_judgment
WHERE campaign_id = %(campaign)s AND (%(assessor)s IS NULL OR assessor_id = %(assessor)s) AND NOT undo
GROUP BY 1 ORDER BY 1 DESC LIMIT %(days)s
"""


def days_of(*, campaign: Campaign, assessor: int | None = None, days: int = DAYS) -> list[Day]:
    """The latest days on which anything was judged, in their order; by one person or by all."""
    found = _rows(_DAYS, campaign, assessor, days=days)
    return [Day(*row) for row in reversed(found)]


@dataclass(frozen=True)
class Assessor:
    work: Work
    grades: list[GradeShare]
    topics: list[TopicWork]
    days: list[Day]


def assessor_of(*, campaign: Campaign, user: User) -> Assessor:
    [(acts, undone, revised, median, slow, exact, first, last)] = _rows(_WORK, campaign, user.id)
    counts = {(own, grade): n for own, grade, n in _rows(_GRADES, campaign, user.id)}
    relevant = campaign.relevant_grades
    topics = [TopicWork(*row) for row in _rows(_TOPICS, campaign, user.id, relevant=relevant)]
    graded = sum(n for (own, grade), n in counts.items() if own and grade is not None)
    work = Work(acts, graded, counts.get((True, None), 0), undone, revised, median, slow, exact, first, last)
    days = days_of(campaign=campaign, assessor=user.id)
    return Assessor(work, _shares(campaign, counts), topics, days)


def _shares(campaign: Campaign, counts: dict[tuple[bool, int | None], int]) -> list[GradeShare]:
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
            100 * counts.get((True, grade), 0) / (mine or 1),
            100 * counts.get((False, grade), 0) / theirs if theirs else None,
        )
        for grade, label in labels.items()
    ]


def _rows(query: str, campaign: Campaign, assessor: int | None, **more: Any) -> list[Any]:
    with connection.cursor() as cursor:
        cursor.execute(query, {"campaign": campaign.id, "assessor": assessor, **more})
        return list(cursor.fetchall())
