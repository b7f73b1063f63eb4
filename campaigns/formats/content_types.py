"""In which of a few ways a document is shown, by its content type."""

from __future__ import annotations

import re
from enum import StrEnum

PLAIN = "text/plain"
HTML = "text/html"
MARKDOWN = "text/markdown"


class Kind(StrEnum):
    TEXT = "text"
    MARKDOWN = "markdown"
    HTML = "html"
    IMAGE = "image"
    PDF = "pdf"
    OTHER = "other"


# Their bodies are bytes, kept as base64.
BINARY = frozenset({Kind.IMAGE, Kind.PDF})

_KINDS = {
    "": Kind.TEXT,
    "text/html": Kind.HTML,
    "application/xhtml+xml": Kind.HTML,
    "text/markdown": Kind.MARKDOWN,
    "text/x-markdown": Kind.MARKDOWN,
    "application/pdf": Kind.PDF,
    "application/json": Kind.TEXT,
    "application/xml": Kind.TEXT,
    # Those that every browser shows in an <img>, where no script of theirs runs.
    "image/avif": Kind.IMAGE,
    "image/bmp": Kind.IMAGE,
    "image/gif": Kind.IMAGE,
    "image/jpeg": Kind.IMAGE,
    "image/png": Kind.IMAGE,
    "image/svg+xml": Kind.IMAGE,
    "image/webp": Kind.IMAGE,
}


_NAME = re.compile(r"[\w.+-]{1,49}/[\w.+-]{1,49}", re.ASCII)


def is_content_type(name: str) -> bool:
    """True for a type such as text/plain, without parameters."""
    return bool(_NAME.fullmatch(name))


def media_type(content_type: str) -> str:
    """Without parameters: `text/html; charset=x` is `text/html`."""
    return content_type.split(";", 1)[0].strip().lower()


def kind_of(content_type: str) -> Kind:
    plain = media_type(content_type)
    if plain in _KINDS:
        return _KINDS[plain]
    readable = plain.startswith("text/") or plain.endswith(("+json", "+xml"))
    return Kind.TEXT if readable else Kind.OTHER
