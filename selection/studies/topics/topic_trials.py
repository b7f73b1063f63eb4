"""Trials of the methods that choose topics, on topics whose relevant documents are known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from evaluation.arrays import FloatArray, IntArray
from selection.randomness import lot
from selection.studies.held_out_runs import held_out_half
from selection.topics.lists import POOL_DEPTH, TopicLists
from selection.topics.methods import Oracle, make_topic_method, order_topics
from selection.topics.performance import TopicSetting, true_matrix
from selection.topics.subset import FEWEST_RUNS, Covariances, GrowingSubset, PerformanceMatrix, first_best

# Greedy by γ of the true scores, after a first topic that is drawn (Hosseini and others 2012, section 7.2).
GREEDY = "greedy by true scores"

# Topics, by place, of each size.
Subsets = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class TopicTrial:
    """Settings of one trial.

    method : a name of `TOPIC_METHODS`, or `GREEDY`
    measures : by which it chooses; sizes : of the subsets, ascending
    held_out : runs that take no part in the choice, if any
    depth : at which each list is cut
    variance : of AP and recall, a name of `VARIANCES`; empty where the method reads none
    at_once : so many topics are chosen before the method learns from them; as many are drawn first
    """

    method: str
    measures: tuple[str, ...]
    seed: int
    sizes: tuple[int, ...]
    held_out: tuple[int, ...] = ()
    depth: int = POOL_DEPTH
    variance: str = ""
    at_once: int = 1

    @property
    def reads_variance(self) -> bool:
        """True if the choice depends on the variance of AP or recall."""
        divided = any(measure == "AP" or measure.startswith("R@") for measure in self.measures)
        return self.method.startswith("adaptive") and divided

    @property
    def options(self) -> dict[str, object]:
        """Options of the trial's method."""
        varied = {"variance": self.variance} if self.variance else {}
        return varied | ({"first": self.at_once} if self.at_once > 1 else {})


@dataclass(frozen=True, eq=False)
class KnownTopics:
    """Topics of which all is judged.

    lists : of each topic, of the same runs
    numbers : of each topic
    relevance : of each topic, float64 (documents,), 0 or 1
    groups : int (runs,), equal for the runs of one participant
    """

    lists: Sequence[TopicLists]
    numbers: tuple[str, ...]
    relevance: Sequence[FloatArray]
    groups: IntArray
    _scores: dict[str, FloatArray] = field(default_factory=dict, init=False, repr=False)

    @property
    def runs(self) -> int:
        return len(self.groups)

    def scores(self, measure: str) -> FloatArray:
        """True scores (runs, topics)."""
        if measure not in self._scores:
            setting = TopicSetting(self.lists, self.numbers, (measure,))
            self._scores[measure] = true_matrix(setting, dict(enumerate(self.relevance))).mean
        return self._scores[measure]

    def newcomers(self, seed: int) -> tuple[int, ...]:
        """Half of the runs, which take no part in the choice: see `held_out_half`."""
        return tuple(np.flatnonzero(held_out_half(self.groups, seed, FEWEST_RUNS)).tolist())

    def of_runs(self, runs: IntArray) -> KnownTopics:
        """Restrict the topics to some runs: documents that only the others rank leave the pools."""
        parts = [_of_runs(one, runs) for one in self.lists]
        relevance = [whole[documents] for whole, (_, documents) in zip(self.relevance, parts, strict=True)]
        return KnownTopics([one for one, _ in parts], self.numbers, relevance, self.groups[runs])


def _of_runs(lists: TopicLists, runs: IntArray) -> tuple[TopicLists, IntArray]:
    """The lists of some runs, and which documents they rank."""
    rankings = [lists.rankings[run] for run in runs]
    ranked = [np.zeros(0, dtype=np.int64), *(one for one in rankings if one is not None)]
    documents = np.unique(np.concatenate(ranked))
    placed = [None if one is None else np.searchsorted(documents, one) for one in rankings]
    return TopicLists(len(documents), placed, [lists.scores[run] for run in runs]), documents


def run_trial(known: KnownTopics, trial: TopicTrial) -> Subsets:
    """Choose topics, each judged as it is chosen.

    Parameters
    ----------
    known : KnownTopics
    trial : TopicTrial
        With runs held out, a method chooses by the others alone; the oracle, a bound, by those held out.

    Returns
    -------
    tuple of tuple of int
        The subset of each size.

    Raises
    ------
    ValueError
        If a method or measure is unknown, a size is out of range, or too few runs remain.
    """
    if not trial.sizes or not 1 <= trial.sizes[0] <= max(trial.sizes) <= len(known.numbers):
        raise ValueError(f"subsets of {trial.sizes} topics of {len(known.numbers)}")
    if trial.held_out:
        new = np.array(trial.held_out)
        choosing = new if trial.method == "oracle" else np.setdiff1d(np.arange(known.runs), new)
        known = known.of_runs(choosing)
    if trial.method == GREEDY:
        return _prefixes(greedy_order(known, trial), trial.sizes)
    setting = TopicSetting(known.lists, known.numbers, trial.measures, trial.seed)
    method = make_topic_method(trial.method, setting, trial.options)
    judged = dict(enumerate(known.relevance))
    if isinstance(method, Oracle):
        every = [method.choose([], judged, size) for size in trial.sizes]
        return tuple(tuple(choice.topic for choice in chosen) for chosen in every)
    order = order_topics(method, judged, max(trial.sizes), at_once=trial.at_once)
    return _prefixes([choice.topic for choice in order], trial.sizes)


def greedy_order(known: KnownTopics, trial: TopicTrial) -> list[int]:
    """All topics that the trial needs; seeds in a row begin with different topics."""
    scores = known.scores(trial.measures[0])
    growing = GrowingSubset(Covariances(PerformanceMatrix(scores, np.zeros_like(scores))))
    lots = [lot("topic", number) for number in known.numbers]
    growing.add(int(np.argsort(lots)[trial.seed % len(lots)]))
    while len(growing.chosen) < max(trial.sizes):
        growing.add(first_best(growing.gammas(), lots))
    return growing.chosen


def _prefixes(order: Sequence[int], sizes: Sequence[int]) -> Subsets:
    return tuple(tuple(order[:size]) for size in sizes)
