"""A block of a run file as columns, by arithmetic on its bytes: no Python for each line.

Only a block in which every line is as it should be comes out of here; any other goes to `run_lines`, which
looks at one line at a time and says what is wrong with it. The two agree on every line that both accept.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from campaigns.formats.byte_numbers import decimal_numbers, whole_numbers
from campaigns.formats.byte_words import Bytes, Ints, WordBytes, count_lines, unlike
from campaigns.formats.errors import DOCNO_BYTES, TAG_BYTES, TOPIC_BYTES
from campaigns.formats.lines import is_text

COLUMNS = 6
# Halfway between the largest 32-bit float and the next step, where rounding goes to infinity.
TOO_LARGE = (2 - 2.0**-24) * 2.0**127
NOT_A_RANK = -1
_TRAILING = 2
_IN_A_SCORE = np.zeros(256, dtype=np.bool_)
_IN_A_SCORE[list(b"0123456789+-.eE\0")] = True


@dataclass(frozen=True)
class RunColumns:
    """Lines of a run, one array a column, all of one length. Names are padded with NUL to a multiple of 8."""

    lines: Ints
    topics: Bytes
    docnos: Bytes
    ranks: Ints
    scores: NDArray[np.float64]
    tags: Bytes
    odd_iterations: int


def parse_columns(block: bytes, first_line: int) -> RunColumns | None:
    """The columns of a block of whole lines, or None if it must be read line by line."""
    if not is_text(block):
        return None
    cut = _cut(block)
    if cut is None:
        return None
    starts, lengths = cut
    longest = lengths.max(axis=1)
    if longest[0] > TOPIC_BYTES or longest[2] > DOCNO_BYTES or longest[5] > TAG_BYTES:
        return None
    words = WordBytes(block, int(longest.max()))
    topics, iterations, docnos, ranks, values, tags = map(words.take, starts, lengths)
    scores = _scores(values, lengths[4])
    if scores is None:
        return None
    return RunColumns(
        lines=np.arange(first_line, first_line + len(scores)),
        topics=topics,
        docnos=docnos,
        ranks=whole_numbers(ranks, lengths[3], digits=9, otherwise=NOT_A_RANK),
        scores=scores,
        tags=tags,
        odd_iterations=int(np.count_nonzero(unlike(iterations, np.array([b"Q0"], iterations.dtype)))),
    )


def _cut(block: bytes) -> tuple[Ints, Ints] | None:
    """Where each word starts and how long it is, (6, lines) each; None if a line has not six words."""
    characters = np.frombuffer(block, dtype=np.uint8)
    blank = characters <= ord(" ")
    edges = np.flatnonzero(blank[1:] != blank[:-1]) + 1
    if not blank[0]:
        edges = np.concatenate(([0], edges))
    if len(edges) % (2 * COLUMNS):
        return None
    # A column's places side by side, as all that comes reads them.
    words = np.ascontiguousarray(edges.reshape(-1, 2 * COLUMNS).T)
    starts, ends = words[0::2], words[1::2]
    # Each line has six words if a newline follows every sixth, with nothing before it but a carriage return
    # or a blank or two, and if there are no more newlines than these.
    newline = ends[-1]
    for _ in range(_TRAILING):
        newline = newline + (characters[newline] != ord("\n"))
    if (characters[newline] != ord("\n")).any() or (newline[:-1] >= starts[0, 1:]).any():
        return None
    if count_lines(block) != len(newline):
        return None
    if (characters[starts[0]] == ord("#")).any():
        return None
    return starts, ends - starts


def _scores(words: Bytes, lengths: Ints) -> NDArray[np.float64] | None:
    scores = decimal_numbers(words, lengths)
    unread = np.flatnonzero(np.isnan(scores))
    if len(unread):
        # Exponents and very many digits: left to Python, which also knows what is no number.
        left = words[unread]
        if not _IN_A_SCORE[left.view(np.uint8)].all():
            return None
        try:
            scores[unread] = np.fromiter(map(float, left.tolist()), np.float64, len(left))
        except ValueError:
            return None
    return scores if (np.abs(scores) < TOO_LARGE).all() else None
