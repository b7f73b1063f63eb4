"""The classifier of documents, and its sigmoid against a general optimiser."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.sparse import csr_array

from selection.topics.lists import DocumentFeatures, TopicLists
from selection.topics.relevance import fit_sigmoid, train

PAST = np.zeros(1)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), size=st.integers(4, 60))
def test_sigmoid_has_the_highest_likelihood(seed: int, size: int) -> None:
    generator = np.random.default_rng(seed)
    output = generator.standard_normal(size)
    truth = np.r_[True, False, output[2:] + generator.standard_normal(size - 2) > 0]
    positive, negative = truth.sum(), (~truth).sum()
    target = np.where(truth, (positive + 1) / (positive + 2), 1 / (negative + 2))

    def loss(parameters: np.ndarray) -> float:
        p = 1 / (1 + np.exp(parameters[0] * output + parameters[1]))
        return float(-(target * np.log(p) + (1 - target) * np.log1p(-p)).sum())

    found = np.array(fit_sigmoid(output, truth))
    reference = minimize(loss, [0, 0], method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-12})
    assert loss(found) <= reference.fun + 1e-9
    np.testing.assert_allclose(found, reference.x, atol=1e-4)


def lists_of(scores: list[float]) -> TopicLists:
    return TopicLists(len(scores), [np.arange(len(scores))], [np.array(scores)])


def test_it_learns_from_scores_and_ranks() -> None:
    judged = [lists_of([9.0, 8, 3, 2, 1, 0.5]), lists_of([7.0, 6, 5, 2, 1, 0.3])]
    truth = [np.array([1, 1, 0, 0, 0, 0], dtype=bool), np.array([1, 1, 1, 0, 0, 0], dtype=bool)]
    model = train([lists.features(PAST) for lists in judged], truth)
    chances = model.probabilities(lists_of([8.5, 8.0, 1.5, 1.0]), PAST)
    assert chances[1] > 0.5 > chances[2]
    assert (np.diff(chances) < 0).all()


@pytest.mark.parametrize(("relevant", "rate"), [([True, True], 3 / 4), ([False] * 8, 1 / 10)])
def test_one_class_gives_the_smoothed_rate(relevant: list[bool], rate: float) -> None:
    lists = lists_of([float(n) for n in range(len(relevant), 0, -1)])
    model = train([lists.features(PAST)], [np.array(relevant)])
    assert model.probabilities(lists_of([3.0, 2.0, 1.0]), PAST) == pytest.approx([rate] * 3)
    assert ((model.output(lists, PAST) > 0) == (rate > 0.5)).all()


def test_features_that_do_not_differ_teach_nothing() -> None:
    general = np.column_stack([np.full(6, 1e9), [5.0, 4, 3, 2, 1, 0], np.zeros((6, 5))])
    features = DocumentFeatures(general, csr_array((6, 1)))
    model = train([features], [np.array([1, 1, 1, 0, 0, 0], dtype=bool)])
    assert model.weights[0] == 0
    assert model.weights[1] > 0
