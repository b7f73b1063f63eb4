"""Which modules count as public: those their projects document."""

from __future__ import annotations

import pkgutil
import sys
from collections.abc import Iterator
from importlib.util import find_spec

# Windows and menus, codec tables, old shells of other modules, and those that act on import.
_LEFT_OUT = """
    antigravity distutils encodings ensurepip idlelib imp lib2to3 msilib ntpath nturl2path pip posix
    posixpath pydoc_data readline rlcompleter sre_compile sre_constants sre_parse test this tkinter
    turtle turtledemo xxlimited xxlimited_35 xxsubtype
"""

_NUMPY = """
    char ctypeslib dtypes emath exceptions fft lib lib.array_utils lib.format lib.introspect lib.mixins
    lib.npyio lib.scimath lib.stride_tricks linalg ma ma.mrecords polynomial polynomial.chebyshev
    polynomial.hermite polynomial.hermite_e polynomial.laguerre polynomial.legendre polynomial.polynomial
    random rec strings testing typing
"""
_SCIPY = """
    cluster cluster.hierarchy cluster.vq constants datasets differentiate fft fftpack integrate interpolate
    io io.arff io.matlab io.wavfile linalg linalg.interpolative ndimage odr optimize signal signal.windows
    sparse sparse.csgraph sparse.linalg spatial spatial.distance spatial.transform special stats
    stats.contingency stats.mstats stats.qmc stats.sampling
"""


def importable_modules() -> list[str]:
    """Names of modules that may be imported to look at their objects; some may be missing here."""
    standard = sorted(name for name in sys.stdlib_module_names if _public(name))
    with_parts = [part for name in standard for part in _with_submodules(name)]
    return [*with_parts, "os.path", *_below("numpy", _NUMPY), *_below("scipy", _SCIPY), *_scikit_learn()]


def _below(package: str, submodules: str) -> list[str]:
    return [package, *(f"{package}.{part}" for part in submodules.split())]


def _scikit_learn() -> list[str]:
    return list(_with_submodules("sklearn")) if find_spec("sklearn") else []


def _with_submodules(name: str) -> Iterator[str]:
    """The module and, of a package, what lies below, found without importing any of it."""
    yield name
    spec = None if name in sys.builtin_module_names else find_spec(name)
    folders = spec.submodule_search_locations if spec else None
    yield from _inside(name, list(folders or ()))


def _inside(package: str, folders: list[str]) -> Iterator[str]:
    for module in sorted(pkgutil.iter_modules(folders), key=lambda found: found.name):
        if _public(module.name) and module.name not in {"tests", "conftest"}:
            yield f"{package}.{module.name}"
            if module.ispkg:
                yield from _inside(f"{package}.{module.name}", [f"{each}/{module.name}" for each in folders])


def _public(name: str) -> bool:
    return not name.startswith("_") and name not in _LEFT_OUT.split()
