"""Topics: TREC SGML, TREC XML, tab-separated lines, JSON lines and SMART queries, recognised by content.

TREC SGML is `<top> <num> Number: 401 <title> …`, whose fields are seldom closed. TREC XML is
`<topic number="1"><query>…</query><question>…</question><narrative>…`. SMART files, as of Cranfield, begin an
item with `.I 12`, and a field with a dot and a letter on a line.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import chain, islice, pairwise
from typing import NoReturn
from xml.parsers import expat

from campaigns.formats.compressed_files import PrefixedStream, Source, open_stream
from campaigns.formats.content_types import PLAIN
from campaigns.formats.errors import (
    TOPIC_TEXT_BYTES,
    TOPICS,
    TOPICS_BYTES,
    TOPICS_LINES,
    ErrorList,
    quote,
    what_is_wrong_with_name,
)
from campaigns.formats.lines import (
    LineBlocks,
    LineNumbers,
    json_records,
    tab_rows,
    text_lines,
)
from campaigns.formats.reading.plain_text import one_line, paragraphs, storable, unescape
from campaigns.formats.recognition.content import Kind, Layout, recognise, refuse_other_kind
from campaigns.formats.smart_items import smart_items

__all__ = ["TopicRecord", "in_topic_order", "read_topics"]

NumberedLines = Iterable[tuple[int, bytes]]
TopicReader = Callable[[NumberedLines, ErrorList], Iterator["TopicRecord"]]
_NUMBER_NAMES = ("number", "num", "topic", "topic_id", "qid", "query_id", "_id", "id")
_TAB_LAYOUTS = {
    2: "2 (number, title)",
    3: "3 (number, title, description)",
    4: "4 (number, title, description, narrative)",
}

_HEAD = 1 << 18

# CLEF writes <EN-title>; the first TRECs had fields beside the four, which end the field before them.
_OTHERS = "head|dom|smry|con|fac|nat|def|time"
_TAG = re.compile(rf"<(/?)(?:[a-z]{{2}}-)?(top|num|title|desc|narr|{_OTHERS})\b[^<>]*>", re.IGNORECASE)
_TOP = re.compile(rb"<(?:[a-z]{2}-)?top\b", re.IGNORECASE)
# At the beginning only: searched for everywhere, the blanks before it take quadratic time.
_LABELS = {
    "num": re.compile(r"\A\s*Number\s*:", re.IGNORECASE),
    "title": re.compile(r"\A\s*(?:Topic|Title)\s*:", re.IGNORECASE),
    "desc": re.compile(r"\A\s*Description\s*:", re.IGNORECASE),
    "narr": re.compile(r"\A\s*Narrative\s*:", re.IGNORECASE),
}
_MARKUP = re.compile(r"<[^<>]*>")

_MOST_TAGS = 1000
_TITLE_WORDS = 12
_XML_PIECE = 1 << 17
_TOPIC = {"topic", "top"}
_NUMBER_TAGS = ("number", "num", "identifier", "id", "qid")
_TITLE = ("query", "title")
# Tracks that give each topic as one running text put it straight into <topic>.
_DESCRIPTION = ("question", "description", "desc", "")
_NARRATIVE = ("narrative", "narr")


@dataclass(frozen=True)
class TopicRecord:
    """A topic. `number` is text, as written, without blanks around it; `line` is where it begins."""

    number: str
    title: str
    description: str = ""
    narrative: str = ""
    line: int = field(default=0, compare=False)


@dataclass(frozen=True)
class DocumentRecord:
    """A document. `line` is where it begins in its file."""

    docno: str
    title: str
    body: str
    content_type: str = PLAIN
    line: int = field(default=0, compare=False)
    # Further fields, such as author or date.
    metadata: dict[str, str] = field(default_factory=dict, hash=False)
    # Safe HTML of what is shown as HTML; None until it is read.
    html: str | None = field(default=None, compare=False)


def read_topics(source: Source, name: str, *, max_bytes: int | None = TOPICS_BYTES) -> list[TopicRecord]:
    """The topics of a file, in file order.

    Numbers are text: kept as written, trimmed, `001` is not `1`. A topic needs a number of one word and a
    title or a description; without a title it gets the first 12 words of the description. In a file of one
    text a topic, as SMART's, the text is the title.

    Raises
    ------
    FormatError : no known format, a line that is not UTF-8 text, or topics that lack a number or text, or
        have the number of another.
    """
    errors = ErrorList(name)
    with open_stream(source, name, max_bytes=max_bytes) as stream:
        head = stream.read(_HEAD)
        joined = PrefixedStream(head, stream)
        blocks = LineBlocks(joined, errors, longest=TOPIC_TEXT_BYTES, most=TOPICS_LINES)
        lines = text_lines(blocks, errors)
        # The first line says so if the file is of another encoding.
        first = list(islice(lines, 1))
        topics = checked_topics(_reader(head, errors)(chain(first, lines), errors), errors)
    if not topics and not errors.total:
        errors.add(None, "no topic in it")
    errors.raise_if_any()
    return topics


def first_topics(head: bytes) -> Iterator[TopicRecord]:
    """The topics with which a file begins; raises `FormatError` where the head cuts one off."""
    errors = ErrorList("")
    return _reader(head, errors)(text_lines(LineBlocks(io.BytesIO(head), errors), errors), errors)


def _reader(head: bytes, errors: ErrorList) -> TopicReader:
    if not head.strip():
        raise errors.stopped(None, "no topic in it: an empty file")
    found = recognise(head)
    refuse_other_kind(found, Kind.TOPICS, errors)
    reader = _READERS.get(found.layout)
    if reader is None:
        known = "TREC <top> or <topic>, tab-separated lines, JSON lines, or SMART .I"
        raise errors.stopped(
            1, f"not a topics file that is read here ({known}): {found.words}, begins with {quote(head[:40])}"
        )
    return reader


def checked_topics(records: Iterator[TopicRecord], errors: ErrorList) -> list[TopicRecord]:
    """All topics, with an error for each that has no usable number, no text, or another's number."""
    first: dict[str, int] = {}
    topics = []
    for topic in records:
        if reason := what_is_wrong_with_name("topic", topic.number):
            errors.add(topic.line, f"{reason}: {quote(topic.number)}", "topic")
        elif topic.number in first:
            where = f"the first begins in line {first[topic.number]}"
            errors.add(topic.line, f"topic {quote(topic.number)} a second time; {where}", "topic")
        elif not (topic.title or topic.description):
            errors.add(topic.line, f"topic {quote(topic.number)} has neither title nor description", "title")
        first.setdefault(topic.number, topic.line)
        topics.append(topic if topic.title else replace(topic, title=_shortened(topic.description)))
        if len(topics) > TOPICS:
            raise errors.stopped(topic.line, f"more than {TOPICS:,} topics in one file")
    return topics


