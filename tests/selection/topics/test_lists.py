"""Features of documents, as the paper lists them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from selection.topics.lists import GENERAL_FEATURES, DocumentFeatures, TopicLists
from tests.selection.topics.tables import random_lists


def dense(features: DocumentFeatures) -> np.ndarray:
    return np.hstack([features.general, features.scores.toarray()])


def test_features_of_a_small_topic() -> None:
    lists = TopicLists(
        3,
        [np.array([0, 1]), np.array([1, 2, 0]), None],
        [np.array([9.0, 4.0]), np.array([0.5, 0.25, 0.125]), None],
    )
    past = np.array([0.2, 0.6, 0.9])
    assert dense(lists.features(past)).tolist() == [
        [2, 2.0, 1, 3, 0.2, 0.6, pytest.approx(0.4), 1.0, 0.0, 0],
        [2, 1.5, 1, 2, 0.2, 0.6, pytest.approx(0.4), 0.0, 1.0, 0],
        # The first run does not rank it: the lowest score that it gave.
        [1, 2.0, 2, 2, 0.6, 0.6, 0.6, 0.0, pytest.approx(1 / 3), 0],
    ]


@given(seed=st.integers(0, 2**32 - 1), missing=st.sampled_from([0.0, 0.4, 1.0]))
def test_weighted_features_are_the_features_weighted(seed: int, missing: float) -> None:
    generator = np.random.default_rng(seed)
    lists = random_lists(generator, 5, 9, 4, missing)
    past, weights = generator.random(5), generator.standard_normal(GENERAL_FEATURES + 5)
    expected = dense(lists.features(past)) @ weights
    np.testing.assert_allclose(lists.weighted_features(weights, past), expected, rtol=1e-9, atol=1e-9)


def test_documents_that_no_list_ranks_are_refused() -> None:
    lists = TopicLists(3, [np.array([0, 2])], [np.array([2.0, 1.0])])
    with pytest.raises(ValueError, match="do not rank each of 3 documents"):
        lists.features(np.zeros(1))


def test_lists_without_their_scores_are_refused() -> None:
    lists = TopicLists(2, [np.array([0, 1])], [np.array([1.0])])
    with pytest.raises(ValueError, match="1 scores for 2 documents"):
        lists.features(np.zeros(1))
