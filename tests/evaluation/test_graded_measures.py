"""nDCG and DCG on grades: the gains that they make of them, and the bounds of DCG."""

from __future__ import annotations

from itertools import product
from math import log2

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.arrays import FloatArray
from evaluation.graded_measures import GainRule
from evaluation.measure import GradedRankings, Rankings, Score
from evaluation.names import parse_measure

NAN = float("nan")
HIGHEST = 3


def graded_topic(
    ranked: list[float], judged: list[float], *, highest: float | None = None, gains: FloatArray | None = None
) -> Rankings:
    """Gains of 0 and 1, as without --gains, unless some are given for the ranking."""
    grades, flat = np.array([ranked], dtype=np.float64), np.array(judged, dtype=np.float64)
    graded = GradedRankings(grades, flat, has_gains=gains is not None, highest=highest)
    return Rankings(
        np.clip(grades, 0, 1) if gains is None else gains[None], np.clip(flat, 0, 1), graded=graded
    )


def score_of(name: str, topic: Rankings) -> Score:
    return parse_measure(name).scores(topic).each()[0]


@pytest.mark.parametrize(
    ("name", "score"),
    [
        ("nDCG@10", (1 + 3 / log2(3)) / (3 + 1 / log2(3))),
        ("nDCG(gains=exp)@10", (1 + 7 / log2(3)) / (7 + 1 / log2(3))),
        ("nDCG(gains='exp')", (1 + 7 / log2(3)) / (7 + 1 / log2(3))),
        ("nDCG(dcg='exp-log2')@10", (1 + 7 / log2(3)) / (7 + 1 / log2(3))),
        ("nDCG(dcg='log2')@1", 1 / 3),
        ("DCG(log2(i+1))@2", 1 + 3 / log2(3)),
        ("DCG(log2(i+1),gains=exp)@2", 1 + 7 / log2(3)),
        ("DCG@2", 4),
        ("DCG(gains=exp)@1", 1),
        ("DCG(max_rel=4)@2", 4),
    ],
)
def test_grades_are_the_gains(name: str, score: float) -> None:
    """Grade 1 above grade 3: nDCG is 0.7967 in trec_eval, ir_measures and ranx."""
    assert score_of(name, graded_topic([1, 3, 0], [3, 1, 0])).score == pytest.approx(score)


def test_junk_has_no_gain() -> None:
    for name in ("nDCG", "nDCG(gains=exp)"):
        assert score_of(name, graded_topic([-2, 1], [1, -2])).score == pytest.approx(1 / log2(3))


def test_given_gains_are_used_unless_the_name_gives_others() -> None:
    topic = graded_topic([1, 2], [2, 1], gains=np.array([0.9, 1.0]))
    assert score_of("DCG@2", topic).score == pytest.approx(1.9)
    assert score_of("DCG(gains=exp)@2", topic).score == 4
    assert score_of("DCG(max_rel=2)@2", topic).score == 3


@pytest.mark.parametrize("name", ["nDCG(gains=exp)", "DCG(gains=exp)@2", "DCG(max_rel=2)@2"])
def test_measures_of_grades_have_no_value_without_them(name: str) -> None:
    assert np.isnan(parse_measure(name).score(np.array([1.0, 0.0]), np.array([1.0, 0.0])).score)


def test_gains_alone_are_cumulated_as_they_are() -> None:
    assert parse_measure("DCG@2").score(np.array([0.5, 0.25]), np.ones(1)).score == 0.75


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("nDCG(gains=exp,dcg=log2)", "gains or dcg"),
        ("DCG(b=2,log2(i+1))@5", "not both"),
        ("DCG(max_rel=0)@5", "below 1"),
        ("nDCG(gains=lin)", "no measure is called"),
        ("SDCG(gains=exp)@5", "no measure is called"),
    ],
)
def test_wrong_parameters(name: str, wrong: str) -> None:
    with pytest.raises(ValueError, match=wrong):
        parse_measure(name)


def test_a_grade_above_the_scale_is_refused() -> None:
    measure = parse_measure("DCG(gains=exp,max_rel=2)@5")
    assert (measure.highest_grade, measure.wider(4)) == (2, "DCG(gains=exp,max_rel=4)@5")
    with pytest.raises(ValueError, match="grade 3 is above 2"):
        measure.scores(graded_topic([3], [3]))


