"""TREC qrels: four columns a line, `topic iteration docno grade`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TextIO

from campaigns.formats.errors import ErrorList, quote
from campaigns.formats.limits import QRELS_BYTES
from campaigns.formats.lines import LineBlocks
from campaigns.formats.names import check_name
from campaigns.formats.opening import Source, open_stream
from campaigns.formats.qrels_rows import JUNK, NOT_JUDGED, QrelsReport, qrels_rows


@dataclass(frozen=True)
class ParsedQrels:
    """Judgments by topic and docno, in file order.

    `grades` holds every judged document, junk (-2) as -2; `not_judged` those that the file gives as -1, by
    topic: pooled and not judged, which sampled measures need to know. `lines` tells where each stands.
    """

    grades: dict[str, dict[str, int]]
    report: QrelsReport
    not_judged: dict[str, set[str]] = field(default_factory=dict)
    lines: dict[str, dict[str, int]] = field(default_factory=dict)

    def line_of(self, topic: str, docno: str) -> int | None:
        return self.lines.get(topic, {}).get(docno)


def read_qrels(source: Source, name: str, *, max_bytes: int | None = QRELS_BYTES) -> ParsedQrels:
    """The judgments of a qrels file.

    Grades are whole numbers. 0 and above are judgments; -1 is *not judged* and is left out; -2 is *junk*,
    judged and not relevant, and is kept as given (its gain is that of grade 0). No lower grade has a meaning
    that files agree on, so each is refused. The second column is ignored. A line repeated with the same
    grade counts once; with another grade it is an error.

    Raises
    ------
    FormatError : listing every line that is not four such columns, or contradicts an earlier one.
    """
    errors = ErrorList(name)
    report = QrelsReport()
    grades: dict[str, dict[str, int]] = {}
    lines: dict[str, dict[str, int]] = {}
    with open_stream(source, name, max_bytes=max_bytes) as stream:
        for number, topic, docno, grade in qrels_rows(LineBlocks(stream, errors), errors, report):
            earlier = grades.setdefault(topic, {}).setdefault(docno, grade)
            first = lines.setdefault(topic, {}).setdefault(docno, number)
            if earlier != grade:
                detail = f"docno {quote(docno)} has grade {grade} here and {earlier} in line {first}"
                errors.add(number, f"{detail}, in topic {quote(topic)}", "grade")
            report.repeated += earlier == grade and first != number
    if not grades and not errors.total:
        errors.add(None, "no lines in it: an empty file")
    errors.raise_if_any()
    return _parsed(grades, lines, report)


def _parsed(
    grades: dict[str, dict[str, int]], lines: dict[str, dict[str, int]], report: QrelsReport
) -> ParsedQrels:
    judged: dict[str, dict[str, int]] = {}
    not_judged: dict[str, set[str]] = {}
    for topic, of_topic in grades.items():
        judged[topic] = {docno: grade for docno, grade in of_topic.items() if grade != NOT_JUDGED}
        if missing := of_topic.keys() - judged[topic].keys():
            not_judged[topic] = missing
        report.judgments += len(judged[topic])
        report.not_judged += len(missing)
        report.junk += sum(grade == JUNK for grade in of_topic.values())
    report.topics = len(judged)
    return ParsedQrels(judged, report, not_judged, lines)


def format_qrel(topic: str, docno: str, grade: int) -> str:
    """One judgment as a line, its newline included; `ValueError` for a name that a line cannot hold."""
    check_name("topic", topic)
    check_name("docno", docno)
    return f"{topic} 0 {docno} {grade}\n"


def write_qrels(rows: Iterable[tuple[str, str, int]], out: TextIO) -> int:
    """Writes (topic, docno, grade) rows in the order given; returns how many. `out` must encode as UTF-8."""
    count = 0
    for count, row in enumerate(rows, 1):  # noqa: B007
        out.write(format_qrel(*row))
    return count
