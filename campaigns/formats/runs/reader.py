"""The reader of run files: blocks of lines to columns, columns to one list a topic.

numpy cuts plain blocks into columns. Any other block is checked line by line: bad lines become errors, and
the good ones are written as a plain block. Both ways end in `plain_columns`.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from campaigns.formats.errors import MOST_LISTED_ERRORS, RUN_COMMENTS, RUN_TOPICS, ErrorList, quote
from campaigns.formats.lines import LineBlocks
from campaigns.formats.recognition.columns import RUN_HEADER, is_header
from campaigns.formats.runs.columns import (
    COLUMNS,
    NOT_A_RANK,
    Columns,
    Ints,
    Words,
    hash_words,
    line_error,
    plain_columns,
    score_error,
)
from campaigns.formats.runs.lines import Int32s, LineStore, RunLines
from campaigns.formats.runs.report import RunReport
from evaluation.measures.ordering import SCORE_TYPES, ScorePrecision, Scores

# What orders a list's documents; `line` is the place in the file, which also orders equal ranks.
Order = Literal["score", "line", "rank"]

Bools = NDArray[np.bool_]
_COMPARED_AT_ONCE = 50_000


class RunReader:
    """Read blocks of lines, then return each topic's list.

    `errors` collects bad lines, `report` counts anomalies, `tags` collects the tags of all lines. `lenient`
    keeps the best line of a docno that a topic lists twice, and drops columns after the sixth. Scores are
    compared as floats of `score_precision` bits. Lines of a long file wait in a temporary file in `folder`.
    """

    def __init__(
        self,
        errors: ErrorList,
        report: RunReport,
        *,
        lenient: bool,
        order: Order = "score",
        score_precision: ScorePrecision = 64,
        folder: str | None = None,
    ) -> None:
        self._errors, self._report, self._lenient, self._order = errors, report, lenient, order
        self.score_precision = score_precision
        # Topics by first appearance.
        self._topics: dict[bytes, int] = {}
        self._store = LineStore(folder)
        self.tags: set[bytes] = set()

    def read(self, blocks: LineBlocks) -> None:
        # glibc returns freed memory to the system after every block, until it has once freed a piece larger
        # than the block's arrays. Freeing one here saves a fifth of the reading time.
        np.empty(8 << 20, dtype=np.uint8)
        for first, block in blocks:
            if b"\r" in block:
                self._report.carriage_returns += block.count(b"\r\n")
            columns = plain_columns(block, self.score_precision)
            if columns is not None:
                self.add(columns, np.arange(first, first + len(columns.topics), dtype=np.int32))
            else:
                self._read_line_by_line(block, first)
                if self._report.comments + self._report.blank_lines > RUN_COMMENTS:
                    detail = f"more than {RUN_COMMENTS:,} comments and blank lines by here"
                    raise self._errors.stopped(first, detail)
        self._report.byte_order_mark = int(blocks.bom)
        self._report.no_final_newline = int(not blocks.final_newline)

    def compared(self, lines: RunLines) -> Scores:
        """The lines' scores as the floats that order them."""
        return lines.scores.astype(SCORE_TYPES[self.score_precision], copy=False)

    @property
    def topics(self) -> list[bytes]:
        return list(self._topics)

    def groups(self) -> list[slice]:
        """The topics in pieces whose lists are in memory at once."""
        return self._store.groups(len(self._topics))

    def lists(self, group: slice) -> Iterator[RunLines]:
        """Each topic's lines in order; adds to the report and the errors."""
        topic_of, lines = self._store.group(group)
        ends = np.searchsorted(topic_of, np.arange(group.start + 1, group.stop + 1)).tolist()
        repeating = _topics_that_may_repeat(lines.docnos, topic_of)
        untidy = _untidy_topics(lines, topic_of) | repeating
        names = list(islice(self._topics, group.start, group.stop))
        for place, (topic, start, end) in enumerate(zip(names, [0, *ends], ends, strict=False), group.start):
            of_topic = lines.at(slice(start, end))
            # A list that is refused needs no order, which would take as much memory again.
            refused = place in repeating and not self._lenient and self._note_repeats(topic, of_topic)
            if place in untidy and not refused:
                of_topic = self._in_order(of_topic)
            yield self._without_repeats(of_topic) if place in repeating and self._lenient else of_topic

    def stop_counting(self) -> None:
        """Leave the report as it is when lists are read once more."""
        self._report = RunReport()

    def _read_line_by_line(self, block: bytes, first: int) -> None:
        lines, errors = self._checked_lines(block, first)
        columns = plain_columns(_plain_block(lines), self.score_precision, checked=True)
        if columns is None:
            errors |= {
                number: error
                for number, words in lines.items()
                if (error := score_error(words[4], self.score_precision))
            }
            lines = {number: words for number, words in lines.items() if number not in errors}
            columns = plain_columns(_plain_block(lines), self.score_precision, checked=True)
        for number in sorted(errors):
            self._errors.add(number, *errors[number])
        if lines:
            assert columns is not None, "lines without an error are plain"
            self.add(columns, np.array(list(lines), dtype=np.int32))

    def _checked_lines(
        self, block: bytes, first: int
    ) -> tuple[dict[int, list[bytes]], dict[int, tuple[str, str]]]:
        """Split lines, by line number: the six words of good lines, whatever their scores, and the errors of
        others."""
        lines: dict[int, list[bytes]] = {}
        errors: dict[int, tuple[str, str]] = {}
        for number, line in enumerate(block[:-1].split(b"\n"), first):
            words = self._words_of(line)
            if error := words and line_error(line, words):
                errors[number] = error
            elif words:
                lines[number] = words
        return lines, errors

    def _words_of(self, line: bytes) -> list[bytes]:
        """The words of a line; none if it is blank or a comment."""
        words = line.split()
        if not words:
            self._report.blank_lines += 1
        elif words[0].startswith(b"#"):
            self._report.comments += 1
            return []
        elif not self._report.lines and not self._report.header and is_header(words, RUN_HEADER):
            self._report.header = 1
            return []
        elif self._lenient and len(words) > COLUMNS:
            self._report.columns_dropped += 1
            return words[:COLUMNS]
        return words

    def add(self, columns: Columns, numbers: NDArray[np.int32]) -> None:
        """Take lines, with the number of each."""
        self._report.lines += len(numbers)
        self._report.odd_iterations += columns.odd_iterations
        tags = columns.tags
        self.tags.update(tags[:1].tolist() if (tags == tags[0]).all() else tags.tolist())
        if self._order == "rank":
            for place in np.flatnonzero(columns.ranks == NOT_A_RANK).tolist():
                rank = quote(columns.rank_words[place])
                self._errors.add(
                    int(numbers[place]), f"rank {rank} is not a whole number of up to 9 digits", "rank"
                )
        lines = RunLines(numbers, columns.docnos, columns.ranks, columns.scores)
        if too_many := self._store.add(self._numbered(columns.topics, numbers), lines):
            place, most = too_many
            topic = quote(bytes(columns.topics[place]))
            detail = f"more than {most} in the list of topic {topic}"
            raise self._errors.stopped(int(numbers[place]), detail, "topic")

    def _numbered(self, topics: NDArray[np.bytes_], numbers: NDArray[np.int32]) -> NDArray[np.int32]:
        """Each line's topic, numbered by first appearance."""
        starts = np.flatnonzero(np.concatenate(([True], topics[1:] != topics[:-1])))
        known = self._topics
        found = [known.setdefault(topic, len(known)) for topic in topics[starts].tolist()]
        if len(known) > RUN_TOPICS:
            line = int(numbers[starts[found.index(RUN_TOPICS)]])
            raise self._errors.stopped(line, f"more than {RUN_TOPICS:,} topics in one run", "topic")
        return np.repeat(np.array(found, dtype=np.int32), np.diff(starts, append=len(topics)))

    def _in_order(self, lines: RunLines) -> RunLines:
        if self._order == "line":
            return lines
        if self._order == "rank":
            return lines.at(np.argsort(lines.ranks, kind="stable"))
        scores = self.compared(lines)
        if not (scores[1:] < scores[:-1]).all():
            higher = scores[1:] > np.minimum.accumulate(scores)[:-1]
            self._report.order_disagrees += int(np.count_nonzero(higher))
            order = _evaluation_order(scores, lines.docnos)
            lines, scores = lines.at(order), scores[order]
            self._report.ties += int(np.count_nonzero(_ties(scores)))
            self._report.topics_tied += len(lines) > 1 and bool(scores[0] == scores[-1])
        self._count_rounded(lines)
        _count_ranks(lines.ranks, scores, self._report)
        return lines

    def _count_rounded(self, lines: RunLines) -> None:
        """Count neighbours that differ as 64-bit floats only."""
        exact, rounded = lines.scores, _rounded(lines)
        close = np.flatnonzero((rounded[1:] == rounded[:-1]) & (exact[1:] != exact[:-1]))
        if self.score_precision == 32:
            self._report.ties_by_rounding += len(close)
        elif len(close):
            ascends = lines.docnos[close] < lines.docnos[close + 1]
            self._report.order_by_rounding += int(np.count_nonzero(ascends))

    def _without_repeats(self, lines: RunLines) -> RunLines:
        """Keep only the best line of each docno; lines come in order."""
        order, begins = _by_docno(lines.docnos)
        best = np.sort(order[begins]).astype(np.int64)
        self._report.duplicates_dropped += len(order) - len(best)
        return lines.at(best)

    def _note_repeats(self, topic: bytes, lines: RunLines) -> bool:
        """True if a docno is there twice. Each line but the first of its docno becomes an error."""
        order, begins = _by_docno(lines.docnos)
        numbers, starts = lines.numbers[order], np.flatnonzero(begins)
        first = np.minimum.reduceat(numbers, starts).repeat(np.diff(starts, append=len(order)))
        again = np.sort(numbers[numbers != first])
        if not len(again):
            return False
        listed = np.flatnonzero((numbers != first) & (numbers <= again[:MOST_LISTED_ERRORS][-1]))
        for place in listed[np.argsort(numbers[listed])].tolist():
            docno, where = bytes(lines.docnos[order[place]]), f"first in {self._errors.unit} {first[place]}"
            detail = f"docno {quote(docno)} a second time in topic {quote(topic)} ({where})"
            self._errors.add(int(numbers[place]), detail, "docno")
        if rest := len(again) - len(listed):
            self._errors.count(int(again[-1]), rest, "docno")
        return True


