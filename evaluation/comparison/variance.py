"""Variance components of scores, and the number of topics that makes an evaluation stable."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, inf

import numpy as np
import scipy

from evaluation.arrays import FloatArray

TAILS = (0.975, 0.025)


@dataclass(frozen=True)
class Components:
    """Variances of runs (`system`), topics, and of their interaction with all else; never below 0."""

    system: float
    topic: float
    interaction: float
    runs: int
    topics: int

    @property
    def shares(self) -> tuple[float, float, float]:
        """Shares of system, topic and interaction in the total variance; NaN if there is none."""
        parts = np.array([self.system, self.topic, self.interaction])
        with np.errstate(invalid="ignore"):
            system, topic, interaction = (parts / parts.sum()).tolist()
        return system, topic, interaction

    def relative(self, topics: int | None = None) -> float:
        """Stability of differences between runs, in [0, 1], with that many topics (those given, if None)."""
        return self._stability(self.interaction, topics)

    def absolute(self, topics: int | None = None) -> float:
        """Stability of the scores themselves: other topics would have been harder or easier."""
        return self._stability(self.interaction + self.topic, topics)

    def topics_for_relative(self, stability: float = 0.95) -> float:
        """The least number of topics for that relative stability; inf if runs do not differ."""
        return self._needed(self.interaction, stability)

    def topics_for_absolute(self, stability: float = 0.95) -> float:
        """The least number of topics for that absolute stability; inf if runs do not differ."""
        return self._needed(self.interaction + self.topic, stability)

    def _stability(self, error: float, topics: int | None) -> float:
        topics = self.topics if topics is None else topics
        if topics < 1:
            raise ValueError(f"topics = {topics} is below 1")
        whole = self.system + error / topics
        return self.system / whole if whole > 0 else float("nan")

    def _needed(self, error: float, stability: float) -> float:
        if not 0 < stability < 1:
            raise ValueError(f"stability = {stability} is not inside (0, 1)")
        if self.system == 0:
            return inf
        # A hair less, so that a quotient that is whole on paper is not rounded up.
        return max(1, ceil(stability / (1 - stability) * error / self.system * (1 - 1e-12)))


def variance_components(scores: FloatArray) -> Components:
    """Components of the two-way random model: score = mean + system + topic + interaction.

    Parameters
    ----------
    scores : ndarray of float64, shape (runs, topics)
        One score a cell; at least 2 runs and 2 topics.

    Returns
    -------
    Components
        From the expected mean squares; estimates below 0 are set to 0.

    Raises
    ------
    ValueError
        If there are fewer than 2 runs or topics, or a score is not finite.

    References
    ----------
    Brennan 2001, sections 2.3 (components), 2.4 (stability); Bodoff and Li 2007; Carterette, Pavlu, Kanoulas,
    Aslam and Allan 2008, section 5.1.1.

    Examples
    --------
    >>> found = variance_components(np.array([[0.2, 0.4, 0.6], [0.3, 0.5, 0.7]]))
    >>> round(found.system, 6), round(found.topic, 6), found.topics_for_relative()
    (0.005, 0.04, 1)
    """
    system, topic, interaction = _mean_squares(scores)
    runs, topics = np.shape(scores)
    return Components(
        system=max(0.0, (system - interaction) / topics),
        topic=max(0.0, (topic - interaction) / runs),
        interaction=interaction,
        runs=runs,
        topics=topics,
    )


def relative_interval(scores: FloatArray) -> tuple[float, float]:
    """A 95% interval of the relative stability, from the F distribution; both ends in [0, 1].

    Parameters, errors as for `variance_components`.

    References
    ----------
    Feldt 1965, equation 9.

    Examples
    --------
    >>> scores = np.random.default_rng(0).normal(size=(20, 30)) + np.arange(20)[:, None]
    >>> low, high = relative_interval(scores)
    >>> low < variance_components(scores).relative() < high
    True
    """
    system, _, interaction = _mean_squares(scores)
    runs, topics = np.shape(scores)
    if system == 0:
        return (0.0, 0.0) if interaction else (float("nan"), float("nan"))
    quantiles = (float(scipy.stats.f.ppf(tail, runs - 1, (runs - 1) * (topics - 1))) for tail in TAILS)
    low, high = (min(1.0, max(0.0, 1 - interaction / system * quantile)) for quantile in quantiles)
    return low, high


def _mean_squares(scores: FloatArray) -> tuple[float, float, float]:
    scores = np.asarray(scores, dtype=np.float64)
    if scores.ndim != 2 or min(scores.shape) < 2:
        raise ValueError(f"components need at least 2 runs and 2 topics, got scores of shape {scores.shape}")
    if not np.isfinite(scores).all():
        raise ValueError(f"a score is {scores[~np.isfinite(scores)][0]}")
    runs, topics = scores.shape
    by_run, by_topic = scores.mean(axis=1, keepdims=True), scores.mean(axis=0, keepdims=True)
    system = topics * float(by_run.var(ddof=1))
    topic = runs * float(by_topic.var(ddof=1))
    rest = scores - by_run - by_topic + scores.mean()
    return system, topic, float((rest**2).sum()) / ((runs - 1) * (topics - 1))
