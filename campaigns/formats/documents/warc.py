"""WARC files (ISO 28500): the HTML pages that a crawl stored, one record at a time.

Of each record `response` whose status is 200 and whose type is HTML, the page is a document, as if it were a
file of its own. Its docno is `WARC-TREC-ID` where the record has one (ClueWeb), else `WARC-Record-ID` without
`urn:uuid:`; an address is no docno, as a crawl may store it more than once. Other records are counted.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator

from campaigns.formats.content_types import HTML, Kind, kind_of, media_type
from campaigns.formats.documents.reading import UnreadDocument
from campaigns.formats.errors import LINE_BYTES, TEXT_BYTES, ErrorList, FormatError, Notices, quote
from campaigns.formats.reading.contents import Task, parse_http_header

_PIECE = 1 << 18
_VERSION = re.compile(rb"WARC/\d{1,3}\.\d{1,3}\s*\Z")
_RESPONSE = "response"
# A page as it was sent: packed, or in chunks, each with its length before it.
_SENT_BYTES = 2 * TEXT_BYTES
_LENGTH_DIGITS = 16
_HEADERS = ("headers of WARC and HTTP not stored", "The address and the date of each page are metadata.")


class _Bytes:
    """The unpacked file, with lines of bounded length. It knows the current record, so that errors of a
    packed file name that as well."""

    def __init__(self, stream: io.BufferedReader, ahead: bytes, errors: ErrorList) -> None:
        self._stream, self._ahead, self._errors = stream, ahead, errors
        self._at = self._before = 0
        self.record = self.begin = 0

    @property
    def offset(self) -> int:
        return self._before + self._at

    def begin_record(self) -> None:
        self.record, self.begin = self.record + 1, self.offset

    def read(self, size: int, /) -> bytes:
        """At least one byte, unless the end has come."""
        if self._at == len(self._ahead):
            self._more()
        return self._take(size)

    def pass_blanks(self) -> bool:
        """Read on to where the record begins; False at the end of the file."""
        while self._at < len(self._ahead) or self._more():
            self._at = len(self._ahead) - len(self._ahead[self._at :].lstrip())
            if self._at < len(self._ahead):
                self.begin = self.offset
                return True
        return False

    def line(self, most: int) -> bytes:
        """The next line with its end; without it where the line is longer than `most`, or the last."""
        while (end := self._ahead.find(b"\n", self._at) + 1) == 0 and len(self._ahead) - self._at <= most:
            if not self._more():
                break
        return self._take(min(end - self._at, most) if end else most)

    def _more(self) -> bool:
        try:
            # One piece of what is packed: what comes before a damaged place is given first.
            piece = self._stream.read1(_PIECE)
        except FormatError as error:
            raise self.stopped(error.errors[-1].detail) from error
        self._before += self._at
        self._ahead, self._at = self._ahead[self._at :] + piece, 0
        return bool(piece)

    def _take(self, size: int) -> bytes:
        taken = self._ahead[self._at : self._at + size]
        self._at += len(taken)
        return taken

    def stopped(self, detail: str) -> FormatError:
        return self._errors.stopped(self.record, self.placed(detail))

    def placed(self, detail: str) -> str:
        return f"at byte {self.begin:,}: {detail}"


class _Content:
    """The content of a record, of which no more can be read than its header says."""

    def __init__(self, source: _Bytes, length: int) -> None:
        self._source, self.left = source, length

    def read(self, size: int = -1, /) -> bytes:
        taken = self._source.read(min(size, self.left) if size >= 0 else self.left) if self.left else b""
        self.left -= len(taken)
        return taken

    def line(self, most: int) -> bytes:
        taken = self._source.line(min(most, self.left))
        self.left -= len(taken)
        return taken

    def up_to(self, size: int) -> bytes:
        pieces: list[bytes] = []
        while size > 0 and (piece := self.read(size)):
            pieces.append(piece)
            size -= len(piece)
        return b"".join(pieces)

    def pass_over(self) -> bool:
        """Read on to the record's end; False if the file ends before."""
        while self.left and self.read(_PIECE):
            pass
        return not self.left