def _plain_block(lines: dict[int, list[bytes]]) -> bytes:
    return b"".join(b" ".join(words) + b"\n" for words in lines.values())


def _untidy_topics(lines: RunLines, topic_of: NDArray[np.int32]) -> set[int]:
    """Topics in which scores do not fall or ranks do not rise with each line, or a rank is not above 0."""
    # Where scores fall as 32-bit floats, they fall as 64-bit floats, too.
    scores, ranks = _rounded(lines), lines.ranks
    tidy = (scores[1:] < scores[:-1]) & (ranks[1:] >= ranks[:-1])
    untidy = ~tidy & (topic_of[1:] == topic_of[:-1])
    return {*np.unique(topic_of[1:][untidy]).tolist(), *np.unique(topic_of[ranks <= 0]).tolist()}


def _topics_that_may_repeat(docnos: Words, topic_of: NDArray[np.int32]) -> set[int]:
    """Topics in which two lines have the same hash of topic and docno: all that list a docno twice, and
    hardly any other."""
    hashes = hash_words(docnos, topic_of)
    in_order = np.sort(hashes)
    repeated = in_order[1:][in_order[1:] == in_order[:-1]]
    del in_order
    repeated = np.unique(repeated)
    topics: set[int] = set()
    for at in range(0, len(hashes) if len(repeated) else 0, _COMPARED_AT_ONCE):
        some = hashes[at : at + _COMPARED_AT_ONCE]
        near = np.minimum(np.searchsorted(repeated, some), len(repeated) - 1)
        topics.update(np.unique(topic_of[at : at + _COMPARED_AT_ONCE][repeated[near] == some]).tolist())
    return topics


