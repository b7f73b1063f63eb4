"""Interface between the state, its methods and their callers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol, runtime_checkable
from zlib import crc32

import numpy as np
import scipy

from evaluation.arrays import BoolArray, FloatArray, IntArray
from selection.bounds import RunBounds
from selection.framework.run_weights import RunWeights
from selection.judgments import GainChange, Judgments
from selection.pool import Ids, Pools


@dataclass(frozen=True, eq=False)
class StatapSample:
    """A statAP sample of one topic, fixed once it is drawn, whatever runs come later.

    documents : int32 (n,), the caller's ids in serving order
    inclusion : float64 (n,), in (0, 1], the probability with which each was drawn
    bucket : int (n,), which bucket each comes from; mass : float64 (n,), that bucket's prior mass
    size : int, how many draws were made; n is smaller where a pool is, never larger
    """

    documents: Ids
    inclusion: FloatArray
    bucket: IntArray
    mass: FloatArray
    size: int


@dataclass(frozen=True, eq=False)
class FrozenJudgments:
    """Documents of one topic that were judged when its sample began: their scores are exact.

    documents : int32 (n,), the caller's ids; those without a judgment now are no longer frozen
    moment : int, at least 1, how many judgments there were: another moment draws another sample
    """

    documents: Ids
    moment: int


@dataclass(frozen=True, eq=False)
class Texts:
    """Term weights of documents and topics, in the same columns.

    documents : int32 (n,), ascending ids; vectors : csr float32 or float64 (n, terms), a row each
    topics : csr (topics, terms) of the same kind, in the order of the pools
    """

    documents: Ids
    vectors: scipy.sparse.csr_array
    topics: scipy.sparse.csr_array


SelectionScope = Literal["campaign", "topic"]
# Order of documents that were chosen beforehand: as the method has them, at random, or by docno.
ServingOrder = Literal["method", "random", "docno"]
# What a queue's `sources` call a document that was drawn over all topics instead of chosen by the method.
ANCHOR = "anchor"


@dataclass(frozen=True)
class NextDocument:
    """The document to judge next: topic, pool index, weight (12 significant digits)."""

    topic: int
    document: int
    weight: float


@dataclass(frozen=True, eq=False)
class Queue:
    """A topic's next documents: pool indices (k,) and their weights (k,), best first.

    `inclusion` (k,): the probability with which each was drawn, NaN where it was not; None where nothing
    is drawn. `sources` (k,): the method that serves each, or `ANCHOR`, where there are several.
    """

    documents: IntArray
    weights: FloatArray
    inclusion: FloatArray | None = None
    sources: tuple[str, ...] | None = None


@dataclass(frozen=True, eq=False)
class Explanation:
    """Explanation of a document's weight: each contributing run's rank and share, largest share first.

    source : what serves it, where that is not the method itself
    """

    weight: float
    runs: IntArray
    ranks: IntArray
    shares: FloatArray
    source: str = ""


@dataclass(frozen=True, eq=False)
class Setting:
    """Input of a method. The method reads `bounds` and `judgments`; only the state writes them.

    topics : the topics that this method serves, as indices of `pools`
    keys : each topic's lasting identity, of which seeds are made: its index changes when others come
    threshold : a document is relevant if its gain is above this
    origin : subtracted from a document's id before drawing, so that a copy with other ids draws the same
    run_weights : what each run counts among the others, by kind
    sort_key : maps ids to integers whose ascending order is docno ascending; None: the ids' own order is
    """

    pools: Pools
    run_weights: RunWeights
    topics: tuple[int, ...]
    runs: int
    p: float
    scope: SelectionScope
    contributing: BoolArray
    batch: int
    bounds: RunBounds
    judgments: Judgments
    seed: int = 0
    keys: tuple[int, ...] = ()
    threshold: float = 0.0
    samples: Mapping[int, StatapSample] = field(default_factory=dict)
    frozen: Mapping[int, FrozenJudgments] = field(default_factory=dict)
    texts: Texts | None = None
    origin: int = 0
    serving_order: ServingOrder = "method"
    sort_key: Callable[[Ids], IntArray] | None = None

    def relevant(self, gain: float) -> bool:
        return gain > self.threshold

    def generator(self, topic: int, purpose: str) -> np.random.Generator:
        """The same numbers for the same campaign, topic and purpose, whatever else is drawn."""
        key = self.keys[topic] if self.keys else topic
        return np.random.default_rng([self.seed, key, crc32(purpose.encode())])


class SelectionMethod(Protocol):
    """A way to choose the next document: a function of the judgments that hold now, not of the order in
    which they came (RunWeighted with a batch above 1 excepted, whose point that is)."""

    def judged(self, act: GainChange) -> None:
        """Take note of an act that `bounds` and `judgments` already reflect."""
        ...

    def best(self) -> NextDocument | None:
        """The next document of all topics served, None when all are judged or passed over."""
        ...

    def queue(self, topic: int, limit: int, after: GainChange | None) -> Queue:
        """The topic's next documents, as if `after` had been made; changes nothing that can be seen.

        An `after` whose gains are both None takes an unjudged document out of the queue.
        """
        ...

    def remaining(self, topic: int) -> int:
        """Number of the topic's documents still to be served."""
        ...

    def explain(self, topic: int, document: int) -> Explanation: ...


@runtime_checkable
class SamplingMethod(Protocol):
    """A method that serves documents drawn beforehand."""

    def drawn(self, topic: int) -> StatapSample | None:
        """The topic's sample; None if the topic is not served from one."""
        ...


def make_explanation(
    setting: Setting, runs: IntArray, ranks: IntArray, shares: FloatArray, weight: float
) -> Explanation:
    order = np.argsort(-shares, kind="stable")
    order = order[setting.contributing[runs[order]]]
    return Explanation(weight, runs[order], ranks[order], shares[order])
