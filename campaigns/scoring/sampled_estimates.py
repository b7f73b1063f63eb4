"""Scores of runs estimated from prels of method `sample`, with intervals where they are valid.

Population, sizes and probabilities are rebuilt from the runs. The prels state which documents were sampled
and which were judged before, and their probabilities must be the rebuilt ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from zlib import crc32

import numpy as np

from campaigns.formats.grading import Grading
from campaigns.formats.prels import PrelMethod, SampledJudgment
from campaigns.scoring.judged_collection import JudgedCollection, JudgedTopic
from campaigns.scoring.sample_planning import PlannedWidth, planned_widths
from campaigns.scoring.sampled_weights import Gained, measured_by
from evaluation.arrays import BoolArray, FloatArray, IntArray
from evaluation.estimation.corrected import (
    FOLDS,
    LEAST_IN_TOPIC,
    CorrectedScores,
    SampledTopic,
    TooEarly,
    corrected_scores,
    doubted_ideal,
    rank_features,
    too_early,
)
from evaluation.estimation.corrected_ideal import RankedTopic, corrected_ap, corrected_ndcg
from evaluation.estimation.inclusion import drawn_depth, sizes_at_ranks
from evaluation.measure import Measure
from selection.methods.sample import rebuilt_inclusion

# How far a stated probability may be from the rebuilt one.
TOLERANCE = 1e-6
# Share of a run's weight that documents outside the population may have.
MOST_BEYOND = 0.01
# From here on a measure weighs so many documents that are hardly ever drawn that errors are rare and large.
MOST_DEPTH_EFFECT = 2.0


class SampleMismatch(ValueError):
    """Prels that are no sample of these runs by this p."""

    def __init__(self, topic: str, docno: str, stated: float, rebuilt: float) -> None:
        self.topic, self.docno, self.stated, self.rebuilt = topic, docno, stated, rebuilt
        super().__init__(
            f"topic {topic}, {docno}: its probability is {stated:.9g} in the prels and {rebuilt:.9g} by "
            "these runs and this p"
        )


@dataclass(frozen=True)
class RunEstimate:
    """One run's estimated score. `low` to `high`: 95% over draws of the sample, for these topics;
    `topics_low` to `topics_high`: for topics like these. None where there is no such value. `beyond`: the
    share of the run's weight on documents outside the population; above `MOST_BEYOND` the run has no
    estimate."""

    run: str
    score: float | None
    low: float | None = None
    high: float | None = None
    topics_low: float | None = None
    topics_high: float | None = None
    beyond: float = 0.0

    def within(self, base: float, top: float) -> RunEstimate:
        """The estimate for these topics, cut to certain bounds of the same topics."""
        score, low, high = (
            None if value is None else min(max(value, base), top)
            for value in (self.score, self.low, self.high)
        )
        return replace(self, score=score, low=low, high=high)


@dataclass(frozen=True)
class PairEstimate:
    """First run's score less the second's; `decided` if the interval of the difference excludes 0."""

    first: str
    second: str
    difference: float
    half_width: float

    @property
    def decided(self) -> bool:
        return abs(self.difference) > self.half_width


@dataclass(frozen=True, eq=False)
class PairIntervals:
    """Each (runs, runs): the row's score less the column's, half the width of its interval on these topics,
    and on topics like these."""

    difference: FloatArray
    half_width: FloatArray
    topics_half_width: FloatArray

    @classmethod
    def of(cls, scores: CorrectedScores, order: IntArray) -> PairIntervals:
        """Intervals of the runs at these places."""
        means = scores.scores
        matrices = means[:, None] - means, scores.pair_half_widths(), scores.topic_pair_half_widths()
        return cls(*(matrix[np.ix_(order, order)] for matrix in matrices))


@dataclass(frozen=True, eq=False)
class SampledEstimates:
    """Estimates of one measure for all runs, in their order.

    topics : numbers of the topics used; left_out : why not, by the numbers of the others
    too_early : why no run has an interval yet; None if they have
    approximate : whether intervals are only approximately valid, as for nDCG
    intervals : of the pairs' differences; None without intervals
    planned : widths with other numbers of topics and judgments; empty without intervals and for nDCG
    """

    measure: str
    runs: tuple[RunEstimate, ...]
    topics: tuple[str, ...]
    left_out: Mapping[str, str]
    too_early: TooEarly | None = None
    approximate: bool = False
    intervals: PairIntervals | None = None
    planned: tuple[PlannedWidth, ...] = ()

    def pairs(self) -> list[PairEstimate]:
        """Every pair of runs that have intervals, in their order."""
        if self.intervals is None:
            return []
        ahead, half = self.intervals.difference, self.intervals.half_width
        places = [place for place, run in enumerate(self.runs) if run.low is not None]
        return [
            PairEstimate(self.runs[a].run, self.runs[b].run, float(ahead[a, b]), float(half[a, b]))
            for a, b in combinations(places, 2)
        ]


@dataclass(frozen=True, eq=False)
class _Drawn:
    """One topic's population and sample, documents by their ids in the topic.

    population : (k,), ids; frozen : judged before the sample; of these, `unranked` are in no ranking
    ranks : (runs, population and frozen), 0 where a run does not rank a document; lengths : (runs,)
    """

    number: str
    population: IntArray
    frozen: tuple[SampledJudgment, ...]
    unranked: tuple[SampledJudgment, ...]
    sampled: Mapping[int, SampledJudgment]
    features: FloatArray
    sizes: FloatArray
    inclusion: FloatArray
    ranks: IntArray
    lengths: IntArray


def sampled_estimates(
    collection: JudgedCollection,
    measure: Measure,
    grading: Grading,
    *,
    p: float = 0.8,
    contributing: BoolArray | None = None,
) -> SampledEstimates:
    """Estimate a measure's scores of all runs from each topic's `drawn`, whatever the order of the runs.

    `p`: the persistence of RBP by which documents were drawn. `contributing` (runs,): those whose documents
    were drawn, by default all. The collection's documents must all have ids.

    Raises
    ------
    SampleMismatch
        If a probability is not the one by these runs and this p.
    ValueError
        If the measure is neither of fixed weights nor nDCG@k nor AP.
    """
    if contributing is None:
        contributing = np.ones(len(collection.runs), dtype=np.bool_)
    # Sums depend on the order of their parts: in that of the names, the same runs have the same bits.
    by_name = np.array(sorted(range(len(collection.runs)), key=collection.runs.__getitem__), dtype=np.int64)
    named = _in_order(collection, by_name.tolist())
    return _estimated(named, measure, grading, p, contributing[by_name], np.argsort(by_name))


def _in_order(collection: JudgedCollection, order: Sequence[int]) -> JudgedCollection:
    """The collection with its runs at these places."""
    topics = [
        replace(topic, rankings=[topic.rankings[run] for run in order], ties=None, scores=())
        for topic in collection.topics
    ]
    return JudgedCollection(tuple(collection.runs[run] for run in order), tuple(topics))


def _estimated(
    collection: JudgedCollection,
    measure: Measure,
    grading: Grading,
    p: float,
    contributing: BoolArray,
    places: IntArray,
) -> SampledEstimates:
    """Estimates of the runs at these places (runs,), in this order."""
    gained = measured_by(measure, grading, collection)
    used, left_out = [], {}
    for topic in collection.topics:
        if not topic.is_ranked:
            continue
        outcome = _drawn_of(topic, contributing, p)
        if isinstance(outcome, str):
            left_out[topic.number] = outcome
        else:
            used.append(outcome)
    samples = [_sampled(one, gained) for one in used]
    early = too_early(samples)
    numbers = tuple(one.number for one in used)
    result = SampledEstimates(measure.name, (), numbers, left_out, early, gained.kind == "ndcg")
    if len(used) < 2:
        return replace(result, runs=tuple(RunEstimate(collection.runs[place], None) for place in places))
    folds = [crc32(number.encode()) % FOLDS for number in numbers]
    if gained.kind == "ap":
        points = corrected_ap([_ranked(*each, gained) for each in zip(used, samples, strict=True)], folds)
        means = points.mean(axis=0)
        runs = [RunEstimate(collection.runs[place], float(means[place])) for place in places]
        return replace(result, runs=tuple(runs))
    if gained.kind == "ndcg":
        ranked = [_ranked(*each, gained) for each in zip(used, samples, strict=True)]
        scores = corrected_ndcg(ranked, folds, gained.levels, gained.weights)
    else:
        scores = corrected_scores(samples, folds)
    if early is None and scores.half_widths().any():
        effect = gained.depth_effect(p)
        too_deep = TooEarly("depth", effect, MOST_DEPTH_EFFECT) if effect > MOST_DEPTH_EFFECT else None
        early = too_deep or doubted_ideal(scores)
        result = replace(result, too_early=early)
    depth = drawn_depth(p)
    beyond = np.mean([gained.outside(one.ranks, one.lengths, depth) for one in used], axis=0)
    estimates = _run_estimates(collection.runs, scores, beyond, gained.full, with_intervals=early is None)
    result = replace(result, runs=tuple(estimates[place] for place in places))
    if early is not None:
        return result
    sizes = [one.sizes for one in used]
    planned = () if gained.kind == "ndcg" else tuple(planned_widths(samples, sizes, folds, scores))
    return replace(result, intervals=PairIntervals.of(scores, places), planned=planned)


def _run_estimates(
    names: Sequence[str], scores: CorrectedScores, beyond: FloatArray, full: float, *, with_intervals: bool
) -> tuple[RunEstimate, ...]:
    half, like_these = scores.half_widths(), scores.topic_half_widths()
    estimates = []
    for place, (name, score) in enumerate(zip(names, scores.scores.tolist(), strict=True)):
        share = float(beyond[place])
        if share > MOST_BEYOND:
            estimates.append(RunEstimate(name, None, beyond=share))
        elif not with_intervals:
            estimates.append(RunEstimate(name, score, beyond=share))
        else:
            above, wide = full * share, float(like_these[place])
            low, high = score - float(half[place]), score + float(half[place]) + above
            one = RunEstimate(name, score, low, high, beyond=share)
            if not np.isnan(wide):
                one = replace(one, topics_low=score - wide, topics_high=score + wide + above)
            estimates.append(one)
    return tuple(estimates)


def _drawn_of(topic: JudgedTopic, contributing: BoolArray, p: float) -> _Drawn | str:
    """The topic's population and sample, or why it has none."""
    if not topic.drawn:
        return "no sample"
    ids = dict(zip(*topic.places(topic.drawn), strict=True))
    number = len(topic.docnos)
    documents, ranks = _occurrences(topic, contributing)
    certain = {docno for docno, one in topic.drawn.items() if one.method == PrelMethod.OTHERWISE}
    frozen = np.array(sorted(ids[docno] for docno in certain if docno in ids), dtype=np.int64)
    sizes = sizes_at_ranks(documents, ranks, number, int(contributing.sum()), p)
    sizes[frozen] = 0.0
    population = np.flatnonzero(sizes)
    sampled = {docno: one for docno, one in topic.drawn.items() if docno not in certain}
    for docno, one in sampled.items():
        if docno not in ids or not sizes[ids[docno]]:
            raise SampleMismatch(topic.number, docno, one.inclusion, 0.0)
    stated = np.zeros(number)
    stated[[ids[docno] for docno in sampled]] = [one.inclusion for one in sampled.values()]
    if (stated[stated > 0] == 1).all() and len(sampled) < len(population):
        return "only documents that were certain to be drawn are judged"
    inclusion = rebuilt_inclusion(sizes, stated == 1, len(sampled))
    for docno, one in sampled.items():
        if abs(inclusion[ids[docno]] - one.inclusion) > TOLERANCE:
            raise SampleMismatch(topic.number, docno, one.inclusion, float(inclusion[ids[docno]]))
    if len(sampled) < LEAST_IN_TOPIC and len(sampled) < len(population):
        return f"fewer than {LEAST_IN_TOPIC} sampled documents are judged"
    features = rank_features(documents, ranks, number, int(contributing.sum()))
    known = [topic.drawn[topic.docnos[id]] for id in frozen.tolist()]
    return _Drawn(
        topic.number,
        population,
        tuple(known),
        tuple(topic.drawn[docno] for docno in sorted(certain) if docno not in ids),
        {ids[docno]: one for docno, one in sampled.items()},
        features[population],
        sizes[population],
        inclusion[population],
        topic.ranks(np.concatenate([population, frozen])),
        np.array([0 if ranking is None else len(ranking) for ranking in topic.rankings], dtype=np.int64),
    )


