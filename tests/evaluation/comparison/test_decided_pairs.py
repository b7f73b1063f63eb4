"""Decided pairs, against every completion of the unjudged gains."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.arrays import FloatArray
from evaluation.comparison.pair_decisions import (
    by_differences,
    by_score_ranges,
    leaders,
    shared_weight,
    top_is_distinct,
)
from evaluation.measures.weights import exact_rank_weights

P = 0.8
# One topic: rankings of documents 0..5, and gains of those judged.
Topic = tuple[list[list[int]], dict[int, float]]


@st.composite
def topics(draw: st.DrawFn) -> list[Topic]:
    runs = draw(st.integers(2, 4))
    ranking = st.permutations(range(6)).flatmap(lambda order: st.integers(0, 6).map(lambda n: order[:n]))
    gains = st.dictionaries(st.integers(0, 5), st.sampled_from([0.0, 0.5, 1.0]), max_size=6)
    one = st.tuples(st.lists(ranking, min_size=runs, max_size=runs), gains)
    return draw(st.lists(one, min_size=1, max_size=2))


def slow_bounds(given: list[Topic]) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Means of base, residual and shared weight, one document after the other."""
    runs = len(given[0][0])
    base, residual, shared = np.zeros(runs), np.zeros(runs), np.zeros((runs, runs))
    weight = [(1 - P) * P**place for place in range(6)]
    for rankings, gains in given:
        for a, ranking in enumerate(rankings):
            residual[a] += P ** len(ranking)
            for place, document in enumerate(ranking):
                if document in gains:
                    base[a] += weight[place] * gains[document]
                    continue
                residual[a] += weight[place]
                for b, other in enumerate(rankings):
                    if a != b and document in other:
                        shared[a, b] += min(weight[place], weight[other.index(document)])
    return base / len(given), residual / len(given), shared / len(given)


def arrays(rankings: list[list[int]]) -> tuple[Any, Any, Any]:
    entries = sorted(
        (document, run, rank)
        for run, ranking in enumerate(rankings)
        for rank, document in enumerate(ranking, 1)
    )
    start = np.searchsorted([document for document, _, _ in entries], np.arange(7))
    return (
        start,
        np.array([r for _, r, _ in entries], dtype=int),
        np.array([k for *_, k in entries], dtype=int),
    )


def least_and_most(given: list[Topic], a: int, b: int) -> tuple[float, float]:
    """Of the mean difference, over every way the unjudged documents and what follows a ranking turn out."""
    least = most = 0.0
    for rankings, gains in given:
        open_ = [document for document in range(6) if document not in gains]
        found = []
        for bits in product([0.0, 1.0], repeat=len(open_)):
            full = gains | dict(zip(open_, bits, strict=True))
            scores = [
                sum((1 - P) * P**place * full[document] for place, document in enumerate(rankings[run]))
                for run in (a, b)
            ]
            found.append(scores[0] - scores[1])
        least += min(found) - P ** len(rankings[b])
        most += max(found) + P ** len(rankings[a])
    return least / len(given), most / len(given)


@settings(max_examples=60, deadline=None)
@given(topics())
def test_shared_weight_against_one_document_after_the_other(given: list[Topic]) -> None:
    _, _, slow = slow_bounds(given)
    weights, found = exact_rank_weights(P, 6), np.zeros_like(slow)
    for rankings, gains in given:
        judged = np.isin(np.arange(6), list(gains))
        every = np.arange(len(slow))
        found += shared_weight(*arrays(rankings), judged, weights, every) / len(given)
        some = shared_weight(*arrays(rankings), judged, weights, every[::-1][:2])
        whole = shared_weight(*arrays(rankings), judged, weights, every)
        assert some.tolist() == whole[::-1, ::-1][:2, :2].tolist()
    assert found == pytest.approx(slow, abs=1e-14)


