"""Probabilities of being drawn: shares, sums, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.estimation.inclusion import sampling_inclusion


def test_probabilities_share_what_the_certain_leave() -> None:
    assert sampling_inclusion(np.array([5.0, 2, 1, 1, 1]), 2) == pytest.approx([1, 0.4, 0.2, 0.2, 0.2])
    # The second is certain only once the first is.
    assert sampling_inclusion(np.array([90.0, 6, 3, 3]), 3) == pytest.approx([1, 1, 0.5, 0.5])
    assert sampling_inclusion(np.array([1.0, 0, 2]), 2).tolist() == [1, 0, 1]
    assert sampling_inclusion(np.array([1.0, 2]), 5).tolist() == [1, 1]
    assert sampling_inclusion(np.zeros(2), 1).tolist() == [0, 0]
    assert sampling_inclusion(np.ones(2), 0).tolist() == [0, 0]
    assert sampling_inclusion(np.zeros(0), 3).tolist() == []


@given(st.lists(st.just(0.0) | st.floats(1e-12, 1e12), min_size=1, max_size=30), st.integers(0, 40))
def test_probabilities_add_up_to_the_number(sizes: list[float], number: int) -> None:
    inclusion = sampling_inclusion(np.array(sizes), number)
    assert ((inclusion >= 0) & (inclusion <= 1)).all()
    assert (inclusion[np.array(sizes) == 0] == 0).all()
    assert inclusion.sum() == pytest.approx(min(number, np.count_nonzero(sizes)))
    assert (np.diff(inclusion[np.argsort(sizes)]) >= 0).all()


@pytest.mark.parametrize("sizes", [[-1.0], [float("nan")], [float("inf")]])
def test_impossible_sizes_are_refused(sizes: list[float]) -> None:
    with pytest.raises(ValueError, match="not finite"):
        sampling_inclusion(np.array(sizes), 1)


def test_a_negative_number_is_refused() -> None:
    with pytest.raises(ValueError, match="number = -1"):
        sampling_inclusion(np.ones(1), -1)
