"""A linear support vector machine on documents' features."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy

from evaluation.arrays import BoolArray, FloatArray, IntArray
from selection.topics.lists import GENERAL_FEATURES, DocumentFeatures

# Newton's method needs about ten.
MOST_STEPS, SMALLEST_SHARE = 100, 1e-10


def fit_support_vectors(features: DocumentFeatures, truth: BoolArray) -> tuple[FloatArray, float, FloatArray]:
    """Separate the documents of two classes.

    Parameters
    ----------
    features : DocumentFeatures
    truth : ndarray of bool, shape (documents,)
        At least one document of each class.

    Returns
    -------
    weights : ndarray of float64, shape (features,)
        Of unscaled features. A feature in which no document differs has 0.
    offset : float
    output : ndarray of float64, shape (documents,)
        features · weights + offset. The minimum of ‖w‖²/2 + Σ max(0, 1 − y · output)², where y is 1 or −1,
        and w weighs the features scaled to mean 0 and deviation 1, and a constant feature of 1: the machine
        of `sklearn.svm.LinearSVC(dual=False)`.

    References
    ----------
    Keerthi and DeCoste 2005: a whole Newton step after which no document is on another side of its margin
    has ended at the minimum.

    Examples
    --------
    >>> scores = scipy.sparse.csr_array(np.array([[1.0], [0.9], [0.1], [0.0]]))
    >>> features = DocumentFeatures(np.zeros((4, 7)), scores)
    >>> weights, offset, output = fit_support_vectors(features, np.array([True, True, False, False]))
    >>> (output > 0).tolist()
    [True, True, False, False]
    """
    rows = _ScaledRows.of(features)
    sign = np.where(truth, 1.0, -1.0)
    w = np.zeros(rows.width)
    margins = np.ones(len(sign))
    value = float(margins @ margins)
    inside = np.zeros(len(sign), dtype=np.bool_)
    curvature, share = np.eye(rows.width), 1.0
    for _ in range(MOST_STEPS):
        active = margins > 0
        if share == 1 and np.array_equal(active, inside):
            break
        gradient = w - 2 * rows.weighted_sum(np.where(active, sign * margins, 0.0))
        # Only documents that have changed sides since the last step are added or taken away.
        changed = np.flatnonzero(active != inside)
        curvature += 2 * rows.products(changed, np.where(active[changed], 1.0, -1.0))
        inside = active
        step, share = np.asarray(np.linalg.solve(curvature, gradient), np.float64), 1.0
        moved = sign * rows.times(step)
        while share > SMALLEST_SHARE:
            trial, left = w - share * step, margins + share * moved
            now = float(trial @ trial / 2 + np.square(np.maximum(left, 0.0)).sum())
            if now < value:
                break
            share /= 2
        else:
            break
        w, margins, value = trial, left, now
    return *rows.unscaled(w), sign * (1 - margins)


@dataclass(frozen=True, eq=False)
class _ScaledRows:
    """Features scaled to mean 0 and deviation 1, then a constant 1. Scores stay sparse: they are scaled, and
    their means subtracted from what is computed of them.

    dense : float64 (documents, 8): the general features scaled, and 1
    scores : csr_array (documents, runs), scaled; shift (runs,): their means
    middle, scale : float64 (features,)
    """

    dense: FloatArray
    scores: scipy.sparse.csr_array
    shift: FloatArray
    middle: FloatArray
    scale: FloatArray

    @classmethod
    def of(cls, features: DocumentFeatures) -> _ScaledRows:
        general, scores = features.general, features.scores
        means = np.asarray(scores.mean(axis=0))
        # Entries that are not stored are 0, as far from the mean as the mean is large.
        far = np.square(scores.data - means[scores.indices])
        stored = np.bincount(scores.indices, minlength=len(means))
        squares = np.bincount(scores.indices, far, len(means)) + (len(general) - stored) * means**2
        middle = np.concatenate([general.mean(axis=0), means])
        spread = np.concatenate([general.std(axis=0), np.sqrt(squares / len(general))])
        # A feature that no document differs in teaches nothing.
        differs = spread > 1e-12 * np.maximum(1.0, abs(middle))
        scale = np.where(differs, 1 / np.where(spread > 0, spread, 1.0), 0.0)
        dense = np.ones((len(general), GENERAL_FEATURES + 1))
        dense[:, :-1] = (general - middle[:GENERAL_FEATURES]) * scale[:GENERAL_FEATURES]
        of_scores = scale[GENERAL_FEATURES:]
        data = scores.data * of_scores[scores.indices]
        scaled = scipy.sparse.csr_array((data, scores.indices, scores.indptr), shape=scores.shape)
        return cls(dense, scaled, means * of_scores, middle, scale)

    @property
    def width(self) -> int:
        return GENERAL_FEATURES + 1 + len(self.shift)

    def times(self, w: FloatArray) -> FloatArray:
        of_scores = w[self.dense.shape[1] :]
        of_dense = self.dense @ w[: self.dense.shape[1]]
        return np.asarray(of_dense + self.scores @ of_scores - self.shift @ of_scores)

    def weighted_sum(self, weights: FloatArray) -> FloatArray:
        of_scores = self.scores.T @ weights - self.shift * weights.sum()
        return np.concatenate([weights @ self.dense, of_scores])

    def products(self, some: IntArray, weights: FloatArray) -> FloatArray:
        """The sum of some rows' outer products, each times its weight, (width, width)."""
        dense, scores = self.dense[some], self.scores[some]
        weighted = dense * weights[:, None]
        data = scores.data * np.repeat(weights, np.diff(scores.indptr))
        heavy = scipy.sparse.csr_array((data, scores.indices, scores.indptr), shape=scores.shape)
        sums = np.asarray(heavy.sum(axis=0))
        cut = self.dense.shape[1]
        products = np.empty((self.width, self.width))
        products[:cut, :cut] = weighted.T @ dense
        products[cut:, :cut] = scores.T @ weighted - np.outer(self.shift, weighted.sum(axis=0))
        products[:cut, cut:] = products[cut:, :cut].T
        crossed = np.outer(sums, self.shift)
        products[cut:, cut:] = (heavy.T @ scores).toarray() - crossed - crossed.T
        products[cut:, cut:] += weights.sum() * np.outer(self.shift, self.shift)
        return products

    def unscaled(self, w: FloatArray) -> tuple[FloatArray, float]:
        """Weights of unscaled features, and the offset."""
        weights = np.delete(w, GENERAL_FEATURES) * self.scale
        return weights, float(w[GENERAL_FEATURES] - weights @ self.middle)
