"""TREC topics in SGML: `<top> <num> Number: 401 <title> …`, whose fields are seldom closed."""

from __future__ import annotations

import re
from collections.abc import Iterator

from campaigns.formats.errors import ErrorList, quote
from campaigns.formats.records import TopicRecord
from campaigns.formats.text import LineNumbers, one_line, paragraphs, unescape

# CLEF writes <EN-title>; the first TRECs had fields beside the four, which end the field before them.
_OTHERS = "head|dom|smry|con|fac|nat|def|time"
_TAG = re.compile(rf"<(/?)(?:[a-z]{{2}}-)?(top|num|title|desc|narr|{_OTHERS})\b[^<>]*>", re.IGNORECASE)
_LABELS = {
    "num": re.compile(r"\s*Number\s*:", re.IGNORECASE),
    "title": re.compile(r"\s*(?:Topic|Title)\s*:", re.IGNORECASE),
    "desc": re.compile(r"\s*Description\s*:", re.IGNORECASE),
    "narr": re.compile(r"\s*Narrative\s*:", re.IGNORECASE),
}
_MARKUP = re.compile(r"<[^<>]*>")


def sgml_topics(text: str, errors: ErrorList) -> Iterator[TopicRecord]:
    """The topics of a file in file order."""
    line_of = LineNumbers(text)
    tags = list(_TAG.finditer(text))
    fields: dict[str, str] | None = None
    begins = 0
    _refuse_stray(text[: tags[0].start() if tags else len(text)], 1, errors)
    for place, tag in enumerate(tags):
        closing, name, line = bool(tag[1]), tag[2].lower(), line_of(tag.start())
        content = text[tag.end() : tags[place + 1].start() if place + 1 < len(tags) else len(text)]
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