def _occurrences(topic: JudgedTopic, contributing: BoolArray) -> tuple[IntArray, IntArray]:
    """Documents and ranks, (occurrences,), of all contributing runs, run by run."""
    rankings = [
        ranking
        for ranking, counts in zip(topic.rankings, contributing.tolist(), strict=True)
        if counts and ranking is not None
    ]
    empty = np.zeros(0, dtype=np.int64)
    documents = np.concatenate([empty, *rankings])
    return documents, np.concatenate([empty, *(np.arange(1, len(one) + 1) for one in rankings)])


def _sampled(drawn: _Drawn, gained: Gained) -> SampledTopic:
    drawable, known = np.split(gained.at(drawn.ranks), [len(drawn.population)], axis=1)
    gains = np.full(len(drawn.population), np.nan)
    for place, id in enumerate(drawn.population.tolist()):
        if (one := drawn.sampled.get(id)) is not None:
            gains[place] = gained.gain(one.grade)
    exact = known @ np.array([gained.gain(one.grade) for one in drawn.frozen], dtype=np.float64)
    return SampledTopic(drawable, drawn.features, drawn.inclusion, gains, exact)


def _ranked(drawn: _Drawn, sample: SampledTopic, gained: Gained) -> RankedTopic:
    known = [gained.gain(one.grade) for one in (*drawn.frozen, *drawn.unranked)]
    none = np.zeros((len(drawn.ranks), len(drawn.unranked)), dtype=np.int64)
    return RankedTopic(sample, np.array(known), np.concatenate([drawn.ranks, none], axis=1))
