"""docs/formats.md names every field of the judgment log and every column of tables of scores, in their
order."""

from __future__ import annotations

import re

import pytest

from campaigns.exchange.score_table import COLUMNS
from campaigns.formats.documents.metadata import MOST_CHARACTERS, MOST_FIELDS
from campaigns.formats.errors import LIST_LINES, RUN_BYTES
from campaigns.log.judgments import LOG_COLUMNS
from campaigns.measurement import measured_rows
from config.embedded.machine import PROJECT

PAGE = (PROJECT / "docs" / "formats.md").read_text()


def documented(heading: str) -> list[str]:
    """The names in the first column of the section’s table."""
    section = PAGE.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    cells = [line.split("|")[1] for line in section.splitlines() if line.startswith("| `")]
    return [name for cell in cells for name in re.findall(r"`(\w+)`", cell)]


@pytest.mark.parametrize(
    ("heading", "columns"),
    [("Judgment log", [*LOG_COLUMNS]), ("Scores", [*COLUMNS]), ("Measures", [*measured_rows.COLUMNS])],
    ids=["log", "scores", "measures"],
)
def test_tables_name_every_column_in_order(heading: str, columns: list[str]) -> None:
    assert documented(heading) == columns


def test_limits_are_those_of_the_code() -> None:
    assert f"At most {LIST_LINES:,} lines for one topic, and {RUN_BYTES >> 20} MiB unpacked." in PAGE
    assert f"at most {MOST_FIELDS} fields, with {MOST_CHARACTERS:,} characters of values" in PAGE
