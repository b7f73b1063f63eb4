from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import stats

from evaluation.comparison.effects import effect_sizes
from evaluation.comparison.significance import CORRECTIONS, adjust
from tests.evaluation.comparison.test_significance import SLEEP


def test_benjamini_and_hochbergs_own_example() -> None:
    # Benjamini and Hochberg 1995, section 3.2: 15 tests, 4 rejected at .05 where Holm rejects 3.
    p = np.array([.0001, .0004, .0019, .0095, .0201, .0278, .0298, .0344, .0459, .3240, .4262, .5719, .6528, .7590, 1])  # fmt: skip  # noqa: E501
    assert int((adjust(p, "bh") <= 0.05).sum()) == 4
    assert int((adjust(p, "holm") <= 0.05).sum()) == 3
    assert adjust(p, "bh")[3] == pytest.approx(0.0095 * 15 / 4)


@given(st.lists(st.floats(0, 1), max_size=12))
def test_holm_steps_down(values: list[float]) -> None:
    adjusted = adjust(np.array(values), "holm")
    for alpha in (0.01, 0.05, 0.3):
        rejected = set()
        for step, place in enumerate(np.argsort(values, kind="stable")):
            if values[place] * (len(values) - step) > alpha:
                break
            rejected.add(int(place))
        assert set(np.flatnonzero(adjusted <= alpha)) == rejected


@pytest.mark.parametrize("correction", CORRECTIONS)
def test_no_tests_and_wrong_values(correction: str) -> None:
    assert len(adjust(np.zeros(0), correction)) == 0  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"p = 1.5 is outside \[0, 1\]"):
        adjust(np.array([0.1, 1.5]), correction)  # type: ignore[arg-type]


def test_an_unknown_correction() -> None:
    with pytest.raises(ValueError, match="no correction is called 'sidak'"):
        adjust(np.array([0.1]), "sidak")  # type: ignore[arg-type]


def test_effects_of_students_data() -> None:
    found = effect_sizes(SLEEP)
    # Mean 1.58, standard deviation 1.23, t = 4.0621 (Student 1908).
    assert found.cohen_d.value[0] == pytest.approx(4.0621 / np.sqrt(10), abs=1e-4)
    assert (found.superiority.value[0], found.rank_biserial.value[0]) == (0.95, 1.0)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(3, 60))
@example(976759445, 11)  # t = 0.0003
def test_the_interval_of_d_puts_t_in_its_tails(seed: int, topics: int) -> None:
    row = np.random.default_rng(seed).normal(0.3, 1, topics)
    d = effect_sizes(row).cohen_d
    t = float(d.value[0]) * np.sqrt(topics)
    for bound, share in ((d.low[0], 0.975), (d.high[0], 0.025)):
        assert stats.nct.cdf(t, topics - 1, bound * np.sqrt(topics)) == pytest.approx(share, abs=1e-5)


@pytest.mark.parametrize("t", [1e-12, 1e-9, 1e-6, -1e-4, 3e-4, -6.3e-4, 9.99e-4])
@pytest.mark.parametrize("topics", [2, 11, 500])
def test_the_interval_of_d_is_exact_near_zero(topics: int, t: float) -> None:
    # Differences that alternate about the mean: rounding to 12 decimals leaves them as they are.
    row = np.resize([1000.0, -1000.0], topics)
    row[-1] = 0.0 if topics % 2 else row[-1]
    row = row + t * np.std(row, ddof=1) / np.sqrt(topics)
    d = effect_sizes(row).cohen_d
    observed = float(d.value[0]) * np.sqrt(topics)
    for bound, share in ((d.low[0], 0.975), (d.high[0], 0.025)):
        found = stats.nct.cdf(observed, topics - 1, bound * np.sqrt(topics))
        assert found == pytest.approx(share, abs=1e-9)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(-4, 4), min_size=2, max_size=9))
def test_rank_biserial_one_by_one(values: list[int]) -> None:
    kept = [value for value in values if value]
    ranks: list[float] = list(stats.rankdata(np.abs(kept))) if kept else []
    for_it = sum(rank for rank, value in zip(ranks, kept, strict=True) if value > 0)
    expected = (2 * for_it - sum(ranks)) / sum(ranks) if kept else 0.0
    assert effect_sizes(np.array(values, dtype=float)).rank_biserial.value[0] == pytest.approx(expected)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 12), st.integers(0, 12))
def test_the_interval_of_superiority_is_wilsons(wins: int, losses: int) -> None:
    topics = wins + losses
    if topics < 2:
        return
    found = effect_sizes(np.r_[np.ones(wins), -np.ones(losses)]).superiority
    expected = stats.binomtest(wins, topics).proportion_ci(0.95, "wilson")
    assert (found.low[0], found.high[0]) == pytest.approx((expected.low, expected.high))


@pytest.mark.parametrize(("topics", "shift"), [(10, 0.0), (10, 0.6), (50, 0.0), (50, 0.3), (50, 1.5)])
def test_intervals_cover_what_they_should(topics: int, shift: float) -> None:
    found = effect_sizes(np.random.default_rng(8).normal(shift, 1, (3000, topics)))
    # Of a normal difference: it is above 0, and so is the sum of two.
    above, two_above = (float(stats.norm.cdf(each)) for each in (shift, shift * np.sqrt(2)))
    pairs = topics * (topics - 1) / 2
    biserial = 2 * (topics * above + pairs * two_above) / (topics + pairs) - 1
    for effect, true in ((found.superiority, above), (found.rank_biserial, biserial)):
        covered = np.mean((effect.low <= true) & (true <= effect.high))
        assert 0.93 < covered < 0.995


def test_winning_every_topic_is_no_certainty() -> None:
    found = effect_sizes(np.array([np.arange(1.0, 11), np.zeros(10)]))
    assert found.rank_biserial.value.tolist() == [1.0, 0.0]
    assert 0.3 < found.rank_biserial.low[0] < 0.6
    assert found.rank_biserial.high[0] == pytest.approx(1.0)
    assert 0.6 < found.superiority.low[0] < 0.8
    # Without any difference nothing is known.
    assert (found.rank_biserial.low[1], found.rank_biserial.high[1]) == (-1.0, 1.0)


def test_zero_variance() -> None:
    found = effect_sizes(np.array([[0.1] * 4, [0.0] * 4, [-0.1] * 4]))
    assert found.cohen_d.value.tolist() == [np.inf, 0.0, -np.inf]
    assert found.superiority.value.tolist() == [1.0, 0.5, 0.0]


def test_wrong_input_is_named() -> None:
    with pytest.raises(ValueError, match="at least 2 topics, got 1"):
        effect_sizes(np.array([0.1]))
