"""Documents of collections in JSON lines, tab-separated lines and SMART files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from campaigns.formats.content_types import BINARY, kind_of
from campaigns.formats.documents_bytes import NotThose, checked_base64
from campaigns.formats.errors import ErrorList, quote
from campaigns.formats.json_lines import JsonRecord, json_records
from campaigns.formats.records import PLAIN, DocumentRecord
from campaigns.formats.smart import smart_items
from campaigns.formats.tab_lines import tab_rows
from campaigns.formats.text import one_line, paragraphs

NumberedLines = Iterable[tuple[int, bytes]]
_DOCNO_FIELDS = ("docno", "_id", "id", "doc_id", "docid", "cord_uid")
_BODY = ("text", "body", "contents", "abstract")
_CONTENT_TYPE = re.compile(r"[\w.+-]{1,49}/[\w.+-]{1,49}\Z")
_TAB_LAYOUTS = {2: "2 (docno, text)", 3: "3 (docno, title, text)"}


def json_documents(lines: NumberedLines, errors: ErrorList) -> Iterator[DocumentRecord]:
    """One object a line: docno, title and text under the names that BEIR, Pyserini and others use."""
    for record in json_records(lines, errors):
        docno = record.identifier("docno", *_DOCNO_FIELDS)
        kind = record.text("content_type") or PLAIN
        if not _CONTENT_TYPE.match(kind):
            errors.add(record.line, f"“content_type” is not like text/plain: {quote(kind)}", "content_type")
        if docno:
            title, body = one_line(record.text("title")), _body(record, kind, errors)
            yield DocumentRecord(docno, title, body, kind, record.line)


def _body(record: JsonRecord, kind: str, errors: ErrorList) -> str:
    text = record.text(*_BODY)
    if kind_of(kind) not in BINARY:
        return text
    try:
        return checked_base64(text, kind)
    except NotThose as error:
        errors.add(record.line, str(error), record.name_of(*_BODY))
        return ""


def tab_documents(lines: NumberedLines, errors: ErrorList) -> Iterator[DocumentRecord]:
    """`docno text` or `docno title text` a line."""
    for line, (docno, *rest) in tab_rows(lines, errors, _TAB_LAYOUTS):
        yield DocumentRecord(docno, one_line(rest[0]) if len(rest) == 2 else "", rest[-1], line=line)


def smart_documents(lines: NumberedLines, errors: ErrorList) -> Iterator[DocumentRecord]:
    """`.T` is the title, `.W` the body; author and source stay behind, since no judgment is on them."""
    for item in smart_items(lines, errors):
        yield DocumentRecord(
            item.number, one_line(item.text("T")), paragraphs(item.text("W")), line=item.line
        )
