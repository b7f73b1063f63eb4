"""The names of the library: what there is, how fast it is imported, and that examples run."""

from __future__ import annotations

import doctest
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import judged
from evaluation.names import FORMS
from judged.measures import NAMES

# The modules of peers need these.
PEERS = {"ir_measures", "pyterrier"}
MODULES = sorted({file.stem for file in Path(judged.__file__).parent.glob("*.py")} - PEERS)


def test_every_form_of_a_measure_has_a_name() -> None:
    forms = {name for form in FORMS for name in form.names if name.isidentifier()}
    assert set(NAMES) == forms | {"Std", "Residual"}
    assert all(str(getattr(judged, name)) == name for name in NAMES)


def test_every_public_name_is_there() -> None:
    assert set(judged.__all__) <= set(dir(judged))
    for name in judged.__all__:
        assert getattr(judged, name) is not None
    with pytest.raises(AttributeError, match="module 'judged' has no attribute 'evalute'"):
        judged.evalute  # type: ignore[attr-defined]  # noqa: B018


def test_import_loads_nothing_else() -> None:
    assert loaded("import judged", "numpy", "scipy", "narwhals", "django") == []


def test_scoring_needs_no_site() -> None:
    code = "import judged; judged.evaluate({'1': {'a': 1.0}}, {'1': {'a': 1}})"
    assert loaded(code, "django", "celery", "narwhals", "pandas") == []


def loaded(code: str, *modules: str) -> list[str]:
    """Those of the modules that code imports."""
    code = f"{code}\nimport sys\nprint(*[name for name in {modules} if name in sys.modules])"
    return subprocess.check_output([sys.executable, "-c", code], text=True).split()


@pytest.mark.filterwarnings("ignore::judged.Notice")
@pytest.mark.parametrize("module", MODULES)
def test_examples_run(module: str) -> None:
    name = "judged" if module == "__init__" else f"judged.{module}"
    assert doctest.testmod(import_module(name)).failed == 0


def test_every_public_function_has_an_example() -> None:
    functions = [getattr(judged, name) for name in judged.__all__ if name[0].islower() and name not in NAMES]
    assert functions
    for function in functions:
        assert ">>>" in function.__doc__, function.__name__
        assert "Raises" in function.__doc__, function.__name__
