"""Topics: TREC SGML, TREC XML, tab-separated lines, JSON lines and SMART queries, told apart by content."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from campaigns.formats.errors import ErrorList, quote
from campaigns.formats.json_lines import json_records
from campaigns.formats.limits import TOPICS_BYTES
from campaigns.formats.lines import LineBlocks
from campaigns.formats.opening import Source, open_stream
from campaigns.formats.records import TopicRecord, checked_topics
from campaigns.formats.smart import smart_items
from campaigns.formats.tab_lines import tab_rows
from campaigns.formats.text import one_line, paragraphs, read_text
from campaigns.formats.topics_sgml import sgml_topics
from campaigns.formats.topics_xml import xml_topics

__all__ = ["TopicRecord", "read_topics"]

Reader = Callable[[str, ErrorList], Iterator[TopicRecord]]
_NUMBER = ("number", "num", "topic", "topic_id", "qid", "query_id", "_id", "id")
_TAB_LAYOUTS = {
    2: "2 (number, title)",
    3: "3 (number, title, description)",
    4: "4 (number, title, description, narrative)",
}


def read_topics(source: Source, name: str, *, max_bytes: int | None = TOPICS_BYTES) -> list[TopicRecord]:
    """The topics of a file, in file order.

    Numbers are text: kept as written, trimmed, `001` is not `1`. A topic needs a number of one word and a
    title or a description; in a file of one text a topic, as SMART's, the text is the title.

    Raises
    ------
    FormatError : no known format, a line that is not UTF-8 text, or topics that lack a number or text, or
        have the number of another.
    """
    errors = ErrorList(name)
    with open_stream(source, name, max_bytes=max_bytes) as stream:
        text = read_text(LineBlocks(stream, errors), errors)
    topics = checked_topics(_reader(text, errors)(text, errors), errors)
    if not topics and not errors.total:
        errors.add(None, "no topic in it")
    errors.raise_if_any()
    return topics


def _reader(text: str, errors: ErrorList) -> Reader:
    begins = text.lstrip()
    if not begins:
        raise errors.stopped(None, "no topic in it: an empty file")
    if begins.startswith("<"):
        if re.search(r"<topic\b", begins, re.IGNORECASE):
            return xml_topics
        if re.search(r"<top\b", begins, re.IGNORECASE):
            return sgml_topics
    elif begins.startswith("{"):
        return _json_topics
    elif re.match(r"\.I\b", begins):
        return _smart_topics
    elif "\t" in begins.split("\n", 1)[0]:
        return _tab_topics
    known = "TREC <top> or <topic>, tab-separated lines, JSON lines, or SMART .I"
    raise errors.stopped(
        1, f"not a topics file that is read here ({known}): begins with {quote(begins[:40])}"
    )


def _lines(text: str) -> Iterator[tuple[int, bytes]]:
    return enumerate(text.encode().split(b"\n"), 1)


def _json_topics(text: str, errors: ErrorList) -> Iterator[TopicRecord]:
    for record in json_records(_lines(text), errors):
        number = record.identifier("topic", *_NUMBER)
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


def _tab_topics(text: str, errors: ErrorList) -> Iterator[TopicRecord]:
    for line, fields in tab_rows(_lines(text), errors, _TAB_LAYOUTS):
        number, title, description, narrative = [*fields, "", ""][:4]
        yield TopicRecord(number, one_line(title), description, narrative, line)


def _smart_topics(text: str, errors: ErrorList) -> Iterator[TopicRecord]:
    for item in smart_items(_lines(text), errors):
        title, words = one_line(item.text("T")), item.text("W")
        if title:
            yield TopicRecord(item.number, title, paragraphs(words), line=item.line)
        else:
            yield TopicRecord(item.number, one_line(words), line=item.line)
