"""What a kill run must not have done: judgments lost, altered or doubled, score ranges that are wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing

import psycopg2

from campaigns.api.client import Interval
from tests.faults.assessors import GRADES, Record
from tests.faults.campaign_data import PERSISTENCE, Lists

LOG = """
SELECT act.sequence, act.id::text, who.username, topic.number, document.docno, act.grade
FROM campaigns_judgment act
JOIN auth_user who ON who.id = act.assessor_id
JOIN campaigns_topic topic ON topic.id = act.topic_id
JOIN campaigns_document document ON document.id = act.document_id
ORDER BY act.sequence
"""
# Sums of up to 300 terms in another order than the site's.
ROUNDING = 1e-9

Row = tuple[int, str, str, str, str, int]


def read_log(database: str) -> list[Row]:
    with closing(psycopg2.connect(database)) as connection, connection.cursor() as cursor:
        cursor.execute(LOG)
        return list(cursor.fetchall())


def faults_of_log(log: Sequence[Row], records: Mapping[str, Record]) -> Iterator[str]:
    if [row[0] for row in log] != list(range(1, len(log) + 1)):
        yield "the log has gaps"
    stored = {row[1]: (row[2], row[3], row[4], row[5]) for row in log}
    acknowledged = {
        one.id: (name, one.topic, one.docno, one.grade)
        for name, record in records.items()
        for one in record.acknowledged
    }
    for id, sent in acknowledged.items():
        if id not in stored:
            yield f"lost: {sent}"
        elif stored[id] != sent:
            yield f"altered: {sent} is stored as {stored[id]}"
    yield from (f"never sent: {stored[id]}" for id in stored.keys() - acknowledged.keys())
    places = Counter((row[3], row[4]) for row in log)
    yield from (f"judged {count} times: {place}" for place, count in places.items() if count > 1)
    for name, record in records.items():
        if [row[1] for row in log if row[2] == name] != [one.id for one in record.acknowledged]:
            yield f"{name}: stored in another order than acknowledged"


def faults_of_intervals(
    log: Sequence[Row], lists: Lists, intervals: Mapping[str, Sequence[Interval]]
) -> Iterator[str]:
    """`intervals`: by topic. Each is compared with RBP's definition, summed over the log's grades."""
    grades = {(row[3], row[4]): row[5] for row in log}
    for topic, rows in intervals.items():
        if {row.run for row in rows} != set(lists):
            yield f"topic {topic}: not every run has an interval"
        for row in rows:
            base, residual = rbp([grades.get((topic, docno)) for docno in lists[row.run][topic]])
            if abs(row.base - base) > ROUNDING or abs(row.residual - residual) > ROUNDING:
                found = f"{row.base}, {row.residual} in place of {base}, {residual}"
                yield f"topic {topic}, {row.run}: base and residual are {found}"


def rbp(grades: Sequence[int | None]) -> tuple[float, float]:
    """Base and residual of one ranking; None without a judgment."""
    weights = [(1 - PERSISTENCE) * PERSISTENCE**rank for rank in range(len(grades))]
    base = sum(weight * (grade or 0) / max(GRADES) for weight, grade in zip(weights, grades, strict=True))
    unjudged = sum(weight for weight, grade in zip(weights, grades, strict=True) if grade is None)
    return base, unjudged + PERSISTENCE ** len(grades)
