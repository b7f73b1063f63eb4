"""Topics in XML: `<topic number="1"><query>…</query><subtopic number="1">…</subtopic></topic>`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NoReturn
from xml.parsers import expat

from campaigns.formats.errors import TOPIC_TEXT_BYTES, ErrorList, Notices, quote
from campaigns.formats.reading.plain_text import one_line, paragraphs, storable
from campaigns.formats.topic_texts.fields import (
    COMMENTS,
    LONGEST_FIELD_NAME,
    MOST_FIELDS,
    OUTSIDE,
    SURPLUS,
    NamedText,
    TopicRecord,
    beginning,
    checked_fields,
    named_by_attributes,
    numbered_name,
)

# The parser remembers each name and each open tag.
_MOST_TAGS = _LONGEST_TAG = 1000
# Elements inside each other, in a topic.
_DEEPEST = 32
_XML_PIECE = 1 << 17
# Of session tracks the session is judged, and its topic is a part of it.
_TOPIC = {"topic", "top", "session"}
_ROLES = {
    "number": ("number", "num", "identifier", "id", "qid"),
    "title": ("query", "title", "currentquery"),
    # Tracks that give each topic as one running text put it straight into <topic>.
    "description": ("question", "description", "desc", ""),
    "narrative": ("narrative", "narr"),
}
_WELL_KNOWN = {name for names in _ROLES.values() for name in names}
_WITHIN_A_LINE = {"a", "abbr", "b", "em", "font", "i", "small", "span", "strong", "sub", "sup", "tt", "u"}
_BLOCKS = {
    *("br", "dd", "div", "dl", "dt", "h1", "h2", "h3", "h4", "hr", "li", "ol", "p", "pre"),
    *("table", "tbody", "td", "th", "tr", "ul"),
}
MARKUP = _WITHIN_A_LINE | _BLOCKS
# XML cannot hold it, so it marks <br/>.
_BREAK, _SPACE = "\0", re.compile("\n{3,}")
_UNLABELLED = _BLOCKS | {"text", "query"}


@dataclass
class _Element:
    """An element inside a topic. `text` is shared where it belongs to the text of the element around it."""

    name: str = ""
    parent: _Element | None = None
    # Its part of the names of fields, and the number in it.
    step: str = ""
    number: str = ""
    # Steps below the topic.
    level: int = 0
    attributes: dict[str, str] = field(default_factory=dict)
    text: list[str] = field(default_factory=list)
    shares: bool = False
    label: str = ""

    @property
    def words(self) -> str:
        if self.shares:
            return ""
        lines = (paragraphs(line) for line in "".join(self.text).split(_BREAK))
        return _SPACE.sub("\n\n", "\n".join(lines)).strip()

    @property
    def path(self) -> str:
        """Names of the elements around it and its own."""
        around = self.parent.path if self.parent else ""
        return f"{around} / {self.step}" if around else self.step

    @property
    def is_empty(self) -> bool:
        return not (self.attributes or self.number or self.words)

    def fields(self, is_used: bool) -> Iterator[NamedText]:
        name, words = self.path, "" if is_used else self.words
        if words and name:
            yield named_by_attributes(name, self.attributes), words
            return
        yield from ((f"{name} {key}".strip(), one_line(said)) for key, said in self.attributes.items())
        if words:
            yield "text", words


def xml_topics(
    lines: Iterable[tuple[int, bytes]], errors: ErrorList, notices: Notices
) -> Iterator[TopicRecord]:
    """The topics of a file in file order, one at a time. Errors of XML itself end the reading."""
    reader = _Reader(errors, notices)
    try:
        for piece in _pieces(lines):
            reader.feed(piece)
            yield from reader.take()
        reader.parser.Parse(b"", True)
    except expat.ExpatError as error:
        reason = f"not well-formed XML: {expat.ErrorString(error.code)}"
        raise errors.stopped(error.lineno, reason) from error
    yield from reader.take()


def _pieces(lines: Iterable[tuple[int, bytes]]) -> Iterator[bytes]:
    """The text in pieces: an unfinished tag is looked through again with each."""
    piece = bytearray()
    for number, line in lines:
        piece += (b"\n" if number > 1 else b"") + line.rstrip(b"\r")
        if len(piece) > _XML_PIECE:
            yield bytes(piece)
            piece.clear()
    yield bytes(piece)


class _Reader:
    def __init__(self, errors: ErrorList, notices: Notices) -> None:
        self.topics: list[TopicRecord] = []
        self._errors, self._notices = errors, notices
        # Elements of the topic that is open, in the order in which they begin; and those that are open.
        self._elements: list[_Element] = []
        self._open: list[_Element] = []
        # Texts of the topic under the well-known names, and the number of elements that have something.
        self._texts: dict[str, _Element] = {}
        self._filled = 0
        self._outside: list[str] = []
        self._line = self._begin = self._depth = self._fed = 0
        self._names: set[str] = set()
        # The text was decoded already, whatever encoding its first line names.
        self.parser = expat.ParserCreate("utf-8")
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._text
        self.parser.EntityDeclHandler = self._entity
        self.parser.CommentHandler = self._comment
        self.parser.ProcessingInstructionHandler = self._comment

    def take(self) -> list[TopicRecord]:
        """The topics that have ended, once."""
        ended, self.topics = self.topics, []
        return ended

    def feed(self, piece: bytes) -> None:
        self.parser.Parse(piece)
        self._fed += len(piece)
        for begin, most, what in (
            (self.parser.CurrentByteIndex, 4 * _XML_PIECE, "tag"),
            (self._begin if self._open else self._fed, TOPIC_TEXT_BYTES, "topic"),
        ):
            if self._fed - begin > most:
                raise self._errors.stopped(
                    self.parser.CurrentLineNumber, f"a {what} larger than {most:,} bytes"
                )

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        self._names.update((name, *attributes))
        if max(self._depth, len(self._names)) > _MOST_TAGS:
            detail = f"more than {_MOST_TAGS:,} names of tags, or tags inside each other"
            raise self._errors.stopped(self.parser.CurrentLineNumber, detail)
        if len(name) > _LONGEST_TAG:
            detail = f"a name of a tag longer than {_LONGEST_TAG:,} characters: {quote(name)}"
            raise self._errors.stopped(self.parser.CurrentLineNumber, detail)
        if len(self._open) > _DEEPEST:
            detail = f"a topic with more than {_DEEPEST} elements inside each other"
            raise self._errors.stopped(self.parser.CurrentLineNumber, detail)
        if self._open:
            self._start_inside(name, attributes)
        elif name.lower() in _TOPIC:
            self._line, self._begin = self.parser.CurrentLineNumber, self.parser.CurrentByteIndex
            root = _Element(attributes=dict(attributes))
            self._elements, self._open, self._texts, self._filled = [root], [root], {}, 0
        else:
            self._outside.append(name)
            if attributes:
                self._notices.add(*OUTSIDE, name=name)

    def _start_inside(self, name: str, attributes: dict[str, str]) -> None:
        parent, known = self._open[-1], name.lower()
        attributes = dict(attributes)
        if known in MARKUP or parent.shares or (parent.level == 1 and parent.name in _WELL_KNOWN):
            if known == "br":
                parent.text.append(_BREAK)
            elif known not in _WITHIN_A_LINE:
                parent.text.append("\n\n")
            label = "" if known in _UNLABELLED | _WITHIN_A_LINE else f"{name}: "
            element = _Element(known, parent, name, "", parent.level, attributes, parent.text, True, label)
        else:
            parent.text.append("\n\n")
            level = parent.level + (known not in _TOPIC)
            step = name if known in _WELL_KNOWN else numbered_name(name, attributes)
            number = step.removeprefix(name).strip()
            # A longer name is cut, and reported, as the name of a field.
            element = _Element(known, parent, step[: LONGEST_FIELD_NAME + 1], number, level, attributes)
        self._elements.append(element)
        self._open.append(element)

    def _text(self, text: str) -> None:
        if self._open:
            element = self._open[-1]
            if element.label and not text.isspace():
                element.text.append(element.label)
                element.label = ""
            element.text.append(text)
        elif self._outside and not text.isspace():
            self._notices.add(*OUTSIDE, name=self._outside[-1])

    def _end(self, name: str) -> None:
        self._depth -= 1
        if not self._open:
            self._outside.pop()
            return
        ended = self._open.pop()
        self._settle(ended)
        if not self._open:
            self.topics.append(self._topic())
        elif name.lower() not in _WITHIN_A_LINE | {"br"}:
            ended.text.append("\n\n")

    def _settle(self, ended: _Element) -> None:
        """Forget an element that has nothing, or that exceeds the fields of a topic: this is counted."""
        is_text = ended.name in _WELL_KNOWN and ended.level <= 1 and ended.words != ""
        if (is_text and self._texts.setdefault(ended.name, ended) is ended) or not self._open:
            return
        if not ended.is_empty:
            self._filled += 1
        is_last = self._elements[-1] is ended
        if is_last and (ended.is_empty or self._filled > MOST_FIELDS):
            self._elements.pop()
            names = [name for name, _ in ended.fields(False)] or [ended.path]
            for name in [] if ended.is_empty else names:
                self._notices.add(*SURPLUS, name=name)

    def _topic(self) -> TopicRecord:
        root = self._elements[0]
        number = next((key for key in root.attributes if key.lower() in _ROLES["number"]), "")
        said = one_line(root.attributes.pop(number, ""))
        texts = self._texts
        chosen = {
            role: next((texts[name] for name in names if name in texts), None)
            for role, names in _ROLES.items()
            if not (said and role == "number")
        }
        used = {id(element) for element in chosen.values()}
        fields: list[NamedText] = []
        named: set[int] = set()
        for element in self._elements:
            own = [pair for pair in element.fields(id(element) in used) if pair[1]]
            fields += own
            around = element if own else None
            while around and id(around) not in named:
                named.add(id(around))
                around = around.parent
        # The number of an element that holds nothing else.
        fields += [(e.name, e.number) for e in self._elements if e.number and id(e) not in named]
        words = {role: storable(element.words) if element else "" for role, element in chosen.items()}
        title = one_line(words["title"])
        if not (title or words["description"]):
            texts_alone = [element.words for element in self._elements if id(element) not in used]
            title = beginning(storable(" · ".join(filter(None, texts_alone))))
        return TopicRecord(
            number=said or one_line(words["number"]),
            title=title,
            description=words["description"],
            narrative=words["narrative"],
            line=self._line,
            further_fields=checked_fields(fields, self._notices),
        )

    def _comment(self, *words: str) -> None:
        self._notices.add(*COMMENTS)

    def _entity(self, *_: object) -> NoReturn:
        # Entities that name each other grow a small file without end, or fetch other files.
        raise self._errors.stopped(self.parser.CurrentLineNumber, "declares an entity, which topics need not")
