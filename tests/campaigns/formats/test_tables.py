"""Cells of CSV files as spreadsheets open them."""

from __future__ import annotations

import csv
import io

import pytest

from campaigns.formats.tables import csv_cell, csv_lines
from campaigns.management.offline.output import as_csv


@pytest.mark.parametrize(
    "formula",
    [
        "=1+1",
        '=HYPERLINK("http://a","b")',
        "+1+1",
        "-2+3",
        "-cmd",
        "@SUM(A1)",
        "\t=1",
        "\r=1",
        "\n=1",
        "＝1",
        "－a",
    ],
)
def test_text_that_would_be_computed_begins_with_an_apostrophe(formula: str) -> None:
    assert csv_cell(formula) == "'" + formula


@pytest.mark.parametrize("value", ["", "a", "a=1", "-0.5", "+3", "-1e-7", "'=1", -0.5, 0, None, True])
def test_numbers_and_other_values_stay(value: object) -> None:
    assert csv_cell(value) is value


def test_files_and_commands_guard_names_and_keep_numbers() -> None:
    row = {"run": "=run", "topic": "-7", "base": -0.5}
    for text in ("".join(csv_lines(list(row), [row])), as_csv([row])):
        assert list(csv.reader(io.StringIO(text))) == [list(row), ["'=run", "-7", "-0.5"]]
