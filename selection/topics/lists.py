"""Runs' lists for one topic, and each document's features for the classifier."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from evaluation.arrays import BoolArray, FloatArray, IntArray

# What a run contributes to the pool of a topic, as in TREC's ad hoc tracks.
POOL_DEPTH = 100
# Of how many runs rank it, of its ranks, and of how these runs did before.
GENERAL_FEATURES = 7


@dataclass(frozen=True, eq=False)
class DocumentFeatures:
    """Features of some documents; few runs rank a document, so the runs' scores are sparse.

    general : float64 (documents, 7)
    scores : csr_array of float64 (documents, runs)
    """

    general: FloatArray
    scores: scipy.sparse.csr_array

    def of(self, some: BoolArray) -> DocumentFeatures:
        if some.all():
            return self
        return DocumentFeatures(self.general[some], self.scores[some])

    @staticmethod
    def joined(several: Sequence[DocumentFeatures]) -> DocumentFeatures:
        scores = scipy.sparse.csr_array(scipy.sparse.vstack([one.scores for one in several]))
        return DocumentFeatures(np.concatenate([one.general for one in several]), scores)


@dataclass(frozen=True, eq=False)
class TopicLists:
    """One topic's rankings, cut at the pool's depth.

    documents : int, how many any run ranks so deep; a document is its place in [0, documents)
    rankings : sequence of int arrays or None, one per run, in rank order; None where a run misses the topic
    scores : sequence of float64 arrays or None, likewise: what the run gave each document
    """

    documents: int
    rankings: Sequence[IntArray | None]
    scores: Sequence[FloatArray | None]

    @property
    def runs(self) -> int:
        return len(self.rankings)

    @cached_property
    def _entries(self) -> tuple[IntArray, IntArray, IntArray, FloatArray]:
        """Run, document, rank and score of every entry of every list, by document."""
        lengths = [0 if ranking is None else len(ranking) for ranking in self.rankings]
        run = np.repeat(np.arange(self.runs), lengths)
        document = _joined(self.rankings, np.int64)
        rank = _joined([np.arange(1, n + 1) for n in lengths], np.int64)
        order = np.argsort(document, kind="stable")
        score = _joined([None if one is None else _scaled(one) for one in self.scores], np.float64)
        if len(score) != len(document):
            raise ValueError(f"{len(score)} scores for {len(document)} documents in the lists")
        if len(document) and not np.array_equal(np.unique(document), np.arange(self.documents)):
            raise ValueError(f"the lists do not rank each of {self.documents} documents")
        return run[order], document[order], rank[order], score[order]

    @cached_property
    def _starts(self) -> IntArray:
        """Start of each document's entries."""
        return np.searchsorted(self._entries[1], np.arange(self.documents))

    def weighted_sums(self, values: FloatArray, weights: FloatArray) -> FloatArray:
        """For each run, the sum over its ranks of the document's value times the rank's weight, (runs,).
        Ranks below the weights' count 0."""
        run, document, rank, _ = self._entries
        padded = np.zeros(max(len(weights), int(rank.max(initial=0))) + 1)
        padded[1 : len(weights) + 1] = weights
        sums = np.bincount(run, values[document] * padded[rank], minlength=self.runs)
        return np.asarray(sums, np.float64)

    @cached_property
    def padded(self) -> IntArray:
        """The rankings as one array (runs, longest), filled up with the number of documents."""
        longest = max((len(one) for one in self.rankings if one is not None), default=0)
        array = np.full((self.runs, longest), self.documents, dtype=np.int64)
        run, document, rank, _ = self._entries
        array[run, rank - 1] = document
        return array

    def features(self, past: FloatArray) -> DocumentFeatures:
        """Each document's 7 + runs features.

        Parameters
        ----------
        past : ndarray of float64, shape (runs,)
            Each run's mean score over the judged topics.

        Returns
        -------
        DocumentFeatures
            How many runs rank the document; their mean, lowest and highest rank; the lowest, highest and mean
            `past` of these runs; then the score that each run gave it, scaled so that the run's lowest of the
            topic is 0 and its highest 1. A document that the run does not rank has the lowest.

        References
        ----------
        Hosseini and others 2012, section 5.
        """
        return DocumentFeatures(self._general(past), self._scores)

    def weighted_features(self, weights: FloatArray, past: FloatArray) -> FloatArray:
        """`features(past)` times `weights`, (documents,)."""
        general, of_scores = weights[:GENERAL_FEATURES], weights[GENERAL_FEATURES:]
        return np.asarray(self._general(past) @ general + self._scores @ of_scores, np.float64)

    @cached_property
    def _scores(self) -> scipy.sparse.csr_array:
        run, _, _, score = self._entries
        starts = np.append(self._starts, len(run))
        return scipy.sparse.csr_array((score, run, starts), shape=(self.documents, self.runs))

    @cached_property
    def _ranks(self) -> FloatArray:
        """Number of runs that rank each document, and its mean, lowest and highest rank, (documents, 4)."""
        run, _, rank, _ = self._entries
        table = np.zeros((self.documents, 4))
        if self.documents:
            table[:, 0] = np.diff(self._starts, append=len(run))
            table[:, 1:] = self._over_entries(rank, (np.add, np.minimum, np.maximum))
            table[:, 1] /= table[:, 0]
        return table

    def _general(self, past: FloatArray) -> FloatArray:
        features = np.zeros((self.documents, GENERAL_FEATURES))
        if self.documents:
            features[:, :4] = self._ranks
            features[:, 4:] = self._over_entries(past[self._entries[0]], (np.minimum, np.maximum, np.add))
            features[:, 6] /= features[:, 0]
        return features

    def _over_entries(self, values: FloatArray | IntArray, kinds: Sequence[np.ufunc]) -> FloatArray:
        return np.stack([kind.reduceat(values, self._starts) for kind in kinds], axis=1)


