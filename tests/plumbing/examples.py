"""How many examples the property tests draw, and from which seeds.

Ordinarily they draw the same examples each time, so that the suite gives the same answer each time.
`FUZZ=20` explores: new seeds, and twenty times as many examples. Hypothesis keeps those that failed in
`.hypothesis` and tries them first the next time.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

import hypothesis
import pytest

TIMES = int(os.environ.get("FUZZ", "0"))
# Hypothesis' own pytest plugin reads a test's settings here; there is no public name.
SETTINGS = "_hypothesis_internal_use_settings"


def load_profile() -> None:
    # On a busy machine an example may take any time: that says nothing about the program.
    hypothesis.settings.register_profile("fixed", deadline=None, derandomize=True)
    hypothesis.settings.register_profile("explore", deadline=None)
    hypothesis.settings.load_profile("explore" if TIMES else "fixed")


def is_property_test(item: pytest.Item) -> bool:
    return isinstance(item, pytest.Function) and hypothesis.is_hypothesis_test(item.obj)


def explore(items: Iterable[pytest.Item]) -> None:
    """Multiply each property test's examples, whatever its own settings are."""
    if not TIMES:
        return
    tests = {getattr(item, "obj", None) for item in items if is_property_test(item)}
    for test in tests:
        function: Any = getattr(test, "__func__", test)
        default = hypothesis.settings.get_profile("explore")
        own, database = getattr(function, SETTINGS, default), default.database
        more = hypothesis.settings(
            own, max_examples=TIMES * own.max_examples, derandomize=False, database=database
        )
        setattr(function, SETTINGS, more)
