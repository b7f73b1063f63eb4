"""A block of a run file as columns, by arithmetic on its bytes: no Python for each line.

Only a block in which every line is as it should be comes out of here; any other goes to `run_lines`, which
looks at one line at a time and says what is wrong with it. The two agree on every line that both accept.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from campaigns.formats.limits import DOCNO_BYTES, TAG_BYTES, TOPIC_BYTES
from campaigns.formats.lines import is_text

Bytes = NDArray[np.bytes_]
Ints = NDArray[np.int64]

COLUMNS = 6
LARGEST_SCORE = float(np.finfo(np.float32).max)
NOT_A_RANK = -1
_RANK_DIGITS = 9
_SCORE_BYTES = 40
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
    longest = lengths.max(axis=0)
    if longest[0] > TOPIC_BYTES or longest[2] > DOCNO_BYTES or longest[5] > TAG_BYTES:
        return None
    words = _Words(block, int(longest.max()))
    scores = _scores(words.take(starts[:, 4], lengths[:, 4]))
    if scores is None:
        return None
    return RunColumns(
        lines=np.arange(first_line, first_line + len(starts)),
        topics=words.take(starts[:, 0], lengths[:, 0]),
        docnos=words.take(starts[:, 2], lengths[:, 2]),
        ranks=_ranks(words.take(starts[:, 3], lengths[:, 3])),
        scores=scores,
        tags=words.take(starts[:, 5], lengths[:, 5]),
        odd_iterations=int(np.count_nonzero(words.take(starts[:, 1], lengths[:, 1]) != b"Q0")),
    )


def _cut(block: bytes) -> tuple[Ints, Ints] | None:
    """Where each word starts and how long it is, (lines, 6) each; None if a line has not six words."""
    characters = np.frombuffer(block, dtype=np.uint8)
    blank = characters <= ord(" ")
    edges = np.flatnonzero(blank[1:] != blank[:-1]) + 1
    if not blank[0]:
        edges = np.concatenate(([0], edges))
    newlines = np.flatnonzero(characters == ord("\n"))
    if len(edges) != 2 * COLUMNS * len(newlines):
        return None
    words = edges.reshape(-1, COLUMNS, 2)
    starts, ends = words[:, :, 0], words[:, :, 1]
    # As many words as lines can bear: each line has six if its newline lies after its sixth word.
    if (newlines < ends[:, -1]).any() or (newlines[:-1] > starts[1:, 0]).any():
        return None
    if (characters[starts[:, 0]] == ord("#")).any():
        return None
    return starts, ends - starts


class _Words:
    """Words of a block, gathered into arrays of fixed width."""

    def __init__(self, block: bytes, longest: int) -> None:
        self._size = len(block)
        self._padded = block + bytes(longest + 8)

    def take(self, starts: Ints, lengths: Ints) -> Bytes:
        width = -(-int(lengths.max()) // 8) * 8
        # One overlapping view of `width` bytes for each place of the block: indexing it copies whole words.
        places = np.ndarray((self._size,), dtype=f"V{width}", buffer=self._padded, strides=(1,))
        words = places[starts].view(np.uint8).reshape(-1, width)
        words *= np.arange(width) < lengths[:, None]
        return words.reshape(-1).view(f"S{width}")


def _ranks(words: Bytes) -> Ints:
    """Ranks as numbers; `NOT_A_RANK` where a word is none: the column decides nothing."""
    width = words.dtype.itemsize
    digits = words.view(np.uint8).reshape(-1, width).T
    ranks = np.zeros(len(words), dtype=np.int64)
    wrong = np.zeros(len(words), dtype=np.bool_)
    for place, column in enumerate(np.ascontiguousarray(digits)):
        inside = column != 0
        if not inside.any():
            break
        digit = column - np.uint8(ord("0"))
        wrong |= inside & ((digit > 9) | (place >= _RANK_DIGITS))
        ranks = np.where(inside, ranks * 10 + digit, ranks)
    ranks[wrong] = NOT_A_RANK
    return ranks


def _scores(words: Bytes) -> NDArray[np.float64] | None:
    if words.dtype.itemsize > _SCORE_BYTES or not _IN_A_SCORE[words.view(np.uint8)].all():
        return None
    try:
        scores = np.fromiter(map(float, words.tolist()), np.float64, len(words))
    except ValueError:
        return None
    return scores if (np.abs(scores) <= LARGEST_SCORE).all() else None