def test_exponential_gains_stay_finite() -> None:
    rule = GainRule(exponential=True)
    assert rule.highest_grade == 1000
    assert np.isfinite(rule.gains(np.array([1000.0])) * 1e6).all()


BOUNDED = ["DCG@3", "DCG(b=3)@4", "DCG(log2(i+1))@5", "DCG(gains=exp)@4", f"DCG(max_rel={HIGHEST})@3"]
# Longer than every cut-off above.
grades = st.lists(st.sampled_from([-2.0, 0.0, 1.0, 2.0, 3.0, NAN]), max_size=5)


def bounded(name: str, ranked: list[float]) -> Score:
    """Topics of a collection whose highest grade is 3."""
    return score_of(name, graded_topic(ranked, [], highest=HIGHEST))


@pytest.mark.parametrize("name", BOUNDED)
@settings(deadline=None, max_examples=25)
@given(ranked=grades)
def test_bounds_hold_every_completion_and_are_reached(name: str, ranked: list[float]) -> None:
    bounds = bounded(name, ranked).bounds
    assert bounds is not None
    whole = np.array([*ranked, *[NAN] * (5 - len(ranked))])
    open_ = np.flatnonzero(np.isnan(whole))
    scores = []
    for filling in product([0.0, 1.0, float(HIGHEST)], repeat=len(open_)):
        whole[open_] = filling
        scores.append(bounded(name, whole.tolist()).score)
    assert min(scores) == pytest.approx(bounds.base, abs=1e-12)
    assert max(scores) == pytest.approx(bounds.top, abs=1e-12)
    assert bounds.top <= bounds.full * (1 + 1e-12)
    assert bounds.full == pytest.approx(bounded(name, [float(HIGHEST)] * 5).score)


@pytest.mark.parametrize("name", BOUNDED)
@settings(deadline=None, max_examples=50)
@given(ranked=grades.filter(len), data=st.data())
def test_a_judgment_never_lowers_base_nor_raises_residual(
    name: str, ranked: list[float], data: st.DataObject
) -> None:
    place = data.draw(st.integers(0, len(ranked) - 1))
    before = bounded(name, [*ranked[:place], NAN, *ranked[place + 1 :]]).bounds
    after = bounded(name, [*ranked[:place], data.draw(st.integers(-2, HIGHEST)), *ranked[place + 1 :]]).bounds
    assert before is not None
    assert after is not None
    assert after.base >= before.base
    assert after.residual <= before.residual


@pytest.mark.parametrize("exponential", [False, True])
@settings(deadline=None, max_examples=50)
@given(ranked=grades, unranked=st.lists(st.integers(-2, HIGHEST), max_size=4), k=st.integers(1, 7))
def test_ndcg_is_that_of_a_slow_reference(
    exponential: bool, ranked: list[float], unranked: list[int], k: int
) -> None:
    judged = [grade for grade in ranked if grade == grade] + [float(grade) for grade in unranked]

    def cumulated(some: list[float]) -> float:
        total = 0.0
        for rank, grade in enumerate(some[:k], 1):
            gain = 0.0 if grade != grade or grade < 0 else 2**grade - 1 if exponential else grade
            total += gain / log2(rank + 1)
        return total

    best = cumulated(sorted(judged, reverse=True))
    name = f"nDCG(gains=exp)@{k}" if exponential else f"nDCG@{k}"
    found = score_of(name, graded_topic(ranked, judged)).score
    assert found == pytest.approx(cumulated(ranked) / best if best else 0.0, abs=1e-12)


@pytest.mark.parametrize(
    "name", ["RBP(p=0.8)", "RBP(p=0.8,ties=shared)", "SDCG@10", "Q", "INST(T=2)", "Q(beta=2)"]
)
def test_measures_on_a_scale_read_gains(name: str) -> None:
    assert parse_measure(name).reads_gains


@pytest.mark.parametrize(
    "name",
    ["nDCG", "DCG@5", "ERR@5", "INST(T=2,max_rel=3)", "AP", "RBP(p=0.8,rel=2)", "infNDCG"],
)
def test_other_measures_read_grades_or_relevance(name: str) -> None:
    assert not parse_measure(name).reads_gains
