"""The beginning of a file, unpacked, and what an archive begins with: a bounded piece is read, never more."""

from __future__ import annotations

import io
import struct
import tarfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath

from campaigns.formats.compressed_files import UnpackedStream, packing_of, plain_name
from campaigns.formats.errors import FormatError
from campaigns.formats.recognition.content import (
    BINARY_TABLES,
    DESCRIPTION,
    PROSE,
    Kind,
    Layout,
    Recognition,
    recognise,
)

# Of the packed file, and of what it unpacks to.
HEAD_BYTES = 1 << 16
UNPACKED_BYTES = 1 << 18

_ZIP_ENTRY = b"PK\x03\x04"
_ZIP_HEADER = struct.Struct("<4s5H3L2H")
_STORED, _DEFLATED = 0, 8
_BUNDLE_ENTRIES = ("campaign.json", "documents.jsonl")
_OFFICE = ("[Content_Types].xml", "mimetype")
_TAR_MAGIC, _TAR_AT = b"ustar", 257
_IN_WORDS = {
    Kind.RUN: "runs",
    Kind.QRELS: "qrels",
    Kind.TOPICS: "topics",
    Kind.DOCUMENTS: "documents",
    Kind.DOCUMENT: "documents",
}


def recognise_file(head: bytes, *, name: str = "") -> Recognition:
    """Recognise a file, plain or packed, or an archive.

    Parameters
    ----------
    head : the first bytes of the file as it is, some kilobytes.
    name : only for whether a page is one document by itself, such as `notes.md` or `part.html`.

    Examples
    --------
    >>> import gzip
    >>> recognise_file(gzip.compress(b"401 0 LA010189-0001 1\\n")).words
    'a qrels file'
    """
    if head.startswith(_ZIP_ENTRY):
        return _zip(head)
    text = unpacked_head(head)
    if text.startswith(_TAR_MAGIC, _TAR_AT):
        return _archive(Layout.TAR, list(_tar_entries(text)))
    found = recognise(text)
    suffix = PurePosixPath(plain_name(name)).suffix.lower()
    if found.words in PROSE and suffix in (".md", ".markdown"):
        return replace(found, kind=Kind.DOCUMENT, words="a Markdown page")
    # A part of a page begins with any element or with words.
    is_open = found.kind is Kind.UNKNOWN or not found.certain or found.layout in (Layout.XML, Layout.TREC)
    if is_open and suffix in (".html", ".htm", ".xhtml"):
        return Recognition(Kind.DOCUMENT, "an HTML page")
    return found


def about_others(path: Path) -> str:
    """Words for a file of a folder that is about the others and no data; empty for data."""
    if path.stem.lower() == "readme":
        return "a README is about other files"
    with path.open("rb") as file:
        found = recognise(file.read(HEAD_BYTES))
    return found.words if found.words == DESCRIPTION else ""


def unpacked_head(head: bytes) -> bytes:
    """The beginning of what a head unpacks to; of a plain file the head itself."""
    magic = packing_of(head)
    if magic is None:
        return head
    stream = UnpackedStream(io.BytesIO(head), magic, "")
    pieces, size = [], 0
    buffer = memoryview(bytearray(HEAD_BYTES))
    try:
        while size < UNPACKED_BYTES and (count := stream.readinto(buffer)):
            pieces.append(bytes(buffer[:count]))
            size += count
    # A head ends in the middle of the packed data; damage shows when the whole file is read.
    except FormatError:
        pass
    return b"".join(pieces)


def archive_names(head: bytes) -> list[str]:
    """The paths of the files that an archive begins with."""
    entries = _zip_entries(head) if head.startswith(_ZIP_ENTRY) else _tar_entries(unpacked_head(head))
    return [name for name, _ in entries if not is_hidden(name)]


def is_hidden(path: str) -> bool:
    """Entries that programs add to archives: of macOS, of editors, and folders."""
    parts = PurePosixPath(path.replace("\\", "/")).parts
    return path.endswith("/") or not parts or any(part.startswith((".", "__MACOSX")) for part in parts)


def _zip(head: bytes) -> Recognition:
    entries = list(_zip_entries(head))
    names = [name for name, _ in entries]
    if tuple(names[:2]) == _BUNDLE_ENTRIES or "manifest.json" in names[:1]:
        return Recognition(Kind.BUNDLE, "a bundle of a whole campaign", Layout.ZIP)
    if names[:1] and names[0] in _OFFICE:
        return Recognition(Kind.UNKNOWN, "a document of an office program")
    return _archive(Layout.ZIP, entries)


def _archive(layout: Layout, entries: Sequence[tuple[str, bytes]]) -> Recognition:
    """An archive is known by the files it begins with."""
    shown = [recognise_file(content, name=name) for name, content in entries if not is_hidden(name)]
    kinds = dict.fromkeys(
        _IN_WORDS.get(found.kind, "tables")
        for found in shown
        if found.kind in _IN_WORDS or found.layout in BINARY_TABLES
    )
    if not kinds:
        return Recognition(Kind.UNKNOWN, f"a {layout} archive without a file that is read here", layout)
    return Recognition(Kind.ARCHIVE, f"an archive of {' and '.join(kinds)}", layout)


def _zip_entries(head: bytes) -> Iterator[tuple[str, bytes]]:
    """Name and beginning of the entries that a head holds. The list at a zip's end may be far away."""
    at = 0
    while head.startswith(_ZIP_ENTRY, at) and at + _ZIP_HEADER.size <= len(head):
        header = _ZIP_HEADER.unpack_from(head, at)
        method, size, name_length, extra_length = header[3], header[7], header[9], header[10]
        begin = at + _ZIP_HEADER.size + name_length
        name = head[at + _ZIP_HEADER.size : begin].decode("utf-8", "replace")
        packed = head[begin + extra_length :]
        if method == _DEFLATED:
            unpacker = zlib.decompressobj(wbits=-15)
            try:
                content = unpacker.decompress(packed, UNPACKED_BYTES)
            except zlib.error:
                return
            # What the piece of a long entry is followed by cannot be seen.
            rest = unpacker.unused_data if unpacker.eof else b""
        elif method == _STORED:
            content, rest = packed[:size], packed[size:]
        else:
            return
        yield name, content[:HEAD_BYTES]
        following = rest.find(_ZIP_ENTRY)
        if following < 0:
            return
        at = len(head) - len(rest) + following


def _tar_entries(text: bytes) -> Iterator[tuple[str, bytes]]:
    try:
        with tarfile.open(fileobj=io.BytesIO(text), mode="r|") as archive:
            for member in archive:
                if member.isfile():
                    file = archive.extractfile(member)
                    yield member.name, _beginning(file) if file else b""
    # The head cuts the last member off.
    except (tarfile.TarError, EOFError):
        return


def _beginning(file: io.BufferedIOBase | object) -> bytes:
    try:
        return file.read(HEAD_BYTES)  # type: ignore[union-attr]
    except tarfile.TarError:
        return b""
