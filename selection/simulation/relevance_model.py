"""A model of how likely each unjudged document is relevant, from the runs' agreement and from how the judged
documents of each run at each depth turned out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve_triangular
from scipy.optimize import minimize
from scipy.sparse import csr_array
from scipy.special import expit, logit

from evaluation.arrays import FloatArray, IntArray
from selection.cache import LruCache
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
        """Of some documents of the topic, whose sums of 1 / rank are given."""
        return np.asarray(np.log(np.maximum(mass, self._least[topic])) - self._usual[topic])


# The last ranks of the depths that have a rate of their own.
RATE_DEPTHS = np.array([1, 2, 5, 10, 20, 50, 100, 200, 500])
# Judgments that a rate of wider scope counts for, against those of one run at one depth.
PRIOR_JUDGMENTS = 10.0
# Relevant documents that a run is taken to have found as expected before anything is known of it.
DUE = 2.0
# 1, opinion, support, consent, standing.
FEATURES = 5


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
        """By topic: 1 or 0 for each judged document that a run ranks, and what describes it; a document's
        own outcome is taken out of the rates it is described by."""
        for topic, documents, label in _judged(self._setting):
            pool = self._setting.pools[topic]
            at, of = _entries(pool, documents)
            yield topic, label, self._described(topic, at, of, len(documents), label[of])

    def described(self, topic: int) -> DocumentFeatures:
        """Each document of the topic's pool."""
        pool = self._setting.pools[topic]
        at, of = _entries(pool, np.arange(len(pool)))
        return self._described(topic, at, of, len(pool))

    def _count(self) -> None:
        shape = (self._setting.runs, len(RATE_DEPTHS) + 1)
        self._relevant, self._seen = np.zeros(shape), np.zeros(shape)
        judged = found = 0.0
        for topic, documents, label in _judged(self._setting):
            judged, found = judged + len(label), found + label.sum()
            pool = self._setting.pools[topic]
            at, of = _entries(pool, documents)
            cell = pool.run[at].astype(np.intp), np.searchsorted(RATE_DEPTHS, pool.rank[at])
            np.add.at(self._seen, cell, 1)
            np.add.at(self._relevant, cell, label[of])
        seen, relevant = self._seen.sum(axis=0), self._relevant.sum(axis=0)
        overall = (found + 1) / (judged + 2)
        self._level = logit(overall)
        self._by_depth = (relevant + PRIOR_JUDGMENTS * overall) / (seen + PRIOR_JUDGMENTS)
        unseen, missed = judged - self._seen.sum(axis=1), found - self._relevant.sum(axis=1)
        self._absent = logit((missed + PRIOR_JUDGMENTS * overall) / (unseen + PRIOR_JUDGMENTS)) - self._level
        self._found, self._due = self._relevant.sum(axis=1), self._seen @ self._by_depth

    def _logits(self, pool: TopicPool, at: IntArray, label: FloatArray | None) -> FloatArray:
        """The runs' logits at these entries; without the outcome itself, where it is counted."""
        depth = np.searchsorted(RATE_DEPTHS, pool.rank[at])
        cell = pool.run[at].astype(np.intp), depth
        relevant, seen, rate = self._relevant[cell], self._seen[cell], self._by_depth[depth]
        found, due = self._found[cell[0]], self._due[cell[0]]
        if label is not None:
            relevant, seen = relevant - label, seen - 1
            found, due = found - label, due - rate
        odds = rate / (1 - rate) * (found + DUE) / (due + DUE)
        rate = (relevant + PRIOR_JUDGMENTS * odds / (1 + odds)) / (seen + PRIOR_JUDGMENTS)
        return np.asarray(logit(rate) - self._level)

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


# What is believed of the logistic model before any judgment, and how firmly: relevance is about so frequent,
# and falls so fast with support, in past campaigns of which all is known. Early judgments are all of
# documents on which runs agree, and say little of the others.
PRIOR_MEANS = np.array([-2.0, 0.5, 1.7, 3.0, 1.0])
PRIOR_DEVIATIONS = np.array([1.0, 0.5, 0.3, 2.0, 0.5])
# Of the effects of a topic, of a run, and of a run on one topic.
TOPIC_DEVIATION = 1.0
RUN_DEVIATION = 1.5
RUN_TOPIC_DEVIATION = 1.2
# Numbers kept, 8 bytes each.
RATES_CACHE_SIZE = 8_000_000


