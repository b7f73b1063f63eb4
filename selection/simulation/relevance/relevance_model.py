"""A logistic model of how likely each unjudged document is relevant.

Forecasts, plans and predictions draw from it; docs/relevance-model.md describes it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy

from evaluation.arrays import FloatArray, IntArray
from selection.cache import LruCache
from selection.framework.interface import Setting
from selection.simulation.relevance.document_features import FEATURES, SUPPORT, DocumentFeatures, RunRates
from selection.simulation.relevance.prior import NO_EXPERIENCE, Experience, usual_prior

# Of these constants and the prior: what another version predicted is predicted again.
MODEL_VERSION = 2
# Of the effects of a topic, of a run, and of a run on one topic.
TOPIC_DEVIATION = 1.0
RUN_DEVIATION = 1.5
RUN_TOPIC_DEVIATION = 1.2
# Unjudged documents are more or less often relevant than judged ones that look alike, by a shift of the logit
# and one of its slope on support that a whole campaign shares, and by one that what a run ranks shares. The
# shared ones have Student's distribution, and are larger while topics have few judgments.
SHIFT_DEVIATION, SLOPE_SHIFT_DEVIATION = 0.35, 0.2
RUN_SHIFT_DEVIATION = 0.4
EARLY_EXCESS, EARLY_JUDGMENTS = 0.8, 3.0
# Numbers kept, 8 bytes each.
RATES_CACHE_SIZE = 8_000_000


@dataclass(frozen=True, eq=False)
class DrawnEffects:
    """One version of the model. `common` (FEATURES + runs,): away from the most probable; `shift`, as long:
    what unjudged documents have beside; `own` (topics, 1 + runs): how each topic's effects differ from what
    is most probable given `common`, in standard deviations."""

    common: FloatArray
    shift: FloatArray
    own: FloatArray


@dataclass(frozen=True, eq=False)
class EffectSamples:
    """Many versions of what topics share: `common` and `shift` of `DrawnEffects`, each
    (FEATURES + runs, draws)."""

    common: FloatArray
    shift: FloatArray


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
    A drawn version also shifts the unjudged documents, all together and by run.

    This project's choice.
    """

    def __init__(self, setting: Setting, experience: Experience = NO_EXPERIENCE) -> None:
        self._setting = setting
        self._expected = experience.prior or usual_prior()
        self._shift = np.zeros(FEATURES + setting.runs)
        self._shift[[0, SUPPORT]] = experience.level, experience.slope
        self._shift_deviation = np.zeros(FEATURES + setting.runs)
        shared = np.array([SHIFT_DEVIATION, SLOPE_SHIFT_DEVIATION]) * experience.open_share
        self._shift_deviation[[0, SUPPORT]] = shared * _early_factor(setting)
        self._shift_deviation[FEATURES:] = RUN_SHIFT_DEVIATION
        self._gains = _positive_gains(setting)
        self._rates = RunRates(setting)
        self._prior = np.r_[TOPIC_DEVIATION, np.full(setting.runs, RUN_TOPIC_DEVIATION)]
        self._fit()
        self._described = LruCache(self._rates.described, _size, RATES_CACHE_SIZE)

    @property
    def expected(self) -> DrawnEffects:
        """The most probable version."""
        shape = len(self._setting.pools), 1 + self._setting.runs
        return DrawnEffects(np.zeros(len(self._shift)), self._shift, np.zeros(shape))

    def drawn(self, generator: np.random.Generator) -> DrawnEffects:
        """A version at random."""
        samples = self.sampled(1, generator)
        shape = len(self._setting.pools), 1 + self._setting.runs
        own = generator.standard_normal(shape)
        return DrawnEffects(samples.common[:, 0], samples.shift[:, 0], own)

    def sampled(self, draws: int, generator: np.random.Generator) -> EffectSamples:
        """So many versions at random of what topics share."""
        shape = len(self._shift), draws
        common = self._half @ generator.standard_normal(shape)
        noise = self._shift_deviation[:, None] * generator.standard_normal(shape)
        freedom = self._expected.freedom
        noise[:FEATURES] *= np.sqrt(freedom / generator.chisquare(freedom, draws))
        return EffectSamples(common, self._shift[:, None] + noise)

    def probabilities(self, topic: int, effects: DrawnEffects) -> FloatArray:
        """float64 (documents,): of each document of the topic's pool, as if unjudged."""
        return np.asarray(self.probabilities_by_version(topic, [effects])[0])

    def probabilities_by_version(self, topic: int, versions: Sequence[DrawnEffects]) -> FloatArray:
        """float64 (versions, documents): the same by each version."""
        common = np.column_stack([effects.common for effects in versions])
        away = common + np.column_stack([effects.shift for effects in versions])
        own = self._own(topic, common, np.column_stack([effects.own[topic] for effects in versions]))
        return np.ascontiguousarray(self._chances(self._described[topic], away, own).T)

    def sampled_probabilities(
        self, topic: int, documents: IntArray, samples: EffectSamples, generator: np.random.Generator
    ) -> FloatArray:
        """float64 (documents, draws), of these documents by pool index; draws the topic's own effects."""
        own = generator.standard_normal((1 + self._setting.runs, samples.common.shape[1]))
        described = self._rates.described(topic, documents)
        return self._chances(described, samples.common + samples.shift, self._own(topic, samples.common, own))

    def support(self, topic: int, documents: IntArray) -> FloatArray:
        """float64 (documents,), of these documents by pool index."""
        return self._rates.described(topic, documents).features[:, SUPPORT]

    def _chances(self, described: DocumentFeatures, away: FloatArray, own: FloatArray) -> FloatArray:
        """(documents, draws), by the distance of common effects from the most probable, and a topic's own."""
        common = self._common[:, None] + away
        leaning = described.parts(self._setting.runs) @ (common[FEATURES:] + own[1:])
        return np.asarray(scipy.special.expit(described.features @ common[:FEATURES] + own[0] + leaning))

    def gains(self, topic: int, effects: DrawnEffects, generator: np.random.Generator) -> FloatArray:
        """float64 (documents,) at random, of each document of the topic's pool."""
        return self.gains_by_chance(self.probabilities(topic, effects), generator)

    def gains_by_chance(self, chance: FloatArray, generator: np.random.Generator) -> FloatArray:
        """At random, of any shape; relevant ones have gains such as the judged relevant have."""
        relevant = generator.random(chance.shape) < chance
        if self._gains[0] == self._gains[-1]:
            return np.asarray(relevant * self._gains[0])
        return np.where(relevant, generator.choice(self._gains, chance.shape), 0.0)

    def _own(self, topic: int, common: FloatArray, own: FloatArray) -> FloatArray:
        """(1 + runs, draws), the effects of the topic and of the runs on it."""
        if topic not in self._known:
            return np.asarray(self._prior[:, None] * own)
        mode, half, tie = self._known[topic]
        return np.asarray(mode[:, None] - tie @ common + half @ own)

    def _fit(self) -> None:
        parts = list(self._rates.judged())
        label = np.concatenate([np.zeros(0), *(part[1] for part in parts)])
        design = _design([described for _, _, described in parts], self._setting.runs)
        middle, deviation = self._beliefs(len(parts))

        def loss(effects: FloatArray) -> tuple[float, FloatArray]:
            logits, away = design @ effects, (effects - middle) / deviation
            value = (np.logaddexp(0, logits) - label * logits).sum() + away @ away / 2
            return float(value), design.T @ (scipy.special.expit(logits) - label) + away / deviation

        best = scipy.optimize.minimize(loss, middle, jac=True, method="L-BFGS-B").x
        common = FEATURES + self._setting.runs
        self._common, own = best[:common], best[common:].reshape(len(parts), 1 + self._setting.runs)
        chance = scipy.special.expit(design @ best)
        self._curve([part[0] for part in parts], own, [part[2] for part in parts], chance * (1 - chance))

    def _beliefs(self, topics: int) -> tuple[FloatArray, FloatArray]:
        """Middle and deviation of all effects before any judgment: of what is common, then topic by topic."""
        runs = self._setting.runs
        own = np.tile(self._prior, topics)
        deviation = np.r_[self._expected.deviations, np.full(runs, RUN_DEVIATION), own]
        middle = np.zeros(len(deviation))
        middle[:FEATURES] = self._expected.means
        return middle, deviation

    def _curve(
        self, topics: list[int], own: FloatArray, parts: list[DocumentFeatures], spread: FloatArray
    ) -> None:
        """Compute the uncertainty that the judgments leave: of the common effects, and of each topic's
        effects given the common ones."""
        runs = self._setting.runs
        deviation = np.r_[self._expected.deviations, np.full(runs, RUN_DEVIATION)]
        precision = np.diag(deviation**-2)
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


