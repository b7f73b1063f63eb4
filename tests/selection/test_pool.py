from __future__ import annotations

import numpy as np
import pytest

from evaluation.measures.weights import rank_weights
from selection.pool import build_topic_pool

BOTH = np.array([True, True])


def test_every_occurrence_is_found_again() -> None:
    rng = np.random.default_rng(2)
    rankings = [rng.permutation(50)[: rng.integers(0, 40)] for _ in range(9)]
    pool = build_topic_pool(rankings, 0.8, np.ones(9, dtype=bool))
    for index, document in enumerate(pool.documents):
        runs, ranks = pool.occurrences(index)
        expected = [
            (s, int(np.flatnonzero(r == document)[0]) + 1) for s, r in enumerate(rankings) if document in r
        ]
        assert list(zip(runs.tolist(), ranks.tolist(), strict=True)) == expected
        weight = sum(rank_weights(0.8, 50)[rank - 1] for _, rank in expected)
        assert pool.method_a[index] == pytest.approx(weight)
    assert pool.run.dtype == pool.rank.dtype == np.int16


def test_equal_weights_go_by_docno_even_when_sums_differ_in_the_last_bit() -> None:
    square = [np.array([0, 2, 1]), np.array([1, 0, 2]), np.array([2, 1, 0])]
    pool = build_topic_pool(square, 0.9, np.ones(3, dtype=bool))
    assert len(set(pool.method_a.tolist())) > 1
    assert pool.documents.tolist() == [0, 1, 2]
    reverse = build_topic_pool(square, 0.9, np.ones(3, dtype=bool), sort_key=lambda ids: -ids)
    assert reverse.documents.tolist() == [2, 1, 0]


def test_documents_of_runs_that_do_not_contribute_are_in_the_pool_without_weight() -> None:
    pool = build_topic_pool([np.array([3]), np.array([1, 2])], 0.5, np.array([True, False]))
    assert pool.documents.tolist() == [3, 1, 2]
    assert pool.method_a.tolist() == [0.5, 0.0, 0.0]


def test_the_sort_key_decides_ties() -> None:
    rankings = [np.array([4, 1]), np.array([2, 1])]
    assert build_topic_pool(rankings, 0.5, BOTH).documents.tolist() == [1, 2, 4]
    reverse = build_topic_pool(rankings, 0.5, BOTH, sort_key=lambda ids: -ids)
    assert reverse.documents.tolist() == [4, 2, 1]


def test_runs_that_miss_the_topic_and_an_empty_pool() -> None:
    assert build_topic_pool([None, np.array([5])], 0.5, BOTH).documents.tolist() == [5]
    empty = build_topic_pool([None, np.array([], dtype=np.int32)], 0.5, BOTH)
    assert len(empty) == 0
    assert empty.depth == 0


def test_a_ranking_deeper_than_16_bits() -> None:
    pool = build_topic_pool([np.arange(40_000)], 0.9999, np.array([True]))
    assert pool.rank.dtype == np.int32
    assert pool.depth == 40_000
    assert pool.documents.tolist() == list(range(40_000))


def test_what_is_refused() -> None:
    with pytest.raises(ValueError, match="document 7 twice"):
        build_topic_pool([np.array([1]), np.array([7, 3, 7])], 0.5, BOTH)
    with pytest.raises(ValueError, match="contributing"):
        build_topic_pool([np.array([1])], 0.5, BOTH)
    with pytest.raises(ValueError, match="not inside"):
        build_topic_pool([np.array([1]), None], 1.0, BOTH)


@pytest.mark.parametrize("apart", [1, 40, 10_000_000])
def test_ids_may_lie_near_or_far_from_each_other(apart: int) -> None:
    lists = [[3, 0, 7], [7, 5], [], [0, 200, 3, 5]]
    contributing = np.array([True, True, True, False])
    near = build_topic_pool([np.array(ranking) for ranking in lists], 0.5, contributing)
    far = build_topic_pool([apart * np.array(ranking) - 9 for ranking in lists], 0.5, contributing)
    assert far.documents.tolist() == [apart * document - 9 for document in near.documents.tolist()]
    for name in ("start", "run", "rank", "method_a"):
        assert getattr(far, name).tolist() == getattr(near, name).tolist()


@pytest.mark.parametrize("documents", [65_535, 65_536, 70_000])
def test_pools_of_any_size_are_in_order(documents: int) -> None:
    ids = np.arange(documents, dtype=np.int32)
    pool = build_topic_pool([ids, ids[::-1]], 0.5, np.array([True, False]))
    assert pool.documents.tolist() == ids.tolist()
    assert np.diff(pool.start).tolist() == [2] * documents
    assert pool.run.reshape(-1, 2).tolist() == [[0, 1]] * documents
    with pytest.raises(ValueError, match="holds document 0 twice"):
        build_topic_pool([np.append(ids, 0)], 0.5, np.array([True]))
