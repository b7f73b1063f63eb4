"""The methods by name. A method is a function from a Setting to something that keeps the protocol."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from selection.protocol import Method, Setting
from selection.static import StaticOrder, method_a_order, pooling_order
from selection.weighted import RunWeighted, midpoint_factor, residual_factor

METHODS: dict[str, Callable[[Setting], Method]] = {
    "pooling": partial(StaticOrder, order_of=pooling_order),
    "A": partial(StaticOrder, order_of=method_a_order),
    "B": partial(RunWeighted, factor=residual_factor),
    "C": partial(RunWeighted, factor=midpoint_factor),
}


def make_method(name: str, setting: Setting) -> Method:
    if name not in METHODS:
        raise ValueError(f"no method is called {name!r}; there are {', '.join(METHODS)}")
    return METHODS[name](setting)
