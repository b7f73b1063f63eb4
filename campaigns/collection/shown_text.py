"""The text that assessors see: stored safe HTML, and its characters, in which passages have their offsets.

Readers make it when a document is stored. Documents of older versions get it from a task, or when they are
first shown.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from functools import lru_cache
from threading import Lock

from campaigns.formats.content_types import MARKDOWN, Kind, kind_of
from campaigns.formats.documents.reading import read_contents
from campaigns.formats.reading.contents import Task
from campaigns.formats.reading.readers import ReaderUnavailable, read_one
from campaigns.formats.reading.rendering import is_rendered, plain_html
from campaigns.formats.topics import DocumentRecord
from campaigns.models import Collection, Document

# Ids of a batch; and the seconds after which other tasks get their turn.
BATCH_IDS, SECONDS_A_TURN = 500, 5.0
_GUIDELINES = 64


def shown_html(document: int, body: str, content_type: str, *, stored: str | None) -> str | None:
    """Safe HTML of a document that is shown as HTML, None of others."""
    if not is_rendered(content_type):
        return None
    if stored is None and body:
        try:
            stored = _read(body, content_type)
        except ReaderUnavailable:
            return plain_html(body, content_type)
        # An earlier text, or one that came meanwhile, is not the row's.
        Document.objects.filter(id=document, html=None, body=body).update(html=stored)
    return stored or ""


def _read(body: str, content_type: str) -> str:
    """Raises ReaderUnavailable where no reader can be started."""
    content = read_one(Task("text", content_type, body.encode()))
    return content.html if content else plain_html(body, content_type)


def plain_text_of(document: Document) -> str:
    """Characters of a document that the judging screen shows.

    Plain text is the stored text itself. HTML and Markdown are the text of the safe HTML, without tags and
    with references resolved. Images, PDF and unknown types have none.
    """
    html = shown_html(document.id, document.body, document.content_type, stored=document.html)
    if html is None:
        return document.body if kind_of(document.content_type) is Kind.TEXT else ""
    content = read_one(Task("words", document.content_type, html.encode()))
    return content.body if content else ""


def markdown_html(text: str) -> str:
    """Markdown of a member as safe HTML; too costly to render, it is shown as it is written."""
    if not text:
        return ""
    try:
        with _lock_of(text):
            return _kept_markdown(text)
    except ReaderUnavailable:
        return plain_html(text, MARKDOWN)


@lru_cache(maxsize=_GUIDELINES)
def _lock_of(text: str) -> Lock:
    """All who want the same text wait for one reader."""
    return Lock()


@lru_cache(maxsize=_GUIDELINES)
def _kept_markdown(text: str) -> str:
    return _read(text, MARKDOWN)


def unread_collections() -> list[int]:
    return list(Collection.objects.filter(unread_until__gt=0).values_list("id", flat=True))


def read_for_a_while(*, collection: int) -> bool:
    """Read documents of older versions, the newest first, until all are read or the turn is over. Whether
    documents are left."""
    end = time.monotonic() + SECONDS_A_TURN
    while time.monotonic() < end:
        if not _read_batch(collection, end):
            return False
    return True


def _read_batch(collection: int, end: float) -> bool:
    """Read one batch; true if there may be more. After its end, a turn leaves the rest of a batch to the
    next."""
    until = Collection.objects.values_list("unread_until", flat=True).get(id=collection)
    rows = Document.objects.filter(collection=collection, id__lte=until)
    unread = rows.filter(id__gt=until - BATCH_IDS, html=None).exclude(body="")
    types = [pair for pair in unread.values_list("id", "content_type") if is_rendered(pair[1])]
    for read in read_contents(_records(types)):
        # A text that came meanwhile has its HTML already.
        Document.objects.filter(id=read.line, html=None).update(html=read.html)
        if time.monotonic() >= end:
            return True
    left = rows.filter(id__lte=until - BATCH_IDS).order_by("-id").values_list("id", flat=True).first() or 0
    Collection.objects.filter(id=collection, unread_until=until).update(unread_until=left)
    return left > 0


def _records(types: Iterable[tuple[int, str]]) -> Iterator[DocumentRecord]:
    """One at a time in memory."""
    for id, content_type in types:
        for body in Document.objects.filter(id=id).values_list("body", flat=True):
            yield DocumentRecord("", "", body, content_type, line=id)
