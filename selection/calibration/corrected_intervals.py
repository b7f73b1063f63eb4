"""Trials of intervals from random samples: judged collections, sampled again and again, whose scores are
known."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from evaluation.arrays import BoolArray, FloatArray, IntArray
from evaluation.estimation.corrected import (
    FOLDS,
    CorrectedScores,
    SampledTopic,
    corrected_scores,
    doubted_ideal,
    rank_features,
)
from evaluation.estimation.corrected_ideal import RankedTopic, corrected_ndcg
from evaluation.estimation.inclusion import drawn_depth, sampling_inclusion, sizes_at_ranks
from evaluation.measures.cumulated_gain import discounts
from evaluation.measures.weights import rank_weights
from selection.calibration.coverage import Coverage, Trial, coverage_of
from selection.calibration.past_campaigns import PastTopic
from selection.pool import build_topic_pool
from selection.simulation.replay import replay
from selection.specification import CampaignSpec

P = 0.8
SAMPLE_SIZES = (5, 10, 20)
MOST_TOPICS = 50
# Of measures with a cut-off.
CUT_OFF = 10
# Judgments a topic by Method C before a sample of as many.
BEFORE = 10
# Topics drawn again with replacement, of which the others are.
LIKE_THESE = 30


@dataclass(frozen=True, eq=False)
class SampledMeasure:
    """weights : float64 (depth,), of ranks; graded : whether gains are those of grades, if there are several
    tail : what ranks below could add; by_ideal : whether scores are divided by an ideal's"""

    name: str
    weights: FloatArray
    graded: bool = False
    tail: float = 0.0
    by_ideal: bool = False

    def at(self, ranks: IntArray) -> FloatArray:
        padded = np.concatenate([[0.0], self.weights, [0.0]])
        return np.asarray(padded[np.minimum(ranks, len(padded) - 1)])


MEASURES = (
    SampledMeasure("RBP", rank_weights(P, drawn_depth(P)), tail=P ** drawn_depth(P)),
    SampledMeasure(f"P@{CUT_OFF}", np.full(CUT_OFF, 1 / CUT_OFF)),
    SampledMeasure(f"DCG@{CUT_OFF}", discounts(CUT_OFF, None), graded=True),
    SampledMeasure(f"nDCG@{CUT_OFF}", discounts(CUT_OFF, None), graded=True, by_ideal=True),
)
RBP = MEASURES[0]


@dataclass(frozen=True, eq=False)
class SampledAgain:
    """One draw of a collection's samples, and its scores by a measure. `size`: judgments a topic, beside
    those of Method C if `after`; `redrawn`: whether topics were drawn again, too; `stated`: whether there
    are intervals.

    runs : (runs,), whether each interval held the score; pairs : the same of each pair's difference
    right : of pairs whose interval excludes 0, whether the better run is named
    """

    size: int
    after: bool
    redrawn: bool
    runs: BoolArray
    pairs: BoolArray
    right: BoolArray
    measure: str = RBP.name
    stated: bool = True


@dataclass(frozen=True, eq=False)
class _Population:
    """One topic: the sizes of documents that may be drawn, and by measure a sample with all gains known and
    no probabilities yet, and the true scores.

    ranks : (runs, drawable and judged before), 0 where a run does not rank one; known : gains of the latter
    """

    sizes: FloatArray
    samples: Mapping[str, SampledTopic]
    truths: Mapping[str, FloatArray]
    ranks: IntArray
    known: FloatArray

    @classmethod
    def of(cls, topic: PastTopic, graded: PastTopic, runs: IntArray, frozen: IntArray) -> _Population:
        lists = [topic.rankings[run] for run in runs.tolist()]
        documents = np.concatenate([ranking for ranking in lists if ranking is not None])
        at = np.concatenate([np.arange(1, len(ranking) + 1) for ranking in lists if ranking is not None])
        number = len(topic.gains)
        ranks = np.zeros((len(runs), number), dtype=np.int64)
        for row, ranking in zip(ranks, lists, strict=True):
            if ranking is not None:
                row[ranking] = np.arange(1, len(ranking) + 1)
        sizes = sizes_at_ranks(documents, at, number, len(runs), P)
        sizes[frozen] = 0.0
        drawable = np.flatnonzero(sizes)
        features = rank_features(documents, at, number, len(runs))[drawable]
        samples, truths = {}, {}
        grades = np.nan_to_num(graded.gains)
        for measure in MEASURES:
            gains = grades if measure.graded else np.nan_to_num(topic.gains)
            weights = measure.at(ranks)
            exact = weights[:, frozen] @ gains[frozen]
            chances = np.ones(len(drawable))
            own = weights[:, drawable]
            samples[measure.name] = SampledTopic(own, features, chances, gains[drawable], exact)
            truths[measure.name] = weights @ gains
            if measure.by_ideal:
                best = -np.sort(-gains[sizes > 0])[: len(measure.weights)]
                ideal = float(best @ measure.weights[: len(best)])
                truths[measure.name] /= ideal or 1.0
        order = np.concatenate([drawable, frozen])
        return cls(sizes[drawable], samples, truths, ranks[:, order], grades[frozen])

    def draw(self, size: int, generator: np.random.Generator) -> tuple[FloatArray, IntArray]:
        """Probabilities (drawable,), and the places of a sample."""
        inclusion = sampling_inclusion(self.sizes, size)
        numbers = np.where(inclusion >= 1, -1.0, generator.random(len(self.sizes)) / self.sizes)
        return inclusion, np.argsort(numbers)[:size]

    def sampled(self, measure: SampledMeasure, inclusion: FloatArray, drawn: IntArray) -> SampledTopic:
        whole, gains = self.samples[measure.name], np.full(len(self.sizes), np.nan)
        gains[drawn] = whole.gains[drawn]
        return replace(whole, inclusion=inclusion, gains=gains)


