"""Intervals of differences by statAP: their parts written out as loops, every sample of a small population,
many campaigns of one design, and the edges."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from evaluation.estimation.corrected import TooEarly, TopicEstimate
from evaluation.estimation.statap import JudgedSample, stat_ap
from evaluation.estimation.statap_interval import sampling_error
from evaluation.estimation.statap_pairs import stat_ap_covariances, stat_map_pairs, too_early_for_pairs
from evaluation.measures.precision import average_precision
from tests.evaluation.estimation.test_statap_interval import (
    BUCKETS,
    SIZE,
    Design,
    Drawn,
    arrays,
    design,
    slow_statap,
)


def drawn_runs(seed: int, runs: int = 3) -> list[list[Drawn]]:
    """Runs that rank different documents of one sample of 15."""
    rng = np.random.default_rng(seed)
    hits, levels = rng.random(15) < 0.4, rng.choice([0.05, 0.2, 0.5, 0.9], 15)
    hits[:3] = True
    made = []
    for _ in range(runs):
        ranks = [int(rank) if rank <= 20 else None for rank in rng.permutation(30)[:15] + 1]
        made.append([Drawn(bool(h), float(p), r) for h, p, r in zip(hits, levels, ranks, strict=True)])
    return made


def ranks_of(runs: list[list[Drawn]]) -> np.ndarray:
    return np.array([[d.rank or 0 for d in drawn] for drawn in runs])


def slow_measured(one: list[Drawn], other: list[Drawn]) -> float:
    """Leave out one draw after the other, of both runs at once."""
    m = len(one)
    pairs: list[list[float]] = []
    for place in range(m):
        rest = [drawn[:place] + drawn[place + 1 :] for drawn in (one, other)]
        pairs.append([slow_statap(drawn, m / (m - 1)) for drawn in rest])
    means = [sum(each) / m for each in zip(*pairs, strict=True)]
    found = 0.0
    for d, (a, b) in zip(one, pairs, strict=True):
        found += (1 - d.pi) * (a - means[0]) * (b - means[1])
    return found * (m - 1) / m


def slow_modelled(one: list[Drawn], other: list[Drawn]) -> float:
    """The same draw's influence on either run, by its smoothed chance of relevance."""
    slope = (sum(d.hit for d in one) + 0.5) / sum(d.pi**1.5 for d in one)
    chances = [(d.hit + min(slope * d.pi**1.5, 1)) / 2 for d in one]
    relevant = sum(chance / d.pi for d, chance in zip(one, chances, strict=True))

    def influence(drawn: list[Drawn], d: Drawn) -> float:
        if d.rank is None:
            return -slow_statap(drawn)
        above = sum(1 / e.pi for e in drawn if e.hit and e.rank and e.rank < d.rank)
        below = sum(1 / e.pi / e.rank for e in drawn if e.hit and e.rank and e.rank > d.rank)
        return (1 + above) / d.rank + below - slow_statap(drawn)

    found = 0.0
    for a, b, chance in zip(one, other, chances, strict=True):
        share = 1 / a.pi / (relevant + (1 - chance) / a.pi)
        found += chance * (1 - a.pi) * share**2 * influence(one, a) * influence(other, b)
    return found


@pytest.mark.parametrize("seed", range(8))
def test_covariances_are_those_of_loops(seed: int) -> None:
    runs = drawn_runs(seed)
    parts = [arrays(drawn, 20) for drawn in runs]
    sample = parts[0][2]
    found = stat_ap_covariances(ranks_of(runs), sample)
    gains, inclusion = (np.array([part[n] for part in parts]) for n in range(2))
    assert found.scores == pytest.approx(stat_ap(gains, inclusion, sample))
    for a, one in enumerate(runs):
        for b, other in enumerate(runs):
            assert found.measured[a, b] == pytest.approx(slow_measured(one, other))
            assert found.modelled[a, b] == pytest.approx(slow_modelled(one, other))


