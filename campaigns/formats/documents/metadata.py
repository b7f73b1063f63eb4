"""Metadata of documents: the further fields of a JSON object, such as author or date, as short texts."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from itertools import count
from typing import Any

from campaigns.formats.errors import Notices
from campaigns.formats.reading.plain_text import one_line, storable

MOST_FIELDS = 20
MOST_CHARACTERS = 2_000
LONGEST_FIELD_NAME = 100

CUT, SURPLUS = "metadata fields cut", "metadata fields left out: too many or too long"
_CUT = f"A document’s fields have {MOST_CHARACTERS:,} characters in total: {{names}}"
_SURPLUS = (
    f"A document has {MOST_FIELDS} fields and {MOST_CHARACTERS:,} characters in total; a name has "
    f"1 to {LONGEST_FIELD_NAME} characters: {{names}}"
)
NOT_TEXT = "A field is a string, a number, true, false, or a list of these."


def metadata_of(
    fields: Mapping[str, Any], own: Collection[str], notices: Notices | None = None
) -> dict[str, str]:
    """The fields of a JSON object that are not its `own` (docno, title, text), in their order, each as one
    line of text. Lists are joined by commas; empty values are passed over.

    At most 20 fields and 2,000 characters of values in total: the value that exceeds them is cut, and later
    ones are left out. `notices` gets both by name.

    >>> metadata_of({"docno": "a", "author": " Ada  L.", "year": 1843, "tags": ["engine", True]}, {"docno"})
    {'author': 'Ada L.', 'year': '1843', 'tags': 'engine, true'}
    """
    found: dict[str, str] = {}
    noticed = Notices() if notices is None else notices
    room = MOST_CHARACTERS
    for name, value in _further(fields, own):
        text = _text(value)
        if text is None:
            noticed.unread(name, NOT_TEXT)
        elif text and (not room or len(found) == MOST_FIELDS or not 0 < len(name) <= LONGEST_FIELD_NAME):
            noticed.add(SURPLUS, _SURPLUS, name=name or "“”")
        elif text:
            name = free_name(name, found)
            if len(text) > room:
                noticed.add(CUT, _CUT, name=name)
            found[name] = text if len(text) <= room else f"{text[: room - 1]}…"
            room -= len(found[name])
    return found


def free_name(name: str, taken: Collection[str]) -> str:
    """The name, or the name with the first number that no other has: `a`, `a 2`, `a 3`."""
    numbered = (f"{name} {number}" for number in count(2))
    return name if name not in taken else next(one for one in numbered if one not in taken)


def _further(fields: Mapping[str, Any], own: Collection[str]) -> Iterator[tuple[str, Any]]:
    for name, value in fields.items():
        if name not in own:
            yield one_line(storable(name)), value


def _text(value: Any) -> str | None:
    """None for what is neither a single value nor a list of such."""
    if isinstance(value, list):
        parts = [_single(one) for one in value]
        return None if None in parts else ", ".join(part for part in parts if part)
    return _single(value)


def _single(value: Any) -> str | None:
    if isinstance(value, dict | list):
        return None
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return one_line(storable(str(value)))


def is_metadata(value: Any) -> bool:
    """True if a value, read from a file, could be a result of `metadata_of`."""
    return (
        isinstance(value, dict)
        and len(value) <= MOST_FIELDS
        and all(0 < len(name) <= LONGEST_FIELD_NAME for name in value)
        and all(isinstance(text, str) for text in value.values())
        and sum(map(len, value.values())) <= MOST_CHARACTERS
    )
