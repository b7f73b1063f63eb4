"""Probability of relevance of each document of an unjudged topic, learnt from the judged topics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy

from evaluation.arrays import BoolArray, FloatArray
from selection.topics.lists import GENERAL_FEATURES, DocumentFeatures, TopicLists
from selection.topics.support_vectors import fit_support_vectors

# A topic whose scores are unlike all that was judged has outputs far out: sums of smaller chances would
# underflow when AP divides by them.
RAREST = 1e-9
# Of Newton's method: it needs about ten.
MOST_STEPS, SMALLEST_SHARE = 100, 1e-10


@dataclass(frozen=True, eq=False)
class TopicClassifier:
    """A linear support vector machine, and the sigmoid that makes probabilities of its output.

    weights : float64 (features,); offset : float; the output is features · weights + offset
    slope, shift : the probability is 1 / (1 + exp(slope · output + shift)), Platt's A and B
    """

    weights: FloatArray
    offset: float
    slope: float
    shift: float

    def output(self, lists: TopicLists, past: FloatArray) -> FloatArray:
        """Classifier output for the topic's documents, (documents,): above 0 where one is rather relevant."""
        return lists.weighted_features(self.weights, past) + self.offset

    def probabilities(self, lists: TopicLists, past: FloatArray) -> FloatArray:
        """(documents,), at least `RAREST` away from 0 and 1."""
        chances = scipy.special.expit(-(self.slope * self.output(lists, past) + self.shift))
        return np.asarray(np.clip(chances, RAREST, 1 - RAREST))


def train(features: Sequence[DocumentFeatures], relevant: Sequence[BoolArray]) -> TopicClassifier:
    """Train on the judged documents, and calibrate on the same, as the paper does.

    Parameters
    ----------
    features : sequence of DocumentFeatures
        Of the judged documents of each judged topic. They are scaled to mean 0 and deviation 1 inside.
    relevant : sequence of ndarray of bool, shape (documents,)
        What was judged of them.

    Returns
    -------
    TopicClassifier
        Where all documents were judged the same, or none was, every probability is the smoothed rate
        (relevant + 1) / (judged + 2), and the output has its sign.

    References
    ----------
    Hosseini and others 2012, section 5; Platt 2000 for the sigmoid.

    Examples
    --------
    >>> lists = TopicLists(4, [np.arange(4)], [np.array([9.0, 8.0, 2.0, 1.0])])
    >>> model = train([lists.features(np.zeros(1))], [np.array([True, True, False, False])])
    >>> (model.probabilities(lists, np.zeros(1)) > 0.5).tolist()
    [True, True, False, False]
    """
    truth = np.concatenate([np.zeros(0, dtype=np.bool_), *relevant])
    if not truth.any() or truth.all():
        width = GENERAL_FEATURES + features[0].scores.shape[1] if features else 0
        rate = (np.count_nonzero(truth) + 1) / (len(truth) + 2)
        return TopicClassifier(np.zeros(width), 2 * rate - 1, 0.0, -np.log(rate / (1 - rate)))
    rows = DocumentFeatures.joined(features)
    weights, offset, output = fit_support_vectors(rows, truth)
    slope, shift = fit_sigmoid(output, truth)
    return TopicClassifier(weights, offset, slope, shift)


def fit_sigmoid(output: FloatArray, truth: BoolArray) -> tuple[float, float]:
    """Platt's A and B: the probability of the true class is 1 / (1 + exp(A · output + B)).

    Parameters
    ----------
    output : ndarray of float64, shape (n,)
    truth : ndarray of bool, shape (n,)

    Returns
    -------
    tuple of float
        Those of the highest likelihood of the targets (n₊ + 1) / (n₊ + 2) and 1 / (n₋ + 2), by Newton's
        method from A = 0 and B = ln((n₋ + 1) / (n₊ + 1)), with halved steps where a whole one does not help.

    References
    ----------
    Platt 2000; Lin, Lin and Weng 2007 for the method.

    Examples
    --------
    >>> fit_sigmoid(np.array([0.0, 0.0]), np.array([True, False]))
    (0.0, 0.0)
    """
    positive, negative = int(np.count_nonzero(truth)), int(np.count_nonzero(~truth))
    target = np.where(truth, (positive + 1) / (positive + 2), 1 / (negative + 2))
    inputs = np.stack([output, np.ones(len(output))])
    estimate = np.array([0.0, np.log((negative + 1) / (positive + 1))])

    def loss(parameters: FloatArray) -> float:
        exponent = parameters @ inputs
        # ln(1 + exp(-x)) is ln(1 + exp(x)) - x.
        return float((np.logaddexp(0, exponent) - (1 - target) * exponent).sum())

    value = loss(estimate)
    for _ in range(MOST_STEPS):
        p = scipy.special.expit(-(estimate @ inputs))
        gradient = inputs @ (target - p)
        if abs(gradient).max() < 1e-9 * len(output):
            break
        # A ridge keeps the matrix regular where all outputs are the same.
        curvature = (inputs * (p * (1 - p))) @ inputs.T + 1e-12 * np.eye(2)
        step, share = np.linalg.solve(curvature, gradient), 1.0
        while share > SMALLEST_SHARE and loss(estimate - share * step) > value:
            share /= 2
        if share <= SMALLEST_SHARE:
            break
        estimate = estimate - share * step
        value = loss(estimate)
    return float(estimate[0]), float(estimate[1])
