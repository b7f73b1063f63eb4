"""Evidence for flags on an assessor's work, read from the log. Imported judgments and decisions of
adjudication have no part in it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.db import connection

from campaigns.log.current import OF_CAMPAIGN, by_assessors, excluded, latest_acts, latest_repeats
from campaigns.models import Campaign
from campaigns.models.judgment import SEARCHED
from evaluation.agreement.grade_shares import (
    GradeShareDifference,
    compare_grade_shares,
    compare_topic_shares,
)
from evaluation.comparison.significance import adjust

CONFIDENCE = 0.95
# In a topic, documents that were judged one after the other come from the same depth of the queue: those of
# so many judgments are compared.
BLOCK = 50
# Judged before so much of a long document, in percent, had come into sight.
MIDDLE = 50

# By assessor: their grades, the others' or the later ones, and the documents in the order of judging.
GradePairs = dict[int, tuple[np.ndarray, np.ndarray, np.ndarray]]

_OWN = "sequence, grade, adjudication"

# Documents of which several people graded one text, in the order in which each of them did.
_SHARED = f"""
WITH {latest_acts(by_assessors(), columns=f"{_OWN}, document_revision")},
graded AS (
  SELECT topic_id, document_id, document_revision, assessor_id, sequence, grade,
    count(*) OVER (PARTITION BY topic_id, document_id, document_revision) AS people
  FROM latest WHERE grade IS NOT NULL AND NOT adjudication)
SELECT one.assessor_id, one.grade, other.grade, one.sequence
FROM graded one JOIN graded other USING (topic_id, document_id, document_revision)
WHERE one.people > 1 AND other.people > 1 AND one.assessor_id <> other.assessor_id
  AND one.assessor_id = ANY(%(people)s)
ORDER BY one.sequence
"""  # noqa: S608

_AGAIN = f"""
WITH {latest_repeats(OF_CAMPAIGN, columns="first_id, grade, undo, document_revision")}
SELECT again.assessor_id, j.grade, again.grade, j.sequence
FROM again JOIN campaigns_judgment j ON j.id = first_id
WHERE NOT again.undo AND j.grade IS NOT NULL AND again.grade IS NOT NULL
  AND again.document_revision = j.document_revision AND again.assessor_id = ANY(%(people)s)
ORDER BY j.sequence
"""  # noqa: S608


def graded_with_others(campaign: Campaign, people: Collection[int]) -> GradePairs:
    """For each assessor: own grades, another assessor's of the same document, and the document."""
    return _pairs(campaign, _SHARED, people)


def shown_again(campaign: Campaign, people: Collection[int]) -> GradePairs:
    """For each assessor: grades, those of the same documents shown once more, and the document."""
    return _pairs(campaign, _AGAIN, people)


def _pairs(campaign: Campaign, query: str, people: Collection[int]) -> GradePairs:
    rows: defaultdict[int, list[tuple[int, int, int]]] = defaultdict(list)
    with connection.cursor() as cursor:
        cursor.execute(query, {"campaign": campaign.id, "people": list(people)})
        for who, *pair in cursor:
            rows[who].append((pair[0], pair[1], pair[2]))
    columns = {who: np.array(pairs, dtype=np.int64).T for who, pairs in rows.items()}
    return {who: (own, others, documents) for who, (own, others, documents) in columns.items()}


# Documents as they were judged in their topic, so many at a time. Those that an assessor searched for are
# another choice than the queue's.
_BLOCKS = f"""
WITH {latest_acts(by_assessors(), columns=f"{_OWN}, method, {{left_out}} AS excluded")},
placed AS (
  SELECT *, (row_number() OVER (PARTITION BY topic_id ORDER BY sequence) - 1) / {BLOCK} AS block
  FROM latest WHERE grade IS NOT NULL AND NOT adjudication AND method <> '{SEARCHED}')
SELECT topic_id, block, assessor_id, excluded, grade, count(*) FROM placed GROUP BY 1, 2, 3, 4, 5
"""  # noqa: S608


# So many documents of a topic's first stretch are compared with those of so many topics of others.
TOPIC_DOCUMENTS = 20
OTHER_TOPICS = 8


def grade_share_differences(blocks: GradeBlocks, people: Collection[int]) -> dict[int, dict[str, Any]]:
    """For each assessor who judged beside others: the grade whose share differs most from the others' in the
    same stretches of the same topics, and the p-value that no share does, by Holm's method over all
    assessors."""
    differences = {
        who: difference
        for who in sorted(people)
        if (difference := _difference(blocks.own.get(who, {}), blocks.others.get(who, {}))) is not None
    }
    adjusted = _adjusted([one.p for one in differences.values()])
    return {
        who: {
            "documents": int(sum(counts.sum() for counts in blocks.own[who].values())),
            "grade": blocks.grades[one.grade],
            "value": one.difference.value,
            "low": one.difference.low,
            "high": one.difference.high,
            "own": one.own,
            "others": one.others,
            "p": p,
        }
        for (who, one), p in zip(differences.items(), adjusted, strict=True)
    }