def _by_docno(docnos: Words) -> tuple[Int32s, Bools]:
    """The places of the docnos, those of one docno next to each other and ascending; and where one begins."""
    # Hashes take a sixth of the memory of words.
    hashes = hash_words(docnos)
    order = np.argsort(hashes, kind="stable").astype(np.int32)
    hashes = hashes[order]
    begins = np.concatenate(([True], hashes[1:] != hashes[:-1]))
    del hashes
    for at in range(1, len(order), _COMPARED_AT_ONCE):
        end = at + _COMPARED_AT_ONCE
        differ = docnos[order[at:end]] != docnos[order[at - 1 : end - 1][: len(order) - at]]
        if (differ & ~begins[at:end]).any():
            # Words of one hash that differ are made, never met.
            order = np.argsort(docnos, kind="stable").astype(np.int32)
            words = docnos[order]
            return order, np.concatenate(([True], words[1:] != words[:-1]))
    return order, begins


def _evaluation_order(scores: Scores, docnos: Words) -> Ints:
    """Score descending, ties by docno descending."""
    order = np.argsort(-scores, kind="stable")
    ties = _ties(scores[order])
    if ties.any():
        # Comparing docnos is slow, and only ties need it. Sorting the reversed lines and reversing the
        # outcome keeps lines of one docno in their order.
        members = order[ties][::-1]
        members = members[np.argsort(docnos[members], kind="stable")][::-1]
        order[ties] = members[np.argsort(-scores[members], kind="stable")]
    return order


