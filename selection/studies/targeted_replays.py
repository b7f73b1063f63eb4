"""Replays of a collection by the methods of Moffat, Webber and Zobel 2007, and the bounds after any number of
their judgments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor, log10

import numpy as np

from evaluation.arrays import FloatArray, IntArray
from selection.bounds import RunBounds
from selection.pool import Pools, build_topic_pool
from selection.simulation.replay import UnjudgedPolicy, replay
from selection.specification import CampaignSpec
from selection.state import CampaignState
from selection.studies.interface import StudySettings
from selection.studies.known_collection import KnownCollection
from selection.studies.known_scores import judged_gains

METHODS = ("pooling", "A", "B", "C")
# The paper's numbers of judgments, and one smaller, with its numbers of runs and topics (TREC-8).
PAPER_BUDGETS, PAPER_RUNS, PAPER_TOPICS = (2_500, 5_000, 10_000, 20_000), 129, 50


@dataclass(frozen=True)
class TargetedReplay:
    """One replay of all topics, all runs contributing and weights computed after each judgment.

    method : a name of `METHODS`
    p : persistence of RBP, inside (0, 1)
    budget : judgments of the campaign
    unjudged : as for `selection.simulation.replay.replay`
    """

    method: str
    p: float
    budget: int
    unjudged: UnjudgedPolicy = "nonrelevant"


@dataclass(frozen=True, eq=False)
class JudgingOrder:
    """Documents judged in a replay, in that order.

    topics, documents : int (judged,), places in the collection
    handled : int (judged,), documents asked for up to and with this one, the bypassed ones too
    """

    topics: IntArray
    documents: IntArray
    handled: IntArray

    @classmethod
    def of(cls, columns: dict[str, list[int]]) -> JudgingOrder:
        return cls(*(np.array(columns[name], dtype=np.int64) for name in ("topics", "documents", "handled")))

    def judged(self, topics: int, judgments: int) -> list[IntArray]:
        """For each topic, the documents among the first `judgments`, ascending."""
        of, documents = self.topics[:judgments], self.documents[:judgments]
        return [np.sort(documents[of == topic]) for topic in range(topics)]


def run_replay(known: KnownCollection, trial: TargetedReplay) -> dict[str, list[int]]:
    """The fields of a `JudgingOrder`, as lists.

    Raises ValueError if an argument is outside its range, as `replay` does.
    """
    pools = judging_pools(known, trial.p)
    handled: list[int] = []

    def observe(state: CampaignState, judged: int, relevant: int, asked: int) -> None:
        if judged:
            handled.append(asked)

    made = replay(
        pools,
        [gains[pool.documents] for gains, pool in zip(judged_gains(known), pools, strict=True)],
        CampaignSpec(
            runs=len(known.runs),
            p=trial.p,
            method=trial.method,
            scope="campaign",
            contributing=np.ones(len(known.runs), dtype=np.bool_),
        ),
        judgments=trial.budget,
        unjudged=trial.unjudged,
        observe=observe,
    )
    documents = [
        int(pools[topic].documents[document])
        for topic, document in zip(made.topics.tolist(), made.documents.tolist(), strict=True)
    ]
    return {"topics": made.topics.tolist(), "documents": documents, "handled": handled}


def judging_pools(known: KnownCollection, p: float) -> Pools:
    def make() -> Pools:
        every = np.ones(len(known.runs), dtype=np.bool_)
        return Pools.of([build_topic_pool(topic.rankings, p, every) for topic in known.topics])

    return known.cached(("judging pools", p), make)


def all_judged(known: KnownCollection) -> list[IntArray]:
    """For each topic, the ranked documents that are judged, ascending."""
    return [np.flatnonzero(~np.isnan(gains)) for gains in judged_gains(known)]


def bounds_of(known: KnownCollection, judged: Sequence[IntArray], p: float) -> RunBounds:
    """RBP bounds of all runs once these documents of each topic (ascending) are judged; one that the qrels do
    not name has gain 0."""
    bounds = RunBounds(judging_pools(known, p), len(known.runs), p)
    for place, (topic, documents) in enumerate(zip(known.topics, judged, strict=True)):
        bounds.score(place, topic.rankings, documents, np.nan_to_num(judged_gains(known)[place][documents]))
    return bounds


def relevant_among(known: KnownCollection, judged: Sequence[IntArray]) -> int:
    every = zip(judged_gains(known), judged, strict=True)
    return sum(int(np.count_nonzero(gains[documents] > 0)) for gains, documents in every)


def budgets_of(known: KnownCollection, settings: StudySettings) -> tuple[int, ...]:
    """Numbers of judgments, ascending: those given, or as many a run and topic as in the paper, all fewer in
    proportion where the qrels judge fewer documents than the largest; two digits.

    Raises ValueError if a budget given is larger than what the qrels judge, or that is nothing.
    """
    judged = sum(map(len, all_judged(known)))
    if judged < 2:
        raise ValueError(f"too few judged documents ({judged}) that a run ranks")
    if settings.budgets:
        if (largest := max(settings.budgets)) > judged:
            raise ValueError(
                f"a budget of {largest} judgments is too large: the qrels judge {judged} documents that a "
                "run ranks"
            )
        return settings.budgets
    scale = len(known.runs) * len(known.topics) / (PAPER_RUNS * PAPER_TOPICS)
    scale = min(scale, judged / PAPER_BUDGETS[-1])
    return tuple(sorted({_two_digits(scale * budget) for budget in PAPER_BUDGETS}))


def _two_digits(number: float) -> int:
    """Rounded down, and 1 at least."""
    unit = int(10 ** max(floor(log10(max(number, 1.0))) - 1, 0))
    # What is whole on paper stays whole.
    return max(1, unit * floor(number / unit + 1e-9))


def run_order(means: FloatArray) -> IntArray:
    """Runs by their means, best first; ties keep the order given."""
    return np.argsort(-np.round(means, 12), kind="stable")
