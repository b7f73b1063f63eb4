"""Finding docnos that a collection gives twice, in a dozen bytes of memory each."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from campaigns.formats.errors import ErrorList, quote

_BATCH = 1 << 16

Hashes = NDArray[np.int64]
LineNumbers = NDArray[np.int32]


class Repeats:
    """Takes docnos with their lines; an error for each that an earlier line gave, a batch late.

    A docno is known by 64 bits of its hash: in ten million, the chance that any two docnos are taken for
    one is below one in a hundred thousand.
    """

    def __init__(self, errors: ErrorList) -> None:
        self._errors = errors
        self._docnos: list[str] = []
        self._lines: list[int] = []
        # Sorted by hash, each less than half as long as the one before: few to search, cheap to keep so.
        self._known: list[tuple[Hashes, LineNumbers]] = []

    def add(self, docno: str, line: int) -> None:
        self._docnos.append(docno)
        self._lines.append(line)
        if len(self._docnos) == _BATCH:
            self.settle()

    def settle(self) -> None:
        """Looks through the docnos that wait for it."""
        hashes = np.fromiter(map(hash, self._docnos), np.int64, len(self._docnos))
        lines = np.array(self._lines, dtype=np.int32)
        order = np.argsort(hashes, kind="stable")
        first: dict[int, int] = {}
        same = np.flatnonzero(hashes[order][1:] == hashes[order][:-1]) + 1
        for place in same.tolist():
            earlier = int(order[place - 1])
            first[int(order[place])] = first.get(earlier, int(lines[earlier]))
        for known, known_lines in self._known:
            at = np.minimum(np.searchsorted(known, hashes), len(known) - 1)
            first |= {
                int(place): int(known_lines[at[place]]) for place in np.flatnonzero(known[at] == hashes)
            }
        for place, line in first.items():
            detail = f"docno {quote(self._docnos[place])} a second time (first in line {line})"
            self._errors.add(self._lines[place], detail, "docno")
        self._docnos, self._lines = [], []
        self._keep(hashes[order], lines[order])

    def _keep(self, hashes: Hashes, lines: LineNumbers) -> None:
        while self._known and len(self._known[-1][0]) < 2 * len(hashes):
            more, more_lines = self._known.pop()
            hashes, lines = np.concatenate([more, hashes]), np.concatenate([more_lines, lines])
            order = np.argsort(hashes, kind="stable")
            hashes, lines = hashes[order], lines[order]
        if len(hashes):
            self._known.append((hashes, lines))
