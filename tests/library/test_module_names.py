"""Sources of the repository under the names of the wheel."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from distribution.build_hook import write_library
from distribution.module_names import UnknownModule, library_files, missing_imports, rewritten
from tests.library.bare_environment import ROOT


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("import evaluation", "import judged.evaluation as evaluation"),
        ("import evaluation.names as names", "import judged.evaluation.names as names"),
        ("import selection.pool", "import judged.selection.pool, judged.selection as selection"),
        ("import os, selection", "import os, judged.selection as selection"),
        ("from evaluation import names", "from judged.evaluation import names"),
        (
            "from  campaigns.formats.errors import (\n    q,\n)",
            "from  judged.formats.errors import (\n    q,\n)",
        ),
        (
            "if 1:\n    é = 'é'; from selection.pool import P",
            "if 1:\n    é = 'é'; from judged.selection.pool import P",
        ),
        ("from campaigns.management.offline import options", "from judged.offline import options"),
        ("from campaigns.api.client import Client", "from judged.client import Client"),
        ("import_module('evaluation')", "import_module('judged.evaluation')"),
        ('x = {"a": "evaluation.names:parse"}', 'x = {"a": "judged.evaluation.names:parse"}'),
        ('["-m", "campaigns.formats.reading.process"]', '["-m", "judged.formats.reading.process"]'),
        (
            "if TYPE_CHECKING:\n    import evaluation.names as x",
            "if TYPE_CHECKING:\n    import judged.evaluation.names as x",
        ),
        (
            '"""\n>>> from evaluation.names import x\n"""',
            '"""\n>>> from judged.evaluation.names import x\n"""',
        ),
        (
            'def f():\n    """\n    >>> if 1:\n    ...     import selection.pool as p\n    """',
            'def f():\n    """\n    >>> if 1:\n    ...     import judged.selection.pool as p\n    """',
        ),
    ],
)
def test_names_are_those_of_the_wheel(source: str, expected: str) -> None:
    assert rewritten(source, "a.py") == expected


@pytest.mark.parametrize(
    "source",
    [
        "# import evaluation, from selection.pool import Pool",
        'fields = ["evaluation", "selection", "selection:N", "evaluation.csv", "campaigns.draw"]',
        '"""Imports of evaluation.names are described here: import evaluation"""',
        "import evaluation_tools\nfrom selections.pool import x",
        "evaluation = 1\nevaluation.names = 2",
        "from judged import x\nimport judged.y",
    ],
)
def test_all_else_stays_as_it_is(source: str) -> None:
    assert rewritten(source, "a.py") == source


@pytest.mark.parametrize(
    "source",
    [
        "from campaigns.models import Run",
        "import config.settings",
        "from campaigns import formats",
        "import campaigns.formats.errors",
        "from . import names",
        "names = ['campaigns.models.judgment']",
        '"""\n>>> from campaigns.core import errors\n"""',
        "from \\\n  evaluation.names import x",
    ],
)
def test_an_import_that_the_wheel_cannot_have_stops_the_build(source: str) -> None:
    with pytest.raises(UnknownModule, match=r"a\.py"):
        rewritten(source, "a.py")


def test_a_module_that_the_wheel_lacks_is_named() -> None:
    assert missing_imports("import judged.a, numpy\nfrom judged.b.c import d", {"judged.a"}) == ["judged.b.c"]


def test_nothing_but_names_changes() -> None:
    """Lines keep their numbers, and so tracebacks their places."""
    for file, _ in library_files(ROOT):
        if file.suffix == ".py":
            source = file.read_text()
            before, after = source.split("\n"), rewritten(source, str(file)).split("\n")
            assert len(before) == len(after)
            changed = [(old, new) for old, new in zip(before, after, strict=True) if old != new]
            assert all("judged." in new for _, new in changed)
            ast.parse("\n".join(after))


def test_two_files_of_one_path_stop_the_build(tmp_path: Path) -> None:
    for folder, name in (("evaluation", "__init__.py"), ("judged", "evaluation/__init__.py")):
        file = tmp_path / "root" / folder / name
        file.parent.mkdir(parents=True)
        file.touch()
    with pytest.raises(UnknownModule, match="from another folder"):
        write_library(tmp_path / "root", tmp_path / "copy")
