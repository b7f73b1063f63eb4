"""Bounds of the measures of fixed weights: brute force over all completions, and what a judgment may do."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.measure import Rankings, pad_rankings
from evaluation.measures.bounds import (
    Weighting,
    dcg_weighting,
    depth_for_accuracy,
    precision_weighting,
    rbp_weighting,
    weighted_bounds,
)
from evaluation.measures.gains import gains_of
from evaluation.names import parse_measure

NAN = float("nan")
BOUNDED = [
    "RBP(p=0.8)",
    "RBP(p=0.8,ties=shared)",
    "RBP(p=0.8)@4",
    "RBP(p=0.8,ties=shared)@4",
    "P@3",
    "P@6",
    "SDCG@4",
    "SDCG(log2(i+1))@6",
    "DCG@5",
    "DCG(b=10)@6",
]
UNBOUNDED = [
    "AP",
    "RR",
    "nDCG",
    "nDCG@10",
    "Rprec",
    "Bpref",
    "Q",
    "Success@5",
    "R@10",
    "SP",
    "AP*",
    "INST(T=2)",
    "BPM(T=1)@4",
    "RBP(p1=0.5,p2=0.8)",
    "Judged@4",
]
# Longer than every cut-off above; RBP still has a tail beyond.
REACH = 6
gain = st.sampled_from([0.0, 0.5, 1.0, NAN])
rankings = st.lists(gain, max_size=REACH)


@pytest.mark.parametrize("name", BOUNDED)
@settings(deadline=None, max_examples=30)
@given(ranked=rankings)
def test_bounds_hold_every_completion_and_are_reached(name: str, ranked: list[float]) -> None:
    measure = parse_measure(name)
    judged = np.zeros(0)
    bounds = measure.score(np.array(ranked), judged).bounds
    assert bounds is not None
    open_ = [*ranked, *[NAN] * (REACH - len(ranked))]
    places = np.flatnonzero(np.isnan(open_))
    full = []
    for filling in product([0.0, 1.0], repeat=len(places)):
        completed = np.array(open_)
        completed[places] = filling
        full.append(measure.score(completed, judged))
    low, high = min(one.score for one in full), max(one.score for one in full)
    # What RBP leaves open below the last rank stays open in every completion.
    beyond = full[0].bounds.residual if full[0].bounds else 0.0
    assert low == pytest.approx(bounds.base, abs=1e-12)
    if name[0] == "P":  # any gain counts 1
        assert measure.score(np.array([0.5]), judged).score > 0
    assert high + beyond == pytest.approx(bounds.top, abs=1e-12)


@pytest.mark.parametrize("name", BOUNDED)
@settings(deadline=None, max_examples=50)
@given(ranked=rankings.filter(len), data=st.data())
def test_a_judgment_never_lowers_base_nor_raises_residual(
    name: str, ranked: list[float], data: st.DataObject
) -> None:
    measure = parse_measure(name)
    place = data.draw(st.integers(0, len(ranked) - 1))
    ranked[place] = NAN
    before = measure.score(np.array(ranked), np.zeros(0)).bounds
    ranked[place] = data.draw(st.floats(0, 1))
    after = measure.score(np.array(ranked), np.zeros(0)).bounds
    assert before is not None
    assert after is not None
    assert after.base >= before.base
    assert after.residual <= before.residual
    assert before.top <= before.full * (1 + 1e-12)


@pytest.mark.parametrize("name", UNBOUNDED)
def test_other_measures_have_no_bounds(name: str) -> None:
    assert parse_measure(name).score(np.array([1.0, NAN]), np.array([1.0, 0.0])).bounds is None


@pytest.mark.parametrize("name", BOUNDED + UNBOUNDED)
def test_all_runs_at_once_are_each_run_alone(name: str) -> None:
    rng = np.random.default_rng(3)
    ranked = [rng.choice([0.0, 0.5, 1.0, NAN], n) for n in (0, 1, 4, 9, 30)]
    judged = rng.choice([0.0, 0.5, 1.0], 40)
    measure = parse_measure(name)
    together = measure.scores(Rankings(pad_rankings(ranked), judged)).each()
    alone = [measure.score(one, judged) for one in ranked]
    assert [cell.score for cell in together] == pytest.approx([cell.score for cell in alone], abs=1e-12)
    assert [c.bounds and c.bounds.residual for c in together] == pytest.approx(
        [c.bounds and c.bounds.residual for c in alone], abs=1e-12
    )


@pytest.mark.parametrize(
    ("weighting", "unjudged", "tail"),
    [
        (rbp_weighting(0.5, 6), 0.25, 0.125),
        (precision_weighting(5), 0.2, 0.4),
        (precision_weighting(2), 0.5, 0.0),
    ],
)
def test_the_residual_is_split_into_unjudged_and_tail(
    weighting: Weighting, unjudged: float, tail: float
) -> None:
    gains = pad_rankings([np.array([1.0, NAN, 0.0]), np.zeros(6)])
    found = weighted_bounds(gains, weighting, np.array([3, 6]))
    assert (found.unjudged[0], found.tail[0]) == pytest.approx((unjudged, tail))
    assert found.unjudged[1] == 0


@pytest.mark.parametrize("name", ["P@0", "nDCG@0", "SDCG@0", "AP@0", "R@0", "Success@0"])
def test_cut_offs_below_one(name: str) -> None:
    with pytest.raises(ValueError, match="k = 0 is below 1"):
        parse_measure(name)


@pytest.mark.parametrize("wrong", [-0.1, 1.5, float("inf"), float("-inf")])
def test_gains_outside_their_range(wrong: float) -> None:
    with pytest.raises(ValueError, match="outside"):
        gains_of([0.0, NAN, wrong])


def test_arguments_outside_their_range() -> None:
    with pytest.raises(ValueError, match="base = 1"):
        parse_measure("DCG(b=1)@10")
    with pytest.raises(ValueError, match="weights for a ranking"):
        weighted_bounds(np.zeros(5), rbp_weighting(0.8, 3))
    with pytest.raises(ValueError, match="outside"):
        depth_for_accuracy(0.5, 0.0)
    with pytest.raises(ValueError, match="below 1"):
        dcg_weighting(0)
