"""ARCHITECTURE.md names every folder, and only files and folders that exist."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from django.conf import settings

ROOT = Path(settings.BASE_DIR)
TEXT = (ROOT / "ARCHITECTURE.md").read_text()
PRODUCT = ("assess", "campaigns", "config", "evaluation", "selection")
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


def test_thirty_questions_have_their_file() -> None:
    table = TEXT[TEXT.index("## Where to find") :]
    assert len(re.findall(r"^\| .+\? \| `", table, re.MULTILINE)) >= 30
