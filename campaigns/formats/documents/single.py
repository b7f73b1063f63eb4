"""Files that are one document each, known by the ends of their names: the rest of the name is the docno.

Images and PDF are kept as base64, and their first bytes are checked against their type.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import PurePosixPath

from campaigns.formats.compressed_files import Source, open_stream, open_untouched, plain_name
from campaigns.formats.content_types import BINARY, HTML, MARKDOWN, PLAIN, kind_of, media_type
from campaigns.formats.documents.reading import Arrived, UnreadDocument
from campaigns.formats.errors import DOCUMENT_BYTES, TEXT_BYTES, ErrorList
from campaigns.formats.reading.contents import Task
from campaigns.formats.topics import DocumentRecord

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


DOCNO_BY_PATH = ("docnos with a folder, as several files have one name", "{names}")


def docnos_by_path(paths: Sequence[str]) -> dict[str, str]:
    """The docno of each file that is one document: its name; its path where several have that name.

    >>> docnos_by_path(["a/index.html", "b/index.html", "c.html"])
    {'a/index.html': 'a/index', 'b/index.html': 'b/index', 'c.html': 'c'}
    """
    names = {path: PurePosixPath(path.replace("\\", "/").lstrip("/")) for path in paths}
    names = {path: name.with_name(plain_name(path)) for path, name in names.items()}
    ways: tuple[Callable[[PurePosixPath], str], ...] = (
        lambda path: path.stem,
        lambda path: _as_word(path.with_suffix("")),
        _as_word,
    )
    docnos: dict[str, str] = {}
    for way in ways:
        left = {path: way(name) for path, name in names.items() if path not in docnos}
        counts = Counter([*left.values(), *docnos.values()])
        docnos |= {path: docno for path, docno in left.items() if counts[docno] == 1 or way is _as_word}
    return {path: docnos[path] for path in paths}


def _as_word(path: PurePosixPath) -> str:
    return "_".join(str(path).split())


_BLANKS = b" \t\n\r\f\v"


class ContentTypeMismatch(ValueError):
    """The bytes are not what their type says."""


def type_by_name(name: str) -> str:
    """The content type of a file that is one document; empty for a file that holds many."""
    return _TYPES.get(PurePosixPath(plain_name(name)).suffix.lower(), "")


def single_document(source: Source, name: str, errors: ErrorList) -> Arrived | None:
    """The document that the file is; None, with an error, if it is too large or not of its type."""
    content_type = type_by_name(name)
    is_bytes = kind_of(content_type) in BINARY
    most = DOCUMENT_BYTES if is_bytes else TEXT_BYTES
    opened = open_untouched(source, name) if is_bytes else open_stream(source, name, max_bytes=DOCUMENT_BYTES)
    with opened as stream:
        data = stream.read(most + 1)
    if len(data) > most:
        errors.add(None, f"a document larger than {most:,} bytes")
        return None
    docno = PurePosixPath(plain_name(name)).stem
    if is_bytes:
        try:
            return DocumentRecord(docno, "", packed_bytes(data, content_type), content_type, 1)
        except ContentTypeMismatch as error:
            errors.add(None, str(error))
            return None
    return UnreadDocument(docno, 1, Task("page", content_type, data))


def packed_bytes(data: bytes, content_type: str) -> str:
    """The bytes as a document's body; raises `ContentTypeMismatch` if they begin otherwise."""
    kind = media_type(content_type)
    if not _SIGNATURES[kind](data):
        raise ContentTypeMismatch(f"these bytes are not {kind}")
    return base64.b64encode(data).decode()


def checked_base64(text: str, content_type: str) -> str:
    """A body that a line of JSON gives as base64, without its line breaks. SVG may also be given as text."""
    if not text.strip():
        return ""
    if media_type(content_type) == "image/svg+xml" and text.lstrip("\ufeff \n\r\t").startswith("<"):
        return packed_bytes(text.encode(), content_type)
    try:
        data = base64.b64decode(text.encode("ascii").translate(None, _BLANKS), validate=True)
    except (binascii.Error, ValueError) as error:
        raise ContentTypeMismatch(
            f"the text of a document of the type {content_type} is base64: {error}"
        ) from error
    return packed_bytes(data, content_type)


def unpacked_bytes(body: str) -> bytes:
    return base64.b64decode(body)
