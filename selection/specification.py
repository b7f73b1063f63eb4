"""Specification of a campaign's selection: runs, persistence, method, and all that is drawn or read by it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import get_args

from evaluation.arrays import BoolArray, IntArray
from selection.framework.interface import (
    FrozenJudgments,
    SelectionScope,
    ServingOrder,
    StatapSample,
    Texts,
)
from selection.pool import Ids
from selection.registry import complete_options


@dataclass(frozen=True)
class MethodSpec:
    """A method by name, and its options."""

    method: str
    options: Mapping[str, object] = field(default_factory=dict)

    def complete(self) -> MethodSpec:
        """The same, with every option named: equal to any other that says the same."""
        return MethodSpec(self.method, complete_options(self.method, self.options))


@dataclass(frozen=True, eq=False, kw_only=True)
class CampaignSpec:
    """A campaign's runs, persistence and method. The topics' pools come beside it.

    Parameters
    ----------
    runs : int
        Number of runs; the pools' run indices are below it.
    p : float
        Persistence, inside (0, 1).
    method : str
        A name of `selection.registry.METHODS`.
    scope : "campaign" or "topic"
        Whether a run's means over all topics or its bounds on the one topic weigh its documents.
    contributing : ndarray of bool, shape (runs,)
        As given to `build_topic_pool`: the others are scored but carry no weight.
    groups : ndarray of int, shape (runs,), optional
        The team of each run, at least 0, for methods that weigh runs by teams; each alone if not given.
    batch : int
        Weights of B and C are computed again after so many judgments (of the campaign, or of the topic).
    options : mapping
        The method's options, see `selection.registry`.
    topic_methods : mapping of topic to MethodSpec
        Topics that another method serves.
    seed : int, at least 0
        Of everything that is drawn.
    keys : sequence of int, at least 0
        Each topic's lasting identity, so that a topic draws the same when others come; its index if empty.
    threshold : float
        A document is relevant, for methods that ask, if its gain is above this.
    samples : mapping of topic to StatapSample
        Samples drawn before; a topic without one has its own drawn when it is first asked for.
    frozen : mapping of topic to FrozenJudgments
        Judged documents that method `sample` leaves out of what it draws from.
    anchors : mapping of topic to int array
        Ids of documents that come before what the topic's method chooses, in this order, until they are
        judged; see `selection.anchors`.
    texts : Texts, optional
        For methods that read documents.
    origin : int
        Subtracted from the documents' ids before drawing, so that a copy with other ids draws the same.
    serving_order : "method", "random" or "docno"
        Order in which documents that a method chose beforehand are served: those of `pooling`, `statap`,
        `sample` and `strata`. Other methods serve in their own order.
    sort_key : callable, optional
        Maps ids to integers whose ascending order is docno ascending; None: the ids' own order is.

    Raises
    ------
    ValueError
        For an unknown scope, a batch below 1, or a shape of `contributing` or `groups` that is not (runs,).
    """

    runs: int
    p: float
    method: str
    scope: SelectionScope
    contributing: BoolArray
    groups: IntArray | None = None
    batch: int = 1
    options: Mapping[str, object] | None = None
    topic_methods: Mapping[int, MethodSpec] = field(default_factory=dict)
    seed: int = 0
    keys: Sequence[int] = ()
    threshold: float = 0.0
    samples: Mapping[int, StatapSample] = field(default_factory=dict)
    frozen: Mapping[int, FrozenJudgments] = field(default_factory=dict)
    anchors: Mapping[int, Ids] = field(default_factory=dict)
    texts: Texts | None = None
    origin: int = 0
    serving_order: ServingOrder = "method"
    sort_key: Callable[[Ids], IntArray] | None = None

    def __post_init__(self) -> None:
        if self.scope not in get_args(SelectionScope):
            raise ValueError(f"scope {self.scope!r} is neither 'campaign' nor 'topic'")
        if self.batch < 1:
            raise ValueError(f"batch = {self.batch} is below 1")
        if self.contributing.shape != (self.runs,):
            raise ValueError(f"contributing has shape {self.contributing.shape} for {self.runs} runs")
        if self.groups is not None and self.groups.shape != (self.runs,):
            raise ValueError(f"groups has shape {self.groups.shape} for {self.runs} runs")

    @property
    def own_method(self) -> MethodSpec:
        """The method that serves all topics without one of their own, with every option named."""
        return MethodSpec(self.method, self.options or {}).complete()
