"""Topics in TREC's SGML: `<top> <num> Number: 401 <title> …`, whose fields are seldom closed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain, pairwise

from campaigns.formats.errors import TOPIC_TEXT_BYTES, ErrorList, Notices, quote
from campaigns.formats.lines import LineNumbers
from campaigns.formats.reading.plain_text import one_line, paragraphs, unescape
from campaigns.formats.topic_texts.fields import (
    COMMENTS,
    OUTSIDE,
    NamedText,
    TopicRecord,
    checked_fields,
    named_by_attributes,
    numbered_name,
)
from campaigns.formats.topic_texts.xml import MARKUP

# CLEF writes <EN-title>; the first TRECs had fields beside the four.
_KNOWN = ["top", "num", "title", "desc", "narr", "head", "dom", "smry", "con", "fac", "nat", "def", "time"]
_TAG = re.compile(r"<(/?)([a-z][\w.-]*)(\s[^<>]*)?/?>", re.IGNORECASE)
_PREFIX = re.compile(r"[a-z]{2}-", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""(?<![\w:.-])([\w:.-]+)\s*=\s*("[^"]*"|'[^']*'|[^\s"'>]+)""")
_TOP = re.compile(rb"<(?:[a-z]{2}-)?top\b", re.IGNORECASE)
# At the beginning only: searched for everywhere, the blanks before it take quadratic time.
_LABELS = {
    "num": re.compile(r"\A\s*Number\s*:", re.IGNORECASE),
    "title": re.compile(r"\A\s*(?:Topic|Title)\s*:", re.IGNORECASE),
    "desc": re.compile(r"\A\s*Description\s*:", re.IGNORECASE),
    "narr": re.compile(r"\A\s*Narrative\s*:", re.IGNORECASE),
}
_MARKUP = re.compile(r"<[^<>]*>")


def sgml_topics(
    lines: Iterable[tuple[int, bytes]], errors: ErrorList, notices: Notices
) -> Iterator[TopicRecord]:
    """The topics of a file in file order, one at a time."""
    for line, text in _pieces(lines, errors):
        yield from _topics(text, line, errors, notices)


def _pieces(lines: Iterable[tuple[int, bytes]], errors: ErrorList) -> Iterator[tuple[int, str]]:
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


class _Topic:
    """The topic that is open: texts of the four fields by name, and the further fields."""

    def __init__(self, line: int, attributes: dict[str, str]) -> None:
        self.line = line
        self.texts: dict[str, str] = {}
        self.fields: list[NamedText] = [*attributes.items()]
        self._tags: set[str] = set()

    def take(self, tag: str, attributes: dict[str, str], text: str) -> bool:
        """Store a field; False if it is the second of its tag among the four."""
        name = _base(tag)
        again = tag.lower() in self._tags
        self._tags.add(tag.lower())
        if name not in _LABELS or (name in self.texts and not again):
            named = named_by_attributes(numbered_name(tag, attributes), attributes)
            self.fields.append((named, paragraphs(unescape(text))))
            return True
        self.fields += [(f"{tag} {key}", said) for key, said in attributes.items()]
        self.texts[name] = unescape(_LABELS[name].sub("", text, count=1))
        return not again

    def record(self, notices: Notices) -> TopicRecord:
        number, title, description, narrative = (self.texts.get(name, "") for name in _LABELS)
        return TopicRecord(
            number=one_line(number),
            title=one_line(title),
            description=paragraphs(description),
            narrative=paragraphs(narrative),
            line=self.line,
            further_fields=checked_fields(self.fields, notices),
        )


def _topics(text: str, first: int, errors: ErrorList, notices: Notices) -> Iterator[TopicRecord]:
    numbers = LineNumbers(text)

    def line_of(place: int) -> int:
        return first - 1 + numbers(place)

    topic: _Topic | None = None
    tags = _tags(text)
    begin = next(tags, None)
    _check_stray(text[: begin.start() if begin else len(text)], first, errors, notices)
    for tag, behind in pairwise(chain([begin] if begin else [], tags, [None])):
        assert tag is not None, "only the last is none"
        closing, name, line = bool(tag[1]), _base(tag[2]), line_of(tag.start())
        content = text[tag.end() : behind.start() if behind else len(text)]
        attributes = _attributes(tag[3])
        if name == "top":
            if topic is not None:
                yield topic.record(notices)
            topic = None if closing else _Topic(line, attributes)
        elif topic is None:
            errors.add(line, f"<{tag[1]}{name}> outside of a <top>")
            continue
        elif not closing:
            if not topic.take(tag[2], attributes, content):
                errors.add(line, f"a second <{name}> in the topic that begins in line {topic.line}", name)
            continue
        _check_stray(content, line_of(tag.end()), errors, notices)
    if topic is not None:
        yield topic.record(notices)


def _base(tag: str) -> str:
    """Lower-case name of a tag, without CLEF's language before a well-known name."""
    name = tag.lower()
    return name[3:] if _PREFIX.match(name) and name[3:] in _KNOWN else name


def _tags(text: str) -> Iterator[re.Match[str]]:
    """Tags of topics and fields. An unknown one begins a field at the beginning of a line or behind another
    tag; elsewhere it is a part of the text, as all markup of HTML is."""
    inside, opened, end = False, set[str](), 0
    for tag in _TAG.finditer(text):
        name = _base(tag[2])
        closes = bool(tag[1])
        if name in _KNOWN:
            inside = not closes if name == "top" else inside
        elif name in MARKUP or not inside:
            continue
        elif closes:
            if name not in opened:
                continue
        else:
            before = tag.start() - 1
            while before >= end and text[before] in " \t":
                before -= 1
            if before >= end and text[before] != "\n":
                continue
            opened.add(name)
        end = tag.end()
        yield tag


def _attributes(words: str | None) -> dict[str, str]:
    if not words or not words.strip():
        return {}
    found = {name: one_line(unescape(value.strip("\"'"))) for name, value in _ATTRIBUTE.findall(words)}
    rest = one_line(_ATTRIBUTE.sub(" ", words).strip(" /"))
    return found | ({"attributes": rest} if rest else {})


def _check_stray(text: str, line: int, errors: ErrorList, notices: Notices) -> None:
    """Refuse text that no field takes, which would be lost without a word; count comments and attributes."""
    for found in _MARKUP.findall(text):
        if found.startswith("<!--"):
            notices.add(*COMMENTS)
        elif (tag := _TAG.match(found)) and _attributes(tag[3]):
            notices.add(*OUTSIDE, name=tag[2])
    if stray := _MARKUP.sub("", text).strip():
        line += text[: text.index(stray[0])].count("\n")
        errors.add(line, f"text that belongs to no field: {quote(one_line(stray))}")
