"""statAP's interval: its parts written out as loops, over many samples of one design, and at the edges."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from evaluation.estimation.statap import JudgedSample, stat_ap
from evaluation.estimation.statap_interval import (
    SampleInterval,
    SamplingError,
    sampling_error,
    stat_map_interval,
)
from evaluation.measures.precision import average_precision

NAN = float("nan")


@dataclass
class Drawn:
    """A sampled document: relevant, inclusion probability, rank or None."""

    hit: bool
    pi: float
    rank: int | None


def slow_statap(drawn: list[Drawn], factor: float = 1.0) -> float:
    weight = {id(d): factor / d.pi for d in drawn}
    hits = [d for d in drawn if d.hit]
    parts = [
        weight[id(d)] * (1 + sum(weight[id(e)] for e in hits if e.rank and e.rank < d.rank)) / d.rank
        for d in hits
        if d.rank
    ]
    return sum(parts) / sum(weight[id(d)] for d in hits)


def slow_jackknife(drawn: list[Drawn]) -> float:
    m = len(drawn)
    without = [slow_statap([e for e in drawn if e is not d], m / (m - 1)) for d in drawn]
    mean = sum(without) / m
    pairs = zip(drawn, without, strict=True)
    return min((m - 1) / m * sum((1 - d.pi) * (ap - mean) ** 2 for d, ap in pairs), 1)


def slow_bias_and_concentration(drawn: list[Drawn]) -> tuple[float, float]:
    slope = (sum(d.hit for d in drawn) + 0.5) / sum(d.pi**1.5 for d in drawn)
    p = {id(d): (d.hit + min(slope * d.pi**1.5, 1)) / 2 for d in drawn}
    relevant = sum(p[id(d)] / d.pi for d in drawn)
    ap, bias, concentration = slow_statap(drawn), 0.0, 0.0
    for d in drawn:
        share = 1 / d.pi / (relevant + (1 - p[id(d)]) / d.pi)
        square = p[id(d)] * (1 - d.pi) * share**2
        above = sum(1 / e.pi for e in drawn if e.hit and e.rank and d.rank and e.rank < d.rank)
        below = sum(1 / e.pi / e.rank for e in drawn if e.hit and e.rank and d.rank and e.rank > d.rank)
        bias -= square * (((1 + above) / d.rank if d.rank else 0) + below - ap)
        concentration += square
    return bias, concentration


def arrays(drawn: list[Drawn], length: int) -> tuple[np.ndarray, np.ndarray, JudgedSample]:
    gains, inclusion = np.full(length, NAN), np.full(length, NAN)
    for d in drawn:
        if d.rank:
            gains[d.rank - 1], inclusion[d.rank - 1] = d.hit, d.pi
    sample = JudgedSample(np.array([float(d.hit) for d in drawn]), np.array([d.pi for d in drawn]))
    return gains, inclusion, sample


@pytest.mark.parametrize("seed", range(8))
def test_parts_against_loops(seed: int) -> None:
    """Two runs that retrieve different documents of one sample."""
    rng = np.random.default_rng(seed)
    hits, levels = rng.random(15) < 0.4, rng.choice([0.05, 0.2, 0.5, 0.9], 15)
    hits[:3] = True
    runs = []
    for _ in range(2):
        ranks = [int(rank) if rank <= 20 else None for rank in rng.permutation(30)[:15] + 1]
        runs.append([Drawn(bool(h), float(p), r) for h, p, r in zip(hits, levels, ranks, strict=True)])
    parts = [arrays(drawn, 20) for drawn in runs]
    gains, inclusion = (np.array([part[n] for part in parts]) for n in range(2))
    found = sampling_error(gains, inclusion, parts[0][2])
    one = sampling_error(gains[0], inclusion[0], parts[0][2])
    # A run's own figures do not depend on which other runs there are.
    assert (one.bias, one.variance) == (found.bias[0], found.variance[0])
    slow = [slow_bias_and_concentration(drawn) for drawn in runs]
    assert found.variance == pytest.approx([slow_jackknife(drawn) for drawn in runs])
    assert found.bias == pytest.approx([bias for bias, _ in slow])
    assert found.concentration == pytest.approx([concentration for _, concentration in slow])
    assert found.relevant.tolist() == [hits.sum()] * 2


def ends(found: SampleInterval) -> list[float]:
    return [float(found.low), float(found.high)]


def test_wilsons_interval_worked() -> None:
    """Of 25 topics of AP 0.5 in all, whose concentration is 3: k = 2/3 (0.15 / 0.25) + 1/3 3 = 1.4."""
    topics = np.full(25, 0.5)
    error = SamplingError(np.zeros(25), np.full(25, 0.15), np.full(25, 3.0), np.full(25, 5.0))
    found = stat_map_interval(topics, error)
    doubt = 2.0638986**2 * 1.4 / 25
    half = np.sqrt(doubt * 0.25 + doubt**2 / 4) / (1 + doubt)
    assert ends(found) == pytest.approx([0.5 - half, 0.5 + half])


SIZE, BUCKETS = 20, 8


@dataclass
class Design:
    """Stevens sampling from 160 documents, a run that ranks 60 of them, and its AP."""

    chances: np.ndarray
    relevant: np.ndarray
    run: np.ndarray

    @property
    def truth(self) -> float:
        return float(average_precision(self.relevant[self.run], int(self.relevant.sum())))

    def draw(self, rng: np.random.Generator) -> tuple[float, SamplingError]:
        hits = np.bincount(rng.choice(BUCKETS, SIZE, p=self.chances), minlength=BUCKETS)
        drawn = np.concatenate([b * SIZE + rng.permutation(SIZE)[:count] for b, count in enumerate(hits)])
        inclusion = np.repeat(self.chances, SIZE)
        gains, known = np.full(160, NAN), np.full(160, NAN)
        gains[drawn], known[drawn] = self.relevant[drawn], inclusion[drawn]
        sample = JudgedSample(self.relevant[drawn], inclusion[drawn])
        ranked = gains[self.run], known[self.run]
        return float(stat_ap(*ranked, sample)), sampling_error(*ranked, sample)


def design(rng: np.random.Generator) -> Design:
    chances = np.exp(-np.arange(BUCKETS) / 3)
    relevant = (rng.random(160) < np.repeat(0.5 * chances / chances[0], SIZE)).astype(float)
    order = np.argsort(np.arange(160) / 60 + rng.normal(0, 1, 160) - relevant)
    return Design(chances / chances.sum(), relevant, order[:60])


def covered(found: SampleInterval, truth: float) -> bool:
    return bool(found.low <= truth <= found.high)


def test_over_many_samples_a_topics_interval_covers() -> None:
    rng = np.random.default_rng(4)
    one = design(rng)
    drawn = [one.draw(rng) for _ in range(600)]
    estimates = np.array([estimate for estimate, _ in drawn])
    error = SamplingError.of_topics([error for _, error in drawn])
    known = ~np.isnan(error.variance)
    assert known.mean() > 0.9
    # The jackknife is somewhat too large.
    assert 0.9 < error.variance[known].mean() / np.nanvar(estimates) < 1.6
    alone = SamplingError.of_topics([error])
    found = stat_map_interval(estimates[None], alone)
    inside = (found.low <= one.truth) & (one.truth <= found.high)
    assert np.isnan(found.low[~known]).all()
    assert 0.93 < inside[known].mean() < 0.995


def test_over_many_campaigns_the_means_interval_covers() -> None:
    rng = np.random.default_rng(5)
    topics = [design(rng) for _ in range(10)]
    inside = []
    for _ in range(120):
        drawn = [topic.draw(rng) for topic in topics]
        estimates = np.array([estimate for estimate, _ in drawn])
        found = stat_map_interval(estimates, SamplingError.of_topics([error for _, error in drawn]))
        truths = np.array([topic.truth for topic in topics])
        inside.append(covered(found, truths[~np.isnan(estimates)].mean()))
    # With so few draws statAP itself is a few hundredths too low in this design.
    assert 0.89 < np.mean(inside) < 0.99


def of_one_topic(gains: list[float], inclusion: list[float], sample: JudgedSample) -> SampleInterval:
    ranked = np.array(gains), np.array(inclusion)
    error = SamplingError.of_topics([sampling_error(*ranked, sample)])
    return stat_map_interval(stat_ap(*ranked, sample)[None], error)


@pytest.mark.parametrize("relevant", [0, 1])
def test_with_one_relevant_document_or_none_the_sample_cannot_say(relevant: int) -> None:
    gains = np.array([float(relevant), 0.0, 0.0])
    found = of_one_topic([float(relevant), 0.0], [0.5, 0.5], JudgedSample(gains, np.full(3, 0.5)))
    assert np.isnan([found.low, found.high]).all()


@pytest.mark.parametrize("relevant", [1, 2])
def test_where_all_is_judged_the_interval_is_the_value(relevant: int) -> None:
    gains = np.array([0.0, *[1.0] * relevant, 0.0])
    found = of_one_topic([0.0, 1.0], [1.0, 1.0], JudgedSample(gains, np.ones(len(gains))))
    assert found.low == found.high == pytest.approx(0.5 / relevant)


def test_a_sample_in_part_certain_gives_no_interval_nor_does_a_mean_with_it() -> None:
    """Relevant documents that were certain to be found, and few draws beside them, make statAP too high."""
    gains, inclusion = np.array([1.0, 1.0, 0.0, 1.0]), np.array([0.5, 0.5, 0.2, 1.0])
    found = of_one_topic([1.0, 1.0], [0.5, 1.0], JudgedSample(gains, inclusion))
    assert np.isnan([found.low, found.high]).all()
    mixed = sampling_error(gains, inclusion, JudgedSample(gains, inclusion))
    drawn = sampling_error(gains[:3], inclusion[:3], JudgedSample(gains[:3], inclusion[:3]))
    mean = stat_map_interval(np.full(4, 0.5), SamplingError.of_topics([drawn, drawn, drawn, mixed]))
    assert np.isnan([mean.low, mean.high]).all()
    mean = stat_map_interval(np.full(3, 0.5), SamplingError.of_topics([drawn] * 3))
    assert mean.low < 0.5 < mean.high


def test_the_interval_never_shrinks_to_a_point_by_chance() -> None:
    """Both relevant documents at the very top: each sample without one of them has AP 1 as well."""
    sample = JudgedSample(np.array([1.0, 1.0, 0.0, 0.0]), np.array([0.9, 0.9, 0.1, 0.1]))
    found = of_one_topic([1.0, 1.0], [0.9, 0.9], sample)
    assert found.low < 0.9
    assert found.high >= 1


def test_a_value_above_1_is_inside() -> None:
    sample = JudgedSample(np.array([1.0, 1.0]), np.array([0.1, 0.1]))
    estimate = float(stat_ap(np.array([1.0, 1.0]), np.array([0.1, 0.1]), sample))
    found = of_one_topic([1.0, 1.0], [0.1, 0.1], sample)
    assert estimate > 1
    assert 0 <= found.low < 1 < found.high == estimate


def errors(variance: list[float]) -> SamplingError:
    n = len(variance)
    return SamplingError(np.zeros(n), np.array(variance), np.full(n, 0.2), np.full(n, 3.0))


def test_topics_borrow_the_variance_of_the_others() -> None:
    some = stat_map_interval(np.array([0.2, 0.4, 0.3]), errors([0.04, 0.06, NAN]))
    all_ = stat_map_interval(np.array([0.2, 0.4, 0.3]), errors([0.04, 0.06, 0.05]))
    assert ends(some) == pytest.approx(ends(all_))


@pytest.mark.parametrize("variance", [[0.04, NAN, NAN], [NAN, NAN], [NAN], []])
def test_a_mean_needs_two_topics_that_can_say(variance: list[float]) -> None:
    found = stat_map_interval(np.full(len(variance), 0.3), errors(variance))
    assert np.isnan([found.low, found.high]).all()


def test_topics_without_a_value_leave_the_mean() -> None:
    with_, without = np.array([0.2, NAN, 0.4, 0.3]), np.array([0.2, 0.4, 0.3])
    error = SamplingError(*(np.array([1, NAN, 1, 1]) * part for part in (0.01, 0.05, 0.2, 3)))
    same = SamplingError(*(np.ones(3) * part for part in (0.01, 0.05, 0.2, 3)))
    one, other = stat_map_interval(with_, error), stat_map_interval(without, same)
    assert ends(one) == pytest.approx(ends(other))
