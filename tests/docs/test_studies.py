"""Pages of studies name studies that exist, each on one page, and pictures that are there."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from campaigns.lab.studies.registry import STUDIES

PROJECT = Path(__file__).parents[2]
EARLY_STOPPING = PROJECT / "docs" / "evidence" / "studies-early-stopping.md"
IN_SHORT = PROJECT / "docs" / "studies.md"
PAGES = sorted((PROJECT / "docs" / "evidence").glob("studies*.md"))
PLACES = [place for page in PAGES for place in re.findall(r"<!-- study (\S+) (\S+) -->", page.read_text())]


def test_each_study_of_a_collection_has_one_place() -> None:
    assert max(Counter(PLACES).values()) == 1


@pytest.mark.parametrize("name", sorted({name for name, _ in PLACES}))
def test_studies_of_the_pages_exist_and_are_made_again(name: str) -> None:
    assert name in STUDIES
    made = re.findall(r"^STUDIES \+?= ((?:.*\\\n)*.*)", (PROJECT / "Makefile").read_text(), re.MULTILINE)
    assert name in " ".join(made).split()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_pictures_of_the_pages_are_there(page: Path) -> None:
    text = page.read_text()
    pictures = re.findall(r"!\[[^]]+\]\(([^)]+)\)", text)
    assert pictures
    assert [one for one in pictures if not (page.parent / one).exists()] == []
    folder = page.with_suffix("")
    assert {file.name for file in folder.iterdir()} == {Path(one).name for one in pictures}


def rows_of(table: str) -> list[dict[str, str]]:
    """Of a Markdown table, by the names in its first line."""
    lines = [[cell.strip() for cell in line.strip("| ").split("|")] for line in table.strip().splitlines()]
    return [dict(zip(lines[0], line, strict=False)) for line in lines[2:]]


def early_stopping_rows() -> list[dict[str, str]]:
    """Of the tables of all collections."""
    places = r"<!-- study early-stopping \S+ -->\n(.*?)\n\n"
    return [
        row for table in re.findall(places, EARLY_STOPPING.read_text(), re.DOTALL) for row in rows_of(table)
    ]


def test_readme_repeats_the_figures_of_early_stopping() -> None:
    readme = " ".join((PROJECT / "README.md").read_text().split())
    rows = early_stopping_rows()
    found = [row for row in rows if (row["decided"], row["method"]) == ("best run", "Method C")]
    medians = [round(100 * float(row["median"])) for row in found]
    share = f"{min(medians)} to {max(medians)}%"
    assert f"with a P(best) of 95% after {share} of the pool to depth 20 (medians)" in readme
    replays = [row for row in rows if (row["decided"], row["method"]) == ("everything", "whole pool")]
    wrong, total = sum(int(row["wrong"]) for row in found), sum(int(row["replays"]) for row in replays)
    assert f"In {wrong} of {total} replays it named another run first" in readme
    assert "replays of five collections" in readme
    assert len(found) == len(replays) == 5


def test_early_stopping_counts_the_wrong_decisions_of_its_tables() -> None:
    words, rows = " ".join(IN_SHORT.read_text().split()), early_stopping_rows()

    def total(decided: str, column: str) -> int:
        return sum(int(row[column]) for row in rows if row["decided"] == decided)

    assert f"{total('best run', 'wrong')} of {total('best run', 'replays')} replays named a run" in words
    wrong, stated = total("9 of 10 pairs", "wrong"), total("9 of 10 pairs", "stated")
    assert f"{wrong} of {stated:,} pairs were wrong" in words