@dataclass(frozen=True, eq=False)
class DrawnEffects:
    """One version of the model. `common` (FEATURES + runs,): away from the most probable; `own`
    (topics, 1 + runs): how each topic's effects differ from what is most probable given these, in standard
    deviations."""

    common: FloatArray
    own: FloatArray


class RelevanceRates:
    """A logistic model of relevance (gain above the threshold), fitted to the judgments of the moment.

    The logit of a document is made of the features by which `RunRates` describes it, of an effect of the
    topic, and of what its runs are good for, in general and on this topic: effects of runs, counted 1 / rank
    and divided by the length of these counts. So documents that are ranked alike share a fate, and differ
    from others by as much whether one run ranks them or forty: good runs agree with good ones, and of a mean
    of many effects nothing would be left. And runs are better on one topic than on another, as in truth; if
    documents were independent given their rates, runs would differ by too little in what is to come.
    All effects have normal priors. `drawn` makes a version of the model at random, as far as the judgments
    leave it open (Laplace's approximation); by it the forecasts know that they do not know the rates.

    This project's choice.
    """

    def __init__(self, setting: Setting) -> None:
        self._setting = setting
        self._gains = _positive_gains(setting)
        self._rates = RunRates(setting)
        self._prior = np.r_[TOPIC_DEVIATION, np.full(setting.runs, RUN_TOPIC_DEVIATION)]
        self._fit()
        self._described = LruCache(self._rates.described, _size, RATES_CACHE_SIZE)

    @property
    def expected(self) -> DrawnEffects:
        """The most probable version."""
        shape = len(self._setting.pools), 1 + self._setting.runs
        return DrawnEffects(np.zeros(FEATURES + self._setting.runs), np.zeros(shape))

    def drawn(self, generator: np.random.Generator) -> DrawnEffects:
        common = self._half @ generator.standard_normal(FEATURES + self._setting.runs)
        shape = len(self._setting.pools), 1 + self._setting.runs
        return DrawnEffects(common, generator.standard_normal(shape))

    def probabilities(self, topic: int, effects: DrawnEffects) -> FloatArray:
        """float64 (documents,): of each document of the topic's pool, judged or not."""
        described, common = self._described[topic], self._common + effects.common
        own = self._own(topic, effects)
        by_run = common[FEATURES:] + own[1:]
        leaning = np.bincount(described.of, described.part * by_run[described.run], len(described.features))
        return np.asarray(expit(described.features @ common[:FEATURES] + own[0] + leaning))

    def gains(self, topic: int, effects: DrawnEffects, generator: np.random.Generator) -> FloatArray:
        """float64 (documents,) at random; relevant ones have gains such as the judged relevant have."""
        probabilities = self.probabilities(topic, effects)
        relevant = generator.random(len(probabilities)) < probabilities
        return np.where(relevant, generator.choice(self._gains, len(probabilities)), 0.0)

    def _own(self, topic: int, effects: DrawnEffects) -> FloatArray:
        """(1 + runs,), the effects of the topic and of the runs on it."""
        if topic not in self._known:
            return np.asarray(self._prior * effects.own[topic])
        mode, half, tie = self._known[topic]
        return np.asarray(mode - tie @ effects.common + half @ effects.own[topic])

    def _fit(self) -> None:
        parts = list(self._rates.judged())
        label = np.concatenate([np.zeros(0), *(part[1] for part in parts)])
        design = _design([described for _, _, described in parts], self._setting.runs)
        middle, deviation = self._beliefs(len(parts))

        def loss(effects: FloatArray) -> tuple[float, FloatArray]:
            logits, away = design @ effects, (effects - middle) / deviation
            value = (np.logaddexp(0, logits) - label * logits).sum() + away @ away / 2
            return float(value), design.T @ (expit(logits) - label) + away / deviation

        found = minimize(loss, middle, jac=True, method="L-BFGS-B").x
        common = FEATURES + self._setting.runs
        self._common, own = found[:common], found[common:].reshape(len(parts), 1 + self._setting.runs)
        chance = expit(design @ found)
        self._curve([part[0] for part in parts], own, [part[2] for part in parts], chance * (1 - chance))

    def _beliefs(self, topics: int) -> tuple[FloatArray, FloatArray]:
        """Middle and deviation of all effects before any judgment: of what is common, then topic by topic."""
        runs = self._setting.runs
        deviation = np.r_[PRIOR_DEVIATIONS, np.full(runs, RUN_DEVIATION), np.tile(self._prior, topics)]
        middle = np.zeros(len(deviation))
        middle[:FEATURES] = PRIOR_MEANS
        return middle, deviation

    def _curve(
        self, topics: list[int], own: FloatArray, parts: list[DocumentFeatures], spread: FloatArray
    ) -> None:
        """What the judgments leave open: of what is common, and of each topic given what is common."""
        runs = self._setting.runs
        precision = np.diag(np.r_[PRIOR_DEVIATIONS**-2, np.full(runs, RUN_DEVIATION**-2)])
        self._known: dict[int, tuple[FloatArray, FloatArray, FloatArray]] = {}
        begin = 0
        for topic, mode, described in zip(topics, own, parts, strict=True):
            every = _dense(described, runs)
            weight = spread[begin : begin + len(every), None]
            begin += len(every)
            mine = every.copy()[:, FEATURES - 1 :]
            mine[:, 0] = 1.0
            half = _half_of_inverse(np.diag(self._prior**-2) + mine.T @ (weight * mine))
            across = mine.T @ (weight * every)
            tie = half @ (half.T @ across)
            precision += every.T @ (weight * every) - across.T @ tie
            self._known[topic] = mode, half, tie
        self._half = _half_of_inverse(precision)


