"""The methods by name: what each can be told, and how it is made from a Setting."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from selection.framework.interface import Method, Scope, Setting
from selection.framework.options import NoOptions, make_options
from selection.methods.alternating import Alternating, AlternatingOptions
from selection.methods.bandits import MaxMeanOptions, max_mean, move_to_front
from selection.methods.cal import CalOptions, cal
from selection.methods.hedge import HedgeOptions, hedge
from selection.methods.mtc.options import MtcOptions
from selection.methods.mtc.topic import mtc
from selection.methods.random import RandomOptions, random_order
from selection.methods.statap import Statap, StatapOptions
from selection.methods.static import StaticOrder, method_a_order, pooling_order
from selection.methods.weighted import RunWeighted, midpoint_factor, residual_factor

ALWAYS: tuple[Scope, ...] = ("campaign", "topic")
LOCALLY: tuple[Scope, ...] = ("topic",)


@dataclass(frozen=True)
class Registered:
    """`unranked`: whether it may choose documents that no run ranks, and so needs texts.
    `across_topics`: whether, in campaign scope, a judgment of one topic moves the weights in others.
    `rounds`: in which scopes each topic has its turn, as weights in one say nothing of those in another."""

    make: Callable[[Setting, Any], Method]
    options: type[Any] = NoOptions
    unranked: bool = False
    across_topics: bool = False
    rounds: tuple[Scope, ...] = ()


METHODS: dict[str, Registered] = {
    "pooling": Registered(lambda setting, _: StaticOrder(setting, pooling_order)),
    "A": Registered(lambda setting, _: StaticOrder(setting, method_a_order)),
    "B": Registered(lambda setting, _: RunWeighted(setting, residual_factor), across_topics=True),
    "C": Registered(lambda setting, _: RunWeighted(setting, midpoint_factor), across_topics=True),
    "mtc": Registered(mtc, MtcOptions),
    "statap": Registered(Statap, StatapOptions, rounds=ALWAYS),
    "mtc+statap": Registered(Alternating, AlternatingOptions, rounds=ALWAYS),
    "mtf": Registered(lambda setting, _: move_to_front(setting), rounds=LOCALLY),
    "hedge": Registered(lambda setting, told: hedge(setting, told.beta), HedgeOptions, rounds=LOCALLY),
    "maxmean": Registered(lambda setting, _: max_mean(setting), rounds=LOCALLY),
    "mm-ns": Registered(lambda setting, told: max_mean(setting, told.rho), MaxMeanOptions, rounds=LOCALLY),
    "random": Registered(random_order, RandomOptions, rounds=ALWAYS),
    "cal": Registered(cal, CalOptions, unranked=True, rounds=ALWAYS),
}


def registered(name: str) -> Registered:
    if name not in METHODS:
        raise ValueError(f"no method is called {name!r}; there are {', '.join(METHODS)}")
    return METHODS[name]


def check_options(name: str, options: Mapping[str, object]) -> None:
    """Raise ValueError if the method is unknown or cannot be told this."""
    make_options(registered(name).options, options, name)


def make_method(name: str, setting: Setting, options: Mapping[str, object] | None = None) -> Method:
    kind = registered(name)
    return kind.make(setting, make_options(kind.options, options or {}, name))
