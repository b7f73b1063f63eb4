"""What the state, its methods and their callers say to each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np

from evaluation.arrays import BoolArray, FloatArray, IntArray
from selection.bounds import RunBounds
from selection.judgments import Judgments
from selection.pool import TopicPool

Scope = Literal["campaign", "topic"]


@dataclass(frozen=True)
class Choice:
    """The document to judge next: topic, pool index, weight (12 significant digits)."""

    topic: int
    document: int
    weight: float


@dataclass(frozen=True, eq=False)
class Queue:
    """A topic's next documents: pool indices (k,) and their weights (k,), best first."""

    documents: IntArray
    weights: FloatArray


@dataclass(frozen=True, eq=False)
class Explanation:
    """Why a document weighs what it does: each contributing run's rank and share, largest share first."""

    weight: float
    runs: IntArray
    ranks: IntArray
    shares: FloatArray


@dataclass(frozen=True)
class Act:
    """One document's gain before and after; None = not judged."""

    topic: int
    document: int
    before: float | None
    after: float | None


@dataclass(frozen=True, eq=False)
class Setting:
    """What a method is given. It reads `bounds` and `judgments`; only the state writes them."""

    pools: tuple[TopicPool, ...]
    runs: int
    p: float
    scope: Scope
    contributing: BoolArray
    batch: int
    bounds: RunBounds
    judgments: Judgments


class Method(Protocol):
    """A way to choose the next document. Constructed from a Setting by `selection.methods`."""

    def judged(self, act: Act) -> None:
        """Take note of an act that `bounds` and `judgments` already reflect."""
        ...

    def best(self) -> Choice | None:
        """The next document of the whole campaign, None when all are judged or passed over."""
        ...

    def queue(self, topic: int, limit: int, after: Act | None) -> Queue:
        """The topic's next documents, as if `after` had been made; changes nothing that can be seen.

        An `after` whose gains are both None takes an unjudged document out of the queue.
        """
        ...

    def explain(self, topic: int, document: int) -> Explanation: ...


def explained(
    setting: Setting, runs: IntArray, ranks: IntArray, shares: FloatArray, weight: float
) -> Explanation:
    order = np.argsort(-shares, kind="stable")
    order = order[setting.contributing[runs[order]]]
    return Explanation(weight, runs[order], ranks[order], shares[order])