def _shortened(description: str) -> str:
    """Title for a topic without one: the first words of its description."""
    words = description.split(maxsplit=_TITLE_WORDS)
    return " ".join(words[:_TITLE_WORDS]) + (" …" if len(words) > _TITLE_WORDS else "")


def _json_topics(lines: NumberedLines, errors: ErrorList) -> Iterator[TopicRecord]:
    for record in json_records(lines, errors):
        number = record.identifier("topic", *_NUMBER_NAMES)
        if not number:
            continue
        title = record.name_of("title", "query", "text")
        described = ("description", "desc", "question", *(["text"] if title != "text" else []))
        yield TopicRecord(
            number=number,
            title=one_line(record.text(title)),
            description=paragraphs(record.text(*described)),
            narrative=paragraphs(record.text("narrative", "narr")),
            line=record.line,
        )


def _tab_topics(lines: NumberedLines, errors: ErrorList) -> Iterator[TopicRecord]:
    for line, fields in tab_rows(lines, errors, _TAB_LAYOUTS):
        number, title, description, narrative = [*fields, "", ""][:4]
        yield TopicRecord(number, one_line(title), description, narrative, line)


def _smart_topics(lines: NumberedLines, errors: ErrorList) -> Iterator[TopicRecord]:
    for item in smart_items(lines, errors, longest=TOPIC_TEXT_BYTES):
        title, words = one_line(item.text("T")), item.text("W")
        if title:
            yield TopicRecord(item.number, title, paragraphs(words), line=item.line)
        else:
            yield TopicRecord(item.number, one_line(words), line=item.line)


def sgml_topics(lines: NumberedLines, errors: ErrorList) -> Iterator[TopicRecord]:
    """The topics of a file in file order, one at a time."""
    for line, text in _sgml_pieces(lines, errors):
        yield from _sgml_topics(text, line, errors)


def _sgml_pieces(lines: NumberedLines, errors: ErrorList) -> Iterator[tuple[int, str]]:
    """The text cut before each <top>, which ends the topic before it, with the line each piece begins on."""
    begins, text = 1, bytearray()
    for number, line in lines:
        at = 0
        for top in _TOP.finditer(line) if b"<" in line else ():
            text += line[at : top.start()]
            yield begins, text.decode()
            begins, text, at = number, bytearray(), top.start()
        text += line[at:].rstrip(b"\r") + b"\n"
        if len(text) > TOPIC_TEXT_BYTES:
            raise errors.stopped(begins, f"a topic larger than {TOPIC_TEXT_BYTES:,} bytes")
    yield begins, text.decode()


def _sgml_topics(text: str, first: int, errors: ErrorList) -> Iterator[TopicRecord]:
    numbers = LineNumbers(text)

    def line_of(place: int) -> int:
        return first - 1 + numbers(place)

    fields: dict[str, str] | None = None
    begins = 0
    found = _TAG.search(text)
    _refuse_stray(text[: found.start() if found else len(text)], first, errors)
    for tag, behind in pairwise(chain(_TAG.finditer(text), [None])):
        assert tag is not None, "only the last is none"
        closing, name, line = bool(tag[1]), tag[2].lower(), line_of(tag.start())
        content = text[tag.end() : behind.start() if behind else len(text)]
        if name == "top":
            if fields is not None:
                yield _topic(fields, begins)
            fields, begins = (None, line) if closing else ({}, line)
        elif fields is None:
            errors.add(line, f"<{tag[1]}{name}> outside of a <top>")
            continue
        elif not closing:
            if name in fields:
                errors.add(line, f"a second <{name}> in the topic that begins in line {begins}", name)
            fields[name] = content
            continue
        _refuse_stray(content, line_of(tag.end()), errors)
    if fields is not None:
        yield _topic(fields, begins)


