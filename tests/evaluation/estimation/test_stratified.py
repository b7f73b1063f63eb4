"""xinfAP and infNDCG. The golden input is hand-made; its values are the published program's."""

import numpy as np
import pytest

from evaluation.estimation.strata import StratifiedPool, stratified_ap, stratified_ndcg
from evaluation.measures.cumulated_gain import ndcg
from evaluation.measures.precision import average_precision

NAN = float("nan")
GRADES = dict(zip("abcdefgh", [1, 0, 2, 1, 0, NAN, NAN, NAN], strict=True))
STRATA = dict(zip("abcdefgh", [0, 0, 0, 1, 1, 1, 1, 1], strict=True))


def ranked(docnos: str) -> tuple[np.ndarray, np.ndarray]:
    gains = np.array([GRADES.get(docno, NAN) for docno in docnos]) / 2
    return gains, np.array([STRATA.get(docno, -1) for docno in docnos])


POOL = StratifiedPool(np.array(list(STRATA.values())), np.array(list(GRADES.values())) / 2)


def test_golden_xinf() -> None:
    assert POOL.relevant == pytest.approx(4.5)
    # Gains are half the grades.
    assert POOL.ideal_dcg(1000) * 2 == pytest.approx(3.948459, abs=5e-7)
    assert stratified_ap(*ranked("cdxbfage"), POOL) == pytest.approx(0.925919, abs=5e-7)
    assert stratified_ndcg(*ranked("cdxbfage"), POOL) == pytest.approx(0.916324, abs=5e-7)


def slow_ap(gains: list[float], strata: list[int], pool: StratifiedPool) -> float:
    total = 0.0
    for place, value in enumerate(gains):
        if not value > 0:
            continue
        expected = 1.0
        for stratum in set(pool.strata.tolist()):
            above = [g for g, s in zip(gains[:place], strata[:place], strict=True) if s == stratum]
            known = [g for g in above if g == g]
            expected += len(above) * (sum(g > 0 for g in known) + 1e-5) / (len(known) + 3e-5)
        of = pool.strata == strata[place]
        total += expected / (place + 1) * of.sum() / (of & ~np.isnan(pool.gains)).sum()
    return float(total / pool.relevant) if pool.relevant else 0.0


@pytest.mark.parametrize("seed", range(5))
def test_against_loops(seed: int) -> None:
    rng = np.random.default_rng(seed)
    pool = StratifiedPool(
        rng.integers(0, 3, 30), rng.choice([0.0, 0.5, 1.0, NAN], 30, p=[0.3, 0.1, 0.1, 0.5])
    )
    orders = np.array([rng.permutation(40)[:25] for _ in range(4)])
    gains, strata = np.r_[pool.gains, np.full(10, NAN)][orders], np.r_[pool.strata, np.full(10, -1)][orders]
    expected = [slow_ap(list(g), list(s), pool) for g, s in zip(gains, strata, strict=True)]
    assert stratified_ap(gains, strata, pool) == pytest.approx(expected, abs=1e-12)
    assert stratified_ap(gains, strata, pool, depth=7) == pytest.approx(
        [slow_ap(list(g[:7]), list(s[:7]), pool) for g, s in zip(gains, strata, strict=True)], abs=1e-12
    )


def test_with_the_whole_pool_judged_they_are_ap_and_ndcg() -> None:
    rng = np.random.default_rng(9)
    strata, gains = rng.integers(0, 3, 40), rng.choice([0.0, 0.5, 1.0], 40)
    pool = StratifiedPool(strata, gains)
    order = rng.permutation(40)[:20]
    assert pool.relevant == (gains > 0).sum()
    close = average_precision(gains[order], int(pool.relevant))
    assert stratified_ap(gains[order], strata[order], pool) == pytest.approx(close, abs=1e-3)
    assert stratified_ndcg(gains[order], strata[order], pool) == pytest.approx(ndcg(gains[order], gains))


def test_nothing_relevant_and_wrong_arguments() -> None:
    empty = StratifiedPool(np.array([0, 0]), np.array([0.0, NAN]))
    assert stratified_ap(np.array([0.0]), np.array([0]), empty) == 0
    assert stratified_ndcg(np.array([0.0]), np.array([0]), empty) == 0
    with pytest.raises(ValueError, match="not in the pool"):
        stratified_ap(np.array([0.0]), np.array([-1]), empty)
    with pytest.raises(ValueError, match="stratum 4"):
        stratified_ap(np.array([NAN]), np.array([4]), empty)
    with pytest.raises(ValueError, match="shape"):
        StratifiedPool(np.array([0]), np.array([0.0, 1.0]))
    with pytest.raises(ValueError, match="negative"):
        StratifiedPool(np.array([-2]), np.array([0.0]))
