"""Collections: JSON lines, tab-separated lines, TREC `<DOC>` and SMART files, read one document at a time;
and files that are a document themselves."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from campaigns.formats.documents import trec_documents
from campaigns.formats.documents_plain import json_documents, smart_documents, tab_documents
from campaigns.formats.errors import ErrorList, quote
from campaigns.formats.limits import COLLECTION_BYTES, DOCUMENT_BYTES
from campaigns.formats.lines import LineBlocks, text_lines
from campaigns.formats.names import what_is_wrong_with_name
from campaigns.formats.opening import Rejoined, Source, open_stream
from campaigns.formats.records import DocumentRecord
from campaigns.formats.repeats import Repeats
from campaigns.formats.single_documents import single_document, type_by_name

__all__ = ["DocumentRecord", "iter_documents"]

Reader = Callable[[Iterable[tuple[int, bytes]], ErrorList], Iterator[DocumentRecord]]
_HEAD = 1 << 16


def iter_documents(
    source: Source, name: str, *, max_bytes: int | None = COLLECTION_BYTES
) -> Iterator[DocumentRecord]:
    """The documents of a file in file order, one at a time: a file of gigabytes takes megabytes of memory.
    A file whose name ends like a document's (.html, .md, .pdf, .png …) is one, its name the docno.

    Take them inside a transaction: errors are raised when the file has been read to its end, all at once,
    and by then good documents have been given. After the first error none is.

    Raises
    ------
    FormatError : no known format, no document, or listing every line that is not UTF-8 text, every document
        that is broken, has no docno or one that is not one word, or has the docno of another.
    """
    errors = ErrorList(name)
    repeats = Repeats(errors)
    count = 0
    for document in _documents(source, name, max_bytes, errors):
        count += 1
        repeats.add(document.docno, document.line)
        if reason := what_is_wrong_with_name("docno", document.docno):
            errors.add(document.line, f"{reason}: {quote(document.docno)}", "docno")
        if not errors.total:
            yield document
    repeats.settle()
    if not count and not errors.total:
        errors.add(None, "no document in it")
    errors.raise_if_any()


def _documents(
    source: Source, name: str, max_bytes: int | None, errors: ErrorList
) -> Iterator[DocumentRecord]:
    if type_by_name(name):
        document = single_document(source, name, errors)
        if document is not None:
            yield document
        return
    with open_stream(source, name, max_bytes=max_bytes) as stream:
        head = stream.read(_HEAD)
        blocks = LineBlocks(Rejoined(head, stream), errors, longest=DOCUMENT_BYTES)
        yield from _reader(head, errors)(text_lines(blocks, errors), errors)


def _reader(head: bytes, errors: ErrorList) -> Reader:
    begins = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if not begins:
        raise errors.stopped(None, "no document in it: an empty file")
    if begins.startswith(b"{"):
        return json_documents
    if begins.startswith(b"<") and re.search(rb"<DOC\b", begins, re.IGNORECASE):
        return trec_documents
    if re.match(rb"\.I\b", begins):
        return smart_documents
    if b"\t" in begins.split(b"\n", 1)[0]:
        return tab_documents
    known = "JSON lines, tab-separated lines, TREC <DOC>, or SMART .I"
    shown = quote(begins[:40].decode("utf-8", "backslashreplace"))
    raise errors.stopped(1, f"not a collection that is read here ({known}): begins with {shown}")