def _topic(fields: dict[str, str], line: int) -> TopicRecord:
    plain = {name: unescape(label.sub("", fields.get(name, ""), count=1)) for name, label in _LABELS.items()}
    return TopicRecord(
        number=one_line(plain["num"]),
        title=one_line(plain["title"]),
        description=paragraphs(plain["desc"]),
        narrative=paragraphs(plain["narr"]),
        line=line,
    )


def _refuse_stray(text: str, line: int, errors: ErrorList) -> None:
    """Text that no field takes would be lost without a word."""
    if stray := _MARKUP.sub("", text).strip():
        line += text[: text.index(stray[0])].count("\n")
        errors.add(line, f"text that belongs to no field: {quote(one_line(stray))}")


def xml_topics(lines: NumberedLines, errors: ErrorList) -> Iterator[TopicRecord]:
    """The topics of a file in file order, one at a time. Errors of XML itself end the reading."""
    reader = _Reader(errors)
    try:
        for piece in _xml_pieces(lines):
            reader.feed(piece)
            yield from reader.take()
        reader.parser.Parse(b"", True)
    except expat.ExpatError as error:
        reason = f"not well-formed XML: {expat.ErrorString(error.code)}"
        raise errors.stopped(error.lineno, reason) from error
    yield from reader.take()


def _xml_pieces(lines: NumberedLines) -> Iterator[bytes]:
    """The text in pieces: an unfinished tag is looked through again with each."""
    piece = bytearray()
    for number, line in lines:
        piece += (b"\n" if number > 1 else b"") + line.rstrip(b"\r")
        if len(piece) > _XML_PIECE:
            yield bytes(piece)
            piece.clear()
    yield bytes(piece)


class _Reader:
    def __init__(self, errors: ErrorList) -> None:
        self.topics: list[TopicRecord] = []
        self._errors = errors
        self._fields: dict[str, list[str]] | None = None
        self._line = self._begin = self._depth = self._fed = 0
        self._path: list[str] = []
        self._names: set[str] = set()
        # The text was decoded already, whatever encoding its first line names.
        self.parser = expat.ParserCreate("utf-8")
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._text
        self.parser.EntityDeclHandler = self._entity

    def take(self) -> list[TopicRecord]:
        """The topics that have ended, once."""
        ended, self.topics = self.topics, []
        return ended

    def feed(self, piece: bytes) -> None:
        self.parser.Parse(piece)
        self._fed += len(piece)
        for begin, most, what in (
            (self.parser.CurrentByteIndex, 4 * _XML_PIECE, "tag"),
            (self._begin if self._fields is not None else self._fed, TOPIC_TEXT_BYTES, "topic"),
        ):
            if self._fed - begin > most:
                raise self._errors.stopped(
                    self.parser.CurrentLineNumber, f"a {what} larger than {most:,} bytes"
                )

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        self._names.update((name, *attributes))
        # The parser remembers each name and each open tag.
        if max(self._depth, len(self._names)) > _MOST_TAGS:
            detail = f"more than {_MOST_TAGS:,} names of tags, or tags inside each other"
            raise self._errors.stopped(self.parser.CurrentLineNumber, detail)
        if self._fields is not None:
            self._path.append(name.lower())
        elif name.lower() in _TOPIC:
            self._fields = {
                key.lower(): [value] for key, value in attributes.items() if key.lower() in _NUMBER_TAGS
            }
            self._line, self._path = self.parser.CurrentLineNumber, []
            self._begin = self.parser.CurrentByteIndex

    def _text(self, text: str) -> None:
        if self._fields is not None:
            field = self._path[0] if self._path else ""
            self._fields.setdefault(field, []).append(text)

    def _end(self, name: str) -> None:
        self._depth -= 1
        if self._fields is None:
            return
        if self._path:
            self._path.pop()
            return
        fields = {name: "".join(parts) for name, parts in self._fields.items()}
        self._fields = None
        self.topics.append(
            TopicRecord(
                number=one_line(_first(fields, _NUMBER_TAGS)),
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


_READERS: dict[Layout | None, TopicReader] = {
    Layout.XML: xml_topics,
    Layout.TREC: sgml_topics,
    Layout.JSON: _json_topics,
    Layout.SMART: _smart_topics,
    Layout.TABS: _tab_topics,
}


def in_topic_order(numbers: Iterable[str]) -> list[str]:
    """Sort topics by number if all are numbers, by their bytes otherwise."""
    numbers = list(numbers)
    if all(number.isascii() and number.isdigit() for number in numbers):
        return sorted(numbers, key=lambda number: (int(number), number))
    return sorted(numbers, key=str.encode)
