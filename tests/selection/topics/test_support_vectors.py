"""The support vector machine beside scikit-learn's, and where nothing separates."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.svm import LinearSVC

from evaluation.arrays import BoolArray
from selection.topics.lists import DocumentFeatures
from selection.topics.support_vectors import fit_support_vectors


def random_documents(
    generator: np.random.Generator, documents: int, runs: int, noise: float
) -> tuple[DocumentFeatures, BoolArray]:
    """Documents that many runs rank, and rank high, are rather relevant."""
    scores = generator.random((documents, runs)) * (generator.random((documents, runs)) < 0.3)
    general = generator.random((documents, 7)) * [50, 100, 100, 100, 1, 1, 1]
    quality = scores.sum(axis=1) + noise * generator.standard_normal(documents)
    truth = quality > np.quantile(quality, 0.7)
    return DocumentFeatures(general, csr_array(scores)), truth


def dense(features: DocumentFeatures) -> np.ndarray:
    return np.hstack([features.general, features.scores.toarray()])


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    documents=st.integers(8, 200),
    runs=st.integers(1, 12),
    noise=st.sampled_from([0.0, 0.3, 3.0]),
)
def test_its_minimum_is_below_the_librarys(seed: int, documents: int, runs: int, noise: float) -> None:
    features, truth = random_documents(np.random.default_rng(seed), documents, runs, noise)
    plain = dense(features)
    deviation = plain.std(axis=0)
    scaled = (plain - plain.mean(axis=0)) / np.where(deviation > 0, deviation, 1.0)
    library = LinearSVC(dual=False, max_iter=20_000, tol=1e-10).fit(scaled, truth)
    weights, offset, output = fit_support_vectors(features, truth)
    np.testing.assert_allclose(output, library.decision_function(scaled), atol=1e-4)
    np.testing.assert_allclose(plain @ weights + offset, output, atol=1e-9)
    theirs = loss(np.r_[library.coef_[0], library.intercept_], library.decision_function(scaled), truth)
    centre = offset + weights @ plain.mean(axis=0)
    assert loss(np.r_[weights * deviation, centre], output, truth) <= theirs * (1 + 1e-12)


def loss(w: np.ndarray, output: np.ndarray, truth: BoolArray) -> float:
    margins = np.maximum(1 - np.where(truth, output, -output), 0)
    return float(w @ w / 2 + margins @ margins)


@pytest.mark.parametrize("relevant", [1, 3])
def test_equal_documents_of_both_classes_are_not_separated(relevant: int) -> None:
    features = DocumentFeatures(np.ones((4, 7)), csr_array(np.ones((4, 2))))
    truth = np.arange(4) < relevant
    weights, offset, output = fit_support_vectors(features, truth)
    assert not weights.any()
    # The constant alone: the minimum of b²/2 + r (1 - b)² + (4 - r) (1 + b)².
    assert offset == pytest.approx(2 * (2 * relevant - 4) / 9)
    assert output == pytest.approx([offset] * 4)
