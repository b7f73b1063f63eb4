"""alpha-nDCG and ERR-IA against a slow program that follows the papers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Set
from math import log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.measures.diversity import alpha_ndcg, intent_aware_err, novelty_gains
from evaluation.names import parse_measure

document = st.sets(st.sampled_from("abc"))
Documents = list[set[str]]


def matrix(documents: Documents) -> np.ndarray:
    return np.array([[name in one for name in "abc"] for one in documents], dtype=bool).reshape(-1, 3)


def slow(documents: Documents, k: int, alpha: float, weight: Callable[[int], float]) -> float:
    seen: Counter[str] = Counter()
    earned = 0.0
    for rank, subtopics in enumerate(documents[:k], 1):
        earned += weight(rank) * sum((1 - alpha) ** seen[name] for name in subtopics)
        seen.update(subtopics)
    return earned


def slow_best(pool: Documents, k: int, alpha: float) -> Documents:
    seen: Counter[str] = Counter()
    left = list(pool)
    order: Documents = []

    def worth(subtopics: Set[str]) -> float:
        return sum((1 - alpha) ** seen[name] for name in sorted(subtopics))

    while left and len(order) < k:
        best = max(left, key=lambda one: round(worth(one), 12))
        order.append(best)
        left.remove(best)
        seen.update(best)
    return order


@given(
    ranked=st.lists(document, max_size=8),
    others=st.lists(document, max_size=4),
    k=st.integers(1, 10),
    alpha=st.sampled_from([0.0, 0.25, 0.5]),
)
def test_scores_are_those_of_the_papers_sums(
    ranked: Documents, others: Documents, k: int, alpha: float
) -> None:
    pool = ranked + others
    best = slow(slow_best(pool, k, alpha), k, alpha, lambda rank: 1 / log2(rank + 1))
    earned = slow(ranked, k, alpha, lambda rank: 1 / log2(rank + 1))
    found = alpha_ndcg(matrix(ranked), matrix(pool), k, alpha)
    assert found == pytest.approx(earned / best if best else 0.0)
    subtopics = len(set().union(*pool))
    full = slow([{str(n) for n in range(subtopics)}] * k, k, alpha, lambda rank: 1 / rank)
    earned = slow(ranked, k, alpha, lambda rank: 1 / rank)
    found = intent_aware_err(matrix(ranked), subtopics, k, alpha)
    assert found == pytest.approx(earned / full if subtopics else 0.0)
    assert 0 <= found <= 1 + 1e-12


@given(
    rankings=st.integers(0, 6).flatmap(
        lambda depth: st.lists(st.lists(document, min_size=depth, max_size=depth), min_size=2, max_size=4)
    ),
    k=st.integers(1, 8),
)
def test_stacked_rankings_score_as_each_by_itself(rankings: list[Documents], k: int) -> None:
    stacked = np.array([matrix(one) for one in rankings])
    pool = matrix([one for ranking in rankings for one in ranking])
    alone = [float(alpha_ndcg(matrix(one), pool, k)) for one in rankings]
    assert alpha_ndcg(stacked, pool, k).tolist() == pytest.approx(alone)
    alone = [float(intent_aware_err(matrix(one), 3, k)) for one in rankings]
    assert intent_aware_err(stacked, 3, k).tolist() == pytest.approx(alone)


def test_without_alpha_a_gain_is_the_number_of_subtopics() -> None:
    documents = matrix([{"a"}, {"a", "b"}, set()])
    assert novelty_gains(documents, alpha=0).tolist() == [1, 2, 0]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("alpha_nDCG(alpha=1)@5", r"alpha = 1 is outside \[0, 1\)"),
        ("ERR_IA", r"did you mean ERR_IA@10"),
        ("alpha-nDCG", "did you mean alpha_nDCG@10"),
    ],
)
def test_names_that_no_measure_has_are_refused(name: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse_measure(name)


def test_names_of_ndeval_are_known() -> None:
    assert parse_measure("alpha-nDCG@20").name == "alpha_nDCG@20"
    assert parse_measure("ERR-IA@20").name == "ERR_IA@20"
