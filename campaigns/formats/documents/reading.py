"""Documents with their content read: by the readers, in batches, in the order in which they come."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field, replace

from campaigns.formats.content_types import Kind, kind_of
from campaigns.formats.documents.metadata import metadata_of
from campaigns.formats.errors import TITLE_CHARACTERS, ErrorList, Notices
from campaigns.formats.reading.contents import Content, Task
from campaigns.formats.reading.encodings import decode_text
from campaigns.formats.reading.plain_text import storable
from campaigns.formats.reading.process import LIMITS
from campaigns.formats.reading.readers import READERS, Answer, UnreadReason, readers
from campaigns.formats.reading.rendering import is_rendered, plain_html
from campaigns.formats.topics import DocumentRecord

_BATCH_DOCUMENTS, _BATCH_BYTES = 64, 1 << 18
# So much waits or is read while the thread goes on with the file.
_AHEAD_BYTES, _AHEAD_BATCHES = 1 << 20, 2 * READERS

PLAIN = "documents shown as plain text: too costly to render"
_TITLE_CUT = ("titles cut", f"A title has {TITLE_CHARACTERS:,} characters: {{names}}")
# So many costly documents of a file are tried, and one more for each thousand that were read. Further
# documents are plain text, and no reader gets them.
MOST_COSTLY, READ_PER_COSTLY = 20, 1000
_LONGEST_PACKED = 1 << 16


@dataclass(frozen=True)
class UnreadDocument:
    """A document of which the file says where it is and what it is called. `too_large` is the error of one
    that unpacks to more than a document may have."""

    docno: str
    line: int
    task: Task
    too_large: str = ""
    title: str = ""
    metadata: dict[str, str] = field(default_factory=dict)


Arrived = DocumentRecord | UnreadDocument


def read_contents(
    documents: Iterable[Arrived],
    *,
    errors: ErrorList | None = None,
    notices: Notices | None = None,
    batch: int = _BATCH_DOCUMENTS,
) -> Iterator[DocumentRecord]:
    """The same documents, with their titles, texts and safe HTML. Those that cannot be read within the limits
    are shown as plain text, and long titles are cut: `notices` gets the number and names of both. `errors`
    gets pages that are too large."""
    notices = Notices() if notices is None else notices
    for document in _in_order(documents, errors, notices, batch):
        yield document if len(document.title) <= TITLE_CHARACTERS else _with_cut_title(document, notices)


def _with_cut_title(document: DocumentRecord, notices: Notices) -> DocumentRecord:
    notices.add(*_TITLE_CUT, name=document.docno)
    return replace(document, title=f"{document.title[: TITLE_CHARACTERS - 1]}…")


def _in_order(
    documents: Iterable[Arrived], errors: ErrorList | None, notices: Notices, batch: int
) -> Iterator[DocumentRecord]:
    ahead: deque[_SentBatch] = deque()
    some = _Batch()
    for document in documents:
        task = _task_of(document)
        # Most are read already, and wait only for one before them.
        if task is None and not some.documents and not ahead:
            assert isinstance(document, DocumentRecord)
            yield document
            continue
        some.add(document, task)
        if len(some.documents) < batch and some.size < _BATCH_BYTES:
            continue
        ahead.append(_sent(some, notices))
        some = _Batch()
        while ahead and (
            batch == 1 or len(ahead) > _AHEAD_BATCHES or sum(sent.batch.size for sent in ahead) > _AHEAD_BYTES
        ):
            yield from _answered(ahead.popleft(), errors, notices)
    if some.documents:
        ahead.append(_sent(some, notices))
    while ahead:
        yield from _answered(ahead.popleft(), errors, notices)


@dataclass
class _Batch:
    documents: list[tuple[Arrived, Task | None]] = field(default_factory=list)
    tasks: list[Task] = field(default_factory=list)
    size: int = 0

    def add(self, document: Arrived, task: Task | None) -> None:
        self.documents.append((document, task))
        if task is not None:
            self.tasks.append(task)
            self.size += len(task.content)
        elif isinstance(document, DocumentRecord):
            self.size += len(document.body)


@dataclass(frozen=True)
class _SentBatch:
    batch: _Batch
    answers: Future[list[Answer]] | None


def _sent(batch: _Batch, notices: Notices) -> _SentBatch:
    return _SentBatch(batch, None if _is_too_costly(notices) else readers().submit(batch.tasks))


def _is_too_costly(notices: Notices, more: int = 0) -> bool:
    """True if a file has used up its costly documents; `more` are not counted yet."""
    return notices.costly + more >= MOST_COSTLY + notices.rendered // READ_PER_COSTLY


def _answered(sent: _SentBatch, errors: ErrorList | None, notices: Notices) -> Iterator[DocumentRecord]:
    """Records of a batch. Readers answer a part of it at a time, so that few texts are in memory."""
    answers = deque(sent.answers.result() if sent.answers else ())
    left = deque(sent.batch.tasks)
    for document, task in sent.batch.documents:
        if task is None:
            assert isinstance(document, DocumentRecord)
            yield document
            continue
        if not answers:
            answers += (
                [UnreadReason.TOO_COSTLY] if _is_too_costly(notices) else readers().submit([*left]).result()
            )
        left.popleft()
        if (answer := answers.popleft()) is not UnreadReason.TOO_LARGE:
            notices.rendered += isinstance(answer, Content)
            yield _record(document, task, answer, notices)
        elif errors is not None and isinstance(document, UnreadDocument):
            errors.add(document.line, document.too_large)


def _task_of(document: Arrived) -> Task | None:
    """Task left for the readers; None if there is none."""
    if isinstance(document, UnreadDocument):
        return document.task
    if document.html is not None or not is_rendered(document.content_type):
        return None
    return Task("text", document.content_type, document.body.encode("utf-8", "replace"))


def _record(document: Arrived, task: Task, answer: Answer, notices: Notices) -> DocumentRecord:
    content = answer if isinstance(answer, Content) else _plain(document, task, notices)
    if isinstance(document, DocumentRecord):
        return replace(document, html=content.html)
    content_type = content.content_type or task.content_type
    html = content.html if is_rendered(content_type) else None
    title = document.title or storable(content.title)
    metadata = metadata_of({**document.metadata, **content.metadata}, (), notices)
    return DocumentRecord(document.docno, title, content.body, content_type, document.line, metadata, html)


def _plain(document: Arrived, task: Task, notices: Notices) -> Content:
    rest = f"; after {MOST_COSTLY}, the rest was not rendered" if _is_too_costly(notices) else ""
    notices.costly += 1
    notices.add(PLAIN, f"Rendering takes over {LIMITS}: {{names}}{rest}", name=document.docno)
    # Of a page that cannot be unpacked, its beginning says what it is.
    content = task.content[:_LONGEST_PACKED] if task.kind == "sent" else task.content
    if task.kind == "page":
        body = storable(decode_text(content, declares=kind_of(task.content_type) is Kind.HTML))
    else:
        body = storable(content.decode("utf-8", "replace"))
    return Content(body=body, html=plain_html(body, task.content_type))