def sampled_again(
    topics: Sequence[PastTopic],
    among: tuple[IntArray, IntArray],
    *,
    campaigns: int,
    seed: int,
    graded: Sequence[PastTopic] | None = None,
    progress: Callable[[int], object] = lambda draws: None,
) -> Iterator[list[SampledAgain]]:
    """Draw the samples of the same runs and topics so many times, of every size and after Method C.

    Documents without a gain are not relevant. At most `MOST_TOPICS` topics are used. `graded`: the topics
    with gains of grades, where there are several.
    """
    generator = np.random.default_rng(seed)
    runs, indices = among
    ranked = [
        index for index in indices.tolist() if any(topics[index].rankings[run] is not None for run in runs)
    ]
    places = generator.permutation(ranked)[:MOST_TOPICS].tolist()
    used = [(topics[index], (graded or topics)[index]) for index in places]
    nothing = np.zeros(0, dtype=np.int64)
    plain = [_Population.of(*both, runs, nothing) for both in used]
    frozen = _judged_by_method_c([topic for topic, _ in used], runs)
    after = [_Population.of(*both, runs, judged) for both, judged in zip(used, frozen, strict=True)]
    for number in range(campaigns):
        yield [
            *(one for size in SAMPLE_SIZES for one in _trials(plain, size, generator)),
            *_trials(after, BEFORE, generator, after=True),
            _redrawn(plain, generator),
        ]
        progress(number + 1)


def _judged_by_method_c(topics: Sequence[PastTopic], runs: IntArray) -> list[IntArray]:
    everybody = np.ones(len(runs), dtype=np.bool_)
    pools = [
        build_topic_pool([topic.rankings[run] for run in runs.tolist()], P, everybody) for topic in topics
    ]
    gains = [np.nan_to_num(topic.gains[pool.documents]) for topic, pool in zip(topics, pools, strict=True)]
    spec = CampaignSpec(runs=len(runs), p=P, method="C", scope="topic", contributing=everybody)
    made = replay(pools, gains, spec, per_topic=BEFORE)
    return [
        pool.documents[made.documents[made.topics == place]].astype(np.int64)
        for place, pool in enumerate(pools)
    ]


Draws = Sequence[tuple[FloatArray, IntArray]]


def _trials(
    populations: Sequence[_Population], size: int, generator: np.random.Generator, *, after: bool = False
) -> Iterator[SampledAgain]:
    """The same samples by all measures; after Method C, by RBP alone."""
    draws = [population.draw(size, generator) for population in populations]
    folds = [place % FOLDS for place in range(len(populations))]
    for measure in MEASURES[:1] if after else MEASURES:
        true = np.mean([population.truths[measure.name] for population in populations], axis=0)
        scores = _estimate(measure, populations, draws, folds)
        if doubted_ideal(scores) is not None:
            none = np.zeros(0, dtype=np.bool_)
            yield SampledAgain(size, after, False, none, none, none, measure.name, stated=False)
            continue
        half, pair_half = scores.half_widths(), scores.pair_half_widths()
        error = scores.scores - true
        first, second = np.triu_indices(len(true), 1)
        difference, half_of_pair = scores.scores[first] - scores.scores[second], pair_half[first, second]
        true_difference = true[first] - true[second]
        decided = np.abs(difference) > half_of_pair
        yield SampledAgain(
            size,
            after,
            redrawn=False,
            # What no rank within the depth shows is added to the upper end.
            runs=(error <= half) & (error >= -half - measure.tail),
            pairs=np.abs(difference - true_difference) <= half_of_pair + measure.tail,
            right=(difference * true_difference > 0)[decided],
            measure=measure.name,
        )


