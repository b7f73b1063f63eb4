"""Collections: JSON lines, tab-separated lines, TREC `<DOC>`, SMART and WARC files, one document at a time.

A file that is one document itself is read by `single`.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from campaigns.formats.compressed_files import PrefixedStream, Source, open_stream
from campaigns.formats.content_types import PLAIN
from campaigns.formats.documents.json_fields import TextFields
from campaigns.formats.documents.metadata import metadata_of
from campaigns.formats.documents.reading import Arrived, UnreadDocument, read_contents
from campaigns.formats.documents.single import (
    single_document,
    type_by_name,
)
from campaigns.formats.documents.warc import warc_documents
from campaigns.formats.errors import (
    COLLECTION_BYTES,
    DOCUMENT_BYTES,
    TEXT_BYTES,
    ErrorList,
    Notices,
    quote,
    what_is_wrong_with_name,
)
from campaigns.formats.lines import (
    JsonRecord,
    LineBlocks,
    json_records,
    tab_rows,
    text_lines,
)
from campaigns.formats.reading.contents import Task
from campaigns.formats.reading.plain_text import one_line
from campaigns.formats.reading.rendering import shows_nothing, taken_out
from campaigns.formats.reading.trec import find_docno
from campaigns.formats.recognition.columns import DOCUMENT_ROLES, table_header
from campaigns.formats.recognition.content import Kind, Layout, recognise, refuse_other_kind
from campaigns.formats.smart_items import smart_items
from campaigns.formats.topics import DocumentRecord

__all__ = ["DocumentRecord", "iter_documents"]

DocumentReader = Callable[[Iterable[tuple[int, bytes]], ErrorList, Notices, str], Iterator[Arrived]]
_HEAD = 1 << 16

NumberedLines = Iterable[tuple[int, bytes]]
_TAB_LAYOUTS = {2: "2 (docno, text)", 3: "3 (docno, title, text)", 4: "4 (docno, url, title, text)"}
_WITH_URL = 3

_DOC = re.compile(rb"<(/?)DOC(?:\s([^<>]*))?>", re.IGNORECASE)
# Gigaword and AQUAINT-2 name a document there.
_DOC_ID = re.compile(rb"""\bid\s*=\s*["']?([^\s"'<>]+)""", re.IGNORECASE)
_OUTSIDE = re.compile(rb"\s*(?:<[?!/]?[A-Za-z][^<>]*>\s*)*\Z")
_LONGEST_OUTSIDE = 1 << 12
# A docno is sought so far from the beginning of a document.
_DOCNO_WITHIN = 1 << 16

_BATCH = 1 << 16
_MOST_KNOWN = 4_000_000

Hashes = NDArray[np.int64]
LineArray = NDArray[np.int32]


def iter_documents(
    source: Source,
    name: str,
    *,
    max_bytes: int | None = COLLECTION_BYTES,
    notices: Notices | None = None,
    text_field: str = "",
) -> Iterator[DocumentRecord]:
    """The documents of a file in file order, one at a time: a file of gigabytes takes megabytes of memory.
    A file whose name ends like a document's (.html, .md, .pdf, .png …) is one, its name the docno.

    `notices` gets every part that is in no record, by its name: fields that are cut or not read, records of a
    WARC file that are no HTML page, documents without text or shown as plain text. `text_field`: path of the
    text in objects of JSON, such as `pages.text`; empty for the first known name.

    Take them inside a transaction: errors are raised when the file has been read to its end, all at once,
    and by then good documents have been given. After the first error none is.

    Raises
    ------
    FormatError : no known format, no document, or listing every line that is not UTF-8 text, every document
        that is broken, has no docno or one that is not one word, or has the docno of another.
    """
    errors = ErrorList(name)
    notices = Notices() if notices is None else notices
    arriving = checked_documents(
        _documents(source, name, max_bytes, errors, notices, text_field), errors, notices
    )
    for document in read_contents(arriving, errors=errors, notices=notices):
        if not document.body.strip():
            notices.add("documents without text", "{count} of {records}: {names}", name=document.docno)
        elif document.html is not None and shows_nothing(document.html):
            held = taken_out(document.body)
            what = "pages that show nothing" + (f", but had {', '.join(held)}" if held else "")
            notices.add(what, "{names}", name=document.docno)
        if not errors.total:
            yield document
    errors.raise_if_any()


def checked_documents(documents: Iterable[Arrived], errors: ErrorList, notices: Notices) -> Iterator[Arrived]:
    """Documents until the first error, by their docnos; the rest is only looked at for further errors, which
    those that have not been read may hold."""
    repeats = DuplicateDocnos(errors)
    count = 0
    for document in documents:
        count += 1
        notices.records += 1
        repeats.add(document.docno, document.line)
        if reason := what_is_wrong_with_name("docno", document.docno):
            errors.add(document.line, f"{reason}: {quote(document.docno)}", "docno")
        if not errors.total or (isinstance(document, UnreadDocument) and document.too_large):
            yield document
    repeats.settle()
    if not count and not errors.total:
        errors.add(None, "no document in it")


def _documents(
    source: Source, name: str, max_bytes: int | None, errors: ErrorList, notices: Notices, text_field: str
) -> Iterator[Arrived]:
    if type_by_name(name):
        document = single_document(source, name, errors)
        if document is not None:
            yield document
        return
    with open_stream(source, name, max_bytes=max_bytes) as stream:
        # At first one piece alone: if a packed file is damaged, its records before that place are counted.
        head = stream.read1(_HEAD)
        if recognise(head).layout is Layout.WARC:
            yield from warc_documents(head, stream, errors, notices)
            return
        head += stream.read(_HEAD - len(head))
        reader = _reader(head, errors)
        longest = DOCUMENT_BYTES if reader is json_documents else TEXT_BYTES
        lines = text_lines(LineBlocks(PrefixedStream(head, stream), errors, longest=longest), errors)
        yield from reader(lines, errors, notices, text_field)


def first_documents(
    head: bytes, notices: Notices | None = None, text_field: str = ""
) -> Iterator[DocumentRecord]:
    """The documents with which a file begins; raises `FormatError` where the head cuts one off."""
    errors, notices = ErrorList(""), Notices() if notices is None else notices
    found: Iterator[Arrived]
    if recognise(head).layout is Layout.WARC:
        found = warc_documents(head, io.BufferedReader(io.BytesIO()), errors, notices)
    else:
        lines = text_lines(LineBlocks(io.BytesIO(head), errors), errors)
        found = _reader(head, errors)(lines, errors, notices, text_field)
    found = checked_documents(found, errors, notices)
    return read_contents(found, errors=errors, notices=notices, batch=1)


def _reader(head: bytes, errors: ErrorList) -> DocumentReader:
    if not head.strip():
        raise errors.stopped(None, "no document in it: an empty file")
    found = recognise(head)
    refuse_other_kind(found, Kind.DOCUMENTS, errors)
    reader = _READERS.get(found.layout)
    if reader is None:
        known = "JSON lines, tab-separated lines, TREC <DOC>, SMART .I, or WARC"
        raise errors.stopped(
            1, f"not a collection that is read here ({known}): {found.words}, begins with {quote(head[:40])}"
        )
    return reader


def json_documents(
    lines: NumberedLines, errors: ErrorList, notices: Notices, text_field: str = ""
) -> Iterator[DocumentRecord]:
    """One object a line: docno, title and text under the names that the field's programs use. The other
    fields are metadata."""
    reader = TextFields(errors, notices, text_field)
    for record in json_records(lines, errors):
        if document := reader.document(record):
            yield document
    reader.refuse_if_empty()


def tab_documents(
    lines: NumberedLines, errors: ErrorList, notices: Notices, text_field: str = ""
) -> Iterator[DocumentRecord]:
    """`docno text`, `docno title text` or `docno url title text` a line; or any columns below their names."""
    numbered = iter(lines)
    first = next((line for line in numbered if line[1].strip()), None)
    if first is None:
        return
    if header := table_header(first[1], DOCUMENT_ROLES):
        names, wanted = list(header.names), ", ".join(header.names)
        names[header.places["docno"]] = "docno"
        reader = TextFields(errors, notices, text_field)
        for line, row in tab_rows(numbered, errors, {len(names): wanted}):
            if document := reader.document(JsonRecord(line, dict(zip(names, row, strict=True)), errors)):
                yield document
        reader.refuse_if_empty()
        return
    for line, (docno, *rest) in tab_rows(chain([first], numbered), errors, _TAB_LAYOUTS):
        title = one_line(rest[-2]) if len(rest) > 1 else ""
        metadata = metadata_of({"url": rest[0]}, (), notices) if len(rest) == _WITH_URL else {}
        yield DocumentRecord(docno, title, rest[-1], line=line, metadata=metadata)


_SMART_FIELDS = {"A": "author", "B": "source", "K": "keywords", "N": "note", "C": "categories"}


def smart_documents(
    lines: NumberedLines, errors: ErrorList, notices: Notices, text_field: str = ""
) -> Iterator[Arrived]:
    """`.T` is the title, `.W` the body; author, source and others are metadata."""
    for item in smart_items(lines, errors):
        fields = {_SMART_FIELDS.get(name, name): item.text(name) for name in item.fields if name not in "TWX"}
        if item.content("X").strip():
            notices.unread("X", "It numbers other documents.")
        metadata = metadata_of(fields, (), notices)
        task = Task("smart", PLAIN, item.content("W"), header=item.content("T"))
        yield UnreadDocument(item.number, item.line, task, metadata=metadata)


def trec_documents(
    lines: NumberedLines, errors: ErrorList, notices: Notices, text_field: str = ""
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


_READERS: dict[Layout | None, DocumentReader] = {
    Layout.JSON: json_documents,
    Layout.TREC: trec_documents,
    Layout.SMART: smart_documents,
    Layout.TABS: tab_documents,
}


class DuplicateDocnos:
    """Takes docnos with their lines; an error for each that an earlier line gave, a batch late.

    A docno is known by 64 bits of its hash: in ten million, the chance that any two docnos are taken for
    one is below one in a hundred thousand. Beyond four million, repeats are left for the database to find,
    which is short of lines and not of memory.
    """

    def __init__(self, errors: ErrorList) -> None:
        self._errors = errors
        self._count = 0
        self._docnos: list[str] = []
        self._lines: list[int] = []
        # Sorted by hash, each less than half as long as the one before: few to search, cheap to keep so.
        self._known: list[tuple[Hashes, LineArray]] = []

    def add(self, docno: str, line: int) -> None:
        if self._count == _MOST_KNOWN:
            return
        self._count += 1
        self._docnos.append(docno)
        self._lines.append(line)
        if len(self._docnos) == _BATCH:
            self.settle()

    def settle(self) -> None:
        """Looks through the docnos that wait for it."""
        hashes = np.fromiter(map(hash, self._docnos), np.int64, len(self._docnos))
        lines = np.array(self._lines, dtype=np.int32)
        order = np.argsort(hashes, kind="stable")
        first: dict[int, int] = {}
        same = np.flatnonzero(hashes[order][1:] == hashes[order][:-1]) + 1
        for place in same.tolist():
            earlier = int(order[place - 1])
            first[int(order[place])] = first.get(earlier, int(lines[earlier]))
        for known, known_lines in self._known:
            at = np.minimum(np.searchsorted(known, hashes), len(known) - 1)
            first |= {
                int(place): int(known_lines[at[place]]) for place in np.flatnonzero(known[at] == hashes)
            }
        for place, line in first.items():
            where = f"first in {self._errors.unit} {line}"
            detail = f"docno {quote(self._docnos[place])} a second time ({where})"
            self._errors.add(self._lines[place], detail, "docno")
        self._docnos, self._lines = [], []
        self._keep(hashes[order], lines[order])

    def _keep(self, hashes: Hashes, lines: LineArray) -> None:
        while self._known and len(self._known[-1][0]) < 2 * len(hashes):
            more, more_lines = self._known.pop()
            hashes, lines = np.concatenate([more, hashes]), np.concatenate([more_lines, lines])
            order = np.argsort(hashes, kind="stable")
            hashes, lines = hashes[order], lines[order]
        if len(hashes):
            self._known.append((hashes, lines))
