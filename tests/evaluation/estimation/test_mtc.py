"""Moments of average precision while documents are unjudged: golden values, and every completion."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.arrays import FloatArray, IntArray
from evaluation.estimation.mtc import confidence_of, confidences, pair_moments, topic_moments
from evaluation.estimation.relevance import constant_relevance, smoothed_relevance

FORWARD, BACKWARD = np.array([0, 1, 2]), np.array([2, 1, 0])
OPPOSITE = [FORWARD, BACKWARD]
NAN = float("nan")


def test_golden_nothing_judged() -> None:
    found = pair_moments(OPPOSITE, np.full(3, 0.5))
    assert found.sp[0, 1] == 0
    assert found.sp_variance[0, 1] == pytest.approx(0.2847222, abs=5e-8)
    marginals = topic_moments(OPPOSITE, np.full(3, 0.5)).marginals
    assert (marginals[0] - marginals[1]).tolist() == pytest.approx([0.75, 0, -0.75])


def test_golden_first_document_relevant() -> None:
    relevance = np.array([1, 0.5, 0.5])
    found = pair_moments(OPPOSITE, relevance)
    assert found.sp[0, 1] == pytest.approx(0.375)
    assert found.sp_variance[0, 1] == pytest.approx(0.144097, abs=5e-7)
    sure = confidences([(OPPOSITE, relevance)], exact=True)
    assert sure.confidence[1, 0] == pytest.approx(0.1616, abs=5e-5)
    assert sure.confidence[0, 1] + sure.confidence[1, 0] == pytest.approx(1)


def sum_of_precisions(ranking: IntArray, relevant: FloatArray) -> float:
    found = relevant[ranking]
    return float(sum(found[place] * found[: place + 1].sum() / (place + 1) for place in range(len(found))))


def completions(relevance: FloatArray) -> list[tuple[float, FloatArray]]:
    """Every way the documents may be relevant, with its probability."""
    made = [np.array(bits, dtype=float) for bits in product([0, 1], repeat=len(relevance))]
    return [(float(np.prod(np.where(bits == 1, relevance, 1 - relevance))), bits) for bits in made]


def random_topic(seed: int, documents: int) -> tuple[list[IntArray | None], FloatArray]:
    rng = np.random.default_rng(seed)
    rankings: list[IntArray | None] = [
        rng.permutation(documents)[: rng.integers(0, documents + 1)] for _ in range(3)
    ]
    relevance = np.round(rng.uniform(0, 1, documents), 2)
    relevance[rng.uniform(size=documents) < 0.3] = rng.integers(0, 2)
    return [*rankings, None], relevance


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 7))
def test_moments_of_sp_against_every_completion(seed: int, documents: int) -> None:
    rankings, relevance = random_topic(seed, documents)
    worlds = completions(relevance)
    weights = np.array([weight for weight, _ in worlds])
    sp = np.array(
        [[0.0 if r is None else sum_of_precisions(r, bits) for _, bits in worlds] for r in rankings]
    )
    alone, pairs = topic_moments(rankings, relevance), pair_moments(rankings, relevance)
    bound = pair_moments(rankings, relevance, exact=False)
    assert alone.sp == pytest.approx(sp @ weights, abs=1e-12)
    if relevance.sum():
        assert alone.sp_variance == pytest.approx(sp**2 @ weights - (sp @ weights) ** 2, abs=1e-10)
    for s, t in product(range(len(rankings)), repeat=2):
        gap = sp[s] - sp[t]
        variance = gap**2 @ weights - (gap @ weights) ** 2
        assert pairs.sp[s, t] == pytest.approx(gap @ weights, abs=1e-12)
        assert pairs.sp_variance[s, t] == pytest.approx(variance, abs=1e-10)
        assert bound.sp_variance[s, t] >= variance - 1e-10


def test_nine_documents() -> None:
    rng = np.random.default_rng(9)
    rankings = [rng.permutation(9), rng.permutation(9)[:6]]
    relevance = rng.uniform(0, 1, 9)
    worlds = completions(relevance)
    weights = np.array([weight for weight, _ in worlds])
    gap = np.array([sum_of_precisions(rankings[0], b) - sum_of_precisions(rankings[1], b) for _, b in worlds])
    found = pair_moments(rankings, relevance)
    assert found.sp[0, 1] == pytest.approx(gap @ weights)
    assert found.sp_variance[0, 1] == pytest.approx(gap**2 @ weights - (gap @ weights) ** 2)


def test_the_delta_method_is_near_the_true_spread_and_the_ratio_form_is_not() -> None:
    # One run of 200 documents, relevant half of the time: AP moves little, SP moves with their number.
    rng = np.random.default_rng(1)
    relevance = rng.uniform(0.2, 0.6, 200)
    ranking = rng.permutation(200)
    drawn = (rng.uniform(size=(4000, 200)) < relevance).astype(float)
    ranked = drawn[:, ranking]
    true = (ranked * ranked.cumsum(axis=1) / np.arange(1, 201)).sum(axis=1) / ranked.sum(axis=1)
    found = topic_moments([ranking], relevance)
    assert found.ap[0] == pytest.approx(true.mean(), rel=0.03)
    assert np.sqrt(found.ap_variance[0]) == pytest.approx(true.std(), rel=0.06)
    assert np.sqrt(found.sp_variance[0]) / relevance.sum() > 1.3 * true.std()


def test_delta_of_a_pair_on_many_documents() -> None:
    rng = np.random.default_rng(2)
    relevance = np.linspace(0.9, 0.1, 150)
    rankings = [np.arange(150), rng.permutation(150)]
    drawn = (rng.uniform(size=(4000, 150)) < relevance).astype(float)
    ap = [
        (drawn[:, r] * drawn[:, r].cumsum(axis=1) / np.arange(1, 151)).sum(axis=1) / drawn.sum(axis=1)
        for r in rankings
    ]
    found = pair_moments(rankings, relevance, delta=True)
    assert found.ap[0, 1] == pytest.approx((ap[0] - ap[1]).mean(), rel=0.03)
    assert np.sqrt(found.ap_variance[0, 1]) == pytest.approx((ap[0] - ap[1]).std(), rel=0.06)


def test_all_judged_leaves_no_doubt() -> None:
    relevance = np.array([1.0, 0, 1])
    found = confidences([(OPPOSITE, relevance), ([FORWARD, FORWARD], np.array([0.0, 1, 0]))])
    # Topic one: 5/6 both ways round; topic two alike.
    assert found.emap.tolist() == pytest.approx([(5 / 6 + 1 / 2) / 2] * 2)
    assert found.emap_variance.tolist() == [0.0, 0.0]
    assert found.confidence.tolist() == [[0.5, 0.5], [0.5, 0.5]]
    better = confidences([(OPPOSITE, np.array([1.0, 0, 0]))])
    assert better.confidence.tolist() == [[0.5, 1.0], [0.0, 0.5]]


def test_identical_runs_are_never_told_apart() -> None:
    relevance = np.array([0.5, 0.3, 0.9])
    found = pair_moments([FORWARD, FORWARD], relevance)
    assert found.sp_variance[0, 1] == pytest.approx(0, abs=1e-12)
    assert confidences([([FORWARD, FORWARD], relevance)]).confidence[0, 1] == 0.5


def test_the_mean_is_over_all_topics_also_those_without_relevant_documents() -> None:
    one = (OPPOSITE, np.array([1, 0.5, 0.5]))
    alone, both = confidences([one]), confidences([one, (OPPOSITE, np.zeros(3))])
    assert both.emap == pytest.approx(alone.emap / 2)
    assert both.variance == pytest.approx(alone.variance / 4)
    assert both.confidence == pytest.approx(alone.confidence)


def test_the_bound_is_more_careful() -> None:
    topics = [random_topic(seed, 7) for seed in range(6)]
    exact, bound = confidences(topics, exact=True), confidences(topics)
    assert (np.abs(bound.confidence - 0.5) <= np.abs(exact.confidence - 0.5) + 1e-12).all()


def test_renaming_documents_changes_nothing() -> None:
    rankings, relevance = random_topic(3, 7)
    names = np.random.default_rng(0).permutation(7)
    renamed = np.empty(7)
    renamed[names] = relevance
    other = pair_moments([None if r is None else names[r] for r in rankings], renamed)
    assert other.sp_variance == pytest.approx(pair_moments(rankings, relevance).sp_variance, abs=1e-12)


def test_probabilities_of_the_unjudged() -> None:
    judged = np.array([1.0, NAN, 0.0, 1.0])
    assert constant_relevance(judged, 0.2).tolist() == [1.0, 0.2, 0.0, 1.0]
    assert smoothed_relevance(judged).tolist() == [1.0, 0.6, 0.0, 1.0]
    assert smoothed_relevance(np.array([NAN, NAN])).tolist() == [0.5, 0.5]


def test_wrong_input_is_named() -> None:
    with pytest.raises(ValueError, match=r"\[1.5\]"):
        topic_moments(OPPOSITE, np.array([0.5, 1.5, 0]))
    with pytest.raises(ValueError, match="run 1 ranks document 7, of 3 known"):
        topic_moments([FORWARD, np.array([7])], np.full(3, 0.5))
    with pytest.raises(ValueError, match="run 0 ranks a document twice"):
        topic_moments([np.array([1, 1])], np.full(3, 0.5))
    with pytest.raises(ValueError, match="at least one topic"):
        confidences([])
    with pytest.raises(ValueError, match=r"got \[1, 2\] runs"):
        confidences([(OPPOSITE, np.full(3, 0.5)), ([FORWARD], np.full(3, 0.5))])
    with pytest.raises(ValueError, match="p = 2"):
        constant_relevance(np.array([NAN]), 2)
    with pytest.raises(ValueError, match=r"\[3.0\]"):
        smoothed_relevance(np.array([3.0]))


def test_confidence_without_variance() -> None:
    found = confidence_of(np.array([0.2, 0.0, -0.2, 1e-17]), np.zeros(4))
    assert found.tolist() == [1.0, 0.5, 0.0, 0.5]
