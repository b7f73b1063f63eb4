"""The first record of a recognised file, and notices about its first records, shown before the import."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice

from campaigns.formats.documents.files import first_documents
from campaigns.formats.documents.json_fields import TextChoice
from campaigns.formats.errors import FormatError, NoticeRow, Notices
from campaigns.formats.lines import GRADE
from campaigns.formats.recognition.columns import QRELS_HEADER, RUN_HEADER, is_header
from campaigns.formats.recognition.content import Kind, Layout, Recognition
from campaigns.formats.recognition.heads import archive_names, unpacked_head
from campaigns.formats.topics import first_topics, read_topics

Fields = list[tuple[str, str]]
_SHOWN = 200
# Records that are read for a preview: pages wait for it.
_MOST_READ = 101
_NAMES = 5
_COLUMNS = {
    Kind.RUN: {"topic": 0, "docno": 2, "rank": 3, "score": 4, "tag": 5},
    Kind.QRELS: {"topic": 0, "docno": 2, "grade": 3},
}
_HEADERS = {Kind.RUN: RUN_HEADER, Kind.QRELS: QRELS_HEADER}
QRELS_COLUMNS = ("topic", "iteration", "docno", "grade")


@dataclass(frozen=True)
class Preview:
    """`first`: names and values of the first record, values cut to 200 characters; empty if none can be read.
    `noticed`: rows about the first records. Of JSON documents, `text_field` is the path of the first one's
    text, and `text_fields` are paths to choose from, each with a value."""

    first: Fields = field(default_factory=list)
    noticed: list[NoticeRow] = field(default_factory=list)
    text_field: str = ""
    text_fields: Fields = field(default_factory=list)


def preview_file(
    found: Recognition, head: bytes, text_field: str = "", lines: bytes | None = None
) -> Preview:
    """Read the records with which a file begins; `lines` are those of a file that was converted.

    Examples
    --------
    >>> from campaigns.formats.recognition.content import recognise
    >>> head = b"401 0 LA010189-0001 1\\n"
    >>> preview_file(recognise(head), head).first
    [('topic', '401'), ('docno', 'LA010189-0001'), ('grade', '1')]
    """
    notices = Notices("topics" if found.kind is Kind.TOPICS else "documents")
    choice = TextChoice(text_field, {})
    if found.layout is Layout.JSON and found.kind is Kind.DOCUMENTS:
        choice.look(unpacked_head(head))
    read = _READERS.get(found.kind, _columns)
    records = _whole(read(found, head if lines is None else lines, notices, choice))
    first = [(name, value[:_SHOWN]) for name, value in next(iter(records), []) if value]
    paths = [(path, value[:_SHOWN]) for path, value in choice.texts.items()]
    return Preview(first, notices.rows(), choice.read, paths)


def _whole(records: Iterable[Fields]) -> list[Fields]:
    """Records up to the one that the head cuts off."""
    whole: list[Fields] = []
    with suppress(FormatError):
        for record in islice(records, _MOST_READ):
            whole.append(record)
    return whole


def topic_count(head: bytes) -> int | None:
    """The number of topics of a file that is `head` as a whole; None if it has errors."""
    try:
        return len(read_topics(io.BytesIO(head), ""))
    except FormatError:
        return None


def head_grades(head: bytes) -> set[int]:
    """The grades in the whole lines of a qrels file's beginning.

    Examples
    --------
    >>> sorted(head_grades(b"1 0 a 3\\n1 0 b -1\\n1 0 c 1"))
    [-1, 3]
    """
    *lines, _ = unpacked_head(head).split(b"\n")
    rows = [line.split() for line in lines if not line.startswith(b"#")]
    return {int(row[3]) for row in rows if len(row) == len(QRELS_COLUMNS) and GRADE.match(row[3])}


def _columns(found: Recognition, head: bytes, notices: Notices, choice: TextChoice) -> Iterator[Fields]:
    names, is_first = _COLUMNS.get(found.kind, {}), True
    for line in unpacked_head(head).decode("utf-8-sig", "replace").split("\n"):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        is_named = (
            is_first and found.kind in _HEADERS and is_header(line.encode().split(), _HEADERS[found.kind])
        )
        is_first = False
        if not is_named:
            yield [(name, words[place]) for name, place in names.items() if place < len(words)]


def _topics(found: Recognition, head: bytes, notices: Notices, choice: TextChoice) -> Iterator[Fields]:
    for topic in first_topics(unpacked_head(head), notices):
        texts = {"number": topic.number, "title": topic.title, "description": topic.description}
        yield [*texts.items(), *topic.further_fields]


def _documents(found: Recognition, head: bytes, notices: Notices, choice: TextChoice) -> Iterator[Fields]:
    for document in first_documents(unpacked_head(head), notices, choice.chosen):
        yield [("docno", document.docno), ("title", document.title), ("text", document.body)]


def _archive(found: Recognition, head: bytes, notices: Notices, choice: TextChoice) -> Iterator[Fields]:
    yield [("file", name) for name in archive_names(head)[:_NAMES]]


_READERS: dict[Kind, Callable[[Recognition, bytes, Notices, TextChoice], Iterator[Fields]]] = {
    Kind.TOPICS: _topics,
    Kind.DOCUMENTS: _documents,
    Kind.ARCHIVE: _archive,
}
