"""Golden values: Ravana and Moffat 2010 with E = 0.01 (their forms; see `evaluation.estimation.points`)."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.estimation.points import estimates, mean_estimates


@pytest.mark.parametrize(
    ("base", "residual", "background", "interpolated", "smoothed"),
    [(0.2, 0.3, 0.203, 0.285714, 0.2609), (0.0, 1.0, 0.01, 0.01, 0.01), (0.0, 0.3, 0.003, 0.0, 0.0009)],
)
def test_golden(
    base: float, residual: float, background: float, interpolated: float, smoothed: float
) -> None:
    found = estimates(base, residual)
    assert found.simplistic == base
    assert found.background == pytest.approx(background, abs=5e-7)
    assert found.interpolated == pytest.approx(interpolated, abs=5e-7)
    assert found.smoothed == pytest.approx(smoothed, abs=5e-7)


@given(st.floats(0, 1), st.floats(0, 1))
def test_smoothed_is_the_mixture_it_is_said_to_be(base: float, share: float) -> None:
    residual = (1 - base) * share
    found = estimates(base, residual)
    mixture = (1 - residual) * found.interpolated + residual * found.background
    assert found.smoothed == pytest.approx(mixture, abs=1e-12)


@pytest.mark.parametrize("wrong", [(-0.1, 0.5, 0.01), (0.1, 1.5, 0.01), (0.1, 0.5, 2.0)])
def test_outside_the_range(wrong: tuple[float, float, float]) -> None:
    with pytest.raises(ValueError, match="outside"):
        estimates(*wrong)


@pytest.mark.parametrize(
    ("trust", "smoothed"), [(0.0, 0.203), (1.0, 0.2 / 0.7), (0.5, (0.203 + 0.2 / 0.7) / 2)]
)
def test_smoothed_with_a_given_trust(trust: float, smoothed: float) -> None:
    assert estimates(0.2, 0.3, trust=trust).smoothed == pytest.approx(smoothed)
    with pytest.raises(ValueError, match=r"trust = 1.5"):
        estimates(0.2, 0.3, trust=1.5)


@pytest.mark.parametrize("trust", [None, 0.0, 0.3, 1.0])
def test_means_are_those_of_the_topics_estimates(trust: float | None) -> None:
    rng = np.random.default_rng(2)
    residual = np.r_[rng.random(30), 1.0, 0.0]
    base = rng.random(32) * (1 - residual)
    found = mean_estimates(base, residual, 0.05, trust)
    each = [estimates(b, r, 0.05, trust) for b, r in zip(base.tolist(), residual.tolist(), strict=True)]
    for name in ("simplistic", "background", "interpolated", "smoothed"):
        assert getattr(found, name) == pytest.approx(np.mean([getattr(one, name) for one in each]))


@pytest.mark.parametrize("wrong", [1.5, -0.1, float("nan")])
def test_means_of_what_is_no_score(wrong: float) -> None:
    with pytest.raises(ValueError, match=r"base = .* is outside"):
        mean_estimates(np.array([0.2, wrong]), np.zeros(2))
    with pytest.raises(ValueError, match=r"trust = .* is outside"):
        mean_estimates(np.zeros(2), np.zeros(2), trust=wrong)
