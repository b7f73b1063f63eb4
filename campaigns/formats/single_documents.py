"""Files that are one document each, known by the ends of their names: the rest of the name is the docno."""

from __future__ import annotations

import html
import re
from pathlib import PurePosixPath

from campaigns.formats.content_types import BINARY, kind_of
from campaigns.formats.documents_bytes import NotThose, packed_bytes
from campaigns.formats.errors import ErrorList
from campaigns.formats.limits import DOCUMENT_BYTES
from campaigns.formats.opening import Source, open_stream, open_untouched, plain_name
from campaigns.formats.records import HTML, MARKDOWN, PLAIN, DocumentRecord
from campaigns.formats.text import one_line, storable

# Not .txt: files of that name hold whole collections.
_TYPES = {
    ".html": HTML,
    ".htm": HTML,
    ".xhtml": HTML,
    ".md": MARKDOWN,
    ".markdown": MARKDOWN,
    ".text": PLAIN,
    ".avif": "image/avif",
    ".bmp": "image/bmp",
    ".gif": "image/gif",
    ".jpeg": "image/jpeg",
    ".jpg": "image/jpeg",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".webp": "image/webp",
    ".pdf": "application/pdf",
}
_MARKS = {b"\xef\xbb\xbf": "utf-8-sig", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}
_CHARSET = re.compile(rb"""<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w.:-]{1,40})""", re.IGNORECASE)
_TITLE = re.compile(r"<title[^>]*>(.{0,5000}?)</title>", re.IGNORECASE | re.DOTALL)


def type_by_name(name: str) -> str:
    """The content type of a file that is one document; empty for a file that holds many."""
    return _TYPES.get(PurePosixPath(plain_name(name)).suffix.lower(), "")


def single_document(source: Source, name: str, errors: ErrorList) -> DocumentRecord | None:
    """The document that the file is; None, with an error, if it is too large or not of its type."""
    content_type = type_by_name(name)
    is_bytes = kind_of(content_type) in BINARY
    opened = open_untouched(source, name) if is_bytes else open_stream(source, name, max_bytes=None)
    with opened as stream:
        data = stream.read(DOCUMENT_BYTES + 1)
    if len(data) > DOCUMENT_BYTES:
        errors.add(None, f"a document larger than {DOCUMENT_BYTES:,} bytes")
        return None
    docno = PurePosixPath(plain_name(name)).stem
    if is_bytes:
        try:
            return DocumentRecord(docno, "", packed_bytes(data, content_type), content_type, 1)
        except NotThose as error:
            errors.add(None, str(error))
            return None
    text = decoded(data, declares=content_type == HTML)
    title = _TITLE.search(text[: 1 << 16]) if content_type == HTML else None
    shown = one_line(html.unescape(title[1])) if title else ""
    return DocumentRecord(docno, storable(shown), storable(text), content_type, 1)


def decoded(data: bytes, *, declares: bool) -> str:
    """Text by its byte order mark, as UTF-8, or by what an HTML page says of itself. What cannot be read then
    is a mark in the text: the rest is worth reading all the same."""
    for mark, encoding in _MARKS.items():
        if data.startswith(mark):
            return data.decode(encoding, "replace")
    try:
        return data.decode()
    except UnicodeDecodeError:
        said = _CHARSET.search(data[:4096]) if declares else None
    try:
        return data.decode(said[1].decode() if said else "utf-8", "replace")
    except (LookupError, UnicodeError):
        return data.decode("utf-8", "replace")