def _ties(scores: Scores) -> Bools:
    """Mark the sorted scores that equal a neighbour."""
    same = np.zeros(len(scores) + 1, dtype=np.bool_)
    same[1:-1] = scores[1:] == scores[:-1]
    return same[1:] | same[:-1]


def _rounded(lines: RunLines) -> NDArray[np.float32]:
    """Scores as 32-bit floats, infinite where these hold none so large."""
    with np.errstate(over="ignore"):
        return lines.scores.astype(np.float32)


def _count_ranks(ranks: Int32s, scores: Scores, report: RunReport) -> None:
    lowest, highest = int(ranks.min()), int(ranks.max())
    if lowest == NOT_A_RANK:
        report.ranks_not_numbers += int(np.count_nonzero(ranks == NOT_A_RANK))
        return
    report.ranks_all_zero += highest == 0
    report.ranks_from_zero += lowest == 0 and highest > 0
    if (ranks[1:] < ranks[:-1]).any():
        report.rank_disagrees += _count_disagreeing_ranks(ranks, scores)
        report.topics_reversed += _is_reversed(ranks, scores)


def _count_disagreeing_ranks(ranks: Int32s, scores: Scores) -> int:
    """Count ranks better than that of a strictly higher score; within a tie any order agrees."""
    largest_above = np.concatenate(([-1], np.maximum.accumulate(ranks)))[_tie_starts(scores)]
    return int(np.count_nonzero(ranks < largest_above))


def _is_reversed(ranks: Int32s, scores: Scores) -> bool:
    """True if each rank is better than those of all strictly higher scores."""
    starts = _tie_starts(scores)
    below = starts > 0
    smallest_above = np.minimum.accumulate(ranks)[starts[below] - 1]
    return bool(below.any() and (ranks[below] < smallest_above).all())


def _tie_starts(scores: Scores) -> Ints:
    """For each of the sorted scores, the place of the first that equals it."""
    begins = np.concatenate(([True], scores[1:] != scores[:-1]))
    return np.maximum.accumulate(np.where(begins, np.arange(len(scores)), 0))
