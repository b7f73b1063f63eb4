"""Links of the docs lead to files and headings that exist; their pictures are small and up to date."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from campaigns.pages.help.markdown import parse, sections_of
from config.embedded.machine import PROJECT
from tests.docs.pages import pages
from tests.docs.pictures import dark_copy, diagrams

PICTURES = PROJECT / "docs" / "pictures"
MOST_BYTES = 150 * 1024
# Links, images, and both addresses of a <picture>.
TARGET = re.compile(r"""\]\(([^)\s]+)\)|(?:src|srcset)="([^"]+)\"""")
CODE = re.compile(r"```.*?```|`[^`]*`", re.DOTALL)


@cache
def anchors(page: Path) -> set[str]:
    return {section.anchor for section in sections_of(parse(page.read_text()))}


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(PROJECT)))
def test_every_link_leads_to_a_file_and_a_heading(page: Path) -> None:
    wrong = []
    for groups in TARGET.findall(CODE.sub("", page.read_text())):
        target = "".join(groups)
        path, _, anchor = target.partition("#")
        if "://" in path or path.startswith("mailto:"):
            continue
        file = (page.parent / path).resolve() if path else page
        if not file.exists() or (anchor and anchor not in anchors(file)):
            wrong.append(target)
    assert wrong == []


def test_every_picture_is_shown_and_small() -> None:
    shown = "".join(page.read_text() for page in pages())
    for file in PICTURES.iterdir():
        assert f"pictures/{file.name}" in shown, f"{file.name} is on no page"
        assert file.stat().st_size <= MOST_BYTES, f"{file.name} is too large"


def test_dark_diagrams_are_copies_of_the_light_ones() -> None:
    assert diagrams()
    for file in diagrams():
        dark = file.with_stem(f"{file.stem}-dark").read_text()
        assert dark == dark_copy(file.read_text()), f"run `make pictures`: {file.name} has changed"