def warc_documents(
    head: bytes, stream: io.BufferedReader, errors: ErrorList, notices: Notices
) -> Iterator[UnreadDocument]:
    """The pages of a WARC file in file order, one at a time; memory is bounded by a page's limit.

    Parameters
    ----------
    head, stream : the unpacked file: what was read of it, and the rest.
    notices : gets the number of records that are no HTML page, by what they are.

    Raises
    ------
    FormatError : a record that is cut short, has no length, or begins otherwise, by its number and its offset
        in bytes; nothing after it can be read. A page over 8 MiB is an error of its record.
    """
    errors.unit = "record"
    source = _Bytes(stream, head, errors)
    while (header := _next_header(source)) is not None:
        content = _Content(source, _length(header, source))
        kind = header.get("warc-type", "").lower()
        page = _page(header, content, source, errors) if kind == _RESPONSE else None
        if not content.pass_over():
            raise source.stopped(f"cut short: the file ends {content.left:,} bytes before the record does")
        if page is not None:
            notices.add(*_HEADERS)
            yield page
        else:
            what = "response without an HTML page" if kind == _RESPONSE else quote(kind).strip("'")
            notices.add_foreign(f"records left out: {what or 'without a type'}", "No HTML page.")


def _next_header(source: _Bytes) -> dict[str, str] | None:
    """The next record's header, names in small letters; None at the end of the file."""
    source.begin_record()
    if not source.pass_blanks():
        return None
    line = source.line(LINE_BYTES)
    if not _VERSION.match(line):
        raise source.stopped(f"a record begins with WARC/ and its version, not with {quote(line.strip())}")
    header: dict[str, str] = {}
    size = 0
    while (line := source.line(LINE_BYTES)).strip():
        size += len(line)
        if size > LINE_BYTES:
            raise source.stopped(f"a header longer than {LINE_BYTES:,} bytes")
        name, _, value = line.decode("utf-8", "replace").partition(":")
        header.setdefault(name.strip().lower(), value.strip())
    if not line:
        raise source.stopped("cut short: the file ends in the record's header")
    return header


def _length(header: dict[str, str], source: _Bytes) -> int:
    said = header.get("content-length", "")
    if not (said.isascii() and said.isdigit() and len(said) < _LENGTH_DIGITS):
        what = f"Content-Length is a number of bytes, not {quote(said)}" if said else "no Content-Length"
        raise source.stopped(what)
    return int(said)


def _page(
    header: dict[str, str], content: _Content, source: _Bytes, errors: ErrorList
) -> UnreadDocument | None:
    """The page of a response as it was sent; None where it is none, or, with an error, too large."""
    head = _http_header(content)
    answer = parse_http_header(head) if head else None
    said = (answer and answer.get_header("content-type")) or ""
    if (
        answer is None
        or answer.get_statuscode() != "200"
        or kind_of(media_type(said) or "-") is not Kind.HTML
    ):
        return None
    sent = content.up_to(_SENT_BYTES + 1)
    too_large = source.placed(f"a page larger than {TEXT_BYTES:,} bytes")
    if len(sent) > _SENT_BYTES:
        errors.add(source.record, too_large)
        return None
    name = header.get("warc-trec-id") or header.get("warc-record-id", "")
    docno = name.strip("<> ").removeprefix("urn:uuid:")
    stored = {"url": header.get("warc-target-uri", "").strip("<>"), "date": header.get("warc-date", "")}
    task = Task("sent", HTML, sent, head)
    return UnreadDocument(
        docno, source.record, task, too_large, metadata={k: v for k, v in stored.items() if v}
    )


def _http_header(content: _Content) -> bytes:
    lines, size = [], 0
    while (line := content.line(LINE_BYTES)).strip():
        lines.append(line)
        size += len(line)
        if size > LINE_BYTES:
            return b""
    return b"".join(lines) if lines and lines[0].startswith(b"HTTP/") else b""
