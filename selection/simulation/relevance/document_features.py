"""Features of documents that predict relevance: the runs' agreement, and how the judged documents of each run
at each depth turned out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import scipy

from evaluation.arrays import FloatArray, IntArray
from selection.framework.interface import Setting
from selection.pool import Pools, TopicPool

# What runs rank among their first ten is what others are measured by.
FIRST = 10


class RunSupport:
    """Support of documents, and standing of runs.

    A document's support is the logarithm of the sum of 1 / rank over all runs, less the mean over what
    the topic's runs rank among their first ten: so it says the same of few runs and of many, of runs that
    are much alike and of runs that are not. What no run ranks has the support of what one run ranks last.

    standing : float64 (runs,), the mean support of what a run ranks among its first ten, over all topics; 0
        if it ranks nothing. Runs that find what others find tend to be the better ones (Soboroff, Nicholas
        and Cahan 2001; Aslam and Savell 2003).
    """

    def __init__(self, pools: Pools, runs: int) -> None:
        self._usual, self._least = np.zeros(len(pools)), np.zeros(len(pools))
        total, count = np.zeros(runs), np.zeros(runs)
        for topic, pool in enumerate(pools):
            counts = np.concatenate([[0.0], np.cumsum(1.0 / pool.rank)])
            mass = np.diff(counts[pool.start])
            first = np.flatnonzero(pool.rank <= FIRST)
            run, document = pool.run[first], np.searchsorted(pool.start, first, side="right") - 1
            self._least[topic] = 1.0 / max(pool.depth, 1)
            self._usual[topic] = np.log(mass[document]).mean() if len(first) else 0.0
            total += np.bincount(run, self.support(topic, mass)[document], runs)
            count += np.bincount(run, minlength=runs)
        self.standing = total / np.maximum(count, 1)

    def support(self, topic: int, mass: FloatArray) -> FloatArray:
        """Support of some documents of the topic, given their sums of 1 / rank."""
        return np.asarray(np.log(np.maximum(mass, self._least[topic])) - self._usual[topic])


# The last ranks of the depths that have a rate of their own.
RATE_DEPTHS = np.array([1, 2, 5, 10, 20, 50, 100, 200, 500])
# Judgments that a rate of wider scope counts for, against those of one run at one depth.
PRIOR_JUDGMENTS = 10.0
# Relevant documents that a run is taken to have found as expected before anything is known of it.
DUE = 2.0
# 1, opinion, support, consent, standing; and where support stands among them.
FEATURES, SUPPORT = 5, 2


@dataclass(frozen=True, eq=False)
class DocumentFeatures:
    """Some documents of one topic, and the runs that rank them.

    features : float64 (documents, FEATURES)
    run, of, part : (entries,), a run, the document that it ranks, and its part in what the document's
        runs are good for, as 1 / rank; the squares of each document's parts add up to 1
    """

    features: FloatArray
    run: IntArray
    of: IntArray
    part: FloatArray

    def parts(self, runs: int) -> scipy.sparse.csr_array:
        """(documents, runs)"""
        cells = self.of, self.run.astype(np.intp)
        return scipy.sparse.csr_array((self.part, cells), shape=(len(self.features), runs))


class RunRates:
    """Each run has a rate at each depth. It is drawn towards the depth's rate over all runs, with odds as
    many times higher as the run has found more than its depths let expect; and the depth's rate towards
    that of all judgments. A document's opinion is the mean of its runs' logits, each counted 1 / rank; its
    consent the mean of all runs' logits, a run that does not rank it having its rate among such documents.
    Logits are less that of all judgments: what is judged first is what runs agree on, and how much of it
    is relevant says little of the others. Support, and the standing of the document's runs, are what
    `RunSupport` says.

    This project's choice, after the idea of Carterette 2007 that runs are experts.
    """

    def __init__(self, setting: Setting) -> None:
        self._setting = setting
        self._agreement = RunSupport(setting.pools, setting.runs)
        self._count()

    def judged(self) -> Iterator[tuple[int, FloatArray, DocumentFeatures]]:
        """Training data by topic: 1 or 0 for each judged document that a run ranks, and its features. A
        document's own outcome is taken out of the rates among its features."""
        for topic, documents, label in _judged(self._setting):
            pool = self._setting.pools[topic]
            at, of = entries_of(pool, documents)
            yield topic, label, self._described(topic, at, of, len(documents), label[of])

    def described(self, topic: int, documents: IntArray | None = None) -> DocumentFeatures:
        """These documents of the topic's pool, by index; all without them."""
        pool = self._setting.pools[topic]
        documents = np.arange(len(pool)) if documents is None else documents
        at, of = entries_of(pool, documents)
        return self._described(topic, at, of, len(documents))

    def _count(self) -> None:
        shape = (self._setting.runs, len(RATE_DEPTHS) + 1)
        self._relevant, self._seen = np.zeros(shape), np.zeros(shape)
        judged = hits = 0.0
        for topic, documents, label in _judged(self._setting):
            judged, hits = judged + len(label), hits + label.sum()
            pool = self._setting.pools[topic]
            at, of = entries_of(pool, documents)
            cell = pool.run[at].astype(np.intp), np.searchsorted(RATE_DEPTHS, pool.rank[at])
            np.add.at(self._seen, cell, 1)
            np.add.at(self._relevant, cell, label[of])
        seen, relevant = self._seen.sum(axis=0), self._relevant.sum(axis=0)
        overall = (hits + 1) / (judged + 2)
        self._level = scipy.special.logit(overall)
        self._by_depth = (relevant + PRIOR_JUDGMENTS * overall) / (seen + PRIOR_JUDGMENTS)
        unseen, missed = judged - self._seen.sum(axis=1), hits - self._relevant.sum(axis=1)
        rate = (missed + PRIOR_JUDGMENTS * overall) / (unseen + PRIOR_JUDGMENTS)
        self._absent = scipy.special.logit(rate) - self._level
        self._hits, self._due = self._relevant.sum(axis=1), self._seen @ self._by_depth

    def _logits(self, pool: TopicPool, at: IntArray, label: FloatArray | None) -> FloatArray:
        """The runs' logits at these entries; without the outcome itself, where it is counted."""
        depth = np.searchsorted(RATE_DEPTHS, pool.rank[at])
        cell = pool.run[at].astype(np.intp), depth
        relevant, seen, rate = self._relevant[cell], self._seen[cell], self._by_depth[depth]
        hits, due = self._hits[cell[0]], self._due[cell[0]]
        if label is not None:
            relevant, seen = relevant - label, seen - 1
            hits, due = hits - label, due - rate
        odds = rate / (1 - rate) * (hits + DUE) / (due + DUE)
        rate = (relevant + PRIOR_JUDGMENTS * odds / (1 + odds)) / (seen + PRIOR_JUDGMENTS)
        return np.asarray(scipy.special.logit(rate) - self._level)

    def _described(
        self, topic: int, at: IntArray, of: IntArray, documents: int, label: FloatArray | None = None
    ) -> DocumentFeatures:
        pool = self._setting.pools[topic]
        logits, run = self._logits(pool, at, label), pool.run[at]
        count = 1.0 / pool.rank[at]
        mass = np.asarray(np.bincount(of, count, documents), dtype=np.float64)
        opinion = np.bincount(of, count / mass[of] * logits, documents)
        support = self._agreement.support(topic, mass)
        gained = np.bincount(of, logits - self._absent[run], documents)
        consent = self._absent.mean() + gained / len(self._absent)
        part = count / np.sqrt(np.bincount(of, count**2, documents))[of]
        standing = np.bincount(of, part * self._agreement.standing[run], documents)
        features = np.column_stack([np.ones(documents), opinion, support, consent, standing])
        return DocumentFeatures(features, run, of, part)


def _judged(setting: Setting) -> Iterator[tuple[int, IntArray, FloatArray]]:
    """Labels by topic: judged documents that a run ranks and a method served, and 1 or 0 for each."""
    for topic in range(len(setting.pools)):
        gains = setting.judgments.served_in(topic)
        if not gains:
            continue
        documents = np.array(sorted(gains))
        documents = documents[np.diff(setting.pools[topic].start)[documents] > 0]
        label = np.array([float(setting.relevant(gains[document])) for document in documents.tolist()])
        yield topic, documents, label


def entries_of(pool: TopicPool, documents: IntArray) -> tuple[IntArray, IntArray]:
    """Positions of these documents in the pool's entries, and the document at each position."""
    counts = np.diff(pool.start)[documents]
    of = np.repeat(np.arange(len(documents)), counts)
    at = np.arange(len(of)) + np.repeat(pool.start[documents] - np.cumsum(counts) + counts, counts)
    return at, of
