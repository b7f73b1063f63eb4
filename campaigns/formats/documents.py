"""Documents between `<DOC>` and `</DOC>`, as TREC's disks and web crawls hold them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from campaigns.formats.errors import ErrorList, quote
from campaigns.formats.limits import DOCUMENT_BYTES
from campaigns.formats.records import HTML, PLAIN, DocumentRecord
from campaigns.formats.text import one_line, paragraphs, unescape

_DOC = re.compile(rb"<(/?)DOC(?:\s[^>]*)?>", re.IGNORECASE)
# Where a closing tag is sought, it is not sought for ever: a document of nothing but opening tags would
# else take hours.
_DOCNO_TAG = re.compile(r"<DOCNO>(.{0,1000}?)</DOCNO>", re.IGNORECASE | re.DOTALL)
# A web page follows its crawl header and is kept as it is, since its markup is part of it.
_PAGE = re.compile(r"</DOCHDR>(.*)\Z|(<!DOCTYPE\b.*|<HTML\b.*)\Z", re.IGNORECASE | re.DOTALL)
_TITLE = re.compile(r"<(TITLE|HEADLINE|HEAD|TTL|TI|H3)>(.{0,5000}?)</\1>", re.IGNORECASE | re.DOTALL)
_TEXT = re.compile(r"</?TEXT>", re.IGNORECASE)
_BREAK = re.compile(r"</?(?:P|BR|LI|TR|H\d)\b[^<>]*>", re.IGNORECASE)
_MARKUP = re.compile(r"</?[A-Za-z][^<>]*>|<!--.{0,5000}?-->", re.DOTALL)
_OUTSIDE = re.compile(rb"\s*(?:<[?!/]?[A-Za-z][^<>]*>\s*)*\Z")


def trec_documents(lines: Iterable[tuple[int, bytes]], errors: ErrorList) -> Iterator[DocumentRecord]:
    """The documents of a file in file order, one at a time in memory."""
    for raw in _raw_documents(lines, errors):
        text = b"".join(raw.parts).decode()
        docno = _DOCNO_TAG.search(text)
        if docno is None:
            errors.add(raw.line, "a <DOC> without <DOCNO>…</DOCNO>", "docno")
        else:
            yield _document(docno[1].strip(), text[: docno.start()] + text[docno.end() :], raw.line)


def _document(docno: str, text: str, line: int) -> DocumentRecord:
    title = _TITLE.search(text)
    shown = one_line(_plain(title[2])) if title else ""
    if page := _PAGE.search(text):
        return DocumentRecord(docno, shown, (page[1] or page[2] or "").strip(), HTML, line)
    # What follows every other tag is inside, also where the last <TEXT> is not closed.
    bodies = _TEXT.split(text)[1::2] or [text[: title.start()] + text[title.end() :] if title else text]
    return DocumentRecord(docno, shown, _plain("\n\n".join(bodies)), PLAIN, line)


def _plain(text: str) -> str:
    return unescape(paragraphs(_MARKUP.sub(" ", _BREAK.sub("\n\n", text))))


@dataclass
class _Raw:
    """What stands between a <DOC> and its </DOC>, and the line it begins on."""

    line: int
    parts: list[bytes] = field(default_factory=list)
    size: int = 0


def _raw_documents(lines: Iterable[tuple[int, bytes]], errors: ErrorList) -> Iterator[_Raw]:
    document: _Raw | None = None
    for number, line in lines:
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
            document = None if tag[1] else _Raw(number)
        _take(document, number, line[at:].rstrip(b"\r") + b"\n", errors)
    if document is not None:
        errors.add(document.line, "a <DOC> without </DOC>")


def _take(document: _Raw | None, number: int, text: bytes, errors: ErrorList) -> None:
    if document is not None:
        document.parts.append(text)
        document.size += len(text)
        if document.size > DOCUMENT_BYTES:
            raise errors.stopped(document.line, f"a document larger than {DOCUMENT_BYTES:,} bytes")
    elif not _OUTSIDE.match(text):
        # Between documents there may be tags that hold them all, and nothing else.
        errors.add(number, f"text outside of a <DOC>: {quote(text.strip())}")
