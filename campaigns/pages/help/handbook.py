"""The handbook: the Markdown files of docs/ as pages, and the contents list that docs/README.md holds."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from django.conf import settings
from markdown_it.token import Token

from campaigns.pages.help.markdown import CONTENTS, Section, parse, render, sections_of

FOLDER: Path = settings.BASE_DIR / "docs"
ORIGINAL = "en"
# Folders of translated pages, named by their language.
TRANSLATIONS = ("de",)
# The folder of measurements: guides link to its pages, but menu and search leave them out.
EVIDENCE = "evidence"
FILES = {
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".ipynb": "application/x-ipynb+json",
    ".gz": "application/gzip",
    ".txt": "text/plain; charset=utf-8",
}


@dataclass(frozen=True)
class Page:
    """A page by its name, such as `methods` or `de/assessor`. Its first section is the page itself."""

    name: str
    html: str
    sections: tuple[Section, ...]

    @property
    def title(self) -> str:
        return self.sections[0].title

    @property
    def heading(self) -> str:
        """HTML up to the end of the title, below which the page lists its chapters."""
        title, end, _ = self.html.partition("</h1>")
        return title + end

    @property
    def body(self) -> str:
        return self.html.removeprefix(self.heading)

    @property
    def language(self) -> str:
        folder = posixpath.dirname(self.name)
        return folder if folder in TRANSLATIONS else ORIGINAL

    @property
    def chapters(self) -> list[Section]:
        return [section for section in self.sections if section.level == 2]

    def section(self, anchor: str) -> Section:
        return next(one for one in self.sections if one.anchor == anchor)


@dataclass(frozen=True)
class Part:
    """A heading of the contents list with its links: title and name of each page."""

    title: str
    pages: tuple[tuple[str, str], ...]


def page_names() -> list[str]:
    """All pages of menu and search, originals first. The contents list is not one of them."""
    names = [name for folder in ("", *TRANSLATIONS) for name in _names_in(folder)]
    return [name for name in names if name != CONTENTS]


def evidence_names() -> list[str]:
    return _names_in(EVIDENCE)


def _names_in(folder: str) -> list[str]:
    return [posixpath.join(folder, file.stem) for file in sorted((FOLDER / folder).glob("*.md"))]


def find_page(name: str) -> Page | None:
    """The page by its name, which may come from an address."""
    if name not in {CONTENTS, *page_names(), *evidence_names()}:
        return None
    file = FOLDER / f"{name}.md"
    return _read(name, file.stat().st_mtime_ns)


def all_pages() -> list[Page]:
    return [page for name in page_names() if (page := find_page(name)) is not None]


def translations(page: Page) -> dict[str, str]:
    """Names of this page by language, if there are several."""
    own = posixpath.basename(page.name)
    names = {language: f"{language}/{own}" for language in TRANSLATIONS}
    there = {language: name for language, name in names.items() if (FOLDER / f"{name}.md").is_file()}
    return {ORIGINAL: own} | there if there else {}


def in_language(name: str, language: str) -> str:
    """The name of the page in this language, or the name as it is."""
    translated = f"{language}/{name}"
    return translated if (FOLDER / f"{translated}.md").is_file() else name


def find_file(name: str) -> tuple[bytes, str] | None:
    """Bytes and content type of a picture, notebook or data file in docs/."""
    kind = FILES.get(posixpath.splitext(name)[1])
    home = FOLDER.resolve()
    file = (home / name).resolve()
    if kind is None or not file.is_relative_to(home) or not file.is_file():
        return None
    return file.read_bytes(), kind


def contents() -> tuple[Part, ...]:
    return _contents((FOLDER / f"{CONTENTS}.md").stat().st_mtime_ns)


# Files change only where they are edited; the time in the key shows an edit at the next request.
@lru_cache(maxsize=128)
def _read(name: str, changed: int) -> Page:
    tokens = parse((FOLDER / f"{name}.md").read_text())
    return Page(name, render(tokens, name), tuple(sections_of(tokens)))


@lru_cache(maxsize=2)
def _contents(changed: int) -> tuple[Part, ...]:
    parts: list[tuple[str, list[tuple[str, str]]]] = []
    tokens = parse((FOLDER / f"{CONTENTS}.md").read_text())
    for before, token in zip([None, *tokens], tokens, strict=False):
        if token.type != "inline":
            continue
        if before is not None and before.tag == "h2":
            parts.append((token.content, []))
        elif parts:
            parts[-1][1].extend(_linked_pages(token.children or []))
    return tuple(Part(title, tuple(pages)) for title, pages in parts if pages)


def _linked_pages(tokens: list[Token]) -> list[tuple[str, str]]:
    found = []
    for place, token in enumerate(tokens):
        target = str(token.attrGet("href") or "") if token.type == "link_open" else ""
        if target.endswith(".md") and not target.startswith((".", f"{EVIDENCE}/")):
            found.append((tokens[place + 1].content, target.removesuffix(".md")))
    return found
