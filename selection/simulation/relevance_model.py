"""How likely each unjudged document is to be relevant, from how the judged ones turned out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve_triangular
from scipy.optimize import minimize
from scipy.sparse import csr_array
from scipy.special import expit

from evaluation.arrays import FloatArray
from selection.cache import Kept
from selection.framework.interface import Setting
from selection.simulation.run_rates import FEATURES, Described, RunRates

# What is believed of the logistic model before any judgment, and how firmly: relevance is about so frequent,
# and falls so fast with support, in past campaigns of which all is known. Early judgments are all of
# documents on which runs agree, and say little of the others.
EXPECTED = np.array([-2.0, 0.5, 1.7, 3.0, 1.0])
DEVIATION = np.array([1.0, 0.5, 0.3, 2.0, 0.5])
# Of the effects of a topic, of a run, and of a run on one topic.
TOPIC_DEVIATION = 1.0
RUN_DEVIATION = 1.5
RUN_TOPIC_DEVIATION = 1.2
# Numbers kept, 8 bytes each.
ROOM = 8_000_000


@dataclass(frozen=True, eq=False)
class Effects:
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
        self._described = Kept(self._rates.described, _size, ROOM)

    @property
    def expected(self) -> Effects:
        """The most probable version."""
        shape = len(self._setting.pools), 1 + self._setting.runs
        return Effects(np.zeros(FEATURES + self._setting.runs), np.zeros(shape))

    def drawn(self, generator: np.random.Generator) -> Effects:
        common = self._half @ generator.standard_normal(FEATURES + self._setting.runs)
        shape = len(self._setting.pools), 1 + self._setting.runs
        return Effects(common, generator.standard_normal(shape))

    def probabilities(self, topic: int, effects: Effects) -> FloatArray:
        """float64 (documents,): of each document of the topic's pool, judged or not."""
        described, common = self._described[topic], self._common + effects.common
        own = self._own(topic, effects)
        by_run = common[FEATURES:] + own[1:]
        leaning = np.bincount(described.of, described.part * by_run[described.run], len(described.features))
        return np.asarray(expit(described.features @ common[:FEATURES] + own[0] + leaning))

    def gains(self, topic: int, effects: Effects, generator: np.random.Generator) -> FloatArray:
        """float64 (documents,) at random; relevant ones have gains such as the judged relevant have."""
        probabilities = self.probabilities(topic, effects)
        relevant = generator.random(len(probabilities)) < probabilities
        return np.where(relevant, generator.choice(self._gains, len(probabilities)), 0.0)

    def _own(self, topic: int, effects: Effects) -> FloatArray:
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
        deviation = np.r_[DEVIATION, np.full(runs, RUN_DEVIATION), np.tile(self._prior, topics)]
        middle = np.zeros(len(deviation))
        middle[:FEATURES] = EXPECTED
        return middle, deviation

    def _curve(self, topics: list[int], own: FloatArray, parts: list[Described], spread: FloatArray) -> None:
        """What the judgments leave open: of what is common, and of each topic given what is common."""
        runs = self._setting.runs
        precision = np.diag(np.r_[DEVIATION**-2, np.full(runs, RUN_DEVIATION**-2)])
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


def _dense(described: Described, runs: int) -> FloatArray:
    """(documents, FEATURES + runs)"""
    made = np.zeros((len(described.features), FEATURES + runs))
    made[:, :FEATURES] = described.features
    made[described.of, FEATURES + described.run.astype(np.intp)] = described.part
    return made


def _design(parts: list[Described], runs: int) -> csr_array:
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


def _size(topic: int, described: Described) -> int:
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
