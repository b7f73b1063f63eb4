from __future__ import annotations

import contextlib
import importlib
import warnings
from collections.abc import Callable, Sequence
from types import ModuleType


def import_all(names: Sequence[str], progress: Callable[[float], None]) -> dict[str, ModuleType]:
    """Those of the modules that this machine can import, by the name asked for."""
    modules = {}
    with warnings.catch_warnings():
        # A deprecated module says so on import; its docstring says it to the assessor.
        warnings.simplefilter("ignore")
        for place, name in enumerate(names, start=1):
            with contextlib.suppress(ImportError):
                modules[name] = importlib.import_module(name)
            progress(place / len(names))
    return modules
