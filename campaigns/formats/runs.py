"""TREC runs: six columns a line, `topic Q0 docno rank score tag`, as files really are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from campaigns.formats.byte_words import Bytes, reuse_memory
from campaigns.formats.errors import RUN_BYTES, TAG_BYTES, ErrorList
from campaigns.formats.lines import LineBlocks
from campaigns.formats.opening import Source, open_stream, plain_name
from campaigns.formats.run_columns import parse_columns
from campaigns.formats.run_grouping import ByTopic
from campaigns.formats.run_lines import RunLines
from campaigns.formats.run_lists import order_lines
from campaigns.formats.run_report import RunReport
from evaluation.measures.ordering import ranking_order


@dataclass(frozen=True, eq=False)
class ParsedRanking:
    """One topic's list in evaluation order: score descending, ties by docno descending.

    `docno_bytes` holds the docnos as UTF-8, `scores` float32, `lines` the line each came from (int32, 0 if
    none did); all of shape (n,). Read many runs at once by `docno_bytes`: a fifth of the memory of `docnos`.
    """

    topic: str
    docno_bytes: Bytes
    scores: NDArray[np.float32]
    lines: NDArray[np.int32]

    @cached_property
    def docnos(self) -> list[str]:
        # No docno holds a newline, and decoding all at once is twice as fast as one by one.
        return b"\n".join(self.docno_bytes.tolist()).decode().split("\n") if len(self.docno_bytes) else []

    @property
    def line(self) -> int | None:
        """The first line of the topic in its file."""
        return int(self.lines.min(initial=np.iinfo(np.int32).max)) if self.lines.any() else None

    @classmethod
    def of(cls, topic: str, docnos: Sequence[str], scores: Iterable[float]) -> ParsedRanking:
        """A ranking made in memory, put in evaluation order."""
        values = np.array(list(scores), dtype=np.float32)
        order = ranking_order(values, list(docnos))
        names = np.array([docno.encode() for docno in docnos] or np.empty(0, "S1"))
        return cls(topic, names[order], values[order], np.zeros(len(order), dtype=np.int32))


@dataclass(frozen=True)
class ParsedRun:
    """A run: its name, one ranking a topic in the order of the file, and what was noticed while reading."""

    tag: str
    rankings: dict[str, ParsedRanking]
    report: RunReport

    def line_of(self, topic: str, docno: str) -> int | None:
        """Where the file names a docno in a topic."""
        ranking = self.rankings[topic]
        places = np.flatnonzero(ranking.docno_bytes == docno.encode())
        return int(ranking.lines[places[0]]) if len(places) else None


def read_runs(
    source: Source, name: str, *, lenient: bool = False, max_bytes: int | None = RUN_BYTES
) -> list[ParsedRun]:
    """The run that a file holds, as a list of one.

    A file is one run, whatever its sixth column says: it is named by its tag, or by its file name if the
    lines carry several tags (`campaigns.formats.run_files` settles what two files share). The rank column and
    the second column are ignored, and what is odd about them is counted in the report.

    Parameters
    ----------
    lenient : keep the best of a docno that a topic lists twice, close the gap, and leave out columns after
        the sixth, counting both. Otherwise each is an error.
    max_bytes : the most that the file may unpack to.

    Raises
    ------
    FormatError : listing every line that is not six columns with a decimal score (NaN, infinity and what a
        32-bit float cannot hold are none), is not UTF-8, holds control characters, or repeats a docno.
    """
    errors, report, by_topic = ErrorList(name), RunReport(), ByTopic()
    with open_stream(source, name, max_bytes=max_bytes) as stream:
        _read_blocks(LineBlocks(stream, errors), by_topic, RunLines(errors, report, lenient=lenient), report)
    rankings = _rankings(by_topic, errors, report, lenient)
    if not rankings and not errors.total:
        errors.add(None, "no lines in it: an empty file")
    errors.raise_if_any()
    tag = next(iter(by_topic.tags)).decode() if len(by_topic.tags) == 1 else plain_name(name)
    if len(tag.encode()) > TAG_BYTES:
        errors.add(None, f"several tags, and a file name longer than {TAG_BYTES} bytes", "tag")
        errors.raise_if_any()
    return [ParsedRun(tag, rankings, report)]


def _read_blocks(blocks: LineBlocks, by_topic: ByTopic, careful: RunLines, report: RunReport) -> None:
    reuse_memory()
    for first_line, block in blocks:
        columns = parse_columns(block, first_line) or careful.parse(block, first_line)
        by_topic.add(columns)
        report.lines += len(columns.lines)
        report.odd_iterations += columns.odd_iterations
        report.carriage_returns += block.count(b"\r\n") if b"\r" in block else 0
    report.byte_order_mark, report.no_final_newline = int(blocks.bom), int(not blocks.final_newline)


def _rankings(
    by_topic: ByTopic, errors: ErrorList, report: RunReport, lenient: bool
) -> dict[str, ParsedRanking]:
    rankings: dict[str, ParsedRanking] = {}
    for topic, given in by_topic.topics():
        ordered = order_lines(topic, given, errors, report, lenient)
        number = topic.decode()
        rankings[number] = ParsedRanking(
            number, ordered.docnos, ordered.scores, ordered.lines.astype(np.int32)
        )
    lengths = np.array([len(ranking.scores) for ranking in rankings.values()], dtype=np.int64)
    report.topics, report.tags = len(rankings), len(by_topic.tags)
    report.longest_list = int(lengths.max(initial=0))
    report.short_lists = int(np.count_nonzero(lengths < report.longest_list))
    return rankings
