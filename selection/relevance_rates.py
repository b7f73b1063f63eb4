"""How likely each unjudged document is to be relevant, from how the judged ones turned out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, logit

from evaluation.arrays import FloatArray, IntArray
from selection.kept import Kept
from selection.pool import TopicPool
from selection.protocol import Setting

# The last ranks of the depths that have a rate of their own.
DEPTHS = np.array([1, 2, 5, 10, 20, 50, 100, 200, 500])
# Judgments that a rate of wider scope counts for, against those of one run at one depth.
BORROWED = 10.0
# Relevant documents that a run is taken to have found as expected before anything is known of it.
DUE = 2.0
# What is believed of the logistic model before any judgment, and how firmly. Early judgments are all of
# documents on which runs agree, and say little of the others.
EXPECTED = np.array([0.0, 0.5, 1.0, 3.0])
DEVIATION = np.array([2.0, 0.5, 1.0, 2.0])
TOPIC_DEVIATION = 1.0
# Documents whose features are kept, 16 bytes each.
ROOM = 4_000_000


@dataclass(frozen=True, eq=False)
class Effects:
    """One version of the model: of intercept, opinion, support and consent (4,); of each topic (topics,)."""

    common: FloatArray
    topic: FloatArray


class RelevanceRates:
    """A logistic model of relevance (gain above the threshold), fitted to the judgments of the moment.

    Each run has a rate at each depth. It is drawn towards the depth's rate over all runs, with odds as
    many times higher as the run has found more than its depths let expect; and the depth's rate towards
    that of all judgments. A document's opinion is the mean of its runs' logits, each counted 1 / rank; its
    support the logarithm of the sum of these counts; its consent the mean of all runs' logits, a run that
    does not rank it having its rate among such documents. All go with an effect of the topic into a
    logistic regression with normal priors. A judged document's own outcome is taken out of the rates it is
    described by. `drawn` makes a version of the model at random, as far as the judgments leave it open
    (Laplace's approximation); by it the forecasts know that they do not know the rates.

    This project's choice, after the idea of Carterette 2007 that runs are experts.
    """

    def __init__(self, setting: Setting) -> None:
        self._setting = setting
        self._gains = _positive_gains(setting)
        self._count()
        self._fit(*self._judged())
        self._features = Kept(self._describe, lambda _, made: len(made) + 100, ROOM)

    @property
    def expected(self) -> Effects:
        """The most probable version."""
        return self._mode

    def drawn(self, generator: np.random.Generator) -> Effects:
        common = self._half @ generator.standard_normal(len(EXPECTED))
        topic = generator.standard_normal(len(self._precision)) / np.sqrt(self._precision)
        topic -= common @ self._cross / self._precision
        return Effects(self._mode.common + common, self._mode.topic + topic)

    def probabilities(self, topic: int, effects: Effects) -> FloatArray:
        """float64 (documents,): of each document of the topic's pool, judged or not."""
        return np.asarray(expit(self._features[topic] @ effects.common + effects.topic[topic]))

    def gains(self, topic: int, effects: Effects, generator: np.random.Generator) -> FloatArray:
        """float64 (documents,) at random; relevant ones have gains such as the judged relevant have."""
        probabilities = self.probabilities(topic, effects)
        relevant = generator.random(len(probabilities)) < probabilities
        return np.where(relevant, generator.choice(self._gains, len(probabilities)), 0.0)

    def _count(self) -> None:
        shape = (self._setting.runs, len(DEPTHS) + 1)
        self._relevant, self._seen = np.zeros(shape), np.zeros(shape)
        judged = found = 0.0
        for _, _, label, entries in _judged_entries(self._setting):
            judged, found = judged + len(label), found + label.sum()
            pool, at, of = entries
            cell = pool.run[at].astype(np.intp), np.searchsorted(DEPTHS, pool.rank[at])
            np.add.at(self._seen, cell, 1)
            np.add.at(self._relevant, cell, label[of])
        seen, relevant = self._seen.sum(axis=0), self._relevant.sum(axis=0)
        overall = (found + 1) / (judged + 2)
        self._by_depth = (relevant + BORROWED * overall) / (seen + BORROWED)
        unseen, missed = judged - self._seen.sum(axis=1), found - self._relevant.sum(axis=1)
        self._absent = logit((missed + BORROWED * overall) / (unseen + BORROWED))
        self._found, self._due = self._relevant.sum(axis=1), self._seen @ self._by_depth

    def _logits(self, pool: TopicPool, at: IntArray, label: FloatArray | None = None) -> FloatArray:
        """The runs' logits at these entries; without the outcome itself, where it is counted."""
        depth = np.searchsorted(DEPTHS, pool.rank[at])
        cell = pool.run[at].astype(np.intp), depth
        relevant, seen, rate = self._relevant[cell], self._seen[cell], self._by_depth[depth]
        found, due = self._found[cell[0]], self._due[cell[0]]
        if label is not None:
            relevant, seen = relevant - label, seen - 1
            found, due = found - label, due - rate
        odds = rate / (1 - rate) * (found + DUE) / (due + DUE)
        return np.asarray(logit((relevant + BORROWED * odds / (1 + odds)) / (seen + BORROWED)))

    def _judged(self) -> tuple[FloatArray, IntArray, FloatArray]:
        """Design, topic and outcome of every judged document that a run ranks."""
        parts = [(np.zeros((0, len(EXPECTED))), np.zeros(0, dtype=np.intp), np.zeros(0))]
        for topic, documents, label, (pool, at, of) in _judged_entries(self._setting):
            made = self._design(pool, at, of, len(documents), self._logits(pool, at, label[of]))
            parts.append((made, np.full(len(documents), topic), label))
        designs, topics, labels = zip(*parts, strict=True)
        return np.concatenate(designs), np.concatenate(topics), np.concatenate(labels)

    def _describe(self, topic: int) -> FloatArray:
        pool = self._setting.pools[topic]
        at = np.arange(len(pool.run))
        of = np.repeat(np.arange(len(pool)), np.diff(pool.start))
        return self._design(pool, at, of, len(pool), self._logits(pool, at))

    def _design(
        self, pool: TopicPool, at: IntArray, of: IntArray, documents: int, logits: FloatArray
    ) -> FloatArray:
        """float64 (documents, 4): 1, opinion, support, consent. What no run ranks has the support of what one
        run ranks last."""
        share = 1.0 / pool.rank[at]
        mass = np.bincount(of, share, documents)
        opinion = np.bincount(of, share * logits, documents) / np.where(mass > 0, mass, 1.0)
        support = np.log(np.maximum(mass, 1.0 / max(pool.depth, 1)))
        gained = np.bincount(of, logits - self._absent[pool.run[at]], documents)
        consent = self._absent.mean() + gained / len(self._absent)
        return np.column_stack([np.ones(documents), opinion, support, consent])

    def _fit(self, design: FloatArray, topic: IntArray, label: FloatArray) -> None:
        topics, parts = len(self._setting.pools), len(EXPECTED)

        def loss(effects: FloatArray) -> tuple[float, FloatArray]:
            common, own = effects[:parts], effects[parts:]
            logits = design @ common + own[topic]
            error = expit(logits) - label
            away, apart = (common - EXPECTED) / DEVIATION, own / TOPIC_DEVIATION
            value = (np.logaddexp(0, logits) - label * logits).sum() + (away @ away + apart @ apart) / 2
            slope = design.T @ error + away / DEVIATION
            return float(value), np.r_[slope, np.bincount(topic, error, topics) + apart / TOPIC_DEVIATION]

        found = minimize(loss, np.r_[EXPECTED, np.zeros(topics)], jac=True, method="L-BFGS-B").x
        self._mode = Effects(found[:parts], found[parts:])
        chance = expit(design @ self._mode.common + self._mode.topic[topic])
        spread = chance * (1 - chance)
        # The curvature: a block of what is common, a diagonal of topics, and what ties them.
        self._precision = np.bincount(topic, spread, topics) + TOPIC_DEVIATION**-2
        self._cross = np.array([np.bincount(topic, spread * column, topics) for column in design.T])
        common = (design.T * spread) @ design + np.diag(DEVIATION**-2)
        common -= (self._cross / self._precision) @ self._cross.T
        self._half = np.linalg.inv(np.linalg.cholesky(common)).T


Entries = tuple[TopicPool, IntArray, IntArray]


def _judged_entries(setting: Setting) -> Iterator[tuple[int, IntArray, FloatArray, Entries]]:
    """By topic: judged documents, 1 or 0 for each, and their entries in the pool with whose they are."""
    for topic in range(len(setting.pools)):
        gains = setting.judgments.judged_in(topic)
        if not gains:
            continue
        pool = setting.pools[topic]
        documents = np.array(sorted(gains))
        documents = documents[np.diff(pool.start)[documents] > 0]
        label = np.array([float(setting.relevant(gains[document])) for document in documents.tolist()])
        counts = np.diff(pool.start)[documents]
        of = np.repeat(np.arange(len(documents)), counts)
        at = np.arange(len(of)) + np.repeat(pool.start[documents] - np.cumsum(counts) + counts, counts)
        yield topic, documents, label, (pool, at, of)


def _positive_gains(setting: Setting) -> FloatArray:
    """The gains of the judged relevant documents, each as often as it was given; 1 before there are any."""
    gains = [
        gain
        for topic in range(len(setting.pools))
        for gain in setting.judgments.judged_in(topic).values()
        if setting.relevant(gain)
    ]
    return np.sort(np.array(gains or [1.0]))
