"""Activity of people, counted over the whole log: acts by kind, by day and by pace."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

from django.db import connection

from campaigns.core.measured import is_measured
from campaigns.log.current import OF_CAMPAIGN, by_assessors, latest_acts, latest_repeats
from campaigns.log.tallies import TallyKind, own_work, tally_counts_of, tally_counts_of_each
from campaigns.models import Campaign

# Times are counted to two digits: 43, 430, 4300 milliseconds, and so on.
_STEP = """CASE WHEN milliseconds < 100 THEN 1 WHEN milliseconds < 1000 THEN 10
  WHEN milliseconds < 10000 THEN 100 WHEN milliseconds < 100000 THEN 1000
  WHEN milliseconds < 1000000 THEN 10000 ELSE 100000 END"""

# One look at each act for all counts. What an act is not counted by has an empty key there.
_ACTS = f"""
WITH acts AS (
  SELECT assessor_id, sequence, created::date AS day,
    CASE WHEN undo THEN 'undone' WHEN adjudication THEN 'decided' ELSE 'judged' END AS sort,
    CASE WHEN undo OR adjudication OR milliseconds IS NULL THEN -1
      ELSE (milliseconds + {_STEP} / 2) / {_STEP} * {_STEP} END AS pace,
    CASE WHEN supersedes_id IS NOT NULL AND NOT undo THEN 'revised' ELSE '' END AS revised,
    CASE served_exactly WHEN true THEN 'exact' WHEN false THEN 'inexact' ELSE '' END AS served
  FROM campaigns_judgment WHERE {{where}})
SELECT concat_ws(' ', assessor_id, sort || ' ' || day, 'pace ' || pace, revised, served),
  count(*), max(sequence)
FROM acts GROUP BY GROUPING SETS (
  (assessor_id), (assessor_id, sort, day), (assessor_id, pace), (assessor_id, revised), (assessor_id, served))
HAVING coalesce(pace, 0) >= 0 AND coalesce(revised, '-') <> '' AND coalesce(served, '-') <> ''
"""  # noqa: S608


def _acts(_: Campaign, where: str) -> str:
    return _ACTS.format(where=by_assessors(where))


ACT_TALLY = TallyKind("acts", _acts, own_work, of_acts=True)


@dataclass
class ActCounts:
    """Counts of one person's acts. `last`: the place of their last act in the log; `judged`: judgments;
    `days`: judgments and decisions by day; `judging`: the days with a judgment; `paces`: judgments by their
    milliseconds, to two digits."""

    acts: int = 0
    last: int = 0
    judged: int = 0
    undone: int = 0
    revised: int = 0
    exact: int = 0
    inexact: int = 0
    days: dict[date, int] = field(default_factory=lambda: defaultdict(int))
    judging: set[date] = field(default_factory=set)
    paces: dict[int, int] = field(default_factory=dict)

    def add(self, words: list[str], count: int, last: int) -> None:
        match words:
            case []:
                self.acts, self.last = count, last
            case ["pace", milliseconds]:
                self.paces[int(milliseconds)] = count
            case ["undone", _]:
                self.undone += count
            case ["judged" | "decided" as sort, day]:
                self.days[date.fromisoformat(day)] += count
                if sort == "judged":
                    self.judged += count
                    self.judging.add(date.fromisoformat(day))
            case [sort]:
                setattr(self, sort, count)

    @property
    def timed(self) -> int:
        """Judgments whose time is known."""
        return sum(self.paces.values())

    def seconds_at(self, share: float) -> float | None:
        """So much of the judgments took no longer; None where the time of most is not known."""
        return seconds_at(self.paces, share) if is_measured(self.timed, self.judged) else None


def acts_by_each(*, campaign: Campaign) -> dict[int, ActCounts]:
    """Act counts by person id, for everybody with an act."""
    counts: dict[int, ActCounts] = defaultdict(ActCounts)
    for key, (count, last) in tally_counts_of(campaign, ACT_TALLY).items():
        person, *words = key.split()
        counts[int(person)].add(words, count, last)
    return dict(counts)


def days_of_each(*, campaigns: Sequence[Campaign]) -> dict[int, dict[date, int]]:
    """Judgments and decisions of all people by day, for each campaign; empty where there are none."""
    by_campaign: dict[int, dict[date, int]] = {}
    for campaign, tally in tally_counts_of_each(campaigns, ACT_TALLY).items():
        counts = ActCounts()
        for key, (count, last) in tally.items():
            counts.add(key.split()[1:], count, last)
        by_campaign[campaign] = dict(counts.days)
    return by_campaign


def seconds_at(paces: Mapping[int, int], share: float) -> float | None:
    """So much of the judgments took no longer; None where nothing is known of any."""
    left = share * sum(paces.values())
    for milliseconds in sorted(paces):
        left -= paces[milliseconds]
        if left <= 0:
            return milliseconds / 1000
    return None


_GIVEN = """
SELECT concat_ws(' ', topic_id, assessor_id, coalesce(grade::text, '-')), count(*), 0
FROM latest WHERE NOT (undo OR adjudication) GROUP BY topic_id, assessor_id, grade
"""


def _given(_: Campaign, where: str) -> str:
    return f"WITH {latest_acts(by_assessors(where), columns='undo, adjudication, grade')} {_GIVEN}"


GRADE_TALLY = TallyKind("given", _given, lambda campaign: f"{own_work(campaign)} and decisions")


@dataclass(frozen=True)
class GradeCount:
    """Frequency of an assessor's grade (None: they could not judge it) in a topic, without decisions."""

    topic: int
    assessor: int
    grade: int | None
    count: int


def grades_by_each(*, campaign: Campaign) -> list[GradeCount]:
    counts = []
    for key, (count, _) in tally_counts_of(campaign, GRADE_TALLY).items():
        topic, assessor, grade = key.split()
        if count:
            counts.append(GradeCount(int(topic), int(assessor), None if grade == "-" else int(grade), count))
    return counts


_REPEATS = f"""
WITH {latest_repeats(OF_CAMPAIGN, columns="undo")}
SELECT assessor_id, count(*) FROM again WHERE NOT undo GROUP BY assessor_id
"""  # noqa: S608


def repeats_by_each(*, campaign: Campaign) -> dict[int, int]:
    """Number of repeats judged, by assessor."""
    with connection.cursor() as cursor:
        cursor.execute(_REPEATS, {"campaign": campaign.id})
        return dict(cursor.fetchall())
