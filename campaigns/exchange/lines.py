"""Lines that the database writes out itself and hands on some thousand at a time: a million of them take no
more memory than a few, and Python looks at none of them."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection, transaction

from campaigns.formats.errors import check_name
from campaigns.log.current import OF_TOPICS, latest_and_current
from campaigns.models import Campaign

LINES_AT_ONCE = 4000
# Topics are asked for together while they have no more acts than that: few questions, each sorted in memory.
ACTS_AT_ONCE = 20_000


@dataclass(frozen=True)
class JudgedTopic:
    id: int
    acts: int


_TOPICS = """
SELECT * FROM (
  SELECT t.id, t.number, (SELECT count(*) FROM campaigns_judgment j WHERE j.topic_id = t.id) AS acts
  FROM campaigns_topic t WHERE t.campaign_id = %s ORDER BY t.position) counted
WHERE acts > 0
"""


def judged_topics(campaign: Campaign) -> list[JudgedTopic]:
    """In their order. `ValueError` for one whose number a line cannot hold."""
    with connection.cursor() as cursor:
        cursor.execute(_TOPICS, [campaign.id])
        rows = cursor.fetchall()
    for _, number, _ in rows:
        check_name("topic", number)
    return [JudgedTopic(id, acts) for id, _, acts in rows]


# A document's line begins and ends with these; a topic's number and a docno are one word each.
_GRADES = """
SELECT concat(t.number, '{before}', d.docno, ' ', current.grade, '{behind}', E'\\n')
FROM current JOIN campaigns_topic t ON t.id = topic_id JOIN campaigns_document d ON d.id = document_id
ORDER BY t.position, d.docno
"""


def grade_lines(
    campaign: Campaign, policy: str, topics: Iterable[JudgedTopic], *, before: str, behind: str = ""
) -> Generator[str]:
    """`topic … docno grade …` of every judged document of the topics: topics in order, docnos ascending."""
    query = latest_and_current(campaign, policy, which=OF_TOPICS)
    query += _GRADES.format(before=before, behind=behind)
    for batch in _batches(topics):
        yield from written(query, [batch])


def written(query: str, given: Sequence[Any]) -> Generator[str]:
    """The single column of a query, joined: some thousand lines a piece."""
    with transaction.atomic(), connection.chunked_cursor() as cursor:
        cursor.execute(query, given)
        while rows := cursor.fetchmany(LINES_AT_ONCE):
            yield "".join([line for (line,) in rows])


def _batches(topics: Iterable[JudgedTopic]) -> Iterator[list[int]]:
    batch: list[int] = []
    acts = 0
    for topic in topics:
        if batch and acts + topic.acts > ACTS_AT_ONCE:
            yield batch
            batch, acts = [], 0
        batch.append(topic.id)
        acts += topic.acts
    if batch:
        yield batch
