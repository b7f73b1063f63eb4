"""Topics: TREC SGML, TREC XML, tab-separated lines, JSON lines and SMART queries, recognised by content.

TREC SGML is `<top> <num> Number: 401 <title> …`, whose fields are seldom closed. TREC XML is
`<topic number="1"><query>…</query><question>…</question><narrative>…`. SMART files, as of Cranfield, begin an
item with `.I 12`, and a field with a dot and a letter on a line. Lines with tabs may begin with the names of
their columns. What is neither number, title, description nor narrative becomes a further field of the topic.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain, islice

from campaigns.formats.compressed_files import PrefixedStream, Source, open_stream
from campaigns.formats.content_types import PLAIN
from campaigns.formats.conversion.converted import field_lines
from campaigns.formats.errors import (
    TOPIC_TEXT_BYTES,
    TOPICS,
    TOPICS_BYTES,
    TOPICS_LINES,
    ErrorList,
    Notices,
    quote,
    what_is_wrong_with_name,
)
from campaigns.formats.lines import LineBlocks, json_records, tab_rows, text_lines
from campaigns.formats.reading.plain_text import one_line, paragraphs
from campaigns.formats.recognition.columns import TOPIC_ROLES, table_header
from campaigns.formats.recognition.content import Kind, Layout, recognise, refuse_other_kind
from campaigns.formats.smart_items import smart_items
from campaigns.formats.topic_texts.fields import (
    HEADER,
    TopicRecord,
    beginning,
    checked_fields,
    fields_of_object,
)
from campaigns.formats.topic_texts.sgml import sgml_topics
from campaigns.formats.topic_texts.xml import xml_topics

__all__ = ["TopicRecord", "in_topic_order", "read_topics"]

NumberedLines = Iterable[tuple[int, bytes]]
TopicReader = Callable[[NumberedLines, ErrorList, Notices], Iterator[TopicRecord]]
_NUMBER_NAMES = ("number", "num", "topic", "topic_id", "qid", "query_id", "_id", "id")
_DESCRIPTION_NAMES = ("description", "desc", "question", "text")
_TAB_LAYOUTS = {
    2: "2 (number, title)",
    3: "3 (number, title, description)",
    4: "4 (number, title, description, narrative)",
}

_HEAD = 1 << 18


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


def read_topics(
    source: Source,
    name: str,
    *,
    max_bytes: int | None = TOPICS_BYTES,
    notices: Notices | None = None,
    columns: Mapping[str, str] | None = None,
) -> list[TopicRecord]:
    """The topics of a file, in file order. `notices` counts what is not stored; `columns` renames
    columns of a table to fields.

    Numbers are text: kept as written, trimmed, `001` is not `1`. A topic needs a number of one word and a
    text; without a title it gets the first 12 words of its description, or else of its further fields. In a
    file of one text a topic, as SMART's, the text is the title.

    Raises
    ------
    FormatError : no known format, a line that is not UTF-8 text, or topics that lack a number or text, or
        have the number of another.
    """
    errors = ErrorList(name)
    noticed = Notices("topics") if notices is None else notices
    with (
        open_stream(source, name, max_bytes=max_bytes) as stream,
        field_lines(stream, Kind.TOPICS, errors, noticed, limit=max_bytes, columns=columns) as converted,
    ):
        head = converted.read(_HEAD)
        joined = PrefixedStream(head, converted)
        blocks = LineBlocks(joined, errors, longest=TOPIC_TEXT_BYTES, most=TOPICS_LINES)
        lines = text_lines(blocks, errors)
        # The first line says so if the file is of another encoding.
        first = list(islice(lines, 1))
        topics = checked_topics(_reader(head, errors)(chain(first, lines), errors, noticed), errors)
    if not topics and not errors.total:
        errors.add(None, "no topic in it")
    errors.raise_if_any()
    return topics


def first_topics(head: bytes, notices: Notices) -> Iterator[TopicRecord]:
    """The topics with which a file begins; raises `FormatError` where the head cuts one off."""
    errors = ErrorList("")
    lines = text_lines(LineBlocks(io.BytesIO(head), errors), errors)
    return _reader(head, errors)(lines, errors, notices)


def _reader(head: bytes, errors: ErrorList) -> TopicReader:
    if not head.strip():
        raise errors.stopped(None, "no topic in it: an empty file")
    found = recognise(head)
    refuse_other_kind(found, Kind.TOPICS, errors)
    reader = _READERS.get(found.layout)
    if reader is None:
        known = "TREC <top> or <topic>, tab-separated lines, JSON lines, SMART .I, CSV, Parquet or Arrow"
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
        topics.append(topic if topic.title else replace(topic, title=beginning(topic.description)))
        if len(topics) > TOPICS:
            raise errors.stopped(topic.line, f"more than {TOPICS:,} topics in one file")
    return topics


def _json_topics(lines: NumberedLines, errors: ErrorList, notices: Notices) -> Iterator[TopicRecord]:
    for record in json_records(lines, errors):
        number = record.identifier("topic", *_NUMBER_NAMES)
        if not number:
            continue
        title = record.name_of("title", "query", "text")
        description = record.name_of(*(name for name in _DESCRIPTION_NAMES if name != title))
        narrative = record.name_of("narrative", "narr")
        used = {record.name_of(*_NUMBER_NAMES), title, description, narrative}
        rest = {name: value for name, value in record.fields.items() if name not in used}
        fields = checked_fields(fields_of_object(rest), notices)
        yield TopicRecord(
            number=number,
            title=one_line(record.text(title)) if title or description else _title_of_fields(fields),
            description=paragraphs(record.text(description)),
            narrative=paragraphs(record.text(narrative)),
            line=record.line,
            further_fields=fields,
        )


def _title_of_fields(fields: Iterable[tuple[str, str]]) -> str:
    return beginning(" · ".join(text for _, text in fields))


def _tab_topics(lines: NumberedLines, errors: ErrorList, notices: Notices) -> Iterator[TopicRecord]:
    lines = iter(lines)
    first = next((line for line in lines if line[1].strip()), None)
    header = table_header(first[1], TOPIC_ROLES) if first else None
    if first is None or header is None:
        for line, fields in tab_rows(chain([first] if first else [], lines), errors, _TAB_LAYOUTS):
            number, title, description, narrative = [*fields, "", ""][:4]
            yield TopicRecord(number, one_line(title), description, narrative, line)
        return
    names, places = header.names, header.places
    notices.add(*HEADER, name=", ".join(names))
    layout = {len(names): f"{len(names)} ({', '.join(names)})"}
    for line, fields in tab_rows(lines, errors, layout):
        texts = dict.fromkeys(TOPIC_ROLES, "") | {role: fields[place] for role, place in places.items()}
        rest = [pair for at, pair in enumerate(zip(names, fields, strict=True)) if at not in places.values()]
        further = checked_fields(rest, notices)
        if not (texts["title"] or texts["description"]):
            texts["title"] = _title_of_fields(further)
        yield TopicRecord(**texts | {"title": one_line(texts["title"])}, line=line, further_fields=further)


def _smart_topics(lines: NumberedLines, errors: ErrorList, notices: Notices) -> Iterator[TopicRecord]:
    for item in smart_items(lines, errors, longest=TOPIC_TEXT_BYTES):
        title, words = one_line(item.text("T")), item.text("W")
        rest = ((name, paragraphs(item.text(name))) for name in item.fields if name not in "TW")
        fields = checked_fields(rest, notices)
        if title:
            yield TopicRecord(item.number, title, paragraphs(words), line=item.line, further_fields=fields)
        else:
            yield TopicRecord(item.number, one_line(words), line=item.line, further_fields=fields)


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
