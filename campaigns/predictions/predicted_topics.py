"""Topics whose scores are predicted: all of a campaign, or a random sample of a large one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from campaigns.computing.live import LiveCampaign
from campaigns.predictions import decided_pairs
from evaluation.arrays import FloatArray
from selection.pool import POOL_CACHE_SIZE
from selection.simulation.topic_sample import TopicPopulation, of_topics, random_order
from selection.state import CampaignState

# So much of a sample is drawn from all topics, the rest from those begun: the model is fitted to these.
SHARE_OF_ALL = 0.6
# Fewer topics predict hardly anything about all.
LEAST_SAMPLED = 30


@dataclass(frozen=True, eq=False)
class PredictedTopics:
    """`topics`: the predicted topics by index, those of `state`. `scopes`: of its topics by index, those of
    the means over all and over the begun topics. `populations`: of what the scopes are samples; empty where
    every topic is predicted."""

    state: CampaignState
    topics: Sequence[int]
    scopes: Sequence[Sequence[int]]
    populations: Sequence[TopicPopulation] = ()

    def bounds(self, scope: int) -> tuple[FloatArray, FloatArray]:
        """Means of base and residual (runs,) over all topics of a scope."""
        if self.populations:
            return self.populations[scope].base, self.populations[scope].residual
        at = list(self.scopes[scope])
        return self.state.base[at].mean(axis=0), self.state.residual[at].mean(axis=0)

    def counts(self, scope: int) -> tuple[int, int]:
        """Number of topics of a scope, and of predicted ones."""
        sampled = len(self.scopes[scope])
        return (self.populations[scope].topics if self.populations else sampled), sampled


def predicted_topics(live: LiveCampaign) -> PredictedTopics | None:
    """None where a worker has no room for enough topics. Brings the pools of the others into memory."""
    topics, judgments = list(range(len(live.arrays.topics))), live.state.setting.judgments
    begun = [topic for topic in topics if judgments.judged_in(topic)]
    if not decided_pairs.is_large(live):
        list(live.state.pools)
        return PredictedTopics(live.scored_state, topics, [topics, begun])
    # Half of what pools may take, so that those of topics being judged stay.
    occurrences = max(int(live.state.pools.capacities.sum()), 1)
    room = min(decided_pairs.MOST_ADVICE_TOPICS, len(topics) * (POOL_CACHE_SIZE // 2) // occurrences)
    if int(room * SHARE_OF_ALL) < LEAST_SAMPLED:
        return None
    order = random_order(live.state.setting.keys, live.seed).tolist()
    every = set(order[: int(room * SHARE_OF_ALL)])
    # Begun topics in random order, too: those among all come first.
    begun_in_order = [topic for topic in order if judgments.judged_in(topic)]
    further = room - len(every) + len(every.intersection(begun))
    sampled_begun = set(begun_in_order[:further])
    chosen = sorted(every | sampled_begun)
    scopes = [
        [place for place, topic in enumerate(chosen) if topic in sample] for sample in (every, sampled_begun)
    ]
    state = of_topics(live.state, chosen)
    if live.assumes_not_relevant:
        state = state.assuming_not_relevant(
            [place for place, topic in enumerate(chosen) if judgments.judged_in(topic)]
        )
    bounds = live.scores.bounds
    populations = [TopicPopulation(len(topics), *bounds.means())]
    at = np.array(begun, dtype=np.int64)
    if len(at):
        populations.append(
            TopicPopulation(len(begun), bounds.base[at].mean(axis=0), bounds.residual[at].mean(axis=0))
        )
    return PredictedTopics(state, chosen, scopes, populations)
