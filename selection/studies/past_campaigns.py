"""Campaigns held again, of some of the runs and topics of a collection whose relevance is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evaluation.arrays import BoolArray, FloatArray, IntArray
from selection.framework.interface import Scope
from selection.pool import Pools, build_topic_pool
from selection.state import CampaignState

# The rates' beliefs were chosen on one half of topics and, where there are many, of runs; forecasts are tried
# on the other.
HALF_SEED, MANY_RUNS = 7, 40
METHODS = ("A", "B", "C", "maxmean")
RUNS = (5, 10, 20, 40)
TOPICS = (10, 20, 40)
PERSISTENCE = (0.5, 0.8, 0.9)
# Judgments per topic made before the forecast, from the start of a campaign to well into it.
MOMENTS = (1.0, 30.0)


@dataclass(frozen=True, eq=False)
class Topic:
    """rankings : document ids of each run, None where it misses the topic; gains : (documents,) by id, NaN
    where nobody judged, which counts as 0."""

    rankings: Sequence[IntArray | None]
    gains: FloatArray


@dataclass(frozen=True)
class Setting:
    """A campaign of some of the runs and topics, by index, and how many judgments it has had."""

    runs: tuple[int, ...]
    topics: tuple[int, ...]
    p: float
    method: str
    scope: Scope
    judged: int


def halves(runs: int, topics: int) -> tuple[tuple[IntArray, IntArray], tuple[IntArray, IntArray]]:
    """Runs and topics, by index, on which the beliefs were chosen, and the others."""
    generator = np.random.default_rng(HALF_SEED)
    some, few = generator.permutation(runs), generator.permutation(topics)
    if runs <= MANY_RUNS:
        return (some, few[0::2]), (some, few[1::2])
    return (some[0::2], few[0::2]), (some[1::2], few[1::2])


def draw_setting(generator: np.random.Generator, runs: IntArray, topics: IntArray) -> Setting:
    """At random; of runs and topics, only those given."""
    some = [size for size in RUNS if size < len(runs)] + [min(len(runs), RUNS[-1])]
    few = [size for size in TOPICS if size < len(topics)] + [min(len(topics), TOPICS[-1])]
    chosen = generator.choice(runs, generator.choice(some), replace=False)
    asked = generator.choice(topics, generator.choice(few), replace=False)
    each = np.exp(generator.uniform(*np.log(MOMENTS)))
    return Setting(
        tuple(sorted(chosen.tolist())),
        tuple(sorted(asked.tolist())),
        float(generator.choice(PERSISTENCE)),
        str(generator.choice(METHODS)),
        "campaign" if generator.random() < 0.5 else "topic",
        round(each * len(asked)),
    )


@dataclass(frozen=True, eq=False)
class Known:
    """A campaign before its first judgment, whose judgments are known; `truth`: gains by pool index."""

    setting: Setting
    pools: Pools
    truth: tuple[FloatArray, ...]

    def state(self, method: str | None = None) -> CampaignState:
        """Without judgments; of another method than the setting's, if one is named."""
        return CampaignState(
            self.pools,
            runs=len(self.setting.runs),
            p=self.setting.p,
            method=method or self.setting.method,
            scope=self.setting.scope,
            contributing=_all(self.setting),
        )

    def gains(self, topic: int) -> FloatArray:
        return self.truth[topic]

    def gain(self, topic: int, document: int) -> float:
        return float(self.truth[topic][document])

    def moment(self) -> CampaignState | None:
        """The setting's judgments made; None where there are not so many to make."""
        state = self.state()
        for _ in range(self.setting.judged):
            choice = state.best()
            if choice is None:
                return None
            state.judge(choice.topic, choice.document, self.gain(choice.topic, choice.document))
        return state


def known_campaign(topics: Sequence[Topic], setting: Setting) -> Known:
    truth, pools = [], []
    for index in setting.topics:
        rankings = [topics[index].rankings[run] for run in setting.runs]
        pools.append(build_topic_pool(rankings, setting.p, _all(setting)))
        truth.append(np.nan_to_num(topics[index].gains[pools[-1].documents]))
    return Known(setting, Pools.of(pools), tuple(truth))


def _all(setting: Setting) -> BoolArray:
    return np.ones(len(setting.runs), dtype=np.bool_)
