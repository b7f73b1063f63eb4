"""How many examples the property tests draw, and from which seeds.

Ordinarily they draw the same examples each time, so that the suite gives the same answer each time.
`FUZZ=20` explores: new seeds, and twenty times as many examples. Hypothesis keeps those that failed in
`.hypothesis` and tries them first the next time. `FUZZ=0.1` is for a quick look: a tenth of the examples.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

import hypothesis
import pytest

TIMES = float(os.environ.get("FUZZ", "1"))
EXPLORING = TIMES > 1
# Hypothesis' own pytest plugin reads a test's settings here; there is no public name.
SETTINGS = "_hypothesis_internal_use_settings"


def load_profile() -> None:
    # On a busy machine an example may take any time: that says nothing about the program.
    slow = [hypothesis.HealthCheck.too_slow]
    hypothesis.settings.register_profile("fixed", deadline=None, derandomize=True, suppress_health_check=slow)
    hypothesis.settings.register_profile("explore", deadline=None, suppress_health_check=slow)
    hypothesis.settings.load_profile("explore" if EXPLORING else "fixed")


def is_property_test(item: pytest.Item) -> bool:
    return isinstance(item, pytest.Function) and hypothesis.is_hypothesis_test(item.obj)


def change_counts(items: Iterable[pytest.Item]) -> None:
    """Multiply each property test's examples by FUZZ, whatever its own settings are."""
    if TIMES == 1:
        return
    tests = {getattr(item, "obj", None) for item in items if is_property_test(item)}
    for test in tests:
        function: Any = getattr(test, "__func__", test)
        default = hypothesis.settings.get_profile("explore" if EXPLORING else "fixed")
        own = getattr(function, SETTINGS, default)
        count = max(1, round(TIMES * own.max_examples))
        # Hypothesis keeps no failed examples of fixed seeds, and then wants no database.
        database = default.database if EXPLORING else None
        changed = hypothesis.settings(own, max_examples=count, derandomize=not EXPLORING, database=database)
        setattr(function, SETTINGS, changed)