@settings(max_examples=60, deadline=None)
@given(topics())
def test_the_bounds_of_a_difference_are_reached_and_not_passed(given: list[Topic]) -> None:
    base, residual, shared = slow_bounds(given)
    found = by_differences(base, residual, shared)
    for a, b in product(range(len(base)), repeat=2):
        if a != b:
            least, most = least_and_most(given, a, b)
            assert found.lead[a, b] == pytest.approx(least, abs=1e-12)
            assert -found.lead[b, a] == pytest.approx(most, abs=1e-12)


@settings(max_examples=100, deadline=None)
@given(topics())
def test_intervals_never_decide_more(given: list[Topic]) -> None:
    base, residual, shared = slow_bounds(given)
    loose, sharp = by_score_ranges(base, residual), by_differences(base, residual, shared)
    assert (sharp.better >= loose.better).all()
    assert not (sharp.better & sharp.better.T).any()
    assert (sharp.open <= loose.open).all()


def test_documents_that_both_rank_alike_decide_nothing_and_hinder_nothing() -> None:
    # Both rank 0 first, unjudged; then a has a relevant document, b a nonrelevant one. Tails weigh 0.64.
    rankings, gains = [[0, 1, 3, 4, 5], [0, 2, 3, 4, 5]], {1: 1.0, 2: 0.0}
    base, residual, shared = slow_bounds([(rankings, gains)])
    assert shared[0, 1] == pytest.approx(0.2 * (1 + P**2 + P**3 + P**4))
    # 0.16 ahead, but what follows could give b as much as 0.8**5.
    assert by_differences(base, residual, shared).lead[0, 1] == pytest.approx(0.16 - P**5)
    tails = P**5
    assert by_differences(base, residual - tails, shared).all_decided
    assert not by_score_ranges(base, residual - tails).all_decided


def test_identical_runs_stay_open() -> None:
    base, residual, shared = slow_bounds([([[0, 1, 2], [0, 1, 2]], {0: 1.0, 1: 1.0, 2: 0.0})])
    assert by_differences(base, residual, shared).open.tolist() == [[False, True], [True, False]]
    assert not top_is_distinct(base, np.zeros(2))


def test_the_top_run() -> None:
    assert top_is_distinct(np.array([0.1, 0.6, 0.2]), np.array([0.4, 0.3, 0.3]))
    assert not top_is_distinct(np.array([0.1, 0.6, 0.2]), np.array([0.5, 0.0, 0.3]))
    # The best run may be left behind by one whose base is lower: then it is not distinct.
    assert not top_is_distinct(np.array([0.5, 0.1]), np.array([0.0, 0.9]))


def test_the_best_runs() -> None:
    assert leaders(np.array([0.3, 0.1, 0.3, 0.2]), 3).tolist() == [0, 2, 3]
    assert leaders(np.array([0.1 + 0.2, 0.3]), 2).tolist() == [0, 1]


def test_what_is_refused() -> None:
    one, two = np.zeros(1), np.zeros(2)
    with pytest.raises(ValueError, match="a pair needs two runs, not 1"):
        top_is_distinct(one, one)
    with pytest.raises(ValueError, match="residual of"):
        by_score_ranges(two, one)
    with pytest.raises(ValueError, match="the top 3 of 2 runs"):
        leaders(two, 3)
    with pytest.raises(ValueError, match="for 2 runs"):
        by_differences(two, two, np.zeros((3, 3)))
    start, run, rank = arrays([[0, 1], [1]])
    unjudged, weights = np.zeros(6, dtype=bool), exact_rank_weights(P, 2)
    with pytest.raises(ValueError, match="7 starts"):
        shared_weight(start, run, rank, unjudged[:5], weights, np.array([0]))
    with pytest.raises(ValueError, match="ranks from 1 to 2 for 1 weights"):
        shared_weight(start, run, rank, unjudged, weights[:1], np.array([0]))
    with pytest.raises(ValueError, match="twice"):
        shared_weight(start, run, rank, unjudged, weights, np.array([1, 1]))
