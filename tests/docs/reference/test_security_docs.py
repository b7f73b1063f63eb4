"""The security pages have every item of ASVS 5.0.0, levels 1 and 2, once, and name only what exists."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache

import pytest
from django.conf import settings

from config.embedded.machine import PROJECT
from tests.docs.reference.test_reference_tables import settings_that_are_read

PAGE = (PROJECT / "docs" / "security.md").read_text()
TABLE = (PROJECT / "docs" / "evidence" / "asvs.md").read_text()
STATUSES = {"met", "set-up", "n/a", "not met"}
# The numbers of levels 1 and 2 in each section; level 3 is left out.
ITEMS = """
1.1 1-2; 1.2 1-9; 1.3 1-11; 1.4 1-3; 1.5 1-2; 2.1 1-3; 2.2 1-3; 2.3 1-4; 2.4 1-1; 3.2 1-2; 3.3 1-4; 3.4 1-6;
3.5 1-5; 3.7 1-2; 4.1 1-3; 4.2 1-1; 4.3 1-2; 4.4 1-4; 5.1 1-1; 5.2 1-3; 5.3 1-2; 5.4 1-3; 6.1 1-3; 6.2 1-12;
6.3 1-4; 6.4 1-4; 6.5 1-5; 6.6 1-3; 6.8 1-4; 7.1 1-3; 7.2 1-4; 7.3 1-2; 7.4 1-5; 7.5 1-2; 7.6 1-2; 8.1 1-2;
8.2 1-3; 8.3 1-1; 8.4 1-1; 9.1 1-3; 9.2 1-4; 10.1 1-2; 10.2 1-2; 10.3 1-4; 10.4 1-11; 10.5 1-5; 10.6 1-2;
10.7 1-3; 11.1 1-2; 11.2 1-3; 11.3 1-3; 11.4 1-4; 11.5 1-1; 11.6 1-1; 12.1 1-3; 12.2 1-2; 12.3 1-4; 13.1 1-1;
13.2 1-5; 13.3 1-2; 13.4 1-5; 14.1 1-2; 14.2 1-4; 14.3 1-3; 15.1 1-3; 15.2 1-3; 15.3 1-7; 16.1 1-1; 16.2 1-5;
16.3 1-4; 16.4 1-3; 16.5 1-3; 17.1 1-1; 17.2 1-4; 17.3 1-2
"""
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in TABLE.splitlines()
    if re.match(r"\| \d", line)
]
NAMED = sorted(set(re.findall(r"`([^`\s]+)`", PAGE + TABLE)))
PATHS = [
    name for name in NAMED if re.fullmatch(r"\.?[a-zA-Z_/.-]+(::\w+)?", name) and re.search(r"[/.]", name)
]
SETTINGS = [name for name in NAMED if re.fullmatch(r"[A-Z][A-Z_]+[A-Z]", name)]
# Addresses of the site and ends of names, which are no files here.
NO_FILES = {"/healthz", "/readyz", ".gz", ".xz", ".zst"}


def all_items() -> list[str]:
    """Every number of levels 1 and 2, in the order of the standard."""
    found = []
    for part in ITEMS.replace("\n", " ").split(";"):
        section, span = part.split()
        first, last = map(int, span.split("-"))
        found += [f"{section}.{number}" for number in range(first, last + 1)]
    return found


def items_of(cell: str) -> list[str]:
    """A row stands for one item, or for all from the first to the last that it names."""
    first, *rest = cell.split("–")
    items = all_items()
    return items[items.index(first) : items.index(rest[0] if rest else first) + 1]


@cache
def functions_in(path: str) -> frozenset[str]:
    tree = ast.parse((PROJECT / path).read_text())
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, kinds))


def unmet() -> Iterator[str]:
    return (row[0] for row in ROWS if row[2] == "not met")


def test_every_item_of_levels_1_and_2_has_one_row_in_order() -> None:
    assert len(all_items()) == 253
    assert [item for row in ROWS for item in items_of(row[0])] == all_items()


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_a_row_says_whether_and_by_what(row: list[str]) -> None:
    assert len(row) == 4
    assert row[2] in STATUSES
    assert all(row)


def test_the_list_of_what_is_not_met_is_complete() -> None:
    section = PAGE.split("\n## Not met\n")[1].split("\n## ")[0]
    assert re.findall(r"^\| ([\d.]+) ", section, re.MULTILINE) == list(unmet())
    assert section.split()[0] == str(len(list(unmet())))


@pytest.mark.parametrize("name", [name for name in PATHS if name not in NO_FILES])
def test_a_named_file_or_test_exists(name: str) -> None:
    path, _, function = name.partition("::")
    assert (PROJECT / path).exists()
    assert not function or function in functions_in(path)


@pytest.mark.parametrize("name", SETTINGS)
def test_a_named_setting_exists(name: str) -> None:
    assert name in settings_that_are_read() or hasattr(settings, name)


def test_files_and_settings_are_found_on_the_page() -> None:
    assert len(PATHS) > 100
    assert len(SETTINGS) > 10


def test_the_introduction_is_short() -> None:
    assert len(PAGE.split("\n## ")[0].strip().splitlines()) <= 10
