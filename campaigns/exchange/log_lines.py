"""The judgment log as CSV or JSON lines, written out by the database."""

from __future__ import annotations

from collections.abc import Generator

from campaigns.exchange.lines import written
from campaigns.models import Campaign

# Times have all their digits, as every other.
_CREATED = """to_char(j.created AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"+00:00"')"""

# The columns as they are exported, and where each comes from.
_COLUMNS = {
    "sequence": "j.sequence",
    "id": "j.id",
    "topic": "t.number",
    "docno": "d.docno",
    "assessor": "u.username",
    "grade": "j.grade",
    "reason": "j.reason",
    "undo": "j.undo",
    "adjudication": "j.adjudication",
    "milliseconds": "j.milliseconds",
    "method": "j.method",
    "served_exactly": "j.served_exactly",
    "inclusion_probability": "j.inclusion_probability",
    "stale_claim": "j.stale_claim",
    "topic_revision": "j.topic_revision",
    "supersedes": "j.supersedes_id",
    "created": _CREATED,
}
_WORDS = {"topic", "docno", "assessor", "reason"}
_FLAGS = {"undo", "adjudication", "served_exactly", "stale_claim"}

FROM_LOG = """
FROM campaigns_judgment j JOIN campaigns_topic t ON t.id = j.topic_id
JOIN campaigns_document d ON d.id = j.document_id JOIN auth_user u ON u.id = j.assessor_id
WHERE j.campaign_id = %s
"""
_FROM = f"{FROM_LOG} ORDER BY j.sequence"


def _cell(name: str) -> str:
    """As RFC 4180 has it: quoted where it must be, empty where nothing is known."""
    value = _COLUMNS[name]
    if name in _FLAGS:
        return f"{value}::text"
    if name in _WORDS:
        quoted = f"""'"' || replace({value}, '"', '""') || '"'"""
        return f"""CASE WHEN {value} ~ '[",\\r\\n]' THEN {quoted} ELSE {value} END"""
    return value


_NAMED = ", ".join(f"{value} AS {name}" for name, value in _COLUMNS.items())
# Put together from constants only.
_JSON = f"SELECT row_to_json(act)::text || E'\\n' FROM (SELECT {_NAMED} {_FROM}) act"  # noqa: S608
_CELLS = ", ',', ".join(_cell(name) for name in _COLUMNS)
CSV_LINE = f"concat({_CELLS}, E'\\r\\n')"
_CSV = f"SELECT {CSV_LINE} {_FROM}"
# The same object as `_JSON`'s, where it stands among other columns.
JSON_LINE = f"(SELECT row_to_json(act)::text || E'\\n' FROM (SELECT {_NAMED}) act)"  # noqa: S608


def log_as_json(campaign: Campaign) -> Generator[str]:
    """One JSON object for every act ever made in the campaign, in order."""
    yield from written(_JSON, [campaign.id])


def log_as_csv(campaign: Campaign) -> Generator[str]:
    yield ",".join(_COLUMNS) + "\r\n"
    yield from written(_CSV, [campaign.id])
