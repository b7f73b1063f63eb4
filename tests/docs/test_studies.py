"""Pages of studies name studies that exist, each on one page, and pictures that are there."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from campaigns.lab.studies.registry import STUDIES

PROJECT = Path(__file__).parents[2]
PAGES = sorted((PROJECT / "docs").glob("studies*.md"))
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
