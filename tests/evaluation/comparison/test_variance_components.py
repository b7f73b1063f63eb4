from __future__ import annotations

from math import inf

import numpy as np
import pytest

from evaluation.comparison.variance import relative_interval, variance_components

# Shrout and Fleiss 1979, Table 2: six targets (here: runs) rated by four judges (here: topics).
RATINGS = np.array(
    [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]], dtype=float
)


def test_shrout_and_fleiss() -> None:
    # Table 3: mean squares 11.24 (targets), 32.49 (judges), 1.02 (residual).
    found = variance_components(RATINGS)
    assert found.interaction == pytest.approx(1.02, abs=0.005)
    assert found.system == pytest.approx((11.24 - 1.02) / 4, abs=0.005)
    assert found.topic == pytest.approx((32.49 - 1.02) / 6, abs=0.005)
    # Table 4: ICC(2,1) .29, ICC(3,1) .71, ICC(2,4) .62, ICC(3,4) .91.
    assert found.absolute(1) == pytest.approx(0.29, abs=0.005)
    assert found.relative(1) == pytest.approx(0.71, abs=0.005)
    assert found.absolute() == pytest.approx(0.62, abs=0.005)
    assert found.relative() == pytest.approx(0.91, abs=0.005)


def test_interval_of_the_relative_stability() -> None:
    # McGraw and Wong 1996, from the same mean squares: F quantiles of (5, 15) degrees at 3.58 and 1/6.43.
    low, high = relative_interval(RATINGS)
    assert low == pytest.approx(1 - 1.02 / 11.24 * 3.576, abs=0.002)
    assert high == pytest.approx(1 - 1.02 / 11.24 / 6.428, abs=0.002)


def test_topics_needed() -> None:
    found = variance_components(RATINGS)
    for needed, stability in (
        (found.topics_for_relative(), found.relative),
        (found.topics_for_absolute(), found.absolute),
    ):
        assert stability(int(needed)) >= 0.95 > stability(int(needed) - 1)
    assert found.topics_for_relative(0.5) == 1


def test_components_come_back_from_data_made_of_them() -> None:
    rng = np.random.default_rng(2)
    scores = rng.normal(0, 0.3, (400, 1)) + rng.normal(0, 0.5, (1, 300)) + rng.normal(0, 0.2, (400, 300))
    found = variance_components(scores)
    assert found.system == pytest.approx(0.09, rel=0.25)
    assert found.topic == pytest.approx(0.25, rel=0.25)
    assert found.interaction == pytest.approx(0.04, rel=0.02)
    assert sum(found.shares) == pytest.approx(1.0)


def test_cell_by_cell() -> None:
    scores = np.random.default_rng(3).uniform(size=(4, 5))
    runs, topics, mean = scores.mean(axis=1), scores.mean(axis=0), scores.mean()
    within = sum((scores[s, t] - runs[s] - topics[t] + mean) ** 2 for s in range(4) for t in range(5)) / 12
    between = 5 * sum((run - mean) ** 2 for run in runs) / 3
    found = variance_components(scores)
    assert found.interaction == pytest.approx(within)
    assert found.system == pytest.approx(max(0.0, (between - within) / 5))


def test_identical_runs_need_endless_topics() -> None:
    found = variance_components(np.tile([0.1, 0.5, 0.9], (4, 1)))
    assert found.system == 0.0
    assert found.topics_for_relative() == inf
    assert found.relative() != found.relative()
    assert found.absolute() == 0.0


def test_wrong_input_is_named() -> None:
    for wrong in (np.zeros((1, 4)), np.zeros((4, 1)), np.zeros(4)):
        with pytest.raises(ValueError, match="at least 2 runs and 2 topics"):
            variance_components(wrong)
    with pytest.raises(ValueError, match="a score is nan"):
        variance_components(np.array([[0.1, np.nan], [0.2, 0.3]]))
    found = variance_components(RATINGS)
    with pytest.raises(ValueError, match="topics = 0"):
        found.relative(0)
    with pytest.raises(ValueError, match="stability = 1"):
        found.topics_for_absolute(1)
