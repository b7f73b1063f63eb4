"""The columns of a run's blocks, gathered into one list of lines a topic."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from campaigns.formats.byte_words import Bytes, Ints, unlike
from campaigns.formats.run_columns import RunColumns


@dataclass(frozen=True)
class TopicLines:
    """A topic's lines in file order."""

    lines: Ints
    docnos: Bytes
    ranks: Ints
    scores: NDArray[np.float64]


class ByTopic:
    """Takes blocks one after the other and gives each topic's lines, in the order of first appearance."""

    def __init__(self) -> None:
        self._pieces: dict[bytes, list[TopicLines]] = {}
        self.tags: set[bytes] = set()

    def add(self, columns: RunColumns) -> None:
        if not len(columns.lines):
            return
        tags = columns.tags
        self.tags.update([bytes(tags[0])] if not unlike(tags, tags[:1]).any() else np.unique(tags).tolist())
        for chosen in _stretches(columns.topics):
            topic = bytes(columns.topics[chosen][0])
            piece = TopicLines(
                columns.lines[chosen], columns.docnos[chosen], columns.ranks[chosen], columns.scores[chosen]
            )
            self._pieces.setdefault(topic, []).append(piece)

    def topics(self) -> Iterator[tuple[bytes, TopicLines]]:
        """Each topic once, freed as it is given."""
        for topic in list(self._pieces):
            yield topic, _joined(self._pieces.pop(topic))


def _stretches(topics: Bytes) -> Iterator[slice | Ints]:
    """The places of each topic in a block: slices if its lines stand together, as they nearly always do."""
    ends = np.flatnonzero(unlike(topics[1:], topics[:-1])) + 1
    bounds = [0, *ends.tolist(), len(topics)]
    stretches = [slice(low, high) for low, high in pairwise(bounds)]
    names, first, group = np.unique(topics[bounds[:-1]], return_index=True, return_inverse=True)
    if len(stretches) == len(names):
        yield from stretches
        return
    # Topics take turns: sort the lines by topic, so that a file in any order costs one sort and not a loop.
    appearance = np.empty_like(first)
    appearance[np.argsort(first)] = np.arange(len(names))
    of_line = np.repeat(appearance[group], np.diff(bounds))
    order = np.argsort(of_line, kind="stable")
    yield from np.split(order, np.cumsum(np.bincount(of_line))[:-1])


def _joined(pieces: list[TopicLines]) -> TopicLines:
    if len(pieces) == 1:
        return pieces[0]
    return TopicLines(
        np.concatenate([piece.lines for piece in pieces]),
        np.concatenate([piece.docnos for piece in pieces]),
        np.concatenate([piece.ranks for piece in pieces]),
        np.concatenate([piece.scores for piece in pieces]),
    )
