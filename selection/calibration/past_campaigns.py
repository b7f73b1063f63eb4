"""Replayed campaigns of some of the runs and topics of a collection whose relevance is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evaluation.arrays import BoolArray, FloatArray, IntArray
from selection.anchors import draw_anchors
from selection.framework.interface import SelectionScope
from selection.pool import Pools, build_topic_pool
from selection.specification import CampaignSpec
from selection.state import CampaignState

STUDIED_METHODS = ("A", "B", "C", "maxmean")
RUN_COUNTS = (5, 10, 20, 40)
TOPIC_COUNTS = (10, 20, 40)
PERSISTENCE_VALUES = (0.5, 0.8, 0.9)
# Judgments per topic made before the forecast, from the start of a campaign to well into it.
MOMENTS = (1.0, 30.0)


@dataclass(frozen=True, eq=False)
class PastTopic:
    """rankings : document ids of each run, None where it misses the topic; gains : (documents,) by id, NaN
    where unjudged, which counts as 0."""

    rankings: Sequence[IntArray | None]
    gains: FloatArray

    def condensed(self) -> PastTopic:
        """Without the documents that are unjudged: later ones of a list move up."""
        known = ~np.isnan(self.gains)
        return PastTopic([None if one is None else one[known[one]] for one in self.rankings], self.gains)


@dataclass(frozen=True)
class TrialSetting:
    """A campaign of some of the runs and topics, by index, and how many judgments it has had.

    depth : ranks kept of each run; None: all
    begun : topics that are judged, by place among `topics`, one after the other with equally many judgments;
        None: all, in the method's own order
    anchors : documents of all topics that are judged beside, drawn from `seed`
    sampled : topics, by place among `topics`, from which the means over all are predicted; None: all
    """

    runs: tuple[int, ...]
    topics: tuple[int, ...]
    p: float
    method: str
    scope: SelectionScope
    judged: int
    depth: int | None = None
    begun: tuple[int, ...] | None = None
    anchors: int = 0
    seed: int = 0
    sampled: tuple[int, ...] | None = None

    @property
    def judged_each(self) -> float:
        """Judgments for each begun topic."""
        return self.judged / len(self.topics if self.begun is None else self.begun)


def draw_setting(generator: np.random.Generator, runs: IntArray, topics: IntArray) -> TrialSetting:
    """At random; of runs and topics, only those given."""
    some = [size for size in RUN_COUNTS if size < len(runs)] + [min(len(runs), RUN_COUNTS[-1])]
    few = [size for size in TOPIC_COUNTS if size < len(topics)] + [min(len(topics), TOPIC_COUNTS[-1])]
    chosen = generator.choice(runs, generator.choice(some), replace=False)
    asked = generator.choice(topics, generator.choice(few), replace=False)
    each = np.exp(generator.uniform(*np.log(MOMENTS)))
    return TrialSetting(
        tuple(sorted(chosen.tolist())),
        tuple(sorted(asked.tolist())),
        float(generator.choice(PERSISTENCE_VALUES)),
        str(generator.choice(STUDIED_METHODS)),
        "campaign" if generator.random() < 0.5 else "topic",
        round(each * len(asked)),
    )


@dataclass(frozen=True, eq=False)
class KnownCampaign:
    """A campaign before its first judgment, whose judgments are known; `truth`: gains by pool index."""

    setting: TrialSetting
    pools: Pools
    truth: tuple[FloatArray, ...]

    def state(self, method: str | None = None) -> CampaignState:
        """Without judgments; of another method than the setting's, if one is named."""
        return CampaignState(
            self.pools,
            CampaignSpec(
                runs=len(self.setting.runs),
                p=self.setting.p,
                method=method or self.setting.method,
                scope=self.setting.scope,
                contributing=_all(self.setting),
                seed=self.setting.seed,
            ),
        )

    def gains(self, topic: int) -> FloatArray:
        return self.truth[topic]

    def gain(self, topic: int, document: int) -> float:
        return float(self.truth[topic][document])

    def moment(self) -> CampaignState | None:
        """The setting's judgments made, but for anchors; None where there are not so many to make."""
        state, begun = self.state(), self.setting.begun
        for number in range(self.setting.judged):
            choice = _best(state) if begun is None else _next(state, begun[number % len(begun)])
            if choice is None:
                return None
            state.judge(*choice, self.gain(*choice))
        return state

    def judge_anchors(self, state: CampaignState) -> None:
        """Judge the setting's anchors beside, drawn from what is unjudged in this campaign."""
        for choice in draw_anchors(state, self.setting.anchors, seed=self.setting.seed):
            state.judge(*choice, self.gain(*choice))


def _best(state: CampaignState) -> tuple[int, int] | None:
    choice = state.best()
    return None if choice is None else (choice.topic, choice.document)


def _next(state: CampaignState, topic: int) -> tuple[int, int] | None:
    queue = state.queue(topic, 1).documents
    return (topic, int(queue[0])) if len(queue) else None


def known_campaign(topics: Sequence[PastTopic], setting: TrialSetting) -> KnownCampaign:
    truth, pools = [], []
    for index in setting.topics:
        rankings = [_cut(topics[index].rankings[run], setting.depth) for run in setting.runs]
        pools.append(build_topic_pool(rankings, setting.p, _all(setting)))
        truth.append(np.nan_to_num(topics[index].gains[pools[-1].documents]))
    return KnownCampaign(setting, Pools.of(pools), tuple(truth))


def _cut(ranking: IntArray | None, depth: int | None) -> IntArray | None:
    return None if ranking is None else ranking[:depth]


def _all(setting: TrialSetting) -> BoolArray:
    return np.ones(len(setting.runs), dtype=np.bool_)
