"""INSQ, the Bejeweled player, a reader of two persistences, compatibility and standardised scores, against
slow programs that follow the papers."""

from __future__ import annotations

from itertools import product
from statistics import NormalDist, mean, stdev

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.measure import GradedRankings, Rankings
from evaluation.measures.adaptive_readers import bejeweled_player, two_persistences
from evaluation.measures.compatibility import compatibility
from evaluation.measures.standardisation import standardised
from evaluation.names import parse_measure

NAN = float("nan")
gain = st.sampled_from([0.0, 0.25, 1.0, NAN])
rankings = st.lists(gain, max_size=12)


def known(ranked: list[float]) -> list[float]:
    return [0.0 if np.isnan(one) else one for one in ranked]


@given(ranked=rankings, target=st.sampled_from([0.5, 1.0, 3.0]))
def test_insq_goes_on_with_the_probability_of_the_paper(ranked: list[float], target: float) -> None:
    weights = [1.0]
    for rank in range(1, 1000):
        weights.append(weights[-1] * ((rank + 2 * target - 1) / (rank + 2 * target)) ** 2)
    found = parse_measure(f"INSQ(T={target:g})").score(np.array(ranked), np.zeros(0))
    earned = sum(w * g for w, g in zip(weights, known(ranked), strict=False))
    assert found.score == pytest.approx(earned / sum(weights), abs=1e-12)
    assert found.bounds is not None
    best = sum(w * (1.0 if np.isnan(g) else g) for w, g in zip(weights, ranked, strict=False))
    best += sum(weights[len(ranked) :])
    assert found.bounds.top == pytest.approx(best / sum(weights), abs=1e-12)


@given(ranked=rankings, target=st.sampled_from([0.25, 1.0, 2.5]), k=st.integers(1, 20))
def test_bejeweled_player_stops_at_the_target_or_at_k(ranked: list[float], target: float, k: int) -> None:
    found, read = 0.0, 0
    for one in (known(ranked) + [0.0] * k)[:k]:
        read += 1
        found += one
        if found >= target:
            break
    assert bejeweled_player(np.array(ranked), target, k) == pytest.approx(found / read)


@given(ranked=rankings, p1=st.sampled_from([0.0, 0.5, 1.0]), p2=st.sampled_from([0.0, 0.5, 0.9]))
def test_two_persistences_is_gain_over_documents_looked_at(ranked: list[float], p1: float, p2: float) -> None:
    weight, earned, looks = 1.0, 0.0, 0.0
    for one in known(ranked) + [0.0] * 2000:
        earned, looks = earned + weight * one, looks + weight
        weight *= one * p1 + (1 - one) * p2
    assert two_persistences(np.array(ranked), p1, p2) == pytest.approx(earned / looks)


@given(ranked=rankings)
def test_equal_persistences_are_rbp(ranked: list[float]) -> None:
    rbp = parse_measure("RBP(p=0.8)").score(np.array(ranked), np.zeros(0)).score
    assert two_persistences(np.array(ranked), 0.8, 0.8) == pytest.approx(rbp)


def test_stopping_at_the_first_relevant_document_tends_to_its_reciprocal_rank() -> None:
    ranked = np.array([0.0, 0.0, 1.0, 1.0])
    assert two_persistences(ranked, 0, 1 - 1e-9) == pytest.approx(1 / 3)


def slow_compatibility(grades: list[float], missed: list[float], p: float) -> float:
    run = [(rank, grade) for rank, grade in enumerate(known(grades))]
    ideal = sorted((pair for pair in run if pair[1] > 0), key=lambda pair: -pair[1])
    ideal += [(1000 + n, grade) for n, grade in enumerate(missed)]
    ideal = sorted(ideal, key=lambda pair: (-pair[1], pair[0]))
    depth = max(len(run), len(ideal))

    def overlap(one: list[tuple[int, float]]) -> float:
        return sum(p**i * len(set(one[: i + 1]) & set(ideal[: i + 1])) / (i + 1) for i in range(depth))

    return overlap(run) / overlap(ideal) if ideal else 0.0


@given(
    ranked=st.lists(st.sampled_from([0.0, 1.0, 3.0, NAN]), max_size=10),
    missed=st.lists(st.sampled_from([1.0, 2.0]), max_size=4),
)
def test_compatibility_is_the_overlap_of_the_lists(ranked: list[float], missed: list[float]) -> None:
    judged = np.array([one for one in ranked if not np.isnan(one)] + missed)
    found = compatibility(ranked, judged, 0.9)
    assert found == pytest.approx(slow_compatibility(ranked, missed, 0.9))
    assert found <= 1 + 1e-12


