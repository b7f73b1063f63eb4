"""Documents between `<DOC>` and `</DOC>`, as TREC's disks and web crawls hold them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from campaigns.formats.errors import ErrorList, quote
from campaigns.formats.limits import DOCUMENT_BYTES
from campaigns.formats.lines import what_is_not_text
from campaigns.formats.records import HTML, PLAIN, DocumentRecord
from campaigns.formats.text import one_line, paragraphs, unescape

_BEGIN = re.compile(rb"<DOC(?:\s[^>]*)?>", re.IGNORECASE)
_END = re.compile(rb"</DOC\s*>", re.IGNORECASE)
_DOCNO = re.compile(r"<DOCNO>(.*?)</DOCNO>", re.IGNORECASE | re.DOTALL)
# A web page follows its crawl header and is kept as it is, since its markup is part of it.
_PAGE = re.compile(r"</DOCHDR>(.*)\Z|(<!DOCTYPE\b.*|<HTML\b.*)\Z", re.IGNORECASE | re.DOTALL)
_TITLE = re.compile(r"<(TITLE|HEADLINE|HEAD|TTL|TI|H3)>(.*?)</\1>", re.IGNORECASE | re.DOTALL)
_TEXT = re.compile(r"<TEXT>(.*?)</TEXT>", re.IGNORECASE | re.DOTALL)
_BREAK = re.compile(r"</?(?:P|BR|LI|TR|H\d)\b[^<>]*>", re.IGNORECASE)
_MARKUP = re.compile(r"</?[A-Za-z][^<>]*>|<!--.*?-->", re.DOTALL)
_OUTSIDE = re.compile(rb"\s*(?:<[?!/]?[A-Za-z][^<>]*>\s*)*\Z")


def trec_documents(lines: Iterable[tuple[int, bytes]], errors: ErrorList) -> Iterator[DocumentRecord]:
    """The documents of a file in file order, one at a time in memory."""
    for line, raw in _raw_documents(lines, errors):
        text = raw.decode()
        docno = _DOCNO.search(text)
        if docno is None:
            errors.add(line, "a <DOC> without <DOCNO>…</DOCNO>", "docno")
        else:
            yield _document(docno[1].strip(), text[: docno.start()] + text[docno.end() :], line)


def _document(docno: str, text: str, line: int) -> DocumentRecord:
    title = _TITLE.search(text)
    shown = one_line(_plain(title[2])) if title else ""
    if page := _PAGE.search(text):
        return DocumentRecord(docno, shown, (page[1] or page[2] or "").strip(), HTML, line)
    bodies = _TEXT.findall(text) or [text[: title.start()] + text[title.end() :] if title else text]
    return DocumentRecord(docno, shown, _plain("\n\n".join(bodies)), PLAIN, line)


def _plain(text: str) -> str:
    return unescape(paragraphs(_MARKUP.sub(" ", _BREAK.sub("\n\n", text))))


def _raw_documents(lines: Iterable[tuple[int, bytes]], errors: ErrorList) -> Iterator[tuple[int, bytes]]:
    """What stands between each <DOC> and its </DOC>, with the line it begins on."""
    begun = size = 0
    parts: list[bytes] = []
    for number, line in lines:
        if reason := what_is_not_text(line):
            errors.add(number, reason)
            # Read on with what is readable: the line may hold the tag that ends a document.
            line = line.decode("utf-8", "replace").encode()
        rest = line.rstrip(b"\r") + b"\n"
        while rest:
            if not begun:
                begin = _BEGIN.search(rest)
                _refuse_stray(number, rest[: begin.start()] if begin else rest, errors)
                if begin is None:
                    break
                begun, parts, size, rest = number, [], 0, rest[begin.end() :]
            elif end := _END.search(rest):
                yield begun, b"".join([*parts, rest[: end.start()]])
                begun, rest = 0, rest[end.end() :]
            else:
                if _BEGIN.search(rest):
                    errors.add(number, f"a <DOC> inside the <DOC> of line {begun}: its </DOC> is missing")
                    begun, parts, size = number, [], 0
                parts.append(rest)
                size += len(rest)
                if size > DOCUMENT_BYTES:
                    raise errors.stopped(begun, f"a document larger than {DOCUMENT_BYTES:,} bytes")
                break
    if begun:
        errors.add(begun, "a <DOC> without </DOC>")


def _refuse_stray(number: int, text: bytes, errors: ErrorList) -> None:
    """Between documents there may be tags that hold them all, and nothing else."""
    if not _OUTSIDE.match(text):
        errors.add(number, f"text outside of a <DOC>: {quote(text.strip())}")
