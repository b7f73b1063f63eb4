"""docs/measures.md names the measures there are, and says rightly which have bounds and what nothing is."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from evaluation.measures import FORMS, parse_measure

TEXT = (Path(__file__).parents[2] / "docs" / "measures.md").read_text()
ROWS = re.findall(r"^\| `([^`]+)` \|.*\| (\S+) \| (yes|no) \| [^|]+ \|$", TEXT, re.MULTILINE)


@pytest.mark.parametrize(("name", "nothing", "bounds"), ROWS)
def test_a_row_is_true(name: str, nothing: str, bounds: str) -> None:
    measure = parse_measure(name)
    assert measure.name == name
    found = measure.score(np.array([0.0, np.nan]), np.zeros(3))
    assert np.isnan(found.score) if nothing == "none" else found.score == float(nothing)
    assert (found.bounds is not None) == (bounds == "yes")


def test_every_form_has_a_row() -> None:
    documented = [name for name, _, _ in ROWS]
    for form in FORMS:
        assert any(re.fullmatch(form.pattern, name) for name in documented), form.example
