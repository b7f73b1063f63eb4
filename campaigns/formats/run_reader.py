"""The reader of run files: blocks of bytes to columns, columns to one list a topic in evaluation order.

In a plain block every line is six words, none too long, with a decimal score. numpy cuts such a block into
columns. Any other block is checked line by line: bad lines become errors, and the good ones are written as a
plain block. Both ways end in `plain_columns`, so fields and numbers have one definition.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from campaigns.formats.errors import DOCNO_BYTES, LINE_BYTES, TAG_BYTES, TOPIC_BYTES, ErrorList, quote
from campaigns.formats.lines import LineBlocks, is_text, what_is_not_text
from campaigns.formats.run_report import RunReport
from evaluation.measures.ordering import ranking_order

Bytes = NDArray[np.bytes_]
Ints = NDArray[np.int64]
Floats = NDArray[np.float32]

# A column's array is as wide as its longest word: without a limit, one word would widen the whole block.
# Columns without a limit of their own have that of the longest name.
_FIELDS = (
    ("topic", TOPIC_BYTES),
    ("second column", DOCNO_BYTES),
    ("docno", DOCNO_BYTES),
    ("rank", DOCNO_BYTES),
    ("score", DOCNO_BYTES),
    ("tag", TAG_BYTES),
)
_COLUMNS = len(_FIELDS)
_LONGEST = np.array([[longest] for _, longest in _FIELDS])
_SCORE_BYTES = b"0123456789+-.eE"
_RANK_DIGITS = 9
_NOT_A_RANK = -1
# Halfway between the largest 32-bit float and the next step, where rounding goes to infinity.
_TOO_LARGE = (2 - 2.0**-24) * 2.0**127


class Columns(NamedTuple):
    """Plain lines of a run, shape (n,) each; a rank that is no number is -1."""

    topics: Bytes
    docnos: Bytes
    ranks: Ints
    scores: NDArray[np.float64]
    tags: Bytes
    odd_iterations: int


class TopicLines(NamedTuple):
    """A topic's lines, shape (n,) each.

    `numbers` are line numbers from 1. `scores` decide the order; they are `exact_scores` as 32-bit floats.
    """

    numbers: NDArray[np.int32]
    docnos: Bytes
    ranks: Ints
    exact_scores: NDArray[np.float64]
    scores: Floats

    def at(self, places: Ints | slice) -> TopicLines:
        return TopicLines._make(column[places] for column in self)


class RunReader:
    """Read blocks of lines, then return each topic's list.

    `errors` collects bad lines, `report` counts anomalies, `tags` collects the tags of all lines. `lenient`
    keeps the best line of a docno that a topic lists twice, and drops columns after the sixth.
    """

    def __init__(self, errors: ErrorList, report: RunReport, *, lenient: bool) -> None:
        self._errors, self._report, self._lenient = errors, report, lenient
        self._pieces: dict[bytes, list[TopicLines]] = {}
        self.tags: set[bytes] = set()

    def read(self, blocks: LineBlocks) -> None:
        # glibc returns freed memory to the system after every block, until it has once freed a piece larger
        # than the block's arrays. Freeing one here saves a fifth of the reading time.
        np.empty(8 << 20, dtype=np.uint8)
        for first, block in blocks:
            if b"\r" in block:
                self._report.carriage_returns += block.count(b"\r\n")
            columns = plain_columns(block)
            if columns is not None:
                self._add(columns, np.arange(first, first + len(columns.topics)))
            else:
                self._read_line_by_line(block, first)
        self._report.byte_order_mark = int(blocks.bom)
        self._report.no_final_newline = int(not blocks.final_newline)

    def lists(self) -> Iterator[tuple[bytes, TopicLines]]:
        """Topics by first appearance, each with its lines in evaluation order; frees each as it goes."""
        for topic in list(self._pieces):
            yield topic, self._evaluation_list(topic, _join(self._pieces.pop(topic)))

    def _read_line_by_line(self, block: bytes, first: int) -> None:
        lines, errors = self._checked_lines(block, first)
        columns = plain_columns(_plain_block(lines))
        if columns is None:
            errors |= {number: error for number, words in lines.items() if (error := _score_error(words[4]))}
            lines = {number: words for number, words in lines.items() if number not in errors}
            columns = plain_columns(_plain_block(lines))
        for number in sorted(errors):
            self._errors.add(number, *errors[number])
        if lines:
            assert columns is not None, "lines without an error are plain"
            self._add(columns, np.array(list(lines)))

    def _checked_lines(
        self, block: bytes, first: int
    ) -> tuple[dict[int, list[bytes]], dict[int, tuple[str, str]]]:
        """By line number the six words of good lines, whatever their scores, and the errors of others."""
        lines, errors = {}, {}
        for number, line in enumerate(block[:-1].split(b"\n"), first):
            words = self._words_of(line)
            if error := words and _line_error(line, words):
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
        elif self._lenient and len(words) > _COLUMNS:
            self._report.columns_dropped += 1
            return words[:_COLUMNS]
        return words

    def _add(self, columns: Columns, numbers: Ints) -> None:
        self._report.lines += len(numbers)
        self._report.odd_iterations += columns.odd_iterations
        tags = columns.tags
        self.tags.update(tags[:1].tolist() if (tags == tags[0]).all() else tags.tolist())
        lines = TopicLines(
            numbers.astype(np.int32),
            columns.docnos,
            columns.ranks,
            columns.scores,
            columns.scores.astype(np.float32),
        )
        for topic, places in _topics(columns.topics):
            self._pieces.setdefault(topic, []).append(lines.at(places))

    def _evaluation_list(self, topic: bytes, lines: TopicLines) -> TopicLines:
        scores = lines.scores
        if not (scores[1:] < scores[:-1]).all():
            higher = scores[1:] > np.minimum.accumulate(scores)[:-1]
            self._report.order_disagrees += int(np.count_nonzero(higher))
            lines = lines.at(_evaluation_order(scores, lines.docnos))
            _count_ties(lines, self._report)
        _count_ranks(lines, self._report)
        if len(set(lines.docnos.tolist())) == len(lines.docnos):
            return lines
        if self._lenient:
            return self._best_of_each_docno(lines)
        self._refuse_repeats(topic, lines)
        return lines

    def _best_of_each_docno(self, lines: TopicLines) -> TopicLines:
        _, best = np.unique(lines.docnos, return_index=True)
        self._report.duplicates_dropped += len(lines.docnos) - len(best)
        return lines.at(np.sort(best))

    def _refuse_repeats(self, topic: bytes, lines: TopicLines) -> None:
        first: dict[bytes, int] = {}
        for number, docno in sorted(zip(lines.numbers.tolist(), lines.docnos.tolist(), strict=True)):
            if first.setdefault(docno, number) != number:
                where = f"in topic {quote(topic)} (first in line {first[docno]})"
                self._errors.add(number, f"docno {quote(docno)} a second time {where}", "docno")


def plain_columns(block: bytes) -> Columns | None:
    """The columns of a block of whole lines; None if a line is blank, a comment or has an error."""
    places = _word_places(block) if is_text(block) else None
    if places is None:
        return None
    starts, lengths = places
    if (lengths > _LONGEST).any():
        return None
    padded = block + bytes(int(_LONGEST.max()))
    topics, iterations, docnos, ranks, values, tags = (
        _words(padded, *column) for column in zip(starts, lengths, strict=True)
    )
    try:
        scores = _scores(values)
    except (ValueError, OverflowError):
        return None
    odd_iterations = int(np.count_nonzero(iterations != b"Q0"))
    return Columns(topics, docnos, _ranks(ranks), scores, tags, odd_iterations)


def _word_places(block: bytes) -> tuple[Ints, Ints] | None:
    """Where each word starts and its length, shape (6, lines) each; None if a line cannot be plain."""
    characters = np.frombuffer(block, dtype=np.uint8)
    blank = np.concatenate(([True], characters <= ord(" ")))
    edges = np.flatnonzero(blank[1:] != blank[:-1])
    newlines = np.flatnonzero(characters == ord("\n"))
    if not len(newlines) or len(edges) != 2 * _COLUMNS * len(newlines):
        return None
    # Contiguous columns: everything below reads one column at a time.
    by_column = np.ascontiguousarray(edges.reshape(-1, 2 * _COLUMNS).T)
    starts, ends = by_column[0::2], by_column[1::2]
    previous = np.concatenate(([-1], newlines[:-1]))
    not_plain = (
        (starts[0] < previous)
        | (ends[-1] > newlines)
        | (newlines - previous > LINE_BYTES + 1)
        | (characters[starts[0]] == ord("#"))
    )
    return None if not_plain.any() else (starts, ends - starts)


def _words(padded: bytes, starts: Ints, lengths: Ints) -> Bytes:
    """Words of a padded block as an array as wide as the longest, rounded up to eight bytes."""
    width = -(-int(lengths.max()) // 8) * 8
    # One overlapping view of that width for each place of the block: indexing them copies whole words.
    views = np.ndarray((len(padded) - width,), dtype=f"V{width}", buffer=padded, strides=(1,))
    words = views[starts]
    words.view(np.uint64).reshape(len(words), width // 8)[:] &= _masks(width).take(lengths, axis=0)
    return words.view(f"S{width}")


@lru_cache(maxsize=8)
def _masks(width: int) -> NDArray[np.uint64]:
    """For each length of a word the bytes to keep, eight at a time, shape (width + 1, width / 8)."""
    return (np.tri(width + 1, width, -1, dtype=np.uint8) * np.uint8(0xFF)).view(np.uint64)


def _scores(words: Bytes) -> NDArray[np.float64]:
    """Decimal numbers; `ValueError` if a word is none, `OverflowError` if a 32-bit float cannot hold it."""
    # `float` also reads names such as `nan` and grouped digits such as `1_000`, which no score is.
    if words.tobytes().translate(None, _SCORE_BYTES + b"\0"):
        raise ValueError("not a decimal number")
    scores = words.astype(np.float64)
    if not (np.abs(scores) < _TOO_LARGE).all():
        raise OverflowError("larger than a 32-bit float can hold")
    return scores


def _ranks(words: Bytes) -> Ints:
    """Whole numbers of up to nine digits, -1 for any other word."""
    ranks = np.zeros(len(words), dtype=np.int64)
    for digits in words.view(np.uint8).reshape(len(words), -1).T[:_RANK_DIGITS] - np.uint8(ord("0")):
        # The NUL padding of a short word wraps around to a large number, which is no digit.
        ranks = np.where(digits <= 9, ranks * 10 + digits, ranks)
    numbers = np.strings.isdigit(words) & (np.strings.str_len(words) <= _RANK_DIGITS)
    return np.where(numbers, ranks, _NOT_A_RANK)


def _plain_block(lines: dict[int, list[bytes]]) -> bytes:
    return b"".join(b" ".join(words) + b"\n" for words in lines.values())


def _line_error(line: bytes, words: list[bytes]) -> tuple[str, str] | None:
    """Why a line cannot be plain, and the field; None if only its score can be wrong."""
    if len(line) > LINE_BYTES:
        return f"a line longer than {LINE_BYTES:,} bytes", ""
    if reason := what_is_not_text(line):
        return reason, ""
    if len(words) != _COLUMNS:
        layout = "a run has 6 (topic, Q0, docno, rank, score, tag)"
        return f"{len(words)} columns where {layout}: {quote(line.strip())}", ""
    for (field, longest), word in zip(_FIELDS, words, strict=True):
        if len(word) > longest:
            return f"{field} longer than {longest} bytes: {quote(word)}", field
    return None


def _score_error(word: bytes) -> tuple[str, str] | None:
    try:
        _scores(np.array([word]))
    except OverflowError as error:
        return f"score {quote(word)} is {error}", "score"
    except ValueError:
        return f"score {quote(word)} is not a decimal number", "score"
    return None


def _topics(topics: Bytes) -> Iterator[tuple[bytes, slice | Ints]]:
    """Each topic of a block with the places of its lines, by first appearance."""
    bounds = [0, *(np.flatnonzero(topics[1:] != topics[:-1]) + 1).tolist(), len(topics)]
    names = topics[bounds[:-1]].tolist()
    if len(set(names)) == len(names):
        return zip(names, (slice(*both) for both in pairwise(bounds)), strict=True)
    # Topics that alternate are sorted: a piece for every change of topic would cost more memory than lines.
    order = np.argsort(topics, kind="stable")
    in_order = topics[order]
    places = np.split(order, np.flatnonzero(in_order[1:] != in_order[:-1]) + 1)
    places.sort(key=lambda of_topic: int(of_topic[0]))
    return ((bytes(topics[of_topic[0]]), of_topic) for of_topic in places)


def _join(pieces: list[TopicLines]) -> TopicLines:
    return pieces[0] if len(pieces) == 1 else TopicLines._make(map(np.concatenate, zip(*pieces, strict=True)))


def _evaluation_order(scores: Floats, docnos: Bytes) -> Ints:
    """Score descending, ties by docno descending."""
    order = np.argsort(-scores, kind="stable")
    ties = _ties(scores[order])
    if ties.any():
        # Decoding docnos is slow, and only ties need it.
        members = order[ties]
        names = [name.decode() for name in docnos[members].tolist()]
        order[ties] = members[ranking_order(scores[members], names)]
    return order


def _ties(scores: Floats) -> NDArray[np.bool_]:
    """Which of sorted scores equal a neighbour."""
    same = np.zeros(len(scores) + 1, dtype=np.bool_)
    same[1:-1] = scores[1:] == scores[:-1]
    return same[1:] | same[:-1]


def _count_ties(lines: TopicLines, report: RunReport) -> None:
    report.ties += int(np.count_nonzero(_ties(lines.scores)))
    exact = lines.exact_scores
    rounded = (lines.scores[1:] == lines.scores[:-1]) & (exact[1:] != exact[:-1])
    report.ties_by_rounding += int(np.count_nonzero(rounded))


def _count_ranks(lines: TopicLines, report: RunReport) -> None:
    ranks = lines.ranks
    lowest, highest = int(ranks.min()), int(ranks.max())
    if lowest == _NOT_A_RANK:
        report.ranks_not_numbers += int(np.count_nonzero(ranks == _NOT_A_RANK))
        return
    report.ranks_all_zero += highest == 0
    report.ranks_from_zero += lowest == 0 and highest > 0
    if (ranks[1:] < ranks[:-1]).any():
        report.rank_disagrees += _count_disagreeing_ranks(ranks, lines.scores)


def _count_disagreeing_ranks(ranks: Ints, scores: Floats) -> int:
    """Count ranks better than that of a strictly higher score; within a tie any order agrees."""
    begins = np.concatenate(([True], scores[1:] != scores[:-1]))
    group_start = np.maximum.accumulate(np.where(begins, np.arange(len(ranks)), 0))
    largest_above = np.concatenate(([-1], np.maximum.accumulate(ranks)))[group_start]
    return int(np.count_nonzero(ranks < largest_above))
