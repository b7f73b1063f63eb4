"""`make documentation` builds docs/ and the library's reference as a site whose links all lead somewhere."""

from __future__ import annotations

import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from shutil import copytree
from urllib.parse import unquote, urlsplit

import pytest

from config.embedded.machine import PROJECT


class Addresses(HTMLParser):
    """Anchors of a page, and the addresses that it leads to or shows."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.anchors, self.targets = set[str](), set[str]()
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = dict(attrs)
        self.anchors |= {str(named[name]) for name in ("id", "name") if named.get(name)}
        self.targets |= {str(named[name]) for name in ("href", "src") if named.get(name)}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("documentation")
    source, site = copytree(PROJECT / "docs", folder / "source"), folder / "9.8.7"
    options = ["-q", "-W", "--keep-going", "-c", str(PROJECT / "deploy" / "documentation")]
    command = [sys.executable, "-m", "sphinx", *options, str(source), str(site)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, check=False)
    assert done.returncode == 0, done.stderr
    return site


def test_every_link_and_picture_leads_to_a_file_and_an_anchor(built: Path) -> None:
    pages = {page: Addresses(page) for page in built.rglob("*.html")}
    assert len(pages) > len(list((PROJECT / "docs").glob("*.md")))
    wrong = []
    for page, addresses in pages.items():
        for target in addresses.targets:
            parts = urlsplit(target)
            if parts.scheme or parts.netloc:
                continue
            file = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            anchor = unquote(parts.fragment)
            if not file.is_file() or (anchor and file in pages and anchor not in pages[file].anchors):
                wrong.append(f"{page.relative_to(built)}: {target}")
    assert wrong == []


def test_the_reference_names_what_an_installation_has(built: Path) -> None:
    surface = (built / "reference" / "judged.html").read_text(encoding="utf-8")
    for name in ("evaluate", "compare", "simulate", "next_documents", "predict", "Queue", "Site"):
        assert f'id="judged.{name}"' in surface
    assert (built / "reference" / "judged.evaluation.measures.html").is_file()


def test_versions_stand_beside_each_other(built: Path) -> None:
    assert "9.8.7/README.html" in (built.parent / "index.html").read_text(encoding="utf-8")
