"""How the judged documents of each run at each depth turned out, and what that says of the others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import logit

from evaluation.arrays import FloatArray, IntArray
from selection.framework.interface import Setting
from selection.pool import TopicPool
from selection.simulation.agreement import Agreement

# The last ranks of the depths that have a rate of their own.
DEPTHS = np.array([1, 2, 5, 10, 20, 50, 100, 200, 500])
# Judgments that a rate of wider scope counts for, against those of one run at one depth.
BORROWED = 10.0
# Relevant documents that a run is taken to have found as expected before anything is known of it.
DUE = 2.0
# 1, opinion, support, consent, standing.
FEATURES = 5


@dataclass(frozen=True, eq=False)
class Described:
    """Some documents of one topic, and the runs that rank them.

    features : float64 (documents, FEATURES)
    run, of, part : (entries,), a run, the document that it ranks, and its part in what the document's
        runs are good for, as 1 / rank; the squares of each document's parts add up to 1
    """

    features: FloatArray
    run: IntArray
    of: IntArray
    part: FloatArray


class RunRates:
    """Each run has a rate at each depth. It is drawn towards the depth's rate over all runs, with odds as
    many times higher as the run has found more than its depths let expect; and the depth's rate towards
    that of all judgments. A document's opinion is the mean of its runs' logits, each counted 1 / rank; its
    consent the mean of all runs' logits, a run that does not rank it having its rate among such documents.
    Logits are told from that of all judgments: what is judged first is what runs agree on, and how much of it
    is relevant says little of the others. Support, and the standing of the document's runs, are what
    `Agreement` says.

    This project's choice, after the idea of Carterette 2007 that runs are experts.
    """

    def __init__(self, setting: Setting) -> None:
        self._setting = setting
        self._agreement = Agreement(setting.pools, setting.runs)
        self._count()

    def judged(self) -> Iterator[tuple[int, FloatArray, Described]]:
        """By topic: 1 or 0 for each judged document that a run ranks, and what describes it; a document's
        own outcome is taken out of the rates it is described by."""
        for topic, documents, label in _judged(self._setting):
            pool = self._setting.pools[topic]
            at, of = _entries(pool, documents)
            yield topic, label, self._described(topic, at, of, len(documents), label[of])

    def described(self, topic: int) -> Described:
        """Each document of the topic's pool."""
        pool = self._setting.pools[topic]
        at, of = _entries(pool, np.arange(len(pool)))
        return self._described(topic, at, of, len(pool))

    def _count(self) -> None:
        shape = (self._setting.runs, len(DEPTHS) + 1)
        self._relevant, self._seen = np.zeros(shape), np.zeros(shape)
        judged = found = 0.0
        for topic, documents, label in _judged(self._setting):
            judged, found = judged + len(label), found + label.sum()
            pool = self._setting.pools[topic]
            at, of = _entries(pool, documents)
            cell = pool.run[at].astype(np.intp), np.searchsorted(DEPTHS, pool.rank[at])
            np.add.at(self._seen, cell, 1)
            np.add.at(self._relevant, cell, label[of])
        seen, relevant = self._seen.sum(axis=0), self._relevant.sum(axis=0)
        overall = (found + 1) / (judged + 2)
        self._level = logit(overall)
        self._by_depth = (relevant + BORROWED * overall) / (seen + BORROWED)
        unseen, missed = judged - self._seen.sum(axis=1), found - self._relevant.sum(axis=1)
        self._absent = logit((missed + BORROWED * overall) / (unseen + BORROWED)) - self._level
        self._found, self._due = self._relevant.sum(axis=1), self._seen @ self._by_depth

    def _logits(self, pool: TopicPool, at: IntArray, label: FloatArray | None) -> FloatArray:
        """The runs' logits at these entries; without the outcome itself, where it is counted."""
        depth = np.searchsorted(DEPTHS, pool.rank[at])
        cell = pool.run[at].astype(np.intp), depth
        relevant, seen, rate = self._relevant[cell], self._seen[cell], self._by_depth[depth]
        found, due = self._found[cell[0]], self._due[cell[0]]
        if label is not None:
            relevant, seen = relevant - label, seen - 1
            found, due = found - label, due - rate
        odds = rate / (1 - rate) * (found + DUE) / (due + DUE)
        rate = (relevant + BORROWED * odds / (1 + odds)) / (seen + BORROWED)
        return np.asarray(logit(rate) - self._level)

    def _described(
        self, topic: int, at: IntArray, of: IntArray, documents: int, label: FloatArray | None = None
    ) -> Described:
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
        return Described(features, run, of, part)


def _judged(setting: Setting) -> Iterator[tuple[int, IntArray, FloatArray]]:
    """By topic: judged documents that a run ranks, and 1 or 0 for each."""
    for topic in range(len(setting.pools)):
        gains = setting.judgments.judged_in(topic)
        if not gains:
            continue
        documents = np.array(sorted(gains))
        documents = documents[np.diff(setting.pools[topic].start)[documents] > 0]
        label = np.array([float(setting.relevant(gains[document])) for document in documents.tolist()])
        yield topic, documents, label


def _entries(pool: TopicPool, documents: IntArray) -> tuple[IntArray, IntArray]:
    """Where these documents occur in the pool's entries, and which of them occurs there."""
    counts = np.diff(pool.start)[documents]
    of = np.repeat(np.arange(len(documents)), counts)
    at = np.arange(len(of)) + np.repeat(pool.start[documents] - np.cumsum(counts) + counts, counts)
    return at, of
