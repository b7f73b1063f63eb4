"""The first record of a recognised file, to be shown before the file is imported."""

from __future__ import annotations

import io
from collections.abc import Callable
from itertools import islice

from campaigns.formats.documents.files import first_documents
from campaigns.formats.errors import FormatError
from campaigns.formats.lines import GRADE
from campaigns.formats.recognition.content import Kind, Recognition
from campaigns.formats.recognition.heads import archive_names, unpacked_head
from campaigns.formats.topics import first_topics, read_topics

Fields = list[tuple[str, str]]
_SHOWN = 200
_NAMES = 5
_COLUMNS = {
    Kind.RUN: {"topic": 0, "docno": 2, "rank": 3, "score": 4, "tag": 5},
    Kind.QRELS: {"topic": 0, "docno": 2, "grade": 3},
}
QRELS_COLUMNS = ("topic", "iteration", "docno", "grade")


def first_record(found: Recognition, head: bytes) -> Fields:
    """Names and values of the first record, values cut to 200 characters; empty if it cannot be read.

    Examples
    --------
    >>> from campaigns.formats.recognition.content import recognise
    >>> head = b"401 0 LA010189-0001 1\\n"
    >>> first_record(recognise(head), head)
    [('topic', '401'), ('docno', 'LA010189-0001'), ('grade', '1')]
    """
    read = _READERS.get(found.kind, _columns)
    try:
        fields = read(found, head)
    except FormatError:
        fields = []
    return [(name, value[:_SHOWN]) for name, value in fields if value]


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


def _columns(found: Recognition, head: bytes) -> Fields:
    names = _COLUMNS.get(found.kind, {})
    for line in unpacked_head(head).decode("utf-8-sig", "replace").split("\n"):
        words = line.split()
        if words and not words[0].startswith("#"):
            return [(name, words[place]) for name, place in names.items() if place < len(words)]
    return []


def _topic(found: Recognition, head: bytes) -> Fields:
    for topic in islice(first_topics(unpacked_head(head)), 1):
        return [("number", topic.number), ("title", topic.title), ("description", topic.description)]
    return []


def _document(found: Recognition, head: bytes) -> Fields:
    for document in islice(first_documents(unpacked_head(head)), 1):
        return [("docno", document.docno), ("title", document.title), ("text", document.body)]
    return []


def _archive(found: Recognition, head: bytes) -> Fields:
    return [("file", name) for name in archive_names(head)[:_NAMES]]


_READERS: dict[Kind, Callable[[Recognition, bytes], Fields]] = {
    Kind.TOPICS: _topic,
    Kind.DOCUMENTS: _document,
    Kind.ARCHIVE: _archive,
}
