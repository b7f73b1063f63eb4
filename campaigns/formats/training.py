"""Training items: tab-separated lines of topic, docno, expected grade, and the reason for it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from campaigns.formats.compressed_files import Source, open_stream
from campaigns.formats.errors import TRAINING_BYTES, TRAINING_ITEMS, ErrorList, Notices, quote
from campaigns.formats.lines import LineBlocks, tab_rows, text_lines
from campaigns.formats.topic_texts.fields import HEADER

_COLUMNS = ["topic", "docno", "grade", "reason"]
_LAYOUT = {4: "4 (topic, docno, grade, reason)"}


@dataclass(frozen=True)
class TrainingRecord:
    """A document, the grade that is expected of it, and why; `line` is where the file says so."""

    topic: str
    docno: str
    grade: int
    reason: str
    line: int


def read_training(
    source: Source, name: str, *, max_bytes: int | None = TRAINING_BYTES, notices: Notices | None = None
) -> list[TrainingRecord]:
    """The items of a file, in file order. `notices` gets a first line that names the columns.

    Raises
    ------
    FormatError : a line that is not four fields, a grade that is no whole number, an empty field, a document
        twice for one topic, no item at all, or more than 10,000.
    """
    errors = ErrorList(name)
    notices = Notices("items") if notices is None else notices
    with open_stream(source, name, max_bytes=max_bytes) as stream:
        lines = text_lines(LineBlocks(stream, errors), errors)
        records = list(_records(tab_rows(lines, errors, _LAYOUT), errors, notices))
    if not records and not errors.total:
        errors.add(None, "no training item in it")
    errors.raise_if_any()
    return records


def _records(
    rows: Iterator[tuple[int, list[str]]], errors: ErrorList, notices: Notices
) -> Iterator[TrainingRecord]:
    first: dict[tuple[str, str], int] = {}
    for at, (line, fields) in enumerate(rows):
        if not at and [field.lower() for field in fields] == _COLUMNS:
            notices.add(*HEADER, name=", ".join(fields))
            continue
        topic, docno, grade, reason = fields
        if empty := [name for name, value in zip(_COLUMNS, fields, strict=True) if not value]:
            errors.add(line, f"the {empty[0]} is empty", empty[0])
        elif not _is_grade(grade):
            errors.add(line, f"a grade is a whole number, not {quote(grade)}", "grade")
        elif (topic, docno) in first:
            where = f"the first is line {first[topic, docno]}"
            errors.add(line, f"docno {quote(docno)} a second time for topic {quote(topic)}; {where}", "docno")
        else:
            yield TrainingRecord(topic, docno, int(grade), reason, line)
        first.setdefault((topic, docno), line)
        if len(first) > TRAINING_ITEMS:
            raise errors.stopped(line, f"more than {TRAINING_ITEMS:,} training items in one file")


def _is_grade(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 4
