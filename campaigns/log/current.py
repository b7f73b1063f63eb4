"""Current grades: each assessor's latest act on a document, and the grade that a policy makes of them.

The rule is here twice with the same answer: in Python for one document (`grade_by`), and as the beginning of
an SQL query for many (`latest_acts`, `current_grades`). A query takes its parameters by name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from django.db import connection, transaction
from django.db.models import Exists, OuterRef, QuerySet

from campaigns.models import Campaign, Judgment, QrelsImport
from campaigns.models.campaign import Policy
from campaigns.models.judgment import COPIED

# The largest number of the column.
LAST_PLACE = 2**31 - 1


class Opinion(NamedTuple):
    """Current opinion of an assessor on a document; no grade means that they could not judge it."""

    sequence: int
    grade: int | None
    adjudication: bool = False
    # Whether they found the document by search.
    searched: bool = False


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


# Conditions on acts, each with the names of its parameters; `campaign` is one of them wherever it stands.
OF_CAMPAIGN = "campaign_id = %(campaign)s"
OF_TOPICS = "topic_id = ANY(%(topics)s)"
OWN_IN_TOPIC = "topic_id = %(topic)s AND assessor_id = %(assessor)s"
OF_DOCUMENTS = f"{OF_CAMPAIGN} AND document_id = ANY(%(documents)s)"
# With the parameters of `place_parameters`.
OF_PLACES = f"""{OF_CAMPAIGN} AND
    (topic_id, document_id) IN (SELECT unnest(%(topics)s::bigint[]), unnest(%(documents)s::int[]))"""
UP_TO = f"{OF_CAMPAIGN} AND sequence <= %(until)s"
SINCE = f"{UP_TO} AND sequence > %(after)s"
# Up to `until`, on the documents that have an act in (`touched_after`, `touched_until`].
OF_TOUCHED = f"""{UP_TO} AND (topic_id, document_id) IN (
    SELECT topic_id, document_id FROM campaigns_judgment
    WHERE {OF_CAMPAIGN} AND sequence > %(touched_after)s AND sequence <= %(touched_until)s)"""  # noqa: S608


# An imported judgment, and one copied from a duplicate, makes its document judged and counts in scores and
# qrels. It is no person's work, in no topic, and no opinion beside others': whatever counts or compares
# people reads the acts of assessors alone.
def is_by_assessor(act: str = "campaigns_judgment", *, campaign: str = "") -> str:
    """Condition: an act of the log was neither imported nor copied. `act`: the query's name for the act, with
    its sequence and method; `campaign`: the campaign, where the act has no column for it."""
    return f"""({act}.method <> '{COPIED}' AND NOT EXISTS (
  SELECT FROM campaigns_qrelsimport i
  WHERE i.campaign_id = {campaign or f"{act}.campaign_id"} AND {act}.sequence BETWEEN i.first AND i.last))"""


def by_assessors(where: str = OF_CAMPAIGN) -> str:
    """`where`, of acts that assessors made, none of which was imported or copied."""
    return f"{where} AND {is_by_assessor()}"


def made_by_assessors(rows: QuerySet[Judgment]) -> QuerySet[Judgment]:
    """Filter the rows that assessors made; imported and copied ones are left out."""
    files = QrelsImport.objects.filter(
        campaign=OuterRef("campaign"), first__lte=OuterRef("sequence"), last__gte=OuterRef("sequence")
    )
    return rows.exclude(method=COPIED).filter(~Exists(files))


def stretches_by_assessors(campaign: int) -> Iterator[tuple[int, int]]:
    """First and last place of each stretch of the log between imported files, the latest first: a query walks
    over no import, however large. Copied judgments are among the acts."""
    until = LAST_PLACE
    imports = QrelsImport.objects.filter(campaign=campaign).order_by("-first")
    for first, last in imports.values_list("first", "last"):
        if last < until:
            yield last + 1, until
        until = first - 1
    if until:
        yield 1, until


def excluded(act: str = "campaigns_judgment") -> str:
    """Condition: an act of the log does not count, because its assessor is excluded there. Imported and
    copied judgments belong to no assessor, so they always count."""
    return f"""(EXISTS (
  SELECT FROM campaigns_exclusion x
  WHERE x.campaign_id = {act}.campaign_id AND x.assessor_id = {act}.assessor_id
  AND (x.topic_id IS NULL OR x.topic_id = {act}.topic_id)) AND {is_by_assessor(act)})"""


def counting(campaign: Campaign, where: str = OF_CAMPAIGN) -> str:
    """`where`, of acts that count. A campaign that never excluded an assessor asks as if there were no such
    thing."""
    return f"{where} AND NOT {excluded()}" if campaign.exclusion_changes else where


def place_parameters(places: Iterable[tuple[int, int]]) -> dict[str, list[int]]:
    """Parameters of `OF_PLACES` for (topic, document) pairs."""
    pairs = list(places)
    return {"topics": [topic for topic, _ in pairs], "documents": [document for _, document in pairs]}


_LATEST = """{name} AS (
  SELECT DISTINCT ON (topic_id, document_id, assessor_id) topic_id, document_id, assessor_id, {columns}
  FROM campaigns_{table} WHERE {where}
  ORDER BY topic_id, document_id, assessor_id, {place} DESC)"""


def latest_acts(where: str = OF_CAMPAIGN, *, columns: str = "sequence, grade, adjudication, method") -> str:
    """A table for a query's WITH: `latest`, each assessor's latest act on each document, among the acts that
    meet `where`, with these columns of it beside topic, document and assessor. An undo is there as well,
    without a grade."""
    return _LATEST.format(name="latest", columns=columns, table="judgment", where=where, place="sequence")


def latest_repeats(where: str, *, columns: str) -> str:
    """A table for a query's WITH: `again`, as `latest_acts`, of the answers to repeat checks."""
    return _LATEST.format(name="again", columns=columns, table="repeat", where=where, place="created")


