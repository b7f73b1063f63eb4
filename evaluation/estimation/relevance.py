"""Probabilities of relevance for unjudged documents: constant, the smoothed rate of the judged, or from the
runs' own rankings.

The last approximates Carterette 2007, whose text was not at hand: it follows the idea, not the formulas.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import scipy

from evaluation.arrays import BoolArray, FloatArray, IntArray


def constant_relevance(judged: FloatArray, p: float = 0.5) -> FloatArray:
    """The same probability for every unjudged document.

    Parameters
    ----------
    judged : ndarray of float64, shape (documents,)
        1 relevant, 0 not relevant, NaN not judged.
    p : float
        In [0, 1]. One half is the published neutral choice.

    Returns
    -------
    ndarray of float64, shape (documents,)

    Raises
    ------
    ValueError
        If `p` is outside [0, 1] or a judgment is none of 0, 1 and NaN.

    References
    ----------
    Carterette, Allan and Sitaraman 2006, section 4.

    Examples
    --------
    >>> constant_relevance(np.array([1.0, float("nan")])).tolist()
    [1.0, 0.5]
    """
    judged = _check(judged)
    if not 0 <= p <= 1:
        raise ValueError(f"p = {p} is outside [0, 1]")
    return np.where(np.isnan(judged), p, judged)


def smoothed_relevance(judged: FloatArray) -> FloatArray:
    """The rate among the judged, by Laplace's rule of succession: (relevant + 1) / (judged + 2).

    Parameters, returned array and errors as for `constant_relevance`.

    References
    ----------
    This project's choice.

    Examples
    --------
    >>> smoothed_relevance(np.array([1.0, 0.0, 0.0, float("nan")])).tolist()
    [1.0, 0.0, 0.0, 0.4]
    """
    judged = _check(judged)
    known = ~np.isnan(judged)
    return constant_relevance(judged, float((judged[known].sum() + 1) / (known.sum() + 2)))


def _check(judged: FloatArray) -> FloatArray:
    judged = np.asarray(judged, dtype=np.float64)
    wrong = ~(np.isnan(judged) | (judged == 0) | (judged == 1))
    if judged.ndim != 1 or wrong.any():
        raise ValueError(
            f"judgments are not (documents,) of 0, 1 or NaN: {judged[wrong].ravel()[:1].tolist()}"
        )
    return judged


# No opinion is so firm that others cannot outweigh it: logits of about 1 in 3000.
FIRMEST = 8.0
# Strength of both regularisations.
PENALTY = 1.0
# Of Newton's method: it needs about eight.
MOST_STEPS, SMALLEST_SHARE, CONVERGED = 100, 1e-10, 1e-12


def expert_relevance(rankings: Sequence[IntArray | None], judged: FloatArray) -> FloatArray:
    """Let each run give an opinion on each document, and weigh the opinions by how they fit the judgments.

    A run's opinion is the logit of a probability that falls with the logarithm of the rank, fitted to the
    judged documents. The opinions are combined by logistic regression, whose weights are drawn towards
    those of all runs alike. An approximation of Carterette 2007: shown as such wherever it is used.

    Parameters
    ----------
    rankings : sequence of ndarray of int, or None
        Each run's documents in rank order, as places in `judged`.
    judged : ndarray of float64, shape (documents,)
        1 relevant, 0 not relevant, NaN not judged.

    Returns
    -------
    ndarray of float64, shape (documents,)
        In [0, 1]; 0 or 1 for the judged. Without a relevant and a nonrelevant judgment, or without runs,
        the smoothed rate.

    Raises
    ------
    ValueError
        As for `constant_relevance`.

    References
    ----------
    After Carterette 2007, Robust test collections for retrieval evaluation, section 4.

    Examples
    --------
    >>> nan = float("nan")
    >>> found = expert_relevance([np.arange(6)], np.array([1, 1, nan, 0, nan, 0]))
    >>> bool(found[2] > found[4])
    True
    """
    constant_relevance(judged)  # refuses what is no judgment
    known = ~np.isnan(np.asarray(judged, dtype=np.float64))
    labels = np.asarray(judged, dtype=np.float64)[known]
    runs = [ranking for ranking in rankings if ranking is not None and len(ranking)]
    if not runs or len(np.unique(labels)) < 2:
        return smoothed_relevance(judged)
    opinions = _opinions(runs, known, labels)
    # Scaled so that a weight of 1 each is the mean of all opinions.
    features = opinions.T / len(runs)
    [weights] = _fit(features[None, known], labels, np.ones(len(runs)), PENALTY / len(runs))
    return np.where(known, judged, scipy.special.expit(_logits(features, weights)))


def _opinions(runs: Sequence[IntArray], known: BoolArray, labels: FloatArray) -> FloatArray:
    """Each run's logit for every document, (runs, documents); those it does not rank stand right behind its
    last."""
    ranks = np.empty((len(runs), len(known)))
    for row, ranking in zip(ranks, runs, strict=True):
        row[:] = len(ranking) + 1.0
        row[ranking] = np.arange(1, len(ranking) + 1)
    falling = -np.log(ranks)
    weights = _fit(falling[:, known, None], labels, np.zeros(1), PENALTY)
    return np.asarray(np.clip(falling * weights[:, :1] + weights[:, 1:], -FIRMEST, FIRMEST))


def _fit(features: FloatArray, labels: FloatArray, centre: FloatArray, penalty: float) -> FloatArray:
    """Minimise the loss of several logistic regressions drawn towards `centre`, by Newton's method.

    `features` (fits, documents, features), `labels` (documents,); weights and, last, the intercept,
    (fits, features + 1).
    """
    design = np.concatenate([features, np.ones((*features.shape[:2], 1))], axis=2)
    start, ridge = np.append(centre, 0.0), np.append(np.full(len(centre), penalty), 0.0)

    def loss(weights: FloatArray) -> FloatArray:
        logits = _products(design, weights)
        away = np.square(weights - start) @ ridge / 2
        return np.asarray((np.logaddexp(0, logits) - labels * logits).sum(axis=1) + away)

    weights = np.tile(start, (len(features), 1))
    for _ in range(MOST_STEPS):
        chance = scipy.special.expit(_products(design, weights))
        gradient = _products(design.swapaxes(1, 2), chance - labels) + ridge * (weights - start)
        heavy = design * (chance * (1 - chance))[:, :, None]
        curvature = heavy.swapaxes(1, 2) @ design + np.diag(ridge)
        step = np.linalg.solve(curvature, gradient[:, :, None])[:, :, 0]
        # Twice what a whole step is expected to save.
        left = (gradient * step).sum(axis=1)
        if left.max() < CONVERGED:
            return weights - step
        weights = weights - _shares(loss, weights, step)[:, None] * step
    return weights


def _shares(loss: Callable[[FloatArray], FloatArray], weights: FloatArray, step: FloatArray) -> FloatArray:
    """Share of each fit's step to take, (fits,): halved while it raises the loss."""
    before, share = loss(weights), np.ones(len(weights))
    most = before + CONVERGED * np.maximum(before, 1.0)
    while (worse := (loss(weights - share[:, None] * step) > most) & (share > SMALLEST_SHARE)).any():
        share[worse] /= 2
    return share


def _products(matrices: FloatArray, vectors: FloatArray) -> FloatArray:
    """(fits, rows, columns) times (fits, columns)."""
    return np.asarray((matrices @ vectors[:, :, None])[:, :, 0])


def _logits(features: FloatArray, weights: FloatArray) -> FloatArray:
    return np.asarray(features @ weights[:-1] + weights[-1])
