"""A random sample of a campaign's topics, and the means over all topics that it predicts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from zlib import crc32

import numpy as np

from evaluation.arrays import FloatArray, IntArray
from selection.specification import CampaignSpec
from selection.state import CampaignState

# Sets these draws apart from others with the same seed and key.
PURPOSE = crc32(b"topic sample")


def random_order(keys: Sequence[int], seed: int) -> IntArray:
    """int64 (topics,), topics in random order; each keeps its place among the others when topics come.

    >>> random_order([7, 8, 9, 10], seed=1).tolist(), random_order([7, 9, 10], seed=1).tolist()
    ([1, 3, 0, 2], [2, 0, 1])
    """
    return np.argsort([np.random.default_rng((seed, key, PURPOSE)).random() for key in keys], kind="stable")


def of_topics(state: CampaignState, topics: Sequence[int]) -> CampaignState:
    """A campaign of these topics alone, in this order, with their judgments: for predictions, which draw for
    each topic what they would draw in the whole campaign. Nothing is barred in it."""
    setting = state.setting
    keys = [setting.keys[topic] for topic in topics] if setting.keys else list(topics)
    part = CampaignState(
        [state.pools[topic] for topic in topics],
        CampaignSpec(
            runs=setting.runs,
            p=setting.p,
            method="A",
            scope=setting.scope,
            contributing=setting.contributing,
            seed=setting.seed,
            keys=keys,
            threshold=setting.threshold,
            origin=setting.origin,
        ),
    )
    judgments = setting.judgments
    for place, topic in enumerate(topics):
        served = judgments.served_in(topic)
        for document in judgments.judged_in(topic):
            part.setting.judgments.note_searched(place, document, document not in served)
    at = np.array(topics, dtype=np.int64)
    judged = {place: judgments.judged_in(topic) for place, topic in enumerate(topics)}
    part.restore(state.base[at], state.residual[at], judged)
    return part


@dataclass(frozen=True, eq=False)
class TopicPopulation:
    """Topics of which a sample is predicted.

    topics : int, their number, at least that of the sampled ones
    base, residual : float64 (runs,), means over all of them
    """

    topics: int
    base: FloatArray
    residual: FloatArray

    def means(self, added: FloatArray, expected: FloatArray, residual: FloatArray, seed: int) -> FloatArray:
        """Means over all topics, by the ratio estimator: of their residual, topics outside the sample gain
        as large a share as those inside.

        Each draw has a sampling error, normal and with the finite population correction. All runs share its
        numbers, so that the difference of runs that gain alike has a small one. Topics' own effects vary as
        in a mean over the sample alone: intervals are too wide, if anything.

        Parameters
        ----------
        added : ndarray of float64, shape (runs, draws)
            Scores less base, as means over the sampled topics.
        expected : ndarray of float64, shape (sampled topics, runs)
            Expected score less base on each.
        residual : ndarray of float64, shape (sampled topics, runs)
            Residual on each.
        seed : int
            Of the sampling error, at least 0.

        Returns
        -------
        ndarray of float64, shape (runs, draws)

        Raises
        ------
        ValueError
            For one sampled topic of several, which shows no spread, or more than there are.

        References
        ----------
        Cochran 1977, Sampling techniques, sections 2.6 and 6.4.

        Examples
        --------
        >>> three = TopicPopulation(3, np.array([0.1]), np.array([0.6]))
        >>> gains = np.array([[0.2], [0.1]])
        >>> drawn = three.means(np.array([[0.15]]), gains, 2 * gains, seed=0)
        >>> drawn.round(6).tolist()
        [[0.4]]
        """
        sampled, draws = len(expected), added.shape[1]
        if sampled > self.topics or (sampled < 2 and sampled < self.topics):
            raise ValueError(f"{sampled} sampled topics of {self.topics}")
        open_ = residual.mean(axis=0)
        scale = np.divide(self.residual, open_, out=np.zeros(len(open_)), where=open_ > 0)
        share = np.divide(expected.mean(axis=0), open_, out=np.zeros(len(open_)), where=open_ > 0)
        drawn = self.base[:, None] + scale[:, None] * added
        if sampled == self.topics:
            return np.asarray(drawn)
        generator = np.random.default_rng((seed, self.topics, PURPOSE))
        correction = 1 - sampled / self.topics
        deviation = np.sqrt(correction / (sampled * (sampled - 1)))
        error = (expected - share * residual).T @ generator.standard_normal((sampled, draws))
        return np.asarray(drawn + deviation * scale[:, None] * error)
