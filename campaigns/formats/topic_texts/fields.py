"""A topic and its further fields: all of it but number, title, description and narrative, by name.

Subtopics, summaries, concepts and the like are stored in the order of the file, and shown to assessors.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from campaigns.formats.errors import Notices
from campaigns.formats.reading.plain_text import one_line, paragraphs, storable

MOST_FIELDS = 200
LONGEST_FIELD_NAME = 100
_TITLE_WORDS = 12

SURPLUS = ("topic fields left out: too many", f"A topic has {MOST_FIELDS} further fields at most: {{names}}")
NAME_CUT = ("names of topic fields cut", f"A name has {LONGEST_FIELD_NAME} characters at most: {{names}}")
COMMENTS = ("comments", "Comments in the markup were left out.")
OUTSIDE = ("text outside of topics", "Elements whose text or attributes belong to no topic: {names}")
HEADER = ("header line", "The first line names the columns: {names}")
# Attributes that number an element, as in <subtopic number="1">.
_NUMBERS = ("number", "num", "id", "no")

NamedText = tuple[str, str]


@dataclass(frozen=True)
class TopicRecord:
    """A topic. `number` is text, as written, without blanks around it; `line` is where it begins;
    `further_fields` are names and texts."""

    number: str
    title: str
    description: str = ""
    narrative: str = ""
    line: int = field(default=0, compare=False)
    further_fields: tuple[NamedText, ...] = ()


def checked_fields(fields: Iterable[NamedText], notices: Notices) -> tuple[NamedText, ...]:
    """The fields that have a text, within the limits of a topic; `notices` counts what exceeds them."""
    found: list[NamedText] = []
    for name, text in fields:
        name, text = one_line(storable(name)) or "?", storable(text)
        if not text:
            continue
        if len(found) == MOST_FIELDS:
            notices.add(*SURPLUS, name=name)
            continue
        if len(name) > LONGEST_FIELD_NAME:
            notices.add(*NAME_CUT, name=name)
        found.append((name[:LONGEST_FIELD_NAME], text))
    return tuple(found)


def field_rows(fields: Iterable[NamedText]) -> list[dict[str, str]]:
    """The fields as they are stored, in their order."""
    return [{"name": name, "value": text} for name, text in fields]


def fields_of_rows(rows: Iterable[Mapping[str, str]]) -> tuple[NamedText, ...]:
    """Stored fields as those of a record."""
    return tuple((row["name"], row["value"]) for row in rows)


def are_fields(value: Any) -> bool:
    """True if a value, read from a file, could be stored fields of a topic."""
    return (
        isinstance(value, list)
        and len(value) <= MOST_FIELDS
        and all(isinstance(one, dict) and set(one) == {"name", "value"} for one in value)
        and all(isinstance(text, str) for one in value for text in one.values())
        and all(0 < len(one["name"]) <= LONGEST_FIELD_NAME for one in value)
    )


def beginning(text: str) -> str:
    """Title for a topic without one: the first words of its text."""
    words = text.split(maxsplit=_TITLE_WORDS)
    return " ".join(words[:_TITLE_WORDS]) + (" …" if len(words) > _TITLE_WORDS else "")


def numbered_name(name: str, attributes: dict[str, str]) -> str:
    """Name of an element with its number, which is taken out of its attributes. `<field name="objects">`, as
    campaigns write topics, is the field of that name."""
    if name == "field" and set(attributes) == {"name"}:
        return one_line(attributes.pop("name"))
    number = next((key for key in attributes if key.lower() in _NUMBERS), "")
    return one_line(f"{name} {attributes.pop(number)}") if number else name


def named_by_attributes(name: str, attributes: Mapping[str, str]) -> str:
    """Name of a field with what its tag says of it.

    >>> named_by_attributes("subtopic 1", {"type": "inf"})
    'subtopic 1 (type inf)'
    """
    said = ", ".join(f"{key} {value}" for key, value in attributes.items())
    return one_line(f"{name} ({said})" if said else name)


def fields_of_object(values: Mapping[str, Any], prefix: str = "") -> Iterator[NamedText]:
    """Fields of a JSON object. Objects inside it give a field for each value, lists of objects one for each
    object, lists of single values one with a line for each.

    >>> topic = {"notes": {"by": "Ada"}, "subtopics": [{"id": 1, "text": "a"}], "tags": ["x", 2]}
    >>> list(fields_of_object(topic))
    [('notes / by', 'Ada'), ('subtopics 1', 'id: 1\\ntext: a'), ('tags', 'x\\n2')]
    """
    for key, value in values.items():
        name = f"{prefix}{key}"
        if key == "further_fields" and are_fields(value):
            yield from fields_of_rows(value)
        elif isinstance(value, dict):
            yield from fields_of_object(value, f"{name} / ")
        elif isinstance(value, list) and any(isinstance(one, dict) for one in value):
            yield from ((f"{name} {at}", "\n".join(_lines(one))) for at, one in enumerate(value, 1))
        else:
            yield name, paragraphs(value) if isinstance(value, str) else "\n".join(_lines(value))


def _lines(value: Any) -> Iterator[str]:
    if isinstance(value, list):
        for one in value:
            yield from _lines(one)
    elif isinstance(value, dict):
        for key, one in value.items():
            yield from (f"{one_line(str(key))}: {line}" for line in _lines(one))
    elif value is not None and (text := _single(value)):
        yield text


def _single(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else one_line(str(value))
