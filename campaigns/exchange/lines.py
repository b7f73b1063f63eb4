"""Lines of an export that the database writes out: the qrels, and the judgment log as CSV or JSON.

They come some thousand at a time: a million of them take no more memory than a few, and Python looks at none.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.db import connection, transaction

from campaigns.formats.errors import check_name
from campaigns.formats.tables import FORMULA, GUARD, NUMBER
from campaigns.log.current import OF_TOPICS, current_grades
from campaigns.log.judgments import LOG_COLUMNS
from campaigns.models import Campaign

LINES_AT_ONCE = 4000
# Topics are read together while they have no more acts than that: few queries, each sorted in memory.
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
    campaign: Campaign,
    policy: str,
    topics: Iterable[JudgedTopic],
    *,
    before: str,
    behind: str = "",
    only: str = "",
) -> Generator[str]:
    """`topic … docno grade …` of every judged document of the topics: topics in order, docnos ascending.
    `only`: a condition on the log's rows."""
    lines = _GRADES.format(before=before, behind=behind)
    where = f"{OF_TOPICS} AND {only}" if only else OF_TOPICS
    query = f"WITH {current_grades(campaign, policy, where=where)} {lines}"
    for batch in _batches(topics):
        yield from _stream(query, {"topics": batch})


def _stream(query: str, given: Mapping[str, Any]) -> Generator[str]:
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


_FROM = """
FROM campaigns_judgment j JOIN campaigns_topic t ON t.id = j.topic_id
JOIN campaigns_document d ON d.id = j.document_id JOIN auth_user u ON u.id = j.assessor_id
LEFT JOIN campaigns_qrelsimport i ON i.campaign_id = j.campaign_id AND j.sequence BETWEEN i.first AND i.last
LEFT JOIN campaigns_judgment o ON o.id = j.copied_from_id
LEFT JOIN campaigns_document od ON od.id = o.document_id
WHERE j.campaign_id = %(campaign)s ORDER BY j.sequence
"""
_ALIASES = {"": "j", "topic": "t", "document": "d", "assessor": "u"}
# Times have all their digits, as every other.
_CREATED = """to_char(j.created AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"+00:00"')"""
_WORDS = {"topic", "docno", "assessor", "reason", "imported_from", "copied_from"}
_FLAGS = {"undo", "adjudication", "served_exactly", "stale_claim"}


def _source(name: str) -> str:
    """SQL expression for a column of the log in these tables."""
    if name == "created":
        return _CREATED
    if name == "imported_from":
        return "coalesce(i.file, '')"
    if name == "copied_from":
        return "coalesce(od.docno, '')"
    table, _, column = LOG_COLUMNS[name].rpartition("__")
    return f"{_ALIASES[table]}.{column}"


def _text(value: str) -> str:
    """A constant of this project in a query. Percent signs would be its parameters."""
    return "'" + value.replace("'", "''").replace("%", "%%") + "'"


def _cell(name: str) -> str:
    """SQL expression for a CSV cell as in RFC 4180: quoted where necessary, empty where unknown. Words are
    guarded as by `csv_cell`."""
    value = _source(name)
    if name in _FLAGS:
        return f"{value}::text"
    if name in _WORDS:
        value = (
            f"(CASE WHEN {value} ~ {_text(FORMULA)} AND {value} !~ {_text(NUMBER)}"
            f" THEN {_text(GUARD)} || {value} ELSE {value} END)"
        )
        quoted = f"""'"' || replace({value}, '"', '""') || '"'"""
        return f"""CASE WHEN {value} ~ '[",\\r\\n]' THEN {quoted} ELSE {value} END"""
    return value


# Put together from constants only.
_NAMED = ", ".join(f"{_source(name)} AS {name}" for name in LOG_COLUMNS)
_JSON = f"SELECT row_to_json(act)::text || E'\\n' FROM (SELECT {_NAMED} {_FROM}) act"  # noqa: S608
_CELLS = ", ',', ".join(_cell(name) for name in LOG_COLUMNS)
_CSV = f"SELECT concat({_CELLS}, E'\\r\\n') {_FROM}"


def log_as_json(campaign: Campaign) -> Generator[str]:
    """One JSON object for every act ever made in the campaign, in order."""
    yield from _stream(_JSON, {"campaign": campaign.id})


# What is valid now: the newest of each assessor and document. A note without a passage has a line, too.
_PASSAGES = """
SELECT row_to_json(line)::text || E'\\n' FROM (
  SELECT t.number AS topic, d.docno, u.username AS assessor, j.grade, p.start, p."end", p.text,
    to_char(a.created AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"+00:00"') AS "when", a.note
  FROM (
    SELECT DISTINCT ON (topic_id, document_id, assessor_id) * FROM campaigns_annotation
    WHERE topic_id IN (SELECT id FROM campaigns_topic WHERE campaign_id = %(campaign)s)
    ORDER BY topic_id, document_id, assessor_id, created DESC, id DESC) a
  JOIN campaigns_topic t ON t.id = a.topic_id JOIN campaigns_document d ON d.id = a.document_id
  JOIN auth_user u ON u.id = a.assessor_id
  LEFT JOIN LATERAL (
    SELECT grade FROM campaigns_judgment j
    WHERE j.topic_id = a.topic_id AND j.document_id = a.document_id AND j.assessor_id = a.assessor_id
    ORDER BY j.sequence DESC LIMIT 1) j ON true
  LEFT JOIN LATERAL jsonb_to_recordset(a.passages) AS p (start int, "end" int, text text) ON true
  WHERE a.note <> '' OR a.passages <> '[]'
  ORDER BY t.position, d.docno, u.username, p.start, p."end") line
"""


def passages_as_json(campaign: Campaign) -> Generator[str]:
    """One JSON object for every marked passage and every note without one, by topic, docno and assessor."""
    yield from _stream(_PASSAGES, {"campaign": campaign.id})


def log_as_csv(campaign: Campaign) -> Generator[str]:
    yield ",".join(LOG_COLUMNS) + "\r\n"
    yield from _stream(_CSV, {"campaign": campaign.id})
