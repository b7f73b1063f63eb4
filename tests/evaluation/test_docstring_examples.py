"""The examples in the kernels' docstrings do what they say."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import evaluation
import selection

MODULES = [
    module.name
    for package in (evaluation, selection)
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_that_there_are_examples() -> None:
    found = [importlib.import_module(name) for name in MODULES]
    assert sum(len(test.examples) for module in found for test in doctest.DocTestFinder().find(module)) >= 12
