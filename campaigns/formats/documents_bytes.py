"""Documents that are bytes, images and PDF: kept as base64, and looked at before they are believed."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable

from campaigns.formats.content_types import media_type

_SIGNATURES: dict[str, Callable[[bytes], bool]] = {
    "application/pdf": lambda data: b"%PDF-" in data[:1024],
    "image/avif": lambda data: data[4:8] == b"ftyp",
    "image/bmp": lambda data: data.startswith(b"BM"),
    "image/gif": lambda data: data.startswith(b"GIF8"),
    "image/jpeg": lambda data: data.startswith(b"\xff\xd8\xff"),
    "image/png": lambda data: data.startswith(b"\x89PNG\r\n\x1a\n"),
    "image/svg+xml": lambda data: re.search(rb"<(?:\w+:)?svg\b", data[: 1 << 16]) is not None,
    "image/webp": lambda data: data[:4] == b"RIFF" and data[8:12] == b"WEBP",
}


class NotThose(ValueError):
    """The bytes are not what their type says."""


def packed_bytes(data: bytes, content_type: str) -> str:
    """The bytes as a document's body; raises `NotThose` if they do not begin as their type does."""
    kind = media_type(content_type)
    if not _SIGNATURES[kind](data):
        raise NotThose(f"these bytes are not {kind}")
    return base64.b64encode(data).decode()


def checked_base64(text: str, content_type: str) -> str:
    """A body that a line of JSON gives as base64, without its line breaks. SVG may also be given as text."""
    if not text.strip():
        return ""
    if media_type(content_type) == "image/svg+xml" and text.lstrip("\ufeff \n\r\t").startswith("<"):
        return packed_bytes(text.encode(), content_type)
    try:
        data = base64.b64decode("".join(text.split()), validate=True)
    except (binascii.Error, ValueError) as error:
        raise NotThose(f"the text of a document of the type {content_type} is base64: {error}") from error
    return packed_bytes(data, content_type)


def unpacked_bytes(body: str) -> bytes:
    return base64.b64decode(body)
