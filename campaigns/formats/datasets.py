"""Records of data sets that a library knows by name, as documents, topics and judgments like those of files.

Such records are named tuples, with fields that differ from one data set to the next; what is wrong with one
is reported with its number in place of a line.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from typing import Any

from campaigns.formats.content_types import HTML, PLAIN
from campaigns.formats.documents.files import checked_documents
from campaigns.formats.documents.metadata import metadata_of
from campaigns.formats.documents.reading import Arrived, UnreadDocument, read_contents
from campaigns.formats.errors import ErrorList, Notices
from campaigns.formats.qrels import ParsedQrels, format_qrel, read_qrels
from campaigns.formats.reading.contents import Task
from campaigns.formats.reading.plain_text import one_line, paragraphs, storable
from campaigns.formats.topic_texts.fields import (
    NamedText,
    TopicRecord,
    checked_fields,
    fields_of_object,
)
from campaigns.formats.topics import DocumentRecord, checked_topics

_DOCUMENT_TITLE = ("title", "document_title", "headline", "name")
_BODY = ("text", "body", "abstract", "contents")
_URL = ("url", "document_url")
_TITLE = ("title", "query", "keyword", "text", "raw_utterance", "topic_title")
_DESCRIPTION = ("description", "desc", "question", "need", "text")
_NARRATIVE = ("narrative", "narr", "guidelines", "context")


def documents_of(
    records: Iterable[Any], name: str, notices: Notices | None = None
) -> Iterator[DocumentRecord]:
    """The documents one at a time, as `iter_documents` gives those of a file: after the first error none, and
    all errors are raised at the end. `notices` gets documents that are shown as plain text."""
    errors = ErrorList(name)
    notices = Notices() if notices is None else notices
    found = (document_of(one, number, notices) for number, one in enumerate(records, 1))
    arriving = checked_documents(found, errors, notices)
    for document in read_contents(arriving, errors=errors, notices=notices):
        if not errors.total:
            yield document
    errors.raise_if_any()


def document_of(record: Any, number: int, notices: Notices | None = None) -> Arrived:
    title = one_line(storable(_first(record, _DOCUMENT_TITLE)))
    if isinstance(getattr(record, "body", None), bytes):
        task = Task("page", _kind(record), record.body)
        metadata = _metadata(record, {_name(record, _DOCUMENT_TITLE), "body"}, notices)
        return UnreadDocument(str(record.doc_id), number, task, title=title, metadata=metadata)
    body, used = _text(record)
    if url := _first(record, _URL):
        body = f"{body}\n\n{url}".strip()
    metadata = _metadata(record, used | {_name(record, _URL), _name(record, _DOCUMENT_TITLE)}, notices)
    return DocumentRecord(str(record.doc_id), title, storable(body), PLAIN, number, metadata)


def _metadata(record: Any, used: set[str], notices: Notices | None) -> dict[str, str]:
    """Fields of which neither the text nor the title is made."""
    own = used | {"doc_id", "body_content_type"}
    fields = {name: _plain_value(getattr(record, name)) for name in getattr(record, "_fields", ())}
    return metadata_of(fields, own, notices)


def _plain_value(value: Any) -> Any:
    """Tuples as lists; bytes, of which no text is stored, as an object."""
    if isinstance(value, bytes):
        return {}
    return list(value) if isinstance(value, tuple) and not hasattr(value, "_fields") else value


def _kind(record: Any) -> str:
    return HTML if "html" in str(getattr(record, "body_content_type", "")) else PLAIN


def _text(record: Any) -> tuple[str, set[str]]:
    """Text of a document as the dataset holds it, without the title in front of it, and the fields in it."""
    if not hasattr(record, "default_text"):
        return _first(record, _BODY), {_name(record, _BODY)}
    reader = _FieldReader(record)
    text = str(type(record).default_text(reader)).strip()
    used = {name for name in reader.names if _is_text(getattr(record, name))}
    return text.removeprefix(_first(record, _DOCUMENT_TITLE)).strip(), used


class _FieldReader:
    """Stands for a record and notes which of its fields are read."""

    def __init__(self, record: Any) -> None:
        self._record = record
        self.names: set[str] = set()

    def __getattr__(self, name: str) -> Any:
        self.names.add(name)
        return getattr(self._record, name)


def _is_text(value: Any) -> bool:
    """True for a string or strings: of other values, a text may hold a part."""
    return isinstance(value, str) or (
        isinstance(value, list | tuple) and all(isinstance(one, str) for one in value)
    )


def topics_of(records: Iterable[Any], name: str, notices: Notices | None = None) -> list[TopicRecord]:
    """All topics; raises `FormatError` for those that have no usable number, no text, or another's number."""
    errors = ErrorList(name)
    found = (topic_of(record, number, notices) for number, record in enumerate(records, 1))
    topics = checked_topics(found, errors)
    if not topics:
        errors.add(None, "no topic in it")
    errors.raise_if_any()
    return topics


def topic_of(record: Any, number: int, notices: Notices | None = None) -> TopicRecord:
    titled = next((field for field in _TITLE if _said(record, field)), "")
    title = _said(record, titled) if titled else _default_text(record)
    described = next((name for name in _DESCRIPTION if name != titled and _said(record, name)), "")
    narrated = next((name for name in _NARRATIVE if _said(record, name)), "")
    return TopicRecord(
        number=str(record.query_id),
        title=one_line(storable(title)),
        description=paragraphs(storable(_said(record, described))),
        narrative=paragraphs(storable(_said(record, narrated))),
        line=number,
        further_fields=_further(record, {"query_id", titled, described, narrated}, notices),
    )


def _further(record: Any, used: set[str], notices: Notices | None) -> tuple[NamedText, ...]:
    """Further fields of a record, such as the subtopics of web tracks."""
    values = {name: _plain(getattr(record, name)) for name in record._fields if name not in used}
    return checked_fields(fields_of_object(values), notices or Notices("topics"))


def _plain(value: Any) -> Any:
    """A value as JSON would give it."""
    if hasattr(value, "_asdict"):
        return {name: _plain(one) for name, one in value._asdict().items()}
    return [_plain(one) for one in value] if isinstance(value, list | tuple | set) else value


def judgments_of(records: Iterable[Any], name: str) -> ParsedQrels:
    """The judgments by the rules of qrels files: -1 is not judged, -2 junk, nothing is lower."""
    errors = ErrorList(name)
    lines = io.StringIO()
    for number, record in enumerate(records, start=1):
        try:
            lines.write(format_qrel(str(record.query_id), str(record.doc_id), record.relevance))
        except ValueError as error:
            errors.add(number, str(error))
    errors.raise_if_any()
    return read_qrels(io.BytesIO(lines.getvalue().encode()), name, max_bytes=None)


def _default_text(record: Any) -> str:
    return str(record.default_text()) if hasattr(record, "default_text") else ""


def _first(record: Any, fields: Iterable[str]) -> str:
    return _said(record, _name(record, fields))


def _name(record: Any, fields: Iterable[str]) -> str:
    """The first of the fields that has a text; empty if none has."""
    return next((field for field in fields if _said(record, field)), "")


def _said(record: Any, field: str) -> str:
    value = getattr(record, field, "")
    return value.strip() if isinstance(value, str) else ""