def _redrawn(populations: Sequence[_Population], generator: np.random.Generator) -> SampledAgain:
    """Topics with replacement: all of the collection's are those that they are like."""
    places = generator.integers(len(populations), size=LIKE_THESE).tolist()
    some = [populations[place] for place in places]
    draws = [population.draw(BEFORE, generator) for population in some]
    scores = _estimate(RBP, some, draws, [place % FOLDS for place in places])
    truth = np.mean([population.truths[RBP.name] for population in populations], axis=0)
    covered = np.abs(scores.scores - truth) <= scores.topic_half_widths() + RBP.tail
    none = np.zeros(0, dtype=np.bool_)
    return SampledAgain(BEFORE, after=False, redrawn=True, runs=covered, pairs=none, right=none)


def _estimate(
    measure: SampledMeasure, populations: Sequence[_Population], draws: Draws, folds: Sequence[int]
) -> CorrectedScores:
    samples = [
        population.sampled(measure, *drawn) for population, drawn in zip(populations, draws, strict=True)
    ]
    if not measure.by_ideal:
        return corrected_scores(samples, folds)
    ranked = [
        RankedTopic(sample, population.known, population.ranks)
        for sample, population in zip(samples, populations, strict=True)
    ]
    given = np.unique(np.concatenate([sample.gains[sample.sampled] for sample in samples]))
    levels = given[given > 0] if given.any() else np.ones(1)
    return corrected_ndcg(ranked, folds, levels, measure.weights)


@dataclass(frozen=True)
class _Statement:
    """A promise about some trials: `cases` are true or not. `halved`: of the second half of the draws."""

    name: str
    cases: Callable[[SampledAgain, IntArray], BoolArray]
    nominal: float = 0.95
    tolerance: float = 0.02
    redrawn: bool = False
    halved: bool = False


_STATEMENTS = (
    _Statement("95% sampling interval of a run", lambda one, worst: one.runs),
    _Statement(
        "95% sampling interval, worst tenth of runs",
        lambda one, worst: one.runs[worst],
        nominal=0.9,
        tolerance=0.03,
        halved=True,
    ),
    _Statement("95% sampling interval of a difference", lambda one, worst: one.pairs),
    _Statement("Pairs decided by a sample", lambda one, worst: one.right, nominal=0.98, tolerance=0.01),
    _Statement("95% interval of a run for topics like these", lambda one, worst: one.runs, redrawn=True),
)


def sampled_again_coverage(draws: Sequence[Sequence[SampledAgain]], trial: Trial) -> list[Coverage]:
    """Each statement at each size, of `sampled_again`. The worst runs are those of the first half of the
    draws, and tried on the second."""
    rows: list[Coverage] = []
    half = len(draws) // 2
    for statement in _STATEMENTS:
        for regime in dict.fromkeys(_regime(one) for one in draws[0] if one.redrawn == statement.redrawn):
            trials = [[one for one in drawn if _regime(one) == regime] for drawn in draws]
            asked = sum(map(len, trials))
            trials = [[one for one in drawn if one.stated] for drawn in trials]
            stated = sum(map(len, trials)) / asked
            worst = _worst_tenth(trials[:half])
            some = trials[half:] if statement.halved else trials
            rows += _stated(
                stated,
                statement.name,
                [[hit for one in drawn for hit in statement.cases(one, worst).tolist()] for drawn in some],
                regime=regime,
                nominal=statement.nominal,
                tolerance=statement.tolerance,
                at_least=True,
                trial=trial,
            )
    return rows


def _stated(stated: float, *row: Any, **fields: Any) -> list[Coverage]:
    return [replace(one, stated=stated) for one in coverage_of(*row, **fields)]


def _regime(one: SampledAgain) -> str:
    if one.redrawn:
        return f"{LIKE_THESE} topics drawn again, {one.size} judgments a topic"
    before = f"{BEFORE} by Method C, then " if one.after else ""
    by = "" if one.measure == RBP.name else f"{one.measure}, "
    return f"{by}{before}{one.size} judgments a topic"


def _worst_tenth(trials: Sequence[Sequence[SampledAgain]]) -> IntArray:
    """Places of the runs, at least one, whose intervals held least often."""
    held = [one.runs for drawn in trials for one in drawn]
    if not held:
        return np.zeros(0, dtype=np.int64)
    covered = np.mean(held, axis=0)
    return np.argsort(covered, kind="stable")[: max(len(covered) // 10, 1)]
