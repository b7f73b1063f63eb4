"""Rankings as places of judged documents: all that most measures read of a run.

Most documents of a run are not judged. Looking up only the judged ones spares an id for every other docno.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from campaigns.formats.qrels import ParsedQrels
from campaigns.formats.runs.columns import Words, hash_words
from campaigns.formats.runs.files import ParsedRun
from campaigns.formats.runs.report import RunReport
from evaluation.arrays import BoolArray
from evaluation.measures.ordering import Scores
from selection.pool import Ids

OTHER = -1


class DocnoTable:
    """Ids of some docnos: places in `docnos`, which ascend by their UTF-8 bytes."""

    def __init__(self, docnos: Iterable[str]) -> None:
        self._names = sorted(docno.encode() for docno in docnos)
        self._by_width: dict[int, _HashTable] = {}

    @property
    def docnos(self) -> list[str]:
        return [name.decode() for name in self._names]

    def ids(self, words: Words) -> Ids:
        """The id of each word, shape (n,), `OTHER` for one that is not in the table."""
        if words.dtype == object:
            known = {name: place for place, name in enumerate(self._names)}
            return np.array([known.get(word, OTHER) for word in words.tolist()], dtype=np.int32)
        width = words.dtype.itemsize
        if width not in self._by_width:
            self._by_width[width] = _HashTable(self._names, width)
        return self._by_width[width].ids(words)


class _HashTable:
    """The names that fit into words of one width, chained by the upper bits of their hashes."""

    def __init__(self, names: Sequence[bytes], width: int) -> None:
        fitting = [place for place, name in enumerate(names) if len(name) <= width]
        self._ids = np.array(fitting, dtype=np.int32)
        self._words = np.array([names[place] for place in fitting], dtype=f"S{width}")
        # At least four slots a name, so that chains are short.
        self._shift = np.uint64(64 - (4 * len(fitting) + 1).bit_length())
        self._first = np.full(1 << int(64 - self._shift), OTHER, dtype=np.int32)
        self._next = np.full(len(fitting), OTHER, dtype=np.int32)
        for place, slot in enumerate(self._slots(self._words).tolist()):
            self._next[place], self._first[slot] = self._first[slot], place

    def ids(self, words: Words) -> Ids:
        rows = self._first[self._slots(words)]
        left = np.flatnonzero(rows != OTHER)
        while len(left):
            left = left[self._words[rows[left]] != words[left]]
            rows[left] = self._next[rows[left]]
            left = left[rows[left] != OTHER]
        return np.where(rows == OTHER, OTHER, self._ids.take(rows, mode="clip")) if len(self._ids) else rows

    def _slots(self, words: Words) -> NDArray[np.intp]:
        return (hash_words(words) >> self._shift).astype(np.intp)


@dataclass(frozen=True, eq=False)
class JudgedRankings:
    """Ids, shape (n,), of each ranking by topic number, and `ties_of` its scores; `tag` is the run's, and
    `report` has the notices about its file."""

    tag: str
    report: RunReport
    ids: Mapping[str, Ids]
    ties: Mapping[str, BoolArray]


@dataclass(frozen=True, eq=False)
class JudgedDocuments:
    """A table of each topic's documents that the qrels name, judged or not judged on purpose."""

    tables: Mapping[str, DocnoTable]

    @classmethod
    def of(cls, qrels: ParsedQrels) -> JudgedDocuments:
        nothing: frozenset[str] = frozenset()
        named = {
            number: DocnoTable(grades.keys() | qrels.not_judged.get(number, nothing))
            for number, grades in qrels.grades.items()
        }
        return cls(named)

    def of_topic(self, number: str) -> DocnoTable:
        return self.tables.get(number) or DocnoTable([])

    def rankings(self, run: ParsedRun) -> JudgedRankings:
        lists = run.rankings.items()
        return JudgedRankings(
            run.tag,
            run.report,
            {number: self.of_topic(number).ids(ranking.docno_bytes) for number, ranking in lists},
            {number: ties_of(ranking.scores) for number, ranking in lists},
        )


def ties_of(scores: Scores) -> BoolArray:
    """Mark a document if it has the score of the one before it, shape (n,)."""
    ties = np.zeros(len(scores), dtype=np.bool_)
    np.equal(scores[1:], scores[:-1], out=ties[1:])
    return ties
