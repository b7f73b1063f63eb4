"""docs/measures.md names the measures there are, and says rightly which have bounds and what nothing is."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from evaluation.estimation.statap import JudgedSample
from evaluation.estimation.strata import StratifiedPool
from evaluation.forms.form import MeasureName
from evaluation.graded_measures import CumulatedMeasure
from evaluation.measure import (
    DrawnRankings,
    ExpectedRankings,
    GradedRankings,
    Rankings,
    StratifiedRankings,
    SubtopicRankings,
)
from evaluation.names import FORMS, parse_measure

TEXT = (Path(__file__).parents[2] / "docs" / "measures.md").read_text()
ROWS = re.findall(r"^\| `([^`]+)` \|.*\| (\S+) \| (yes|no) \| [^|]+ \|$", TEXT, re.MULTILINE)

RANKED = np.array([[0.0, np.nan]])
NOTHING_RELEVANT = Rankings(
    gains=RANKED,
    judged=np.zeros(3),
    tied=np.zeros((1, 2), dtype=np.bool_),
    graded=GradedRankings(RANKED, np.zeros(3)),
    drawn=DrawnRankings(
        RANKED, RANKED + 0.5, JudgedSample(np.zeros(3), np.full(3, 0.5), grades=np.zeros(3)), RANKED
    ),
    stratified=StratifiedRankings(
        RANKED, np.array([[0, -1]]), StratifiedPool(np.zeros(3, dtype=np.int64), np.zeros(3))
    ),
    subtopics=SubtopicRankings(np.zeros((1, 2, 0), dtype=np.bool_), np.zeros((3, 0), dtype=np.bool_)),
    expected=ExpectedRankings([np.array([0, 1])], np.zeros(3), np.zeros(3)),
)


@pytest.mark.parametrize(("name", "nothing", "bounds"), ROWS)
def test_a_row_is_true(name: str, nothing: str, bounds: str) -> None:
    measure = parse_measure(name)
    assert measure.name == name
    found = measure.scores(NOTHING_RELEVANT).each()[0]
    if nothing != "any":
        assert np.isnan(found.score) if nothing == "none" else found.score == float(nothing)
    assert (found.bounds is not None) == (bounds == "yes")
    row = next(line for line in TEXT.splitlines() if line.startswith(f"| `{name}` |"))
    assert (found.variance is not None) == ("; variance" in row)
    assert (found.error is not None) == ("95% interval" in row)


@pytest.mark.parametrize(
    "name",
    [
        name
        for name, _, _ in ROWS
        if (measure := parse_measure(name)).needs not in (None, "tied")
        and not (isinstance(measure, CumulatedMeasure) and not measure.rule.reads_grades)
    ],
)
def test_measures_of_samples_have_no_value_without_one(name: str) -> None:
    assert np.isnan(parse_measure(name).score(np.array([1.0]), np.ones(1)).score)


def test_every_form_has_a_row() -> None:
    documented = [asked for name, _, _ in ROWS if (asked := MeasureName.read(name))]
    for form in FORMS:
        assert any(map(form.fits, documented)), form.example
