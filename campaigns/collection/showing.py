"""A document's HTML, where it is shown as such."""

from __future__ import annotations

from functools import lru_cache

from markdown_it import MarkdownIt

from campaigns.collection.sanitising import sanitised
from campaigns.formats.content_types import Kind, kind_of

# Beyond this, Markdown is read as the plain text that it is: its parser takes seconds for a megabyte.
MARKDOWN_LONGEST = 1 << 19
# The same document is asked for again when a claim is renewed or a page reloaded.
_CACHE_SIZE, _CACHED_LONGEST = 64, 1 << 18


def rendered(body: str, content_type: str) -> str | None:
    """Safe HTML of an HTML or Markdown document; None for all that is not shown as HTML."""
    kind = kind_of(content_type)
    if kind not in (Kind.HTML, Kind.MARKDOWN):
        return None
    if kind is Kind.MARKDOWN and len(body) > MARKDOWN_LONGEST:
        return None
    return _remembered(body, kind) if len(body) <= _CACHED_LONGEST else _render(body, kind)


def _render(body: str, kind: Kind) -> str:
    # Markdown may hold HTML; whatever comes out goes through the same sieve.
    return sanitised(_markdown().render(body) if kind is Kind.MARKDOWN else body)


@lru_cache(maxsize=_CACHE_SIZE)
def _remembered(body: str, kind: Kind) -> str:
    return _render(body, kind)


@lru_cache(maxsize=1)
def _markdown() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