def _early_factor(setting: Setting) -> float:
    """Factor by which the shared shifts are larger than late in a campaign, by the judgments of a begun
    topic."""
    counts = [len(setting.judgments.served_in(topic)) for topic in range(len(setting.pools))]
    begun = [count for count in counts if count]
    each = sum(begun) / max(len(begun), 1)
    return 1 + EARLY_EXCESS / (1 + each / EARLY_JUDGMENTS)


def _half_of_inverse(precision: FloatArray) -> FloatArray:
    """H with H H' = the inverse."""
    lower = np.linalg.cholesky(precision)
    return np.asarray(scipy.linalg.solve_triangular(lower, np.eye(len(lower)), lower=True).T)


def _dense(described: DocumentFeatures, runs: int) -> FloatArray:
    """(documents, FEATURES + runs)"""
    return np.hstack([described.features, described.parts(runs).toarray()])


def _design(parts: list[DocumentFeatures], runs: int) -> scipy.sparse.csr_array:
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
    return scipy.sparse.csr_array((np.concatenate(values), cells), shape=shape)


def _size(topic: int, described: DocumentFeatures) -> int:
    return described.features.size + 3 * len(described.run) + 100


def _positive_gains(setting: Setting) -> FloatArray:
    """The gains of the judged relevant documents, each as often as it was given; 1 before there are any."""
    gains = [
        gain
        for topic in range(len(setting.pools))
        for gain in setting.judgments.served_in(topic).values()
        if setting.relevant(gain)
    ]
    return np.sort(np.array(gains or [1.0]))
