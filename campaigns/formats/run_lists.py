"""One topic's lines of a run, put in evaluation order and checked as a whole."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from campaigns.formats.byte_words import Bytes, Ints, eight_bytes
from campaigns.formats.errors import ErrorList, quote
from campaigns.formats.run_columns import NOT_A_RANK
from campaigns.formats.run_grouping import TopicLines
from campaigns.formats.run_report import RunReport
from evaluation.measures.ordering import ranking_order

Floats = NDArray[np.float32]
# Odd constants, the fractional bits of square roots of primes: they spread a docno's words over 64 bits.
_SPREAD = np.array(
    [0x6A09E667F3BCC909, 0xBB67AE8584CAA73B, 0x3C6EF372FE94F82B, 0xA54FF53A5F1D36F1], np.uint64
)


@dataclass(frozen=True)
class OrderedLines:
    """A topic's documents best first, with the line each came from and its rank as written."""

    lines: Ints
    docnos: Bytes
    ranks: Ints
    scores: Floats


def order_lines(
    topic: bytes, given: TopicLines, errors: ErrorList, report: RunReport, lenient: bool
) -> OrderedLines:
    """Evaluation order: score descending as 32-bit floats, ties by docno descending."""
    scores = given.scores.astype(np.float32)
    if (scores[1:] < scores[:-1]).all():
        ordered = OrderedLines(given.lines, given.docnos, given.ranks, scores)
    else:
        report.order_disagrees += int(np.count_nonzero(scores[1:] > np.minimum.accumulate(scores)[:-1]))
        order = _evaluation_order(scores, given.docnos)
        _count_ties(scores[order], given.scores[order], report)
        ordered = OrderedLines(given.lines[order], given.docnos[order], given.ranks[order], scores[order])
    _count_ranks(ordered, report)
    if _may_repeat(ordered.docnos):
        ordered = _without_repeats(topic, ordered, errors, report, lenient)
    return ordered


def _evaluation_order(scores: Floats, docnos: Bytes) -> Ints:
    order = np.argsort(-scores, kind="stable")
    tied = _tied(scores[order])
    if tied.any():
        # Only lines that tie need their docnos looked at.
        members = order[tied]
        names = [name.decode() for name in docnos[members].tolist()]
        order[tied] = members[ranking_order(scores[members], names)]
    return order


def _tied(ordered: Floats) -> NDArray[np.bool_]:
    same = np.zeros(len(ordered) + 1, dtype=np.bool_)
    same[1:-1] = ordered[1:] == ordered[:-1]
    return same[1:] | same[:-1]


def _count_ties(scores: Floats, as_written: NDArray[np.float64], report: RunReport) -> None:
    report.ties += int(np.count_nonzero(_tied(scores)))
    rounded = (scores[1:] == scores[:-1]) & (as_written[1:] != as_written[:-1])
    report.ties_by_rounding += int(np.count_nonzero(rounded))


def _count_ranks(ordered: OrderedLines, report: RunReport) -> None:
    ranks = ordered.ranks
    lowest, highest = int(ranks.min()), int(ranks.max())
    if lowest == NOT_A_RANK:
        report.ranks_not_numbers += int(np.count_nonzero(ranks == NOT_A_RANK))
        return
    report.ranks_all_zero += highest == 0
    report.ranks_from_zero += lowest == 0 and highest > 0
    if (ranks[1:] >= ranks[:-1]).all():
        return
    # A rank contradicts the scores if a strictly higher score has a larger rank; ties may come as they like.
    scores = ordered.scores
    begins = np.concatenate(([True], scores[1:] != scores[:-1]))
    group_start = np.maximum.accumulate(np.where(begins, np.arange(len(ranks)), 0))
    largest_above = np.concatenate(([-1], np.maximum.accumulate(ranks)))[group_start]
    report.rank_disagrees += int(np.count_nonzero(ranks < largest_above))


def _may_repeat(docnos: Bytes) -> bool:
    """False only if all docnos differ. By hashes, since nearly every list is without a repeat."""
    words = eight_bytes(docnos)
    mixed = words[:, 0] * _SPREAD[0]
    for place in range(1, words.shape[1]):
        mixed = (mixed ^ (mixed >> np.uint64(29))) * _SPREAD[place % 4] + words[:, place] * _SPREAD[
            (place + 1) % 4
        ]
    mixed.sort()
    return bool((mixed[1:] == mixed[:-1]).any())


def _without_repeats(
    topic: bytes, ordered: OrderedLines, errors: ErrorList, report: RunReport, lenient: bool
) -> OrderedLines:
    best: dict[bytes, int] = {}
    for place, docno in enumerate(ordered.docnos.tolist()):
        best.setdefault(docno, place)
    kept = np.fromiter(best.values(), np.int64, len(best))
    if lenient:
        report.duplicates_dropped += len(ordered.docnos) - len(kept)
        return OrderedLines(
            ordered.lines[kept], ordered.docnos[kept], ordered.ranks[kept], ordered.scores[kept]
        )
    first: dict[bytes, int] = {}
    in_file = np.argsort(ordered.lines)
    for line, docno in zip(ordered.lines[in_file].tolist(), ordered.docnos[in_file].tolist(), strict=True):
        if first.setdefault(docno, line) != line:
            where = f"in topic {quote(topic)} (first in line {first[docno]})"
            errors.add(line, f"docno {quote(docno)} a second time {where}", "docno")
    return ordered
