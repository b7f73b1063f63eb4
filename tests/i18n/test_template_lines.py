"""Templates that can be read: no long lines, and texts over several lines without their indentation."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

TEMPLATES = Path(__file__).resolve().parents[2] / "templates"
LONGEST_LINE = 160
TEXT = re.compile(r"\{% blocktranslate((?:[^%]|%(?!\}))*)%\}(.*?)\{% endblocktranslate %\}", re.DOTALL)
ALL = sorted(path for path in TEMPLATES.rglob("*") if path.suffix in (".html", ".txt"))


@pytest.mark.parametrize("path", ALL, ids=lambda path: str(path.relative_to(TEMPLATES)))
def test_template_lines_are_short_and_texts_trimmed(path: Path) -> None:
    source = path.read_text()
    assert [line for line in source.splitlines() if len(line) > LONGEST_LINE] == []
    texts = [text for options, text in TEXT.findall(source) if "trimmed" not in options.split()]
    assert [text for text in texts if "\n" in text] == []