def standing_acts(where: str) -> str:
    """Tables for a query's WITH: `latest`, `again`, and `standing`, those of both that are no undo, of what
    assessors did themselves. An assessor's own count holds both: otherwise it would show which documents are
    repeat checks."""
    acts = latest_acts(by_assessors(where), columns="grade, undo")
    tables = f"{acts},\n{latest_repeats(where, columns='grade, undo')}"
    both = "(SELECT * FROM latest UNION ALL SELECT * FROM again) either"
    return f"{tables},\nstanding AS (SELECT * FROM {both} WHERE NOT undo)"  # noqa: S608


_CHOSEN = """current AS (
  SELECT DISTINCT ON (topic_id, document_id) topic_id, document_id, grade
  FROM {rows} WHERE grade IS NOT NULL ORDER BY topic_id, document_id, {first}sequence DESC)"""
_VOTES = "(SELECT *, count(*) OVER (PARTITION BY topic_id, document_id, grade) AS votes FROM latest) voting"
_MEAN = """current AS (
  SELECT topic_id, document_id, CASE WHEN min(grade) = max(grade) THEN min(grade) ELSE (
    SELECT step FROM unnest(ARRAY[{scale}]::smallint[]) AS step
    ORDER BY abs(step * count(latest.grade) - sum(greatest(latest.grade, 0))), step DESC LIMIT 1) END AS grade
  FROM latest WHERE grade IS NOT NULL GROUP BY topic_id, document_id)"""


def current_grades(campaign: Campaign, policy: str = "", *, where: str = OF_CAMPAIGN) -> str:
    """Two tables for a query's WITH: `latest_acts` of those that count, and `current`, each document's grade
    by the policy, by default the campaign's."""
    policy = policy or campaign.policy
    if policy == Policy.MEAN:
        current = _MEAN.format(scale=", ".join(map(str, scale_of(campaign))))
    elif policy == Policy.MAJORITY:
        current = _CHOSEN.format(rows=_VOTES, first="votes DESC, ")
    else:
        first = "adjudication DESC, " if policy == Policy.ADJUDICATED else ""
        current = _CHOSEN.format(rows="latest", first=first)
    return f"{latest_acts(counting(campaign, where))},\n{current}"


_QRELS = """
SELECT t.number, d.docno, current.grade
FROM current JOIN campaigns_topic t ON t.id = topic_id JOIN campaigns_document d ON d.id = document_id
ORDER BY t.position, d.docno
"""


def current_qrels(*, campaign: Campaign, policy: str = "") -> Iterator[tuple[str, str, int]]:
    """(topic number, docno, grade) of every judged document, in topic order, docnos ascending. `policy`: by
    default the campaign's."""
    query = f"WITH {current_grades(campaign, policy)} {_QRELS}"
    with transaction.atomic(), connection.chunked_cursor() as cursor:
        cursor.execute(query, {"campaign": campaign.id})
        while rows := cursor.fetchmany(5000):
            yield from rows


# topic id → document id → grade
GradesByTopic = dict[int, dict[int, int]]

_GRADES = "SELECT topic_id, document_id, grade FROM current"


def grades_of(*, campaign: Campaign, policy: str = "", topics: Sequence[int] | None = None) -> GradesByTopic:
    """Grade of every judged document as in the qrels, by default of the campaign's policy. `topics`: only
    these."""
    grades: GradesByTopic = {}
    where = OF_CAMPAIGN if topics is None else f"{OF_CAMPAIGN} AND {OF_TOPICS}"
    query = f"WITH {current_grades(campaign, policy, where=where)} {_GRADES}"
    parameters: dict[str, Any] = {"campaign": campaign.id, "topics": topics}
    with connection.cursor() as cursor:
        cursor.execute(query, parameters)
        for topic, document, grade in cursor.fetchall():
            grades.setdefault(topic, {})[document] = grade
    return grades
