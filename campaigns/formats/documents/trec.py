"""Documents of TREC: what stands between a <DOC> and its </DOC>."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from campaigns.formats.content_types import PLAIN
from campaigns.formats.documents.reading import Arrived, UnreadDocument
from campaigns.formats.errors import TEXT_BYTES, ErrorList, Notices, quote
from campaigns.formats.reading.contents import Task
from campaigns.formats.reading.trec import find_docno

_DOC = re.compile(rb"<(/?)DOC(?:\s([^<>]*))?>", re.IGNORECASE)
# Gigaword and AQUAINT-2 name a document there.
_DOC_ID = re.compile(rb"""\bid\s*=\s*["']?([^\s"'<>]+)""", re.IGNORECASE)
_OUTSIDE = re.compile(rb"\s*(?:<[?!/]?[A-Za-z][^<>]*>\s*)*\Z")
_LONGEST_OUTSIDE = 1 << 12
# A docno is sought so far from the beginning of a document.
_DOCNO_WITHIN = 1 << 16


def trec_documents(
    lines: Iterable[tuple[int, bytes]], errors: ErrorList, notices: Notices, text_field: str = ""
) -> Iterator[Arrived]:
    """The documents of a file in file order, one at a time in memory. Readers find their titles and texts."""
    for raw in _raw_documents(lines, errors):
        head = raw.text[:_DOCNO_WITHIN].decode("utf-8", "ignore")
        docno = find_docno(head)
        if docno is None and raw.named:
            yield UnreadDocument(raw.named, raw.line, Task("trec", PLAIN, bytes(raw.text)))
            continue
        if docno is None:
            errors.add(raw.line, "a <DOC> without <DOCNO>…</DOCNO>", "docno")
            continue
        begin = len(head[: docno.begin].encode())
        del raw.text[begin : begin + len(head[docno.begin : docno.end].encode())]
        yield UnreadDocument(docno.content.strip(), raw.line, Task("trec", PLAIN, bytes(raw.text)))


@dataclass
class _RawDocument:
    """Content between a <DOC> and its </DOC>, and the line on which it begins."""

    line: int
    # No list of lines: short ones would take twenty times as much memory.
    text: bytearray = field(default_factory=bytearray)
    # By an attribute of its tag.
    named: str = ""


def _raw_documents(lines: Iterable[tuple[int, bytes]], errors: ErrorList) -> Iterator[_RawDocument]:
    document: _RawDocument | None = None
    for number, line in lines:
        if document is None and not line.strip():
            continue
        at = 0
        for tag in _DOC.finditer(line) if b"<" in line else ():
            _take(document, number, line[at : tag.start()], errors)
            at = tag.end()
            if document is not None and tag[1]:
                yield document
            elif document is not None:
                errors.add(number, f"a <DOC> inside the <DOC> of line {document.line}: its </DOC> is missing")
            elif tag[1]:
                errors.add(number, "a </DOC> without <DOC>")
            document = None if tag[1] else _RawDocument(number, named=_named(tag[2] or b""))
        _take(document, number, line[at:].rstrip(b"\r") + b"\n", errors)
    if document is not None:
        errors.add(document.line, "a <DOC> without </DOC>")


def _named(attributes: bytes) -> str:
    named = _DOC_ID.search(attributes)
    return named[1].decode() if named else ""


def _take(document: _RawDocument | None, number: int, text: bytes, errors: ErrorList) -> None:
    if document is not None:
        document.text += text
        if len(document.text) > TEXT_BYTES:
            raise errors.stopped(document.line, f"a document larger than {TEXT_BYTES:,} bytes")
    elif text.strip() and (len(text) > _LONGEST_OUTSIDE or not _OUTSIDE.match(text)):
        # Between documents there may be tags that hold them all, and nothing else.
        errors.add(number, f"text outside of a <DOC>: {quote(text.strip())}")
