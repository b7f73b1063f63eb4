"""The variance of means over topics like these: of complete scores the usual one, and wider where scores are
open."""

from __future__ import annotations

import numpy as np
import pytest

from evaluation.arrays import FloatArray
from selection.simulation.topics_like_these import LEAST_TOPICS, TopicCovariance, half_widths


def covariance_of(scores: FloatArray) -> FloatArray | None:
    """Of scores (topics, runs, draws)."""
    gathered = TopicCovariance(scores.shape[1])
    for topic in scores:
        gathered.add(topic)
    return gathered.of_means(scores.mean(axis=0))


def test_complete_scores_have_the_variance_of_a_mean() -> None:
    complete = np.random.default_rng(1).random((20, 3))
    covariance = covariance_of(np.repeat(complete[:, :, None], 5, axis=2))
    assert covariance == pytest.approx(np.cov(complete.T) / 20, abs=1e-12)


def test_open_scores_add_the_variance_between_draws() -> None:
    drawn = np.random.default_rng(2).random((18, 2, 40))
    slow = np.zeros((2, 2))
    for draw in range(40):
        slow += np.cov(drawn[:, :, draw].T) / 18 / 40
    slow += (1 + 1 / 40) * np.cov(drawn.mean(axis=0))
    assert covariance_of(drawn) == pytest.approx(slow, abs=1e-12)


def test_few_topics_say_nothing() -> None:
    assert covariance_of(np.zeros((LEAST_TOPICS - 1, 2, 3))) is None
    assert covariance_of(np.zeros((LEAST_TOPICS, 2, 3))) is not None


def test_intervals_cover_the_mean_of_many_topics() -> None:
    """Over samples of 20 topics whose scores are known: 95% cover the population's mean."""
    draw = np.random.default_rng(3)
    covered = []
    for _ in range(2000):
        sample = draw.beta(2, 5, 20)
        gathered = TopicCovariance(1)
        for score in sample:
            gathered.add(np.full((1, 2), score))
        variance = gathered.of_means(np.full((1, 2), sample.mean()))
        assert variance is not None
        half = half_widths(variance[0, 0], 20)
        covered.append(abs(sample.mean() - 2 / 7) <= half)
    assert 0.93 <= np.mean(covered) <= 0.97
