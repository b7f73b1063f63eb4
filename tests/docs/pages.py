"""The Markdown files that people read, and the code blocks in them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from campaigns.pages.help.markdown import parse
from config.embedded.machine import PROJECT

ROOT_PAGES = ("README.md", "CONTRIBUTING.md", "ARCHITECTURE.md")


@dataclass(frozen=True)
class Block:
    """`kind`: the word behind the fence; `sh demo` runs on the demo, `text` is shown only."""

    page: str
    kind: str
    code: str


def pages() -> list[Path]:
    docs = PROJECT / "docs"
    return [
        *(PROJECT / name for name in ROOT_PAGES),
        *sorted(docs.glob("*.md")),
        *sorted(docs.glob("*/*.md")),
    ]


def blocks(*kinds: str) -> list[Block]:
    found = [
        Block(page.name, token.info.strip(), token.content)
        for page in pages()
        for token in parse(page.read_text())
        if token.type == "fence"
    ]
    return [block for block in found if not kinds or block.kind in kinds]
