"""Collections: JSON lines, tab-separated lines, TREC `<DOC>`, SMART and WARC files, tables, one document at a
time.

A file that is one document itself is read by `single`.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from campaigns.formats.compressed_files import ByteReader, PrefixedStream, Source, open_stream
from campaigns.formats.content_types import PLAIN
from campaigns.formats.conversion.converted import (
    field_lines,
    is_converted,
    refuse_choice,
    refuse_unknown_columns,
)
from campaigns.formats.documents.json_fields import TextFields
from campaigns.formats.documents.metadata import metadata_of
from campaigns.formats.documents.reading import Arrived, UnreadDocument, read_contents
from campaigns.formats.documents.single import (
    single_document,
    type_by_name,
)
from campaigns.formats.documents.trec import trec_documents
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
from campaigns.formats.recognition.columns import DOCUMENT_ROLES, table_header
from campaigns.formats.recognition.content import Kind, Layout, Recognition, recognise, refuse_other_kind
from campaigns.formats.recognition.roles import ColumnChoice, chosen_roles, has_text
from campaigns.formats.smart_items import smart_items
from campaigns.formats.topics import DocumentRecord

__all__ = ["DocumentRecord", "iter_documents"]

DocumentReader = Callable[[Iterable[tuple[int, bytes]], ErrorList, Notices, str], Iterator[Arrived]]
_HEAD = 1 << 16

NumberedLines = Iterable[tuple[int, bytes]]
_TAB_LAYOUTS = {2: "2 (docno, text)", 3: "3 (docno, title, text)", 4: "4 (docno, url, title, text)"}
_WITH_URL = 3

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
    columns: Mapping[str, str] | None = None,
    folder: str | None = None,
) -> Iterator[DocumentRecord]:
    """The documents of a file in file order, one at a time: a file of gigabytes takes megabytes of memory.
    A file whose name ends like a document's (.html, .md, .pdf, .png …) is one, its name the docno. Tables and
    lists of JSON are converted to lines of JSON.

    `notices` gets every part that is in no record, by its name: fields that are cut or not read, records of a
    WARC file that are no HTML page, documents without text or shown as plain text. `text_field`: path of the
    text in objects of JSON, such as `pages.text`; empty for the first known name. `columns`: of a table, the
    column of each field (docno, title, text …), where names do not say it. `folder`: where a table lies
    while it is converted.

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
        _documents(source, name, _Reading(errors, notices, text_field, columns or {}, folder, max_bytes)),
        errors,
        notices,
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


@dataclass(frozen=True)
class _Reading:
    """Choices for reading a file, and the lists that get what is found."""

    errors: ErrorList
    notices: Notices
    text_field: str = ""
    columns: Mapping[str, str] = field(default_factory=dict)
    folder: str | None = None
    max_bytes: int | None = None


def _documents(source: Source, name: str, how: _Reading) -> Iterator[Arrived]:
    if type_by_name(name):
        document = single_document(source, name, how.errors)
        if document is not None:
            yield document
        return
    with open_stream(source, name, max_bytes=how.max_bytes) as stream:
        # At first one piece alone: if a packed file is damaged, its records before that place are counted.
        head = stream.read1(_HEAD)
        if recognise(head).layout is Layout.WARC:
            yield from warc_documents(head, stream, how.errors, how.notices)
            return
        head += stream.read(_HEAD - len(head))
        yield from _of_lines(head, PrefixedStream(head, stream), how)


def first_documents(
    head: bytes, notices: Notices | None = None, text_field: str = ""
) -> Iterator[DocumentRecord]:
    """The documents with which a file begins; raises `FormatError` where the head cuts one off."""
    errors, notices = ErrorList(""), Notices() if notices is None else notices
    found: Iterator[Arrived]
    if recognise(head).layout is Layout.WARC:
        found = warc_documents(head, io.BufferedReader(io.BytesIO()), errors, notices)
    else:
        found = _of_lines(head, io.BytesIO(head), _Reading(errors, notices, text_field))
    found = checked_documents(found, errors, notices)
    return read_contents(found, errors=errors, notices=notices, batch=1)


def _of_lines(head: bytes, stream: ByteReader, how: _Reading) -> Iterator[Arrived]:
    errors, found = how.errors, recognise(head)
    _refuse_lists(found, how)
    if not is_converted(found, Kind.DOCUMENTS, how.columns, head):
        reader = _reader(head, found, errors)
        refuse_choice(found, how.columns, errors)
        refuse_unknown_columns(found, Kind.DOCUMENTS, head, errors)
        longest = DOCUMENT_BYTES if reader is json_documents else TEXT_BYTES
        lines = text_lines(LineBlocks(stream, errors, longest=longest), errors)
        yield from reader(lines, errors, how.notices, how.text_field)
        return
    with field_lines(
        stream,
        Kind.DOCUMENTS,
        errors,
        how.notices,
        limit=how.max_bytes,
        columns=how.columns,
        folder=how.folder,
    ) as converted:
        lines = text_lines(LineBlocks(converted, errors, longest=DOCUMENT_BYTES), errors)
        yield from json_documents(lines, errors, how.notices, how.text_field)


def _refuse_lists(found: Recognition, how: _Reading) -> None:
    """Raise an error for a run or qrels in a table, which would be documents without text."""
    if found.kind not in (Kind.RUN, Kind.QRELS) or how.text_field or has_text(found.columns):
        return
    known = how.columns.known if isinstance(how.columns, ColumnChoice) else ()
    if not chosen_roles(found.columns, how.columns, known):
        refuse_other_kind(replace(found, certain=True), Kind.DOCUMENTS, how.errors)


def _reader(head: bytes, found: Recognition, errors: ErrorList) -> DocumentReader:
    if not head.strip():
        raise errors.stopped(None, "no document in it: an empty file")
    refuse_other_kind(found, Kind.DOCUMENTS, errors)
    reader = _READERS.get(found.layout)
    if reader is None:
        known = "JSON lines, tab-separated lines, TREC <DOC>, SMART .I, WARC, CSV, Parquet or Arrow"
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
