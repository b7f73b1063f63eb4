"""ARCHITECTURE.md names every folder, and only files and folders that exist."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from pathlib import Path

import pytest
from django.conf import settings

ROOT = Path(settings.BASE_DIR)
TEXT = (ROOT / "ARCHITECTURE.md").read_text()
MOST_FILES = 16
# Django finds commands and migrations only side by side.
WIDE_FOLDERS = {"campaigns/management/commands", "campaigns/migrations"}
FREE_NAMES = {"__init__.py"}
# Rooms that show, send, read or store what the others do: their files have the names of these.
LAYERS = {"api", "formats", "management", "migrations", "models", "pages"}
PRODUCT = ("assess", "campaigns", "config", "distribution", "evaluation", "judged", "selection")
NAMED = sorted(set(re.findall(r"`((?:[a-z_]+/)+(?:[a-z_]+\.[a-z]+)?)`", TEXT)))


def product_folders() -> list[str]:
    """All folders that hold Python modules of the product."""
    modules = (path for root in PRODUCT for path in (ROOT / root).rglob("*.py"))
    return sorted({f"{path.parent.relative_to(ROOT)}/" for path in modules})


@pytest.mark.parametrize("name", NAMED)
def test_a_named_path_exists(name: str) -> None:
    assert (ROOT / name).exists()


@pytest.mark.parametrize("folder", product_folders())
def test_every_folder_is_named(folder: str) -> None:
    assert f"`{folder}`" in TEXT


def test_order_of_folders_is_that_of_the_import_contracts() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    (inside,) = (one for one in contracts if one.get("containers") == ["campaigns"])
    layers = [set(layer.split(" | ")) - {"apps"} for layer in inside["layers"]]
    rows = re.findall(r"^\| \d+ \| (.+) \|$", TEXT, re.MULTILINE)
    shown = [set(re.findall(r"`campaigns/(\w+)(?:/|\.py)`", row)) for row in rows]
    assert [row - {"migrations"} for row in shown if row] == layers


def test_a_file_of_a_room_has_a_name_of_its_own() -> None:
    rooms = (path for path in (ROOT / "campaigns").iterdir() if path.is_dir() and path.name not in LAYERS)
    names = Counter(path.name for room in rooms for path in room.rglob("*.py"))
    assert {name for name, count in names.items() if count > 1} == {"__init__.py", "tasks.py"}


QUESTIONS = re.findall(r"^\| (.+\?) \| (.+) \|$", TEXT[TEXT.index("## Where to find") :], re.MULTILINE)


def beginnings(text: str) -> set[str]:
    """The first four letters of each longer word: "flagged" and "flags.py" have them in common."""
    return {word[:4].lower() for word in re.findall("[A-Za-z]{4,}", text)} - {"what", "wher", "whic", "when"}


@pytest.mark.parametrize(("question", "answer"), QUESTIONS, ids=lambda text: text[:50])
def test_question_shares_a_word_with_the_path_that_answers_it(question: str, answer: str) -> None:
    paths = " ".join(re.findall(r"`([^`]+/[^`]*)`", answer))
    assert paths
    assert beginnings(question) & beginnings(paths)


def test_folders_have_at_most_sixteen_files() -> None:
    rooms = (*PRODUCT, "static", "templates", "tests")
    paths = (path for room in rooms for path in (ROOT / room).rglob("*") if path.is_file())
    counted = Counter(
        str(path.parent.relative_to(ROOT))
        for path in paths
        if path.name not in FREE_NAMES and "__pycache__" not in path.parts
    )
    assert {folder for folder, count in counted.items() if count > MOST_FILES} <= WIDE_FOLDERS