def topic_share_differences(blocks: GradeBlocks, people: Collection[int]) -> dict[int, dict[str, Any]]:
    """For each assessor: the grade whose share in the first stretch of their topics differs most from that in
    topics where they judged nothing, and the p-value that none does, by Holm's method over all assessors. One
    topic is enough, and nobody need judge beside them."""
    differences = {}
    for who in sorted(people):
        mine = {topic for topic, _ in blocks.own.get(who, {})}
        own = _first_stretches(blocks.own.get(who, {}), mine)
        elsewhere = _first_stretches(blocks.every, {topic for topic, _ in blocks.every} - mine)
        if len(elsewhere) < OTHER_TOPICS or not len(own):
            continue
        if (one := compare_topic_shares(own, elsewhere, confidence=CONFIDENCE)) is not None:
            differences[who] = one, own
    adjusted = _adjusted([one.p for one, _ in differences.values()])
    return {
        who: {
            "documents": int(own.sum()),
            "topics": len(own),
            "grade": blocks.grades[one.grade],
            "value": one.own - one.others.value,
            "low": one.own - one.others.high,
            "high": one.own - one.others.low,
            "own": one.own,
            "others": one.others.value,
            "p": p,
        }
        for (who, (one, own)), p in zip(differences.items(), adjusted, strict=True)
    }


def _first_stretches(counts: BlockCounts, topics: Collection[int]) -> np.ndarray:
    rows = [
        row
        for (topic, block), row in counts.items()
        if block == 0 and topic in topics and row.sum() >= TOPIC_DOCUMENTS
    ]
    return np.array(rows)


def _adjusted(p: list[float]) -> list[float]:
    return list(adjust(np.array(p), "holm").tolist()) if p else []


# By topic and stretch: how often each grade was given.
BlockCounts = dict[tuple[int, int], np.ndarray]


@dataclass(frozen=True)
class GradeBlocks:
    """Grade counts: each assessor's own, and there those of others whose judgments count; the counts of all
    whose judgments count; and the grades."""

    own: dict[int, BlockCounts]
    others: dict[int, BlockCounts]
    every: BlockCounts
    grades: list[int]


def grade_blocks(campaign: Campaign) -> GradeBlocks:
    left_out = excluded() if campaign.exclusion_changes else "false"
    with connection.cursor() as cursor:
        cursor.execute(_BLOCKS.format(left_out=left_out), {"campaign": campaign.id})
        rows = cursor.fetchall()
    grades = sorted({row[4] for row in rows})
    own: defaultdict[int, BlockCounts] = defaultdict(dict)
    every: BlockCounts = {}
    counting: set[tuple[int, int, int]] = set()
    for topic, block, who, is_excluded, grade, count in rows:
        place, column = (topic, block), grades.index(grade)
        own[who].setdefault(place, np.zeros(len(grades)))[column] += count
        if not is_excluded:
            counting.add((who, *place))
            every.setdefault(place, np.zeros(len(grades)))[column] += count
    nothing = np.zeros(len(grades))
    others = {
        who: {
            place: every.get(place, nothing) - (counts if (who, *place) in counting else nothing)
            for place, counts in mine.items()
        }
        for who, mine in own.items()
    }
    return GradeBlocks(dict(own), others, every, grades)


def _difference(own: BlockCounts, others: BlockCounts) -> GradeShareDifference | None:
    if not own:
        return None
    places = list(own)
    return compare_grade_shares(
        np.array([own[place] for place in places]),
        np.array([others[place] for place in places]),
        confidence=CONFIDENCE,
    )


# Of documents of more than two screens, whose screens say how much had come into sight.
_READING = f"""
SELECT assessor_id, count(*), count(*) FILTER (WHERE seen < {MIDDLE})
FROM campaigns_judgment
WHERE campaign_id = %s AND seen IS NOT NULL AND NOT undo AND assessor_id = ANY(%s) GROUP BY assessor_id
"""  # noqa: S608


def reading_counts(campaign: Campaign, people: Collection[int]) -> dict[int, tuple[int, int]]:
    """For each assessor: long documents judged, and those of them judged before their middle was in sight."""
    with connection.cursor() as cursor:
        cursor.execute(_READING, [campaign.id, list(people)])
        return {who: (long, unread) for who, long, unread in cursor}
