"""Which grade a document has where several people gave one: in Python, and in SQL with the same answer.

What each document's grade is now, for the organiser's pages.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from django.db import connection, transaction

from campaigns.models import Campaign
from campaigns.models.campaign import Policy


class Opinion(NamedTuple):
    """What somebody says of a document now; without a grade, that they could not judge it."""

    sequence: int
    grade: int | None
    adjudication: bool = False


def grade_by(policy: str, opinions: Iterable[Opinion], scale: Sequence[int]) -> int | None:
    """The document's grade. `scale`: the campaign's grades, which a mean is rounded to; what was graded as
    junk counts as 0 in it. Where a rule leaves a choice: of majorities the latest, of two grades equally
    near a mean the higher."""
    graded = [opinion for opinion in opinions if opinion.grade is not None]
    if not graded:
        return None
    if policy == Policy.MEAN and len({opinion.grade for opinion in graded}) > 1:
        total, count = sum(max(opinion.grade or 0, 0) for opinion in graded), len(graded)
        return min(scale, key=lambda grade: (abs(grade * count - total), -grade))
    votes = Counter(opinion.grade for opinion in graded)

    def rank(opinion: Opinion) -> tuple[int, int]:
        if policy == Policy.MAJORITY:
            return votes[opinion.grade], opinion.sequence
        return policy == Policy.ADJUDICATED and opinion.adjudication, opinion.sequence

    return max(graded, key=rank).grade


def scale_of(campaign: Campaign) -> list[int]:
    return [int(row["grade"]) for row in campaign.grades]


# Each assessor's latest act on a document counts unless it is an undo.
LATEST_SQL = """
WITH latest AS (
  SELECT DISTINCT ON (topic_id, document_id, assessor_id)
    topic_id, document_id, assessor_id, sequence, grade, adjudication, id
  FROM campaigns_judgment WHERE campaign_id = %s
  ORDER BY topic_id, document_id, assessor_id, sequence DESC),
"""
OF_CAMPAIGN, OF_TOPICS = "campaign_id = %s", "topic_id = ANY(%s)"
# Takes the last act that counts as a second parameter.
UP_TO = "campaign_id = %s AND sequence <= %s"
# And behind another.
SINCE = f"{UP_TO} AND sequence > %s"
# Up to a place of the log, of those documents alone that have an act behind one place, up to another: the
# campaign and these two are the further parameters.
OF_TOUCHED = f"""{UP_TO} AND (topic_id, document_id) IN (
    SELECT topic_id, document_id FROM campaigns_judgment
    WHERE campaign_id = %s AND sequence > %s AND sequence <= %s)"""  # noqa: S608
# Of one document.
OF_DOCUMENT = "campaign_id = %s AND document_id = %s"
# Of these documents, by arrays of their topics' and their own ids.
OF_PLACES = "campaign_id = %s AND (topic_id, document_id) IN (SELECT unnest(%s::bigint[]), unnest(%s::int[]))"

_ONE = """current AS (
  SELECT DISTINCT ON (topic_id, document_id) topic_id, document_id, grade
  FROM {rows} WHERE grade IS NOT NULL ORDER BY topic_id, document_id, {first}sequence DESC)
"""
_VOTES = "(SELECT *, count(*) OVER (PARTITION BY topic_id, document_id, grade) AS votes FROM latest) voting"
_MEAN = """current AS (
  SELECT topic_id, document_id, CASE WHEN min(grade) = max(grade) THEN min(grade) ELSE (
    SELECT step FROM unnest(ARRAY[{scale}]::smallint[]) AS step
    ORDER BY abs(step * count(latest.grade) - sum(greatest(latest.grade, 0))), step DESC LIMIT 1) END AS grade
  FROM latest WHERE grade IS NOT NULL GROUP BY topic_id, document_id)
"""


def latest_and_current(campaign: Campaign, policy: str = "", *, which: str = OF_CAMPAIGN) -> str:
    """The beginning of a query, whose first parameter is the campaign's id (or what else `which` asks for):
    `latest` has what each assessor says of each document now, `current` each document's grade by the policy,
    by default the campaign's."""
    policy = policy or campaign.policy
    latest = LATEST_SQL.replace(OF_CAMPAIGN, which)
    if policy == Policy.MEAN:
        return latest + _MEAN.format(scale=", ".join(map(str, scale_of(campaign))))
    if policy == Policy.MAJORITY:
        return latest + _ONE.format(rows=_VOTES, first="votes DESC, ")
    first = "adjudication DESC, " if policy == Policy.ADJUDICATED else ""
    return latest + _ONE.format(rows="latest", first=first)


_CURRENT = """
SELECT t.number, d.docno, current.grade
FROM current JOIN campaigns_topic t ON t.id = topic_id JOIN campaigns_document d ON d.id = document_id
ORDER BY t.position, d.docno
"""


def current_qrels(*, campaign: Campaign, policy: str = "") -> Iterator[tuple[str, str, int]]:
    """(topic number, docno, grade) of every judged document, in topic order, docnos ascending. `policy`: by
    default the campaign's."""
    with transaction.atomic(), connection.chunked_cursor() as cursor:
        cursor.execute(latest_and_current(campaign, policy) + _CURRENT, [campaign.id])
        while rows := cursor.fetchmany(5000):
            yield from rows


# topic id → document id → grade
GradesByTopic = dict[int, dict[int, int]]

_ALL = "SELECT topic_id, document_id, grade FROM current"


def grades_of(*, campaign: Campaign, policy: str = "") -> GradesByTopic:
    """Of every judged document, the grade that the qrels have; by default of the campaign's policy."""
    grades: GradesByTopic = {}
    with connection.cursor() as cursor:
        cursor.execute(latest_and_current(campaign, policy) + _ALL, [campaign.id])
        for topic, document, grade in cursor.fetchall():
            grades.setdefault(topic, {})[document] = grade
    return grades
