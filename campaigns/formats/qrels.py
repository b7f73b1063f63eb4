"""TREC qrels: four columns a line, `topic iteration docno grade`."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from itertools import repeat
from typing import Any, TextIO

from campaigns.formats.compressed_files import Source, open_stream
from campaigns.formats.conversion.converted import ConvertedStream, field_lines
from campaigns.formats.errors import (
    DOCNO_BYTES,
    MOST_LISTED_ERRORS,
    QRELS_BYTES,
    QRELS_LINES,
    TOPIC_BYTES,
    ErrorList,
    NoticeRow,
    Notices,
    breaks_path,
    check_name,
    notice_rows,
    quote,
    what_is_wrong_with_name,
)
from campaigns.formats.lines import GRADE, LineBlocks, text_lines
from campaigns.formats.recognition.columns import QRELS_HEADER, is_header
from campaigns.formats.recognition.content import Kind

# Whole numbers; commands on files take fractions as well.
Grade = int | float
QrelRow = tuple[int, str, str, Grade]
_DECIMAL = re.compile(rb"[+-]?\d{0,9}\.\d{1,9}\Z")
_WHOLE_DECIMAL = re.compile(rb"[+-]?\d{1,9}\.0*\Z")
NOT_JUDGED = -1
JUNK = -2
_COLUMNS = 4
_ITERATIONS = (b"0", b"Q0", b"q0")

_SENTENCES = {
    "not_judged": ("grade -1", "In the pool and not judged: left out of the judgments."),
    "junk": ("grade -2", "Junk: judged, and not relevant."),
    "repeated": ("repeated lines", "Lines that say again what an earlier line says; they count once."),
    "comments": ("comment lines", "Lines that begin with # were left out."),
    "blank_lines": ("blank lines", "Lines without a word were left out."),
    "odd_iterations": ("second column other than 0 or Q0", "It is ignored, whatever it says."),
    "header": ("header line", "The first line names the columns; it is no judgment."),
    "carriage_returns": ("lines that end with CR LF", "Read like lines that end with LF."),
    "byte_order_mark": ("byte-order mark at the beginning", "It was left out."),
    "no_final_newline": ("no line end at the end of the file", "The last line may be cut off; check it."),
}


@dataclass(frozen=True)
class ParsedQrels:
    """Judgments by topic and docno, in file order.

    `grades` holds every judged document, junk (-2) as -2; `not_judged` those that the file gives as -1, by
    topic: pooled and not judged, which sampled measures need to know. `lines` has the line of each judged
    document, in the order of `grades`.
    """

    grades: dict[str, dict[str, Grade]]
    report: QrelsReport
    not_judged: dict[str, set[str]] = field(default_factory=dict)
    lines: dict[str, array[int]] = field(default_factory=dict)

    @property
    def highest(self) -> Grade:
        """The highest grade; 0 without judgments."""
        return max((grade for of_topic in self.grades.values() for grade in of_topic.values()), default=0)

    def rows(self) -> Iterator[tuple[int | None, str, str, Grade]]:
        """(line, topic, docno, grade) of every judged document; the line is None if no file was read."""
        for topic, of_topic in self.grades.items():
            lines = self.lines.get(topic) or repeat(None)
            for line, (docno, grade) in zip(lines, of_topic.items(), strict=False):
                yield line, topic, docno, grade


def read_qrels(
    source: Source,
    name: str,
    *,
    max_bytes: int | None = QRELS_BYTES,
    fractions: bool = False,
    columns: Mapping[str, str] | None = None,
) -> ParsedQrels:
    """The judgments of a qrels file. Tables and nested JSON are converted to its lines; `columns` gives the
    column of topic, docno and grade where their names do not say it.

    Grades are whole numbers, `1.0` too, or with `fractions` also decimal ones. 0 and above are judgments; -1
    is *not judged* and is left out; -2 is *junk*, judged and not relevant, and is kept as given (its gain is
    that of grade 0). No lower grade has a meaning that files agree on, so each is refused. The second column
    is ignored. A line repeated with the same grade counts once; with another grade it is an error.

    Raises
    ------
    FormatError : listing every line that is not four such columns, or contradicts an earlier one; a file
        that begins like a run; more than 1.5 million lines, comments and blank lines among them.
    """
    errors = ErrorList(name)
    report = QrelsReport()
    with (
        open_stream(source, name, max_bytes=max_bytes) as stream,
        field_lines(stream, Kind.QRELS, errors, limit=max_bytes, columns=columns) as unpacked,
    ):
        blocks = LineBlocks(unpacked, errors, most=QRELS_LINES)
        qrels = qrels_of(qrels_rows(blocks, errors, report, fractions), errors, report)
    report.byte_order_mark, report.no_final_newline = int(blocks.bom), int(not blocks.final_newline)
    if isinstance(unpacked, ConvertedStream):
        report.note_conversion(unpacked.notices)
    return qrels


def qrels_of(rows: Iterable[QrelRow], errors: ErrorList, report: QrelsReport) -> ParsedQrels:
    """The judgments of good rows, once all are read; `errors` has those of the others.

    Raises FormatError if there are errors, also of rows that contradict an earlier one, or no rows.
    """
    grades: dict[str, dict[str, Grade]] = {}
    lines: dict[str, array[int]] = {}
    contradictions = 0
    for number, topic, docno, grade in rows:
        of_topic, its_lines = grades.setdefault(topic, {}), lines.setdefault(topic, array("i"))
        earlier = of_topic.setdefault(docno, grade)
        if len(its_lines) < len(of_topic):
            its_lines.append(number)
        elif earlier == grade:
            report.repeated += 1
        elif (contradictions := contradictions + 1) <= MOST_LISTED_ERRORS:
            first = its_lines[list(of_topic).index(docno)]
            detail = f"docno {quote(docno)} has grade {grade} here and {earlier} in {errors.unit} {first}"
            about = "; the second column is not 0: these may be judgments by subtopic, which are not read"
            about = about if report.odd_iterations else ""
            errors.add(number, f"{detail}, in topic {quote(topic)}{about}", "grade")
        else:
            errors.count(number, 1, "grade")
    if not grades and not errors.total:
        errors.add(None, "no lines in it: an empty file")
    errors.raise_if_any()
    return _parsed(grades, lines, report)


def _parsed(
    grades: dict[str, dict[str, Grade]], lines: dict[str, array[int]], report: QrelsReport
) -> ParsedQrels:
    """Takes what is not judged out of `grades` and `lines`: copies would take as much memory again."""
    not_judged: dict[str, set[str]] = {}
    for topic, of_topic in grades.items():
        missing = {docno for docno, grade in of_topic.items() if grade == NOT_JUDGED}
        if missing:
            kept = [line for line, docno in zip(lines[topic], of_topic, strict=True) if docno not in missing]
            lines[topic] = array("i", kept)
            not_judged[topic] = missing
            for docno in missing:
                del of_topic[docno]
        report.judgments += len(of_topic)
        report.not_judged += len(missing)
        report.junk += sum(grade == JUNK for grade in of_topic.values())
    report.topics = len(grades)
    return ParsedQrels(grades, report, not_judged, lines)


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
    odd_iterations: int = 0
    header: int = 0
    byte_order_mark: int = 0
    no_final_newline: int = 0
    converted: list[NoticeRow] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)

    def as_rows(self) -> list[NoticeRow]:
        """Notices for the person who sent the file."""
        return [*self.converted, *notice_rows(self.as_dict(), _SENTENCES)]

    def note_conversion(self, notices: Notices) -> None:
        """Add the notices of a converted file, whose empty lines are not its own."""
        self.converted = notices.rows()
        self.blank_lines = 0


def qrels_rows(
    blocks: LineBlocks, errors: ErrorList, report: QrelsReport, fractions: bool = False
) -> Iterator[QrelRow]:
    """(line, topic, docno, grade) of every good line; the others go to `errors`."""
    for number, line in text_lines(blocks, errors):
        report.carriage_returns += line.endswith(b"\r")
        words = line.split()
        if not words or words[0].startswith(b"#"):
            report.blank_lines += not words
            report.comments += bool(words)
        elif not report.lines and not report.header and is_header(words, QRELS_HEADER):
            report.header = 1
        elif field_and_detail := _what_is_wrong(line, words, fractions):
            errors.add(number, field_and_detail[1], field_and_detail[0])
        else:
            report.lines += 1
            report.odd_iterations += words[1] not in _ITERATIONS
            yield number, words[0].decode(), words[2].decode(), _grade(words[3])


def _grade(word: bytes) -> Grade:
    """1.0 is the whole number 1."""
    if b"." not in word:
        return int(word)
    value = float(word)
    return int(value) if value.is_integer() else value


def _what_is_wrong(line: bytes, words: list[bytes], fractions: bool) -> tuple[str, str] | None:
    """The field and the sentence, or None for a good line."""
    if len(words) != _COLUMNS:
        layout = "qrels have 4 (topic, iteration, docno, grade)"
        return "", f"{len(words)} columns where {layout}: {quote(line.strip())}"
    if len(words[0]) > TOPIC_BYTES:
        return "topic", f"topic longer than {TOPIC_BYTES} bytes: {quote(words[0])}"
    if len(words[2]) > DOCNO_BYTES:
        return "docno", f"docno longer than {DOCNO_BYTES} bytes: {quote(words[2])}"
    for kind, name in (("topic", words[0]), ("docno", words[2])):
        if b"." in name and breaks_path(name.decode()):
            return kind, f"{what_is_wrong_with_name(kind, name.decode())}: {quote(name)}"
    allowed = _DECIMAL if fractions else _WHOLE_DECIMAL
    if not (GRADE.match(words[3]) or allowed.match(words[3])):
        return "grade", f"grade {quote(words[3])} is not a {'number' if fractions else 'whole number'}"
    grade = _grade(words[3])
    if grade < JUNK or (grade < 0 and not isinstance(grade, int)):
        return (
            "grade",
            f"grade {quote(words[3])} has no meaning: -1 is not judged, -2 is junk, nothing is lower",
        )
    return None


def format_qrel(topic: str, docno: str, grade: Grade) -> str:
    """One judgment as a line, its newline included; `ValueError` for a name that a line cannot hold."""
    check_name("topic", topic)
    check_name("docno", docno)
    return f"{topic} 0 {docno} {grade}\n"


def write_qrels(rows: Iterable[tuple[str, str, Grade]], out: TextIO) -> int:
    """Writes (topic, docno, grade) rows in the order given; returns how many. `out` must encode as UTF-8."""
    count = 0
    for count, row in enumerate(rows, 1):  # noqa: B007
        out.write(format_qrel(*row))
    return count
