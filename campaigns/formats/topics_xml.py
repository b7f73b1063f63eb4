"""TREC topics in XML: `<topic number="1"><query>…</query><question>…</question><narrative>…`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NoReturn
from xml.parsers import expat

from campaigns.formats.errors import ErrorList
from campaigns.formats.records import TopicRecord
from campaigns.formats.text import one_line, paragraphs, storable

_TOPIC = {"topic", "top"}
_XML_NUMBER = ("number", "num", "identifier", "id", "qid")
_TITLE = ("query", "title")
# Tracks that give each topic as one running text put it straight into <topic>.
_DESCRIPTION = ("question", "description", "desc", "")
_NARRATIVE = ("narrative", "narr")


def xml_topics(text: str, errors: ErrorList) -> Iterator[TopicRecord]:
    """The topics of a file in file order. Errors of XML itself end the reading."""
    reader = _Reader(errors)
    try:
        reader.parser.Parse(text.encode(), True)
    except expat.ExpatError as error:
        reason = f"not well-formed XML: {expat.ErrorString(error.code)}"
        raise errors.stopped(error.lineno, reason) from error
    yield from reader.topics


class _Reader:
    def __init__(self, errors: ErrorList) -> None:
        self.topics: list[TopicRecord] = []
        self._errors = errors
        self._fields: dict[str, list[str]] | None = None
        self._line = 0
        self._path: list[str] = []
        # The text was decoded already, whatever encoding its first line names.
        self.parser = expat.ParserCreate("utf-8")
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._text
        self.parser.EntityDeclHandler = self._entity

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        if self._fields is not None:
            self._path.append(name.lower())
        elif name.lower() in _TOPIC:
            self._fields = {
                key.lower(): [value] for key, value in attributes.items() if key.lower() in _XML_NUMBER
            }
            self._line, self._path = self.parser.CurrentLineNumber, []

    def _text(self, text: str) -> None:
        if self._fields is not None:
            field = self._path[0] if self._path else ""
            self._fields.setdefault(field, []).append(text)

    def _end(self, name: str) -> None:
        if self._fields is None:
            return
        if self._path:
            self._path.pop()
            return
        fields = {name: "".join(parts) for name, parts in self._fields.items()}
        self._fields = None
        self.topics.append(
            TopicRecord(
                number=one_line(_first(fields, _XML_NUMBER)),
                title=storable(one_line(_first(fields, _TITLE))),
                description=storable(paragraphs(_first(fields, _DESCRIPTION))),
                narrative=storable(paragraphs(_first(fields, _NARRATIVE))),
                line=self._line,
            )
        )

    def _entity(self, *_: object) -> NoReturn:
        # Entities that name each other grow a small file without end, or fetch other files.
        raise self._errors.stopped(self.parser.CurrentLineNumber, "declares an entity, which topics need not")


def _first(fields: dict[str, str], names: tuple[str, ...]) -> str:
    return next((fields[name] for name in names if fields.get(name, "").strip()), "")
