"""All style sheets keep to one scale: five sizes of text, seven distances, no name that nothing defines."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.conf import settings

ROOT = Path(settings.BASE_DIR) / "static"
SHEETS = sorted(ROOT.rglob("*.css"))
TOKENS = (ROOT / "site/tokens.css").read_text()
# A document is read in the size that its assessor chose, and all in it grows along.
OF_DOCUMENTS = {"paper.css"}

DECLARATION = re.compile(r"([\w-]+)\s*:\s*([^;{}]+)(?=[;}])")
SPACING = re.compile(r"(margin|padding|gap|row-gap|column-gap)(-[a-z-]+)?")
# Hairlines are no distances.
LENGTH = re.compile(r"(?<![\w.-])-?(?!(?:1|2)px)\d*\.?\d+(?:rem|em|px|ch|pt)\b")
SIZE = re.compile(r"var\(--text(-small|-body|-lead|-page|-figure)?\)|inherit|0")


def declarations(sheet: Path) -> list[tuple[str, str]]:
    text = re.sub(r"/\*.*?\*/", "", sheet.read_text(), flags=re.DOTALL)
    return [(name, value.strip()) for name, value in DECLARATION.findall(text)]


def token(name: str) -> list[float]:
    return [16 * float(rem) for rem in re.findall(rf"--{name}-\w+: ([\d.]+)rem", TOKENS)]


def test_the_scale_is_the_designs() -> None:
    assert token("text") == [12, 14, 16, 20, 32]
    assert token("gap") == [4, 8, 12, 16, 24, 32, 48]


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda sheet: str(sheet.relative_to(ROOT)))
def test_sizes_and_distances_are_of_the_scale(sheet: Path) -> None:
    if sheet.name in OF_DOCUMENTS:
        return
    wrong = []
    for name, value in declarations(sheet):
        if name == "font-size" and not SIZE.fullmatch(value):
            wrong.append(f"{name}: {value}")
        if (name == "font" or SPACING.fullmatch(name)) and LENGTH.search(value):
            wrong.append(f"{name}: {value}")
    assert wrong == []


def test_every_name_is_defined() -> None:
    everything = [(sheet, *one) for sheet in SHEETS for one in declarations(sheet)]
    defined = {name for _, name, _ in everything if name.startswith("--")}
    used = {
        (sheet.name, name)
        for sheet, _, value in everything
        for name in re.findall(r"var\((--[\w-]+)\)", value)
    }
    assert [one for one in sorted(used) if one[1] not in defined] == []
