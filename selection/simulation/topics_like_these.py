"""Predicted means over topics like those of a campaign: its topics taken as a random sample of many."""

from __future__ import annotations

import numpy as np
import scipy

from evaluation.arrays import FloatArray

# Of fewer topics, a t interval says too little.
LEAST_TOPICS = 15


class TopicCovariance:
    """Covariance of the runs' means over topics like these, from draws of their scores topic by topic.

    Parameters
    ----------
    runs : int
    """

    def __init__(self, runs: int) -> None:
        self._products = np.zeros((runs, runs))
        self._topics = 0

    def add(self, scores: FloatArray) -> None:
        """Add a topic by its scores (runs, draws)."""
        self._products += scores @ scores.T / scores.shape[1]
        self._topics += 1

    def of_means(self, means: FloatArray) -> FloatArray | None:
        """Covariance of the means, given their draws over all topics added.

        Parameters
        ----------
        means : ndarray of float64, shape (runs, draws)

        Returns
        -------
        ndarray of float64, shape (runs, runs), or None
            Mean over draws of the covariance between topics, divided by their number, and the covariance
            between draws of the means; None for fewer than `LEAST_TOPICS` topics.

        References
        ----------
        Rubin 1987, Multiple imputation for nonresponse in surveys, equation 3.1.5: each draw completes the
        judgments.
        """
        number, draws = self._topics, means.shape[1]
        if number < LEAST_TOPICS:
            return None
        between_topics = (self._products / number - means @ means.T / draws) / (number - 1)
        centred = means - means.mean(axis=1, keepdims=True)
        between_draws = centred @ centred.T / (draws - 1)
        return np.asarray(between_topics + (1 + 1 / draws) * between_draws)


def half_widths(variance: FloatArray, topics: int, confidence: float = 0.95) -> FloatArray:
    """Half widths of t intervals for means over topics like these.

    Parameters
    ----------
    variance : ndarray of float64, any shape
        Of the means, or of differences between them.
    topics : int
        How many topics there are, at least 2.
    confidence : float
        Inside (0, 1).

    Examples
    --------
    >>> half_widths(np.array([0.0001]), 30).round(4).tolist()
    [0.0205]
    """
    quantile = scipy.stats.t.ppf((1 + confidence) / 2, topics - 1)
    return np.asarray(quantile * np.sqrt(np.maximum(variance, 0)))