def _half_of_inverse(precision: FloatArray) -> FloatArray:
    """H with H H' = the inverse."""
    lower = np.linalg.cholesky(precision)
    return np.asarray(solve_triangular(lower, np.eye(len(lower)), lower=True).T)


def _dense(described: DocumentFeatures, runs: int) -> FloatArray:
    """(documents, FEATURES + runs)"""
    made = np.zeros((len(described.features), FEATURES + runs))
    made[:, :FEATURES] = described.features
    made[described.of, FEATURES + described.run.astype(np.intp)] = described.part
    return made


def _design(parts: list[DocumentFeatures], runs: int) -> csr_array:
    """(judged documents, FEATURES + runs + topics * (1 + runs)): each topic has columns of its own."""
    rows, columns, values = [np.zeros(0, int)], [np.zeros(0, int)], [np.zeros(0)]
    done = 0
    for place, described in enumerate(parts):
        documents = np.arange(len(described.features))
        own = FEATURES + runs + place * (1 + runs)
        run = described.run.astype(np.intp)
        rows += [
            np.repeat(documents, FEATURES) + done,
            documents + done,
            described.of + done,
            described.of + done,
        ]
        columns += [np.tile(np.arange(FEATURES), len(documents)), np.full(len(documents), own)]
        columns += [FEATURES + run, own + 1 + run]
        values += [described.features.ravel(), np.ones(len(documents)), described.part, described.part]
        done += len(documents)
    shape = done, FEATURES + runs + len(parts) * (1 + runs)
    cells = np.concatenate(rows), np.concatenate(columns)
    return csr_array((np.concatenate(values), cells), shape=shape)


def _size(topic: int, described: DocumentFeatures) -> int:
    return described.features.size + 3 * len(described.run) + 100


def _positive_gains(setting: Setting) -> FloatArray:
    """The gains of the judged relevant documents, each as often as it was given; 1 before there are any."""
    gains = [
        gain
        for topic in range(len(setting.pools))
        for gain in setting.judgments.judged_in(topic).values()
        if setting.relevant(gain)
    ]
    return np.sort(np.array(gains or [1.0]))
