"""Columns of a file by their roles, such as docno, title or score: by their names, or as they were chosen."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

from campaigns.formats.errors import quote
from campaigns.formats.recognition.column_names import (
    NAMES,
    USED,
    column_of,
    listed_names,
)
from campaigns.formats.recognition.columns import DOCUMENT_ROLES, TEXTS, TITLES, TOPIC_ROLES, WRAPPERS

# The roles that each kind of file has, with the names of columns for each.
ROLES: dict[str, Mapping[str, tuple[str, ...]]] = {
    "documents": {role: DOCUMENT_ROLES[role] for role in ("docno", "title", "text")},
    "topics": TOPIC_ROLES,
    "run": {role: NAMES[role] for role in USED["run"]},
    "qrels": {role: NAMES[role] for role in USED["qrels"]},
}
# Wanted of each kind; where several stand together, one of them is enough. Of topics in JSON only the first
# is: their texts may be anywhere. Documents may have none, and are counted.
_NEEDED: dict[str, tuple[tuple[str, ...], ...]] = {
    "documents": (("docno",),),
    "topics": (("number",), ("title", "description", "narrative")),
    "run": (("topic",), ("docno",), ("score", "rank")),
    "qrels": (("topic",), ("docno",), ("grade",)),
}
_LAYOUTS = {
    "columns of a table": "a table of words between blanks",
    "JSON lines": "a file of JSON lines",
    "a JSON list": "a JSON list",
    "nested JSON": "nested JSON",
    "Parquet": "a Parquet file",
    "Arrow": "an Arrow file",
}


class ColumnChoice(dict[str, str]):
    """The column, or path in objects of JSON, of each role, as chosen for one file. Where none is chosen, the
    first of the `known` choices for these columns holds; one without columns is for every file that has those
    of its roles. True if anything may be chosen.

    `path`: where the text of JSON documents is, empty for the first known name. `titles`: the numbers of
    topics by their folded titles, for judgments that name topics so. Once the file is read, `names`
    has its columns, as far as they have names, and `used` the choice that held.
    """

    def __init__(
        self, roles: Mapping[str, str] | None = None, known: Sequence[Mapping[str, Any]] = ()
    ) -> None:
        super().__init__({role: name for role, name in (roles or {}).items() if name})
        self.known = list(known)
        self.path = self.get("text", "")
        self.names: list[str] = []
        self.used: dict[str, str] = {}
        self.titles: Callable[[], Mapping[str, list[str]]] = dict

    def __bool__(self) -> bool:
        return len(self) > 0 or bool(self.known)

    def may_apply(self, first_line: bytes) -> bool:
        """True if something is chosen, or if an earlier choice may be one for lines that begin so."""
        names = _names_in(first_line) if self.known else set()
        return len(self) > 0 or any(
            names <= set(row["columns"]) or fits(row["roles"], names) for row in self.known if names
        )


def fits(roles: Mapping[str, str], names: Collection[str]) -> bool:
    """True if a file has the columns of a choice, or what holds the path to its text."""
    return all(
        name in names or (role == "text" and name.split(".")[0] in names) for role, name in roles.items()
    )


def _names_in(line: bytes) -> set[str]:
    text = line.decode("utf-8-sig", "replace").strip()
    try:
        found = json.loads(text) if text.startswith("{") else text.split("\t")
    except (ValueError, RecursionError):
        return set()
    return set(found)


def folded_title(title: str) -> str:
    """A title as it is compared: without case, forms of letters and the number of blanks.

    >>> folded_title(" Star  WARS ")
    'star wars'
    """
    return " ".join(unicodedata.normalize("NFKC", title).casefold().split())


def chosen_roles(
    names: Iterable[str], chosen: Mapping[str, str], known: Sequence[Mapping[str, Any]]
) -> dict[str, str]:
    """The choice for a file of these columns: the one that was made, or the earlier one."""
    columns = set(names)
    fitting = (
        dict(row["roles"])
        for row in known
        if set(row["columns"]) == columns or (not row["columns"] and fits(row["roles"], columns))
    )
    return dict(chosen) or next(fitting, {})


def roles_of(kind: str, names: Sequence[str], chosen: Mapping[str, str]) -> dict[str, str]:
    """The column of each role of a kind: as chosen, or by its name. No column has two roles.

    >>> roles_of("qrels", ["query-id", "corpus-id", "score"], {})
    {'topic': 'query-id', 'docno': 'corpus-id', 'grade': 'score'}
    """
    roles = {role: name for role, name in chosen.items() if role in ROLES[kind]}
    for role, known in ROLES[kind].items():
        free = [name for name in names if name not in roles.values()]
        if role not in roles and (name := column_of(known, free)) is not None:
            roles[role] = name
    return {role: roles[role] for role in ROLES[kind] if role in roles}


def has_text(names: Sequence[str]) -> bool:
    """True if one of the columns may hold the text or the title of documents."""
    return column_of((*TEXTS, *TITLES, *WRAPPERS), names) is not None


def what_is_missing(
    kind: str, layout: str, names: Sequence[str], roles: Mapping[str, str]
) -> list[list[str]]:
    """Roles that the kind needs and no column has; of several together, one is enough."""
    if kind == "documents" and set(WRAPPERS) & set(names):
        # Records of a list may have their fields inside another.
        return []
    needed = _NEEDED[kind][: 1 if kind == "topics" and "JSON" in layout else None]
    return [[*some] for some in needed if not any(role in roles for role in some)]


def wrong_choice(kind: str, names: Sequence[str], chosen: Mapping[str, str]) -> str:
    """The reason why a choice does not fit the columns of a file; empty if it does. A text may be a path."""
    for role, name in chosen.items():
        if role not in ROLES[kind]:
            return f"“{_shown(role)}” is none of {', '.join(ROLES[kind])}, as columns of {kind} are called"
        if not fits({role: name}, names):
            return f"none is called “{_shown(name)}”, which was chosen as the {role}"
    return ""


def columns_refusal(kind: str, layout: str, names: Sequence[str], chosen: Mapping[str, str]) -> str:
    """Sentence on a file and what is to be chosen before it can be read; empty if it can be read."""
    wrong = wrong_choice(kind, names, chosen)
    missing = " and the ".join(
        " or ".join(some) for some in what_is_missing(kind, layout, names, roles_of(kind, names, chosen))
    )
    if not (wrong or missing):
        return ""
    detail = wrong or f"choose which is the {missing} (columns in a request, --column in a command)"
    return f"This is {layout_words(layout)} with columns {listed_names(names)}: {detail}"


def layout_words(layout: str) -> str:
    return _LAYOUTS.get(layout, f"a file of {layout}")


def _shown(name: str) -> str:
    return quote(name[:40])[1:-1]
