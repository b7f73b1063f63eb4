from __future__ import annotations

import numpy as np
import pytest

from selection.simulation.forecast import low_median_high


@pytest.mark.parametrize("futures", [3, 9, 12, 19, 20, 40])
def test_the_ends_hold_one_more_number_as_often_as_they_say(futures: int) -> None:
    rng = np.random.default_rng(futures)
    made = rng.normal(size=(20_000, futures + 1))
    ends = np.array([low_median_high(row[:-1]) for row in made])
    earlier, later = (made[:, -1] < ends[:, 0]).mean(), (made[:, -1] > ends[:, 2]).mean()
    # As often beyond the one end as beyond the other: four standard errors of a difference.
    assert abs(earlier - later) < 4 * np.sqrt((earlier + later) / len(made))
    held = 1 - earlier - later
    outside = next((k for k in range(futures, 0, -1) if (futures + 1 - 2 * k) / (futures + 1) >= 0.8), 1)
    assert held == pytest.approx((futures + 1 - 2 * outside) / (futures + 1), abs=0.015)
    assert held > 0.785 or futures < 9


def test_ends_and_median_are_of_the_numbers() -> None:
    assert low_median_high([5]).tolist() == [5, 5, 5]
    assert low_median_high([4, 1, 3, 2]).tolist() == [1, 2, 4]
    with_never = [3, 1, 2, np.inf, np.inf]
    assert low_median_high(with_never).tolist() == [1, 3, np.inf]
    with pytest.raises(ValueError, match="no futures"):
        low_median_high([])
