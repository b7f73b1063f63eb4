"""A campaign of TREC-8's size, made from a seed: 129 runs in 39 groups, 50 topics, 1000 deep.

A document's score in a run is the topic's own score of it (exponential, so that runs agree at the top
and part further down) times the run's skill, plus the noise of the run's group and of the run. The
constants give about 19,000 pooled documents a topic and about 1,800 in a pool of depth 100 over two
runs a group; TREC-8 had 1,737.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluation.arrays import FloatArray, IntArray
from selection.pool import Ids, TopicPool, build_topic_pool

Scores = NDArray[np.float32]

GROUP_NOISE, RUN_NOISE = 1.1, 0.6
POOR_RUNS, POOR = 12, 0.15
RELEVANT_FROM = 5.8


@dataclass(frozen=True)
class Size:
    runs: int = 129
    groups: int = 39
    topics: int = 50
    depth: int = 1000
    documents: int = 40_000


TREC_8 = Size()


@dataclass(frozen=True, eq=False)
class SyntheticCampaign:
    """rankings[topic][run]: document ids of that topic in rank order; gains[topic]: 0 or 1 by id."""

    size: Size
    group: IntArray
    rankings: list[list[Ids]]
    gains: list[FloatArray]

    def pools(self, p: float) -> list[TopicPool]:
        everyone = np.ones(self.size.runs, dtype=np.bool_)
        return [build_topic_pool(rankings, p, everyone) for rankings in self.rankings]


def make_campaign(
    seed: int, size: Size = TREC_8, progress: Callable[[], object] = lambda: None
) -> SyntheticCampaign:
    """`progress` is called after each topic."""
    rng = np.random.default_rng(seed)
    group = np.sort(np.r_[np.arange(size.groups), rng.integers(0, size.groups, size.runs - size.groups)])
    skill = 0.4 + 0.9 * np.sort(rng.beta(3, 2, size.runs))[::-1]
    skill[rng.permutation(size.runs)[:POOR_RUNS]] *= POOR
    rankings, gains = [], []
    for _ in range(size.topics):
        topic = rng.standard_exponential(size.documents, dtype=np.float32)
        rankings.append(_rank(rng, size, topic, group, skill.astype(np.float32)))
        noisy = topic + rng.gumbel(0.0, 0.5, size.documents)
        gains.append((noisy > RELEVANT_FROM).astype(np.float64))
        progress()
    return SyntheticCampaign(size, group, rankings, gains)


def _rank(rng: np.random.Generator, size: Size, topic: Scores, group: IntArray, skill: Scores) -> list[Ids]:
    noise = GROUP_NOISE * rng.standard_normal((size.groups, size.documents), dtype=np.float32)
    ranked = []
    for run in range(size.runs):
        own = RUN_NOISE * rng.standard_normal(size.documents, dtype=np.float32)
        scores = skill[run] * topic + noise[group[run]] + own
        top = np.argpartition(-scores, size.depth)[: size.depth]
        ranked.append(top[np.argsort(-scores[top])].astype(np.int32))
    return ranked