@pytest.mark.parametrize("seed", range(8))
def test_a_runs_own_variance_is_that_of_its_interval(seed: int) -> None:
    runs = drawn_runs(seed)
    parts = [arrays(drawn, 20) for drawn in runs]
    gains, inclusion = (np.array([part[n] for part in parts]) for n in range(2))
    own = stat_ap_covariances(ranks_of(runs), parts[0][2]).measured.diagonal()
    error = sampling_error(gains, inclusion, parts[0][2])
    assert np.minimum(own, 1) == pytest.approx(error.variance)


def test_over_every_sample_of_a_small_population_the_variance_is_about_that_of_the_difference() -> None:
    """Twelve documents, each drawn by its own coin: 4,096 samples, weighted by their probabilities."""
    relevant = np.array([1, 1, 0, 1, 1, 0, 1, 1, 0, 1, 0, 1], dtype=np.float64)
    inclusion = np.tile([0.9, 0.7, 0.8], 4)
    ranks = np.array([np.arange(1, 13), [2, 5, 1, 4, 3, 8, 7, 12, 6, 9, 11, 10]])
    chances, differences, variances = [], [], []
    for coins in product([False, True], repeat=12):
        drawn = np.array(coins)
        if np.count_nonzero(relevant[drawn]) < 2:
            continue
        topic = stat_ap_covariances(ranks[:, drawn], JudgedSample(relevant[drawn], inclusion[drawn]))
        chances.append(np.where(drawn, inclusion, 1 - inclusion).prod())
        differences.append(topic.scores[0] - topic.scores[1])
        variances.append(variance_of_difference(topic.measured))
    assert sum(chances) > 0.999
    mean = np.average(differences, weights=chances)
    truth = [average_precision(relevant[np.argsort(order)], 8) for order in ranks]
    assert mean == pytest.approx(truth[0] - truth[1], abs=0.01)
    spread = np.average((np.array(differences) - mean) ** 2, weights=chances)
    assert 0.9 < np.average(variances, weights=chances) / spread < 1.4


def variance_of_difference(covariance: np.ndarray) -> float:
    return float(covariance[0, 0] + covariance[1, 1] - covariance[0, 1] - covariance[1, 0])


def draw(one: Design, runs: np.ndarray, rng: np.random.Generator) -> tuple[TopicEstimate, JudgedSample]:
    hits = np.bincount(rng.choice(BUCKETS, SIZE, p=one.chances), minlength=BUCKETS)
    drawn = np.concatenate([b * SIZE + rng.permutation(SIZE)[:count] for b, count in enumerate(hits)])
    ranks = np.zeros((len(runs), len(one.relevant)), dtype=np.int64)
    np.put_along_axis(ranks, runs, np.arange(1, runs.shape[1] + 1)[None], axis=1)
    sample = JudgedSample(one.relevant[drawn], np.repeat(one.chances, SIZE)[drawn])
    return stat_ap_covariances(ranks[:, drawn], sample), sample


def test_over_many_campaigns_the_differences_interval_covers() -> None:
    """Three runs on ten topics; the second is much like the first."""
    rng = np.random.default_rng(5)
    topics = []
    for _ in range(10):
        one = design(rng)
        near = one.run.copy()
        swapped = rng.permutation(60)[:12]
        near[np.sort(swapped)] = near[swapped]
        topics.append((one, np.array([one.run, near, design(rng).run])))
    inside, widths = [], []
    for _ in range(200):
        drawn = [draw(one, runs, rng) for one, runs in topics]
        assert too_early_for_pairs([sample for _, sample in drawn]) is None
        scores = stat_map_pairs([topic for topic, _ in drawn])
        assert scores is not None
        valued = [not np.isnan(topic.scores).any() for topic, _ in drawn]
        truths = np.array(
            [
                [average_precision(one.relevant[run], int(one.relevant.sum())) for run in runs]
                for one, runs in topics
            ]
        )[valued].mean(axis=0)
        half, errors = scores.pair_half_widths(), scores.scores - truths
        inside.append(np.abs(errors[:, None] - errors)[np.triu_indices(3, 1)] <= half[np.triu_indices(3, 1)])
        widths.append(half[np.triu_indices(3, 1)])
    assert 0.92 < np.mean(inside) < 0.995
    assert (np.mean(inside, axis=0) > 0.88).all()
    # What the runs have in common cancels out.
    near, *others = np.mean(widths, axis=0)
    assert near < 0.75 * min(others)