@given(scores=st.lists(st.integers(0, 10), min_size=2, max_size=8))
def test_standardised_scores_are_normal_probabilities(scores: list[int]) -> None:
    found = standardised(np.array(scores, dtype=float))
    if len(set(scores)) == 1:
        assert found.tolist() == [0.5] * len(scores)
        return
    units = [(score - mean(scores)) / stdev(scores) for score in scores]
    assert found == pytest.approx([NormalDist().cdf(unit) for unit in units])


def test_standardised_sp_is_standardised_ap() -> None:
    """Moffat and Zobel 2008, section 3.1: the number of relevant documents falls out."""
    rng = np.random.default_rng(1)
    topic = Rankings(rng.integers(0, 2, (5, 20)).astype(float), np.ones(30))
    ap, sp = (parse_measure(name).scores(topic).score for name in ("Std(AP)", "Std(SP)"))
    assert ap == pytest.approx(sp)
    assert len(set(ap)) == 5


@pytest.mark.parametrize("name", ["RR", "INSQ(T=1)"])
@given(ranked=st.lists(st.sampled_from([0.0, 1.0, NAN]), max_size=6))
def test_residuals_of_rr_and_insq_hold_every_outcome(name: str, ranked: list[float]) -> None:
    judged = np.zeros(0)
    score = parse_measure(name).score(np.array(ranked), judged).score
    residual = parse_measure(f"Residual({name})").score(np.array(ranked), judged).score
    open_ = [place for place, one in enumerate(ranked) if np.isnan(one)]
    for filling in product([0.0, 1.0], repeat=len(open_)):
        completed = np.array(ranked)
        completed[open_] = filling
        found = parse_measure(name).score(completed, judged).score
        assert score - 1e-12 <= found <= score + residual + 1e-12


def test_the_residual_of_insq_is_that_of_its_bounds() -> None:
    ranked = np.array([1.0, NAN, 0.0])
    bounds = parse_measure("INSQ(T=2)").score(ranked, np.zeros(0)).bounds
    assert bounds is not None
    assert parse_measure("Residual(INSQ(T=2))").score(ranked, np.zeros(0)).score == pytest.approx(
        bounds.residual
    )


def test_the_residual_of_ap_star_is_no_bound() -> None:
    ranked = np.array([1.0, *[0.0] * 8, NAN])
    score, residual = (
        parse_measure(name).score(ranked, np.zeros(0)).score for name in ("AP*", "Residual(AP*)")
    )
    # To rank 1000: precisions 1 and then (k - 8) / k from rank 10 on, over 992 documents.
    assert score + residual == pytest.approx((1 + sum((k - 8) / k for k in range(10, 1001))) / 992)
    found_later = parse_measure("AP*").score(np.array([1.0, *[0.0] * 8, 1.0]), np.zeros(0)).score
    assert found_later < score


def test_residuals_of_scaled_grades_read_the_grades() -> None:
    graded = GradedRankings(np.array([[2.0, NAN, 0.0]]), np.array([2.0, 0.0]))
    topic = Rankings(np.array([[1.0, NAN, 0.0]]), np.array([1.0, 0.0]), graded=graded)
    scaled = Rankings(np.array([[0.5, NAN, 0.0]]), np.array([0.5, 0.0]))
    found = parse_measure("Residual(INST(T=1,max_rel=4))").scores(topic).score
    assert found == pytest.approx(parse_measure("Residual(INST(T=1))").scores(scaled).score)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("Residual(AP)", r"its residual is Residual\(AP\*\)"),
        ("Residual(nDCG)", "cwl_eval has no residual of nDCG"),
        ("BPM(T=0)@10", "T = 0 is not above 0"),
        ("INSQ(T=0.4)", r"T = 0\.4 is not a number from 0\.5 on"),
        ("RBP(p1=0.5)", "takes both p1 and p2"),
        ("RBP(p1=2,p2=0.5)", "p1 = 2 is outside"),
        ("RBP(p1=0.5,p2=1)", "p2 = 1 is outside"),
        ("Compat(p=1)", "p = 1 is not inside"),
        ("Std(NumRet)", "is no mean over topics"),
        ("Std(Nothing)", "no measure is called 'Nothing'"),
    ],
)
def test_impossible_readers_are_refused(name: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse_measure(name)
