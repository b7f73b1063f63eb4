"""The columns of a table by their roles: topic, docno, score and others, by the names that the field uses."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from campaigns.formats.errors import quote
from campaigns.formats.recognition.columns import DOCNOS, TEXTS, TITLES

Role = Literal["topic", "docno", "score", "rank", "tag", "grade"]
Rows = Sequence[Sequence[str]]


def plain(name: str) -> str:
    """A name without case and signs: `query-id` and `Query_ID` are `queryid`."""
    return "".join(c for c in name.lower() if c.isalnum())


# In the order of preference: beside `docno`, PyTerrier has `docid`, a number of its own.
NAMES: dict[Role, tuple[str, ...]] = {
    "topic": (
        *("qid", "queryid", "topicid", "topicno", "topicnumber", "topicnum", "topic"),
        *("querynumber", "query", "querytext", "id"),
    ),
    "docno": (
        *("docno", "corpusid", "docid", "documentid", "doc", "document", "did"),
        *("pid", "passageid", "segmentid", "itemid", "iid"),
    ),
    "score": ("score", "sim", "similarity", "retrievalscore", "relevancescore"),
    "rank": ("rank", "position", "pos"),
    "tag": ("tag", "runid", "runtag", "runname", "run", "system", "systemname", "model"),
    "grade": (
        *("relevance", "rel", "label", "grade", "judgment", "judgement", "rating", "qrel", "relevancelabel"),
        *("relevancegrade", "usefulness", "score"),
    ),
}
USED: dict[str, tuple[Role, ...]] = {
    "run": ("topic", "docno", "score", "rank", "tag"),
    "qrels": ("topic", "docno", "grade"),
}
# Columns that no reader of the field reads, and the index that pandas writes without a name.
MEANINGLESS = {"", "iteration", "iter", "q0"}
_KNOWN = (
    {name for names in NAMES.values() for name in names}
    | {plain(name) for name in (*DOCNOS, *TEXTS, *TITLES)}
    | {*MEANINGLESS - {""}, "question", "narrative", "url", "count", "docnumber"}
)
# Of lines without a header, by their number of columns.
_BY_WIDTH: dict[str, dict[int, tuple[Role | None, ...]]] = {
    "run": {
        3: ("topic", "docno", "rank"),
        4: ("topic", "docno", "rank", "score"),
        6: ("topic", None, "docno", "rank", "score", "tag"),
    },
    "qrels": {3: ("topic", "docno", "grade"), 4: ("topic", None, "docno", "grade")},
}


def column_of(known: Iterable[str], names: Sequence[str]) -> str | None:
    """The column with the first of the known names, in any case, or else also with other signs; None if none
    has.

    >>> column_of(("docno", "doc_id"), ["Title", "Doc-ID"])
    'Doc-ID'
    """
    for way in (str.lower, plain):
        by_name = {way(name): name for name in reversed(names)}
        if found := [by_name[way(name)] for name in known if way(name) in by_name]:
            return found[0]
    return None


def is_header(cells: Sequence[str]) -> bool:
    """True for a first row that names columns: two names of the field at least, and no number."""
    names = [plain(cell) for cell in cells]
    known = sum(name in _KNOWN for name in names)
    return known >= 2 and not any(cell.strip().replace(".", "", 1).isdigit() for cell in cells)


def roles_by_width(kind: str, rows: Rows) -> dict[str, int]:
    """The place of each role's column in lines without a header. In three columns of a run, whole numbers
    from 1 are ranks.

    Raises
    ------
    ValueError : a number of columns that names no layout.
    """
    width = len(rows[0]) if rows else 0
    layout = _BY_WIDTH[kind].get(width)
    if layout is None:
        known = " or ".join(map(str, _BY_WIDTH[kind]))
        raise ValueError(
            f"{width} columns without names, where {kind} have {known}: name them in a first row"
        )
    places: dict[str, int] = {role: place for place, role in enumerate(layout) if role}
    if kind == "run" and width == 3 and not is_ranked(rows):
        places["score"] = places.pop("rank")
    return places


def is_ranked(rows: Rows) -> bool:
    """True if the last column counts from 1 within each topic, as in runs of MS MARCO."""
    expected, topic = 0, None
    for row in rows:
        expected = expected + 1 if row[0] == topic else 1
        topic = row[0]
        if row[-1].strip() != str(expected):
            return False
    return bool(rows)


def listed_names(names: Sequence[str]) -> str:
    some = ", ".join(quote(name[:40])[1:-1] or "“”" for name in names[:20])
    return f"{some} and {len(names) - 20} more" if len(names) > 20 else some