def cut_lists(
    rankings: Sequence[NDArray[np.integer[Any]] | None],
    scores: Sequence[NDArray[np.floating[Any]] | None],
    depth: int,
) -> tuple[NDArray[np.int32], TopicLists]:
    """The lists of one topic, cut at `depth`, and the documents that they rank.

    Parameters
    ----------
    rankings : sequence of int arrays or None, one per run
        Documents by any numbers, in rank order.
    scores : sequence of float arrays or None, likewise
    depth : int

    Returns
    -------
    tuple of ndarray of int and TopicLists
        The documents' numbers, ascending; a document's place there is its place in the lists.

    Examples
    --------
    >>> documents, lists = cut_lists([np.array([7, 3, 9]), None], [np.array([3.0, 2.0, 1.0]), None], 2)
    >>> documents.tolist(), lists.documents, lists.rankings[0].tolist()
    ([3, 7], 2, [1, 0])
    """
    cut = [None if one is None else one[:depth] for one in rankings]
    documents = ranked_documents(cut)
    placed = [None if one is None else np.searchsorted(documents, one) for one in cut]
    given = [None if one is None else one[:depth].astype(np.float64) for one in scores]
    return documents, TopicLists(len(documents), placed, given)


def ranked_documents(rankings: Sequence[NDArray[np.integer[Any]] | None]) -> NDArray[np.int32]:
    """Documents that any of the lists ranks, ascending."""
    present = [ranking for ranking in rankings if ranking is not None]
    return np.unique(np.concatenate([np.zeros(0, dtype=np.int32), *present]).astype(np.int32))


def _scaled(scores: FloatArray) -> FloatArray:
    """Unscaled, scores of different topics do not compare: many rankers score long topics higher."""
    low, high = float(scores.min(initial=np.inf)), float(scores.max(initial=-np.inf))
    if high - low == np.inf and len(scores):
        # No float is as large as their distance.
        scores, low, high = scores / 2, low / 2, high / 2
    return (scores - low) / (high - low) if high > low else np.zeros(len(scores))


def _joined(arrays: Sequence[FloatArray | IntArray | None], kind: type[np.generic]) -> Any:
    return np.concatenate([np.zeros(0, dtype=kind), *(one for one in arrays if one is not None)]).astype(kind)
