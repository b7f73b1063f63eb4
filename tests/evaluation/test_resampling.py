"""Many resamples at once are the same resamples."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from evaluation import resampling
from evaluation.arrays import FloatArray, IntArray
from evaluation.resampling import bootstrap, bootstrap_of_sums, safe_ratio

ROWS = np.random.default_rng(4).integers(0, 3, (70, 4)).astype(np.float64)


def ratios(sums: FloatArray) -> FloatArray:
    return safe_ratio(sums[:, 0] - sums[:, 1], sums[:, 2] - 60)


def ratio(places: IntArray) -> float:
    return float(ratios(ROWS[places].sum(axis=0)[None])[0])


@pytest.mark.parametrize("at_once", [1, 70 * 7, 10**6])
@pytest.mark.parametrize("kept", [0, 10**6])
def test_sums_say_what_single_draws_say(monkeypatch: pytest.MonkeyPatch, at_once: int, kept: int) -> None:
    monkeypatch.setattr(resampling, "NUMBERS_AT_ONCE", at_once)
    monkeypatch.setattr(resampling, "MOST_KEPT_NUMBERS", kept)
    slow = bootstrap(ratio, len(ROWS), resamples=50, seed=at_once + kept)
    assert slow.undefined > 0
    for rows in (ROWS, sparse.csr_array(ROWS)):
        found = bootstrap_of_sums(ratios, rows, resamples=50, seed=at_once + kept)
        assert (found.value, found.low, found.high) == pytest.approx(
            (slow.value, slow.low, slow.high), nan_ok=True
        )
        assert found.undefined == slow.undefined


@pytest.mark.parametrize(
    ("rows", "wrong"), [(ROWS[:1], {}), (ROWS, {"resamples": 0}), (ROWS, {"confidence": 1.0})]
)
def test_what_cannot_be_drawn(rows: FloatArray, wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=r"needs at least 2|is below 1|not inside"):
        bootstrap_of_sums(ratios, rows, **wrong)  # type: ignore[arg-type]
