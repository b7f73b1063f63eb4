"""The methods by name: the options of each, and how it is made from a Setting."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from evaluation.name_suggestions import unknown_name
from selection.framework.interface import SelectionMethod, SelectionScope, Setting
from selection.framework.options import NoOptions, make_options
from selection.framework.run_weights import RunWeightOptions
from selection.methods.alternation import AlternatingMethod, AlternatingOptions
from selection.methods.bandits import MaxMeanOptions, max_mean, move_to_front
from selection.methods.cal import CalOptions, cal
from selection.methods.hedge import HedgeOptions, hedge
from selection.methods.mtc.options import WeightedMtcOptions
from selection.methods.mtc.topic import mtc
from selection.methods.random import PoolDepth, random_order
from selection.methods.run_weighted import FeedbackOptions, MidpointOptions, method_b, method_c
from selection.methods.sample import SampleOptions, sample
from selection.methods.statap import Statap, StatapOptions
from selection.methods.static import StaticOrder, method_a, pooling_order
from selection.methods.strata import StrataOptions, strata

ANY_SCOPE: tuple[SelectionScope, ...] = ("campaign", "topic")
TOPIC_SCOPE: tuple[SelectionScope, ...] = ("topic",)


@dataclass(frozen=True)
class MethodEntry:
    """`unranked`: whether it may choose documents that no run ranks, and so needs texts.
    `across_topics`: whether, in campaign scope, a judgment of one topic moves the weights in others.
    `rounds`: in which scopes each topic has its turn, as weights in one say nothing of those in another."""

    make: Callable[[Setting, Any], SelectionMethod]
    options: type[Any] = NoOptions
    unranked: bool = False
    across_topics: bool = False
    rounds: tuple[SelectionScope, ...] = ()


METHODS: dict[str, MethodEntry] = {
    "pooling": MethodEntry(
        lambda setting, options: StaticOrder(setting, partial(pooling_order, depth=options.depth)), PoolDepth
    ),
    "A": MethodEntry(method_a, RunWeightOptions),
    "B": MethodEntry(method_b, FeedbackOptions, across_topics=True),
    "C": MethodEntry(method_c, MidpointOptions, across_topics=True),
    "mtc": MethodEntry(mtc, WeightedMtcOptions),
    "statap": MethodEntry(Statap, StatapOptions, rounds=ANY_SCOPE),
    "mtc+statap": MethodEntry(AlternatingMethod, AlternatingOptions, rounds=ANY_SCOPE),
    "sample": MethodEntry(sample, SampleOptions, rounds=ANY_SCOPE),
    "mtf": MethodEntry(lambda setting, _: move_to_front(setting), rounds=TOPIC_SCOPE),
    "hedge": MethodEntry(
        lambda setting, options: hedge(setting, options.beta), HedgeOptions, rounds=TOPIC_SCOPE
    ),
    "maxmean": MethodEntry(lambda setting, _: max_mean(setting, rho=1.0), rounds=TOPIC_SCOPE),
    "mm-ns": MethodEntry(
        lambda setting, options: max_mean(setting, options.rho), MaxMeanOptions, rounds=TOPIC_SCOPE
    ),
    "strata": MethodEntry(strata, StrataOptions, rounds=ANY_SCOPE),
    "random": MethodEntry(random_order, PoolDepth, rounds=ANY_SCOPE),
    "cal": MethodEntry(cal, CalOptions, unranked=True, rounds=ANY_SCOPE),
}

# Methods that read documents cannot be replayed in seconds, nor from runs alone.
PLANNABLE_METHODS = tuple(name for name, method in METHODS.items() if not method.unranked)
DEFAULT_PLAN_METHODS = ("pooling", "A", "C")


def method_entry(name: str) -> MethodEntry:
    if name not in METHODS:
        raise ValueError(unknown_name("method", name, METHODS))
    return METHODS[name]


def check_options(name: str, options: Mapping[str, object]) -> None:
    """Raise ValueError if the method is unknown or has no such option."""
    make_options(method_entry(name).options, options, name)


def complete_options(name: str, options: Mapping[str, object]) -> dict[str, Any]:
    """Every option of the method: those given, the others as they are by default."""
    return asdict(make_options(method_entry(name).options, options, name))


def make_method(name: str, setting: Setting, options: Mapping[str, object] | None = None) -> SelectionMethod:
    kind = method_entry(name)
    return kind.make(setting, make_options(kind.options, options or {}, name))
