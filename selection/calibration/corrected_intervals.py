"""Trials of intervals from random samples: judged collections, sampled again and again, whose scores are
known."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from evaluation.arrays import BoolArray, FloatArray, IntArray
from evaluation.estimation.corrected import (
    FOLDS,
    CorrectedScores,
    SampledTopic,
    corrected_scores,
    rank_features,
    sampling_inclusion,
)
from evaluation.measures.weights import rank_weights
from selection.calibration.coverage import Coverage, Trial, coverage_of
from selection.calibration.past_campaigns import PastTopic
from selection.methods.sample import drawn_depth, sizes_at_ranks
from selection.pool import build_topic_pool
from selection.simulation.replay import replay
from selection.specification import CampaignSpec

P = 0.8
SAMPLE_SIZES = (5, 10, 20)
MOST_TOPICS = 50
# Judgments a topic by Method C before a sample of as many.
BEFORE = 10
# Topics drawn again with replacement, of which the others are.
LIKE_THESE = 30


@dataclass(frozen=True, eq=False)
class SampledAgain:
    """One draw of a collection's samples. `size`: judgments a topic, beside those of Method C if `after`;
    `redrawn`: whether topics were drawn again, too.

    runs : (runs,), whether each interval held the score; pairs : the same of each pair's difference
    right : of pairs whose interval excludes 0, whether the better run is named
    """

    size: int
    after: bool
    redrawn: bool
    runs: BoolArray
    pairs: BoolArray
    right: BoolArray


@dataclass(frozen=True, eq=False)
class _Population:
    """One topic: `sample` with all gains known and no probabilities yet, and the sizes of its documents."""

    sample: SampledTopic
    sizes: FloatArray
    truth: FloatArray

    @classmethod
    def of(cls, topic: PastTopic, runs: IntArray, frozen: IntArray) -> _Population:
        lists = [topic.rankings[run] for run in runs.tolist()]
        known = [(run, ranking) for run, ranking in enumerate(lists) if ranking is not None]
        documents = np.concatenate([ranking for _, ranking in known])
        ranks = np.concatenate([np.arange(1, len(ranking) + 1) for _, ranking in known])
        number = len(topic.gains)
        gains = np.nan_to_num(topic.gains)
        weights = np.zeros((len(runs), number))
        of_rank = rank_weights(P, max(len(ranking) for _, ranking in known))
        for run, ranking in known:
            weights[run, ranking] = of_rank[: len(ranking)]
        sizes = sizes_at_ranks(documents, ranks, number, len(runs), P)
        sizes[frozen] = 0.0
        population = np.flatnonzero(sizes)
        sample = SampledTopic(
            weights[:, population],
            rank_features(documents, ranks, number, len(runs))[population],
            np.ones(len(population)),
            gains[population],
            weights[:, frozen] @ gains[frozen],
        )
        return cls(sample, sizes[population], weights @ gains)

    def draw(self, size: int, generator: np.random.Generator) -> SampledTopic:
        inclusion = sampling_inclusion(self.sizes, size)
        numbers = np.where(inclusion >= 1, -1.0, generator.random(len(self.sizes)) / self.sizes)
        gains = np.full(len(self.sizes), np.nan)
        drawn = np.argsort(numbers)[:size]
        gains[drawn] = self.sample.gains[drawn]
        return replace(self.sample, inclusion=inclusion, gains=gains)


def sampled_again(
    topics: Sequence[PastTopic],
    among: tuple[IntArray, IntArray],
    *,
    campaigns: int,
    seed: int,
    progress: Callable[[int], object] = lambda draws: None,
) -> Iterator[list[SampledAgain]]:
    """Draw the samples of the same runs and topics so many times, of every size and after Method C.

    Documents without a gain are not relevant. At most `MOST_TOPICS` topics are used.
    """
    generator = np.random.default_rng(seed)
    runs, indices = among
    ranked = [
        index for index in indices.tolist() if any(topics[index].rankings[run] is not None for run in runs)
    ]
    used = [topics[index] for index in generator.permutation(ranked)[:MOST_TOPICS].tolist()]
    nothing = [np.zeros(0, dtype=np.int64)] * len(used)
    plain = [_Population.of(topic, runs, frozen) for topic, frozen in zip(used, nothing, strict=True)]
    frozen = _judged_by_method_c(used, runs)
    after = [_Population.of(*each) for each in zip(used, [runs] * len(used), frozen, strict=True)]
    truth = np.array([one.truth for one in plain])
    for number in range(campaigns):
        yield [
            *(_trial(plain, truth, size, generator) for size in SAMPLE_SIZES),
            _trial(after, truth, BEFORE, generator, after=True),
            _redrawn(plain, truth, generator),
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


def _trial(
    populations: Sequence[_Population],
    truth: FloatArray,
    size: int,
    generator: np.random.Generator,
    *,
    after: bool = False,
) -> SampledAgain:
    scores = _estimate(populations, size, generator)
    true, half, pair_half = truth.mean(axis=0), scores.half_widths(), scores.pair_half_widths()
    # What no rank within the depth shows is added to the upper end.
    tail = P ** drawn_depth(P)
    error = scores.scores - true
    first, second = np.triu_indices(len(true), 1)
    difference, half_of_pair = (scores.scores[first] - scores.scores[second]), pair_half[first, second]
    true_difference = true[first] - true[second]
    decided = np.abs(difference) > half_of_pair
    return SampledAgain(
        size,
        after,
        redrawn=False,
        runs=(error <= half) & (error >= -half - tail),
        pairs=np.abs(difference - true_difference) <= half_of_pair + tail,
        right=(difference * true_difference > 0)[decided],
    )


def _redrawn(
    populations: Sequence[_Population], truth: FloatArray, generator: np.random.Generator
) -> SampledAgain:
    """Topics with replacement: all of the collection's are those that they are like."""
    places = generator.integers(len(populations), size=LIKE_THESE)
    scores = _estimate(populations, BEFORE, generator, places)
    covered = np.abs(scores.scores - truth.mean(axis=0)) <= scores.topic_half_widths() + P ** drawn_depth(P)
    none = np.zeros(0, dtype=np.bool_)
    return SampledAgain(BEFORE, after=False, redrawn=True, runs=covered, pairs=none, right=none)


def _estimate(
    populations: Sequence[_Population],
    size: int,
    generator: np.random.Generator,
    places: IntArray | None = None,
) -> CorrectedScores:
    """Scores over the topics at these places, all by default."""
    used = np.arange(len(populations)) if places is None else places
    drawn = [populations[place].draw(size, generator) for place in used.tolist()]
    return corrected_scores(drawn, (used % FOLDS).tolist())


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
            worst = _worst_tenth(trials[:half])
            some = trials[half:] if statement.halved else trials
            rows += coverage_of(
                statement.name,
                [[hit for one in drawn for hit in statement.cases(one, worst).tolist()] for drawn in some],
                regime=regime,
                nominal=statement.nominal,
                tolerance=statement.tolerance,
                at_least=True,
                trial=trial,
            )
    return rows


def _regime(one: SampledAgain) -> str:
    if one.redrawn:
        return f"{LIKE_THESE} topics drawn again, {one.size} judgments a topic"
    before = f"{BEFORE} by Method C, then " if one.after else ""
    return f"{before}{one.size} judgments a topic"


def _worst_tenth(trials: Sequence[Sequence[SampledAgain]]) -> IntArray:
    """Places of the runs, at least one, whose intervals held least often."""
    covered = np.mean([one.runs for drawn in trials for one in drawn], axis=0)
    return np.argsort(covered, kind="stable")[: max(len(covered) // 10, 1)]