def one_topic(hits: int = 2, inclusion: float = 0.5) -> tuple[TopicEstimate, JudgedSample]:
    gains = np.array([1.0] * hits + [0.0] * (5 - hits))
    sample = JudgedSample(gains, np.full(5, inclusion))
    return stat_ap_covariances(np.array([[1, 2, 3, 4, 5], [5, 4, 3, 2, 1]]), sample), sample


def test_without_a_relevant_document_a_topic_leaves_the_mean() -> None:
    topic, none = one_topic()[0], one_topic(hits=0)[0]
    assert np.isnan([*none.scores, *none.measured.ravel(), *none.modelled.ravel()]).all()
    ours, theirs = stat_map_pairs([topic] * 3), stat_map_pairs([topic, none, topic, none, topic])
    assert ours is not None
    assert theirs is not None
    np.testing.assert_array_equal(ours.pair_half_widths(), theirs.pair_half_widths())


def test_a_topic_with_one_relevant_document_borrows_what_was_measured_of_the_others() -> None:
    topic, alone = one_topic()[0], one_topic(hits=1)[0]
    assert np.isnan(alone.measured).all()
    assert not np.isnan(alone.modelled).any()
    lent = replace(alone, measured=topic.measured)
    some, all_ = stat_map_pairs([topic, topic, alone]), stat_map_pairs([topic, topic, lent])
    assert some is not None
    assert all_ is not None
    assert some.pair_half_widths() == pytest.approx(all_.pair_half_widths())
    assert stat_map_pairs([topic, alone, alone]) is None


def test_where_all_is_judged_the_interval_is_the_difference() -> None:
    certain, sample = one_topic(inclusion=1.0)
    scores = stat_map_pairs([certain] * 2)
    assert scores is not None
    assert not scores.pair_half_widths().any()
    assert too_early_for_pairs([sample] * 2) is None


def test_a_sample_in_part_certain_gives_no_interval() -> None:
    topic, sample = one_topic()
    mixed_sample = replace(sample, inclusion=np.array([1.0, 0.5, 0.5, 0.5, 0.5]))
    mixed = stat_ap_covariances(np.array([[1, 2, 3, 4, 5], [5, 4, 3, 2, 1]]), mixed_sample)
    assert not np.isnan(mixed.scores).any()
    assert stat_map_pairs([topic] * 9 + [mixed]) is None
    assert too_early_for_pairs([sample] * 2 + [mixed_sample]) is None


def test_too_small_samples_give_no_interval() -> None:
    sample = one_topic()[1]
    assert too_early_for_pairs([]) == TooEarly("topics", 0, 8)
    assert too_early_for_pairs([sample] * 7) == TooEarly("topics", 7, 8)
    assert too_early_for_pairs([sample] * 8) is None
    assert too_early_for_pairs([one_topic(hits=1)[1]] * 8) == TooEarly("relevant", 8, 10)
    # Topics without a relevant document do not count.
    assert too_early_for_pairs([sample] * 7 + [one_topic(hits=0)[1]]) == TooEarly("topics", 7, 8)


def test_runs_that_rank_alike_differ_by_nothing() -> None:
    sample = one_topic()[1]
    twice = stat_ap_covariances(np.array([[1, 2, 3, 4, 5]] * 2), sample)
    scores = stat_map_pairs([twice] * 8)
    assert scores is not None
    assert scores.pair_half_widths() == pytest.approx(np.zeros((2, 2)), abs=1e-7)
