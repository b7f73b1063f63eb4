"""Tasks of the readers: the content of one document becomes its title, its text and its safe HTML."""

from __future__ import annotations

import html
import io
import json
import struct
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING

from campaigns.formats.content_types import Kind, kind_of
from campaigns.formats.errors import TEXT_BYTES, TITLE_CHARACTERS
from campaigns.formats.reading.encodings import charset_in, decode_text
from campaigns.formats.reading.json_objects import load_object, part_object
from campaigns.formats.reading.plain_text import one_line, paragraphs
from campaigns.formats.reading.rendering import render_safe_html, text_of_html
from campaigns.formats.reading.trec import read_trec_text
from evaluation.extras import extra

if TYPE_CHECKING:
    from warcio.statusandheaders import StatusAndHeaders

# A title is sought near the beginning.
_TITLE_WITHIN = 1 << 16
_LENGTH = struct.Struct("!I")


@dataclass(frozen=True)
class Task:
    """`content`: bytes as they came, or text as UTF-8, by `kind`: see `_ANSWERS`. `header`: of HTTP, before
    a page that a crawl stored."""

    kind: str
    content_type: str
    content: bytes
    header: bytes = b""


@dataclass(frozen=True)
class Content:
    """`html`: safe HTML, empty for what is not shown as HTML. `content_type`: where the task knows none.
    `metadata`: words about the document. `texts`: of an object of JSON."""

    title: str = ""
    body: str = ""
    html: str = ""
    content_type: str = ""
    metadata: Mapping[str, str] = field(default_factory=dict)
    texts: tuple[bytes, ...] = ()


class TooLarge(ValueError):
    """A page that unpacks to more than a document may have."""


def read_content(task: Task) -> Content:
    return _ANSWERS[task.kind](task)


def _page(task: Task, charset: str = "") -> Content:
    """Bytes of an HTML, Markdown or text file."""
    is_page = kind_of(task.content_type) is Kind.HTML
    text = decode_text(task.content, declares=is_page, charset=charset).replace("\0", "\ufffd")
    shown = render_safe_html(text, task.content_type) or ""
    return Content(page_title(text) if is_page else "", text, shown)


def page_title(text: str) -> str:
    """The words of the first `<title>`, on one line."""
    head = text[:_TITLE_WITHIN]
    lower = head.lower() if head.isascii() else "".join(c.lower() if c < "\x80" else c for c in head)
    begin = lower.find("<title")
    begin = lower.find(">", begin) + 1 if begin >= 0 else 0
    end = lower.find("</title", begin) if begin else -1
    if end < 0 or end - begin > TITLE_CHARACTERS:
        return ""
    return " ".join(html.unescape(head[begin:end]).split()).replace("\0", "\ufffd")


def parse_http_header(header: bytes) -> StatusAndHeaders:
    with extra("documents"):
        from warcio.statusandheaders import StatusAndHeadersParser

    return StatusAndHeadersParser(["HTTP/"], verify=False).parse(io.BytesIO(header + b"\r\n"))


def _sent_page(task: Task) -> Content:
    """A page as a server sent it: packed, or in chunks, each with its length before it."""
    answer = parse_http_header(task.header)
    page = _unpacked(answer, task.content)
    if len(page) > TEXT_BYTES:
        raise TooLarge
    said = answer.get_header("content-type") or ""
    return _page(Task("page", task.content_type, page), charset_in(said))


def _unpacked(answer: StatusAndHeaders, sent: bytes) -> bytes:
    """A page without its chunks and packing, up to one byte over the limit."""
    with extra("documents"):
        from warcio.recordloader import ArcWarcRecord

    stream = ArcWarcRecord("warc", "response", None, io.BytesIO(sent), answer, "", len(sent)).content_stream()
    pieces, size = [], 0
    try:
        while size <= TEXT_BYTES and (piece := stream.read(TEXT_BYTES + 1 - size)):
            pieces.append(piece)
            size += len(piece)
    # Crawlers store what servers sent: what cannot be unpacked further ends the page.
    except Exception:  # noqa: BLE001 — of whichever library unpacks
        return b"".join(pieces)
    return b"".join(pieces)


def _text(task: Task) -> Content:
    """Text that has its characters already, as lines of JSON have."""
    return Content(html=render_safe_html(task.content.decode(), task.content_type) or "")


def _trec(task: Task) -> Content:
    """A TREC document without its docno: words, or a page."""
    found = read_trec_text(task.content.decode())
    shown = render_safe_html(found.body, found.content_type) or ""
    title = (page_title(found.body) if shown else "") or found.title
    return Content(title, found.body, shown, found.content_type, found.metadata)


def _smart(task: Task) -> Content:
    """The text of a SMART item; its title is the header."""
    return Content(one_line(task.header.decode()), paragraphs(task.content.decode()))


def _json(task: Task) -> Content:
    """A line of JSON: its long texts, and the rest of it as the title. Without a title, the body gives the
    reason why the line is no object."""
    try:
        fields, texts = part_object(load_object(task.content))
    except ValueError as error:
        return Content(body=str(error))
    return Content(fields, texts=tuple(texts))


def _words(task: Task) -> Content:
    """The characters that a browser shows of safe HTML."""
    return Content(body=text_of_html(task.content.decode()))


_ANSWERS: dict[str, Callable[[Task], Content]] = {
    "page": _page,
    "sent": _sent_page,
    "text": _text,
    "trec": _trec,
    "smart": _smart,
    "json": _json,
    "words": _words,
}


def parts_of(found: Content) -> list[bytes]:
    """Part a content for a message."""
    metadata = json.dumps({**found.metadata})
    strings = (found.title, found.body, found.html, found.content_type, metadata)
    return [*(value.encode() for value in strings), *found.texts]


def content_of(parts: Sequence[bytes]) -> Content:
    """Join what `parts_of` parted."""
    title, body, shown, content_type, metadata = (part.decode() for part in parts[:5])
    return Content(title, body, shown, content_type, json.loads(metadata), tuple(parts[5:]))


def joined(parts: Iterable[bytes]) -> bytes:
    """Parts of a message, each behind its length."""
    return b"".join(piece for part in parts for piece in (_LENGTH.pack(len(part)), part))


def parted(message: bytes) -> Iterator[bytes]:
    at = 0
    while at < len(message):
        (size,) = _LENGTH.unpack_from(message, at)
        at += _LENGTH.size + size
        yield message[at - size : at]


def read_message(stream: IO[bytes]) -> bytes | None:
    """A message behind its length; None at the end of the stream."""
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    (size,) = _LENGTH.unpack(head)
    message = stream.read(size)
    return message if len(message) == size else None
