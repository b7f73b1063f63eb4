"""statAP and its variance: the golden example, and the estimators written out as loops."""

import numpy as np
import pytest

from evaluation.estimation.statap import (
    JudgedSample,
    stat_ap,
    stat_ap_with_variance,
    stat_precision,
    stat_r_precision,
)
from evaluation.measures.precision import average_precision, r_precision

NAN = float("nan")
# Relevant at ranks 1, 3, 5 and not retrieved; of six sampled documents, four are in the list.
RANKED = np.array([1.0, 0.0, 1.0, NAN, 1.0])
INCLUSION = np.array([0.5, 0.5, 0.25, NAN, 1.0])
SAMPLE = JudgedSample(np.array([1.0, 0.0, 1.0, 1.0, 1.0, 0.0]), np.array([0.5, 0.5, 0.25, 1.0, 0.1, 0.3]))


def test_golden_statap() -> None:
    found = stat_ap_with_variance(RANKED, INCLUSION, SAMPLE)
    assert SAMPLE.relevant == pytest.approx(17)
    assert found.estimate == pytest.approx(0.4352941, abs=5e-8)
    assert found.variance == pytest.approx(0.16179254, abs=5e-9)


def test_precision_and_r_precision_of_the_golden_example() -> None:
    assert stat_precision(RANKED, INCLUSION, 3) == pytest.approx((2 + 4) / 3)
    assert stat_r_precision(RANKED, INCLUSION, SAMPLE) == pytest.approx((2 + 4 + 1) / 17)


def slow_variance(
    gains: np.ndarray, inclusion: np.ndarray, sample: JudgedSample, missed: list[float]
) -> float:
    """`missed`: inclusion of the sampled relevant documents not retrieved."""
    size, total = len(sample.gains), sample.relevant
    hits = [(place + 1, inclusion[place]) for place in range(len(gains)) if gains[place] > 0]
    precision = {r: (1 + sum(1 / q for s, q in hits if s < r)) / r for r, _ in hits}
    ap = sum(precision[r] / q for r, q in hits) / total
    errors = [((precision[r] - ap) / q, q) for r, q in hits] + [(-ap / q, q) for q in missed]
    first = sum((1 - q) * e * e for e, q in errors)
    second = sum(e for e, _ in errors) ** 2 - sum(e * e for e, _ in errors)
    third = sum((1 - q) / q**2 * sum(1 / (s * v) for s, v in hits if s > r) ** 2 for r, q in hits)
    inside = sum(g == g for g in gains)
    return float(np.clip((first - second / (size - 1) + third) / total**2 * size / (inside + 0.1), 0, 1))


@pytest.mark.parametrize("seed", range(6))
def test_variance_against_loops(seed: int) -> None:
    rng = np.random.default_rng(seed)
    sample = JudgedSample(rng.choice([0.0, 0.5, 1.0], 40), rng.uniform(0.3, 1.0, 40))
    order = rng.permutation(60)[:30]
    gains = np.r_[sample.gains, np.full(20, NAN)][order]
    inclusion = np.r_[sample.inclusion, np.full(20, NAN)][order]
    missed = [sample.inclusion[d] for d in range(40) if d not in order and sample.gains[d] > 0]
    found = stat_ap_with_variance(np.array([gains, gains]), np.array([inclusion, inclusion]), sample)
    assert found.variance == pytest.approx([slow_variance(gains, inclusion, sample, missed)] * 2, abs=1e-12)


def test_a_sample_of_everything_is_no_estimate() -> None:
    gains = np.random.default_rng(1).choice([0.0, 1.0], 30)
    everything = JudgedSample(gains, np.ones(30))
    certain, relevant = np.ones(20), int(gains.sum())
    found = stat_ap_with_variance(gains[:20], certain, everything)
    assert found.estimate == pytest.approx(average_precision(gains[:20], relevant))
    assert stat_precision(gains[:20], certain, 10) == pytest.approx(gains[:10].mean())
    assert stat_r_precision(gains[:20], certain, everything) == pytest.approx(
        r_precision(gains[:20], relevant)
    )


def test_the_estimate_is_not_far_off_in_the_mean() -> None:
    """Drawn independently, 4,000 times: the ratio's own bias is small against that of the printed form."""
    rng = np.random.default_rng(2)
    gains = (rng.random(40) < 0.5).astype(float)
    probability = np.linspace(0.9, 0.5, 40)
    truth = average_precision(gains, int(gains.sum()))
    estimates = []
    for _ in range(4000):
        drawn = rng.random(40) < probability
        seen, known = np.where(drawn, gains, NAN), np.where(drawn, probability, NAN)
        estimates.append(stat_ap(seen, known, JudgedSample(gains[drawn], probability[drawn])))
    assert np.mean(estimates) == pytest.approx(float(truth), abs=0.01)


def test_no_relevant_document_no_value_and_one_document_no_variance() -> None:
    nothing = stat_ap_with_variance(
        np.array([0.0]), np.array([0.5]), JudgedSample(np.zeros(2), np.array([0.5, 0.5]))
    )
    assert np.isnan([nothing.estimate, nothing.variance]).all()
    assert np.isnan(stat_r_precision(np.zeros(1), np.ones(1), JudgedSample(np.zeros(1), np.ones(1))))
    one = stat_ap_with_variance(np.array([1.0]), np.array([0.5]), JudgedSample(np.ones(1), np.array([0.5])))
    assert one.estimate == 1.0
    assert np.isnan(one.variance)


@pytest.mark.parametrize("wrong", [0.0, -0.5, 1.5])
def test_probabilities_outside_their_range(wrong: float) -> None:
    with pytest.raises(ValueError, match="outside"):
        JudgedSample(np.ones(1), np.array([wrong]))
    with pytest.raises(ValueError, match="outside"):
        stat_ap(np.ones(1), np.array([wrong]), SAMPLE)
    with pytest.raises(ValueError, match="known together"):
        stat_ap(np.array([NAN]), np.array([0.5]), SAMPLE)
