"""Which objects are public, and by which of their names each one goes."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Iterator, Mapping
from types import ModuleType
from typing import Any


def canonical_objects(modules: Mapping[str, ModuleType]) -> dict[str, Any]:
    """The functions, classes and documented callables that the modules offer, each under one name."""
    best: dict[int, tuple[tuple[bool, int, int, str], str, Any]] = {}
    with warnings.catch_warnings():
        # To look at a deprecated name is not to use it.
        warnings.simplefilter("ignore")
        for module_name, module in modules.items():
            for name, value in _offered(module_name, module):
                docno = name if module_name == "builtins" else f"{module_name}.{name}"
                candidate = (_preference(docno, name, value), docno, value)
                if id(value) not in best or candidate[0] < best[id(value)][0]:
                    best[id(value)] = candidate
    return {docno: value for _, docno, value in sorted(best.values(), key=lambda found: found[1])}


def _preference(docno: str, name: str, value: Any) -> tuple[bool, int, int, str]:
    """Smaller is better: the name it was defined with, near the top of its package, short."""
    return getattr(value, "__name__", name) != name, docno.count("."), len(docno), docno


def _offered(module_name: str, module: ModuleType) -> Iterator[tuple[str, Any]]:
    listed = getattr(module, "__all__", None)
    for name in sorted(vars(module) if listed is None else set(listed)):
        value = None if name.startswith("_") else getattr(module, name, None)
        if is_documented(value) and _lives_here(value, module_name, listed is not None):
            yield name, value


def is_documented(value: Any) -> bool:
    """Whether it is something one calls, with a docstring of its own and not merely its type's."""
    if inspect.ismodule(value) or not callable(value):
        return False
    if inspect.isroutine(value) or isinstance(value, type):
        return True
    return isinstance(value.__doc__, str) and value.__doc__ != type(value).__doc__


def _lives_here(value: Any, module_name: str, listed: bool) -> bool:
    home = getattr(value, "__module__", None)
    if module_name == "builtins" or not isinstance(home, str):
        return listed or module_name == "builtins"
    if not listed:
        return home in (module_name, f"_{module_name}")
    # A list may name what it borrows from elsewhere, such as NumPy's functions in a SciPy module.
    third_party = {"numpy", "scipy", "sklearn"} & {home.partition(".")[0], module_name.partition(".")[0]}
    return not third_party or home.partition(".")[0] == module_name.partition(".")[0]
