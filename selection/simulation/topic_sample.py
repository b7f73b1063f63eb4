"""A random sample of a campaign's topics, and the means over all topics that it predicts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar
from zlib import crc32

import numpy as np

from evaluation.arrays import FloatArray, IntArray
from selection.state import CampaignState

# Sets these draws apart from others with the same seed and key.
PURPOSE = crc32(b"topic sample")

Given = TypeVar("Given")


def random_order(keys: Sequence[int], seed: int) -> IntArray:
    """int64 (topics,), topics in random order; each keeps its place among the others when topics come.

    >>> random_order([7, 8, 9, 10], seed=1).tolist(), random_order([7, 9, 10], seed=1).tolist()
    ([1, 3, 0, 2], [2, 0, 1])
    """
    return np.argsort([np.random.default_rng((seed, key, PURPOSE)).random() for key in keys], kind="stable")


def of_topics(state: CampaignState, topics: Sequence[int], *, served: bool = False) -> CampaignState:
    """A campaign of these topics alone, in this order, with their judgments; each topic draws what it would
    draw in the whole campaign.

    Predictions ask it for nothing, and nothing is barred in it; `served` keeps the methods, samples, anchors
    and barred documents, so that it can go on as the whole campaign would on these topics.
    """
    keys = [state.setting.keys[topic] for topic in topics] if state.setting.keys else list(topics)
    spec = replace(state.spec, keys=keys, topic_methods={}, samples={}, frozen={}, anchors={})
    if served:
        spec = replace(
            spec,
            topic_methods=_placed(state.spec.topic_methods, topics),
            samples=_placed(state.setting.samples, topics),
            frozen=_placed(state.setting.frozen, topics),
            anchors=_placed(state.anchors, topics),
        )
    else:
        spec = replace(spec, method="A", options={}, groups=None, batch=1, texts=None)
    part = CampaignState([state.pools[topic] for topic in topics], spec)
    judgments = state.setting.judgments
    for place, topic in enumerate(topics):
        judged_by_serving = judgments.served_in(topic)
        for document in judgments.judged_in(topic):
            part.setting.judgments.note_searched(place, document, document not in judged_by_serving)
        for document in judgments.barred_in(topic).nonzero()[0].tolist() if served else ():
            part.pass_over(place, document)
    at = np.array(topics, dtype=np.int64)
    judged = {place: judgments.judged_in(topic) for place, topic in enumerate(topics)}
    part.restore(state.base[at], state.residual[at], judged)
    return part


def _placed(by_topic: Mapping[int, Given], topics: Sequence[int]) -> dict[int, Given]:
    """Map the places of the chosen topics to what their indices map to."""
    return {place: by_topic[topic] for place, topic in enumerate(topics) if topic in by_topic}


@dataclass(frozen=True, eq=False)
class TopicPopulation:
    """Topics of which a sample is predicted.

    topics : int, their number, at least that of the sampled ones
    base, residual : float64 (runs,), means over all of them
    """

    topics: int
    base: FloatArray
    residual: FloatArray

    def scale(self, residual: FloatArray) -> FloatArray:
        """Mean residual over all topics by that over the sampled ones (sampled topics, runs): float64
        (runs,), 0 where the sample leaves nothing open."""
        open_ = residual.mean(axis=0)
        return np.asarray(np.divide(self.residual, open_, out=np.zeros(len(open_)), where=open_ > 0))

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
        open_, scale = residual.mean(axis=0), self.scale(residual)
        share = np.divide(expected.mean(axis=0), open_, out=np.zeros(len(open_)), where=open_ > 0)
        drawn = self.base[:, None] + scale[:, None] * added
        if sampled == self.topics:
            return np.asarray(drawn)
        generator = np.random.default_rng((seed, self.topics, PURPOSE))
        correction = 1 - sampled / self.topics
        deviation = np.sqrt(correction / (sampled * (sampled - 1)))
        error = (expected - share * residual).T @ generator.standard_normal((sampled, draws))
        return np.asarray(drawn + deviation * scale[:, None] * error)
