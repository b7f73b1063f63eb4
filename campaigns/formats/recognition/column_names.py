"""The columns of a table by their roles: topic, docno, score and others, by the names that the field uses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

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
# Wanted of a run and of qrels; where two stand together, one of them is enough.
NEEDED: dict[str, tuple[tuple[Role, ...], ...]] = {
    "run": (("topic",), ("docno",), ("score", "rank")),
    "qrels": (("topic",), ("docno",), ("grade",)),
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


def roles_by_name(kind: str, names: Sequence[str], chosen: Mapping[Role, str]) -> dict[Role, int]:
    """The place of each role's column, of those that a kind of file (`run`, `qrels`) uses: as chosen, or by
    its name. No column has two roles.

    Raises
    ------
    ValueError : a chosen column that is not there, a role that no column has.

    Examples
    --------
    >>> roles_by_name("qrels", ["query-id", "corpus-id", "score"], {})
    {'topic': 0, 'docno': 1, 'grade': 2}
    """
    places: dict[Role, int] = {}
    for role, name in chosen.items():
        if name not in names:
            raise ValueError(f"no column is called “{name}”; there are {listed_names(names)}")
        places[role] = names.index(name)
    known = [plain(name) for name in names]
    for role in USED[kind]:
        free = [name for name in NAMES[role] if name in known and known.index(name) not in places.values()]
        if role not in places and free:
            places[role] = known.index(free[0])
    _refuse_missing(kind, places, names)
    return places


def roles_by_width(kind: str, rows: Rows) -> dict[Role, int]:
    """The same of lines without a header. In three columns of a run, whole numbers from 1 are ranks.

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
    places: dict[Role, int] = {role: place for place, role in enumerate(layout) if role}
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


def _refuse_missing(kind: str, places: Mapping[Role, int], names: Sequence[str]) -> None:
    missing = [" or ".join(roles) for roles in NEEDED[kind] if not any(role in places for role in roles)]
    if missing:
        wanted = ", ".join(missing)
        raise ValueError(
            f"columns {listed_names(names)}: choose which is the {wanted}, or rename them in the file"
        )


def listed_names(names: Sequence[str]) -> str:
    shown = ", ".join(f"“{name[:40]}”" for name in names[:20])
    return f"{shown} and {len(names) - 20} more" if len(names) > 20 else shown
