"""docs/methods.md names the methods there are, with their options and defaults."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import pytest

from selection.registry import METHODS

TEXT = (Path(__file__).parents[2] / "docs" / "methods.md").read_text()
FOUND = re.findall(r"^\| `([^`]+)` \| [^|]+ \| ([^|]*)\| [^|]+ \|$", TEXT, re.MULTILINE)
ROWS = dict(FOUND)
# What the table calls no limit.
OPEN = ("", "all", "all pairs")


def test_every_method_has_a_row() -> None:
    assert list(ROWS) == list(METHODS)


@pytest.mark.parametrize("method", [name for name in METHODS if name != "mtc+statap"])
def test_a_row_names_the_options_and_their_defaults(method: str) -> None:
    words = re.findall(r"`(\w+)`(?: \(([^)]+)\))?", ROWS[method])
    options = {field.name: field.default for field in fields(METHODS[method].options)}
    assert [name for name, _ in words] == list(options)
    for name, said in words:
        default = options[name]
        if isinstance(default, bool):
            assert said == ("on" if default else "off")
        elif default is None:
            assert said in OPEN
        else:
            assert said == default if isinstance(default, str) else float(said) == default


def test_the_alternation_has_the_options_of_both_and_one_more() -> None:
    of = {name: [field.name for field in fields(METHODS[name].options)] for name in METHODS}
    of["mtc"].remove("run_weights")
    assert of["mtc+statap"] == [*of["mtc"], *of["statap"], "arms"]
    assert "all options of `mtc` but `run_weights`, and of `statap`; `arms` (both)" in ROWS["mtc+statap"]
