"""Places of hits, IDs, scores and texts in an engine's JSON answer: read by paths, or found by one answer."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from django.utils.translation import gettext

MOST_FIELDS, LONGEST_PATH, DEEPEST = 20, 200, 5
# Names by which engines and search APIs call each part, the likeliest first.
_IDS = ("id", "_id", "docid", "docno", "doc_id", "document_id", "documentid", "uid", "key", "url")
_SCORES = ("score", "_score", "relevance", "@search.score", "similarity", "rank_score")
_TITLES = ("title", "name", "headline", "heading", "subject")
_TEXTS = ("text", "body", "content", "contents", "abstract", "description", "snippet", "passage")


class NoMapping(ValueError):
    """Reason why an answer cannot be read."""


@dataclass(frozen=True)
class HitMapping:
    """Paths of names and list positions, separated by dots. `hits` leads to the list, all others from a hit.
    An empty path names nothing; `fields` lists further ones that are stored with a document."""

    hits: str = ""
    id: str = ""
    score: str = ""
    title: str = ""
    text: str = ""
    fields: tuple[str, ...] = ()

    @classmethod
    def of(cls, stored: Mapping[str, Any]) -> HitMapping:
        return cls(**{**stored, "fields": tuple(stored.get("fields", ()))})

    def as_json(self) -> dict[str, Any]:
        return asdict(self) | {"fields": list(self.fields)}

    @property
    def has_texts(self) -> bool:
        return bool(self.title or self.text)


@dataclass(frozen=True)
class Hit:
    """A hit as a run and a document need it. `score` is None where the answer has no finite number."""

    id: str
    score: float | None
    title: str
    text: str
    fields: dict[str, str]


def value_at(value: Any, path: str) -> Any:
    """Value at a path; None if there is none. A name may hold dots itself: the longest that fits is taken."""
    if not path:
        return value
    if isinstance(value, list):
        name, _, rest = path.partition(".")
        fits = name.isascii() and name.isdigit() and len(name) < 7 and int(name) < len(value)
        return value_at(value[int(name)], rest) if fits else None
    if not isinstance(value, dict):
        return None
    steps = path.split(".")
    for end in range(len(steps), 0, -1):
        if (name := ".".join(steps[:end])) in value:
            return value_at(value[name], ".".join(steps[end:]))
    return None


def clean(text: str) -> str:
    """The text without what the database cannot hold: NUL, and halves of characters."""
    return text.encode(errors="replace").decode().replace("\0", "\ufffd")


def plain_text(value: Any) -> str:
    """Text of a value: lists line by line, objects as the text of their values."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return str(value)
    if isinstance(value, list | dict):
        parts = value.values() if isinstance(value, dict) else value
        return "\n".join(text for part in parts if (text := plain_text(part)))
    return ""


def read_hits(answer: Any, mapping: HitMapping, most: int) -> list[Hit]:
    """Read the first hits of an answer, in the engine's order.

    Raises
    ------
    NoMapping : the list is missing, or a hit has no ID.
    """
    rows = value_at(answer, mapping.hits)
    above, dot, _ = mapping.hits.rpartition(".")
    # Vespa leaves the list out where nothing matches.
    if rows is None and dot and isinstance(value_at(answer, above), dict):
        return []
    if not isinstance(rows, list):
        raise NoMapping(gettext("there is no list of hits at “%(path)s”") % {"path": mapping.hits})
    return [_hit(row, mapping, place) for place, row in enumerate(rows[:most], start=1)]


def _hit(row: Any, mapping: HitMapping, place: int) -> Hit:
    id = value_at(row, mapping.id)
    if isinstance(id, list) and len(id) == 1:
        id = id[0]
    if isinstance(id, bool) or not isinstance(id, str | int) or id == "":
        detail = gettext("hit %(place)s has no ID at “%(path)s”")
        raise NoMapping(detail % {"place": place, "path": mapping.id})
    score: Any = value_at(row, mapping.score) if mapping.score else None
    number = isinstance(score, int | float) and not isinstance(score, bool) and math.isfinite(score)
    return Hit(
        clean(str(id)),
        float(score) if number else None,
        plain_text(value_at(row, mapping.title)) if mapping.title else "",
        plain_text(value_at(row, mapping.text)) if mapping.text else "",
        {path: text for path in mapping.fields if (text := plain_text(value_at(row, path)))},
    )


def find_mapping(answer: Any, known: HitMapping) -> HitMapping:
    """Complete what is known of a mapping by one answer with hits.

    Raises
    ------
    NoMapping : no list of hits with IDs is found.
    """
    hits = known.hits or _find_list(answer, known)
    rows = value_at(answer, hits) if hits is not None else None
    if not isinstance(rows, list) or not rows:
        raise NoMapping(gettext("the answer has no list of hits by which their fields can be found"))
    paths = list(_scalar_paths(rows[0]))
    id = known.id or _find(paths, _IDS, lambda path: _are_ids(rows, path))
    if not id:
        detail = gettext("the hits at “%(path)s” have no field that can be their ID")
        raise NoMapping(detail % {"path": hits})
    score = known.score or _find(paths, _SCORES, lambda path: _are_numbers(rows, path))
    others = [path for path in paths if path not in (id, score)]
    title = known.title or _find(others, _TITLES, lambda path: _has_texts(rows, path))
    text = known.text or _find(others, _TEXTS, lambda path: path != title and _has_texts(rows, path))
    return replace(known, hits=hits or "", id=id, score=score, title=title, text=text)


def _find_list(answer: Any, known: HitMapping) -> str | None:
    """Path of the first list of objects that have IDs, the least deep first; None if there is none."""
    level = [("", answer)]
    for _ in range(DEEPEST):
        for path, value in level:
            if isinstance(value, list) and value and all(isinstance(row, dict) for row in value):
                paths = [known.id] if known.id else list(_scalar_paths(value[0]))
                if _find(paths, (known.id, *_IDS) if known.id else _IDS, lambda p, v=value: _are_ids(v, p)):
                    return path
        level = [
            (f"{path}.{name}" if path else name, inner)
            for path, value in level
            if isinstance(value, dict)
            for name, inner in value.items()
        ]
    return None


def _scalar_paths(row: Any, before: str = "", depth: int = 0) -> Iterator[str]:
    """Paths of a hit's values that are no objects, its own before those of objects in it."""
    if not isinstance(row, dict) or depth == DEEPEST:
        return
    inner = []
    for name, value in row.items():
        path = f"{before}.{name}" if before else name
        if isinstance(value, dict):
            inner.append((path, value))
        else:
            yield path
    for path, value in inner:
        yield from _scalar_paths(value, path, depth + 1)


def _find(paths: Sequence[str], names: Sequence[str], fits: Any) -> str:
    """Path whose last name is the first of `names` that fits; empty if none does."""
    for name in names:
        for path in paths:
            if (path == name or path.endswith(f".{name}")) and fits(path):
                return path
    return ""


def _are_ids(rows: list[Any], path: str) -> bool:
    ids = [value_at(row, path) for row in rows]
    good = all(isinstance(id, str | int) and not isinstance(id, bool) and id != "" for id in ids)
    # Some engines repeat a document; a field of which most values are the same names something else.
    return good and 2 * len({str(id) for id in ids}) > len(ids)


def _are_numbers(rows: list[Any], path: str) -> bool:
    values = [value_at(row, path) for row in rows]
    return all(isinstance(score, int | float) and not isinstance(score, bool) for score in values)


def _has_texts(rows: list[Any], path: str) -> bool:
    values = [value_at(row, path) for row in rows]
    return any(isinstance(value, str | list) and plain_text(value) for value in values)
