"""The lines of a qrels file, checked one by one, and what was noticed in them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass

from campaigns.formats.errors import ErrorList, quote
from campaigns.formats.limits import DOCNO_BYTES, TOPIC_BYTES
from campaigns.formats.lines import LineBlocks, text_lines
from campaigns.formats.noticing import Row, noticed_rows

QrelRow = tuple[int, str, str, int]
NOT_JUDGED = -1
JUNK = -2
_COLUMNS = 4
_GRADE = re.compile(rb"[+-]?\d{1,9}\Z")


@dataclass
class QrelsReport:
    """Counts of what a qrels file holds."""

    lines: int = 0
    topics: int = 0
    judgments: int = 0
    not_judged: int = 0
    junk: int = 0
    repeated: int = 0
    comments: int = 0
    blank_lines: int = 0
    carriage_returns: int = 0

    def as_dict(self) -> dict[str, int]:
        return asdict(self)

    def as_rows(self) -> list[Row]:
        """What is worth saying to the person who sent the file."""
        return noticed_rows(self.as_dict(), _SENTENCES)


_SENTENCES = {
    "not_judged": ("grade -1", "In the pool and not judged: left out of the judgments."),
    "junk": ("grade -2", "Junk: judged, and not relevant."),
    "repeated": ("repeated lines", "Lines that say again what an earlier line says; they count once."),
    "comments": ("comment lines", "Lines that begin with # were left out."),
    "blank_lines": ("blank lines", "Lines without a word were left out."),
    "carriage_returns": ("lines that end with CR LF", "Read like lines that end with LF."),
}


def qrels_rows(blocks: LineBlocks, errors: ErrorList, report: QrelsReport) -> Iterator[QrelRow]:
    """(line, topic, docno, grade) of every good line; the others go to `errors`."""
    for number, line in text_lines(blocks, errors):
        report.carriage_returns += line.endswith(b"\r")
        words = line.split()
        if not words or words[0].startswith(b"#"):
            report.blank_lines += not words
            report.comments += bool(words)
        elif field_and_detail := _what_is_wrong(line, words):
            errors.add(number, field_and_detail[1], field_and_detail[0])
        else:
            report.lines += 1
            yield number, words[0].decode(), words[2].decode(), int(words[3])


def _what_is_wrong(line: bytes, words: list[bytes]) -> tuple[str, str] | None:
    """The field and the sentence, or None for a good line."""
    if len(words) != _COLUMNS:
        layout = "qrels have 4 (topic, iteration, docno, grade)"
        return "", f"{len(words)} columns where {layout}: {quote(line.strip())}"
    if len(words[0]) > TOPIC_BYTES:
        return "topic", f"topic longer than {TOPIC_BYTES} bytes: {quote(words[0])}"
    if len(words[2]) > DOCNO_BYTES:
        return "docno", f"docno longer than {DOCNO_BYTES} bytes: {quote(words[2])}"
    if not _GRADE.match(words[3]):
        return "grade", f"grade {quote(words[3])} is not a whole number"
    if int(words[3]) < JUNK:
        return (
            "grade",
            f"grade {quote(words[3])} has no meaning: -1 is not judged, -2 is junk, nothing is lower",
        )
    return None
