"""Lines and text of files: blocks of whole lines, checked text, JSON objects, columns and tabs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from campaigns.formats.compressed_files import ByteReader, open_stream
from campaigns.formats.errors import (
    DOCNO_BYTES,
    LINE_BYTES,
    SAMPLE_BYTES,
    SAMPLE_LINES,
    ErrorList,
    FormatError,
    quote,
)
from campaigns.formats.reading.contents import Content, Task
from campaigns.formats.reading.json_objects import join_object, load_object
from campaigns.formats.reading.plain_text import storable
from campaigns.formats.reading.process import LIMITS
from campaigns.formats.reading.readers import readers

# Small enough that the arrays made of a block are reused by the next, not asked of the system again.
BLOCK_BYTES = 1 << 18
_BOM = b"\xef\xbb\xbf"
_OTHER_BOMS = {b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16"}
# Longer lines of JSON are read by readers: other threads would wait.
_LONGEST_HERE = 1 << 16
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1f\x7f]")
_WITHOUT_CONTROLS = bytes(b"?"[0] if _CONTROL.match(bytes([byte])) else byte for byte in range(256))

GRADE = re.compile(rb"[+-]?\d{1,9}\Z")


class LineBlocks:
    """A stream cut into blocks of whole lines, each ending with a newline, with the number of its first line.

    Stops at a line longer than `longest` bytes, and at more lines than `most`, whatever is in them. What the
    cutting notices stands in `bom` and `final_newline` once the file has been read.
    """

    def __init__(
        self,
        stream: ByteReader,
        errors: ErrorList,
        *,
        block: int = BLOCK_BYTES,
        longest: int = LINE_BYTES,
        most: int | None = None,
    ) -> None:
        self._stream, self._errors, self._block, self._longest = stream, errors, block, longest
        self._most = most
        self.bom = False
        self.final_newline = True

    def __iter__(self) -> Iterator[tuple[int, bytes]]:
        line, begun = 1, [self._beginning()]
        while piece := self._stream.read(self._block):
            cut = piece.rfind(b"\n") + 1
            if cut:
                whole = b"".join([*begun, piece[:cut]])
                self._refuse_long_lines(line, whole)
                yield line, whole
                line += _count_newlines(whole)
                self._count(line - 1)
                begun = []
            # Joined only when its newline comes: a long line would else be copied with every piece of it.
            begun.append(piece[cut:])
            if sum(map(len, begun)) > self._longest:
                raise self._too_long(line)
        if last := b"".join(begun):
            self._count(line)
            self.final_newline = last.endswith(b"\n")
            yield line, last if self.final_newline else last + b"\n"

    def _refuse_long_lines(self, first: int, block: bytes) -> None:
        if len(block) <= self._longest:
            return
        ends = np.flatnonzero(np.frombuffer(block, dtype=np.uint8) == ord("\n"))
        long = np.flatnonzero(np.diff(ends, prepend=-1) - 1 > self._longest)
        if long.size:
            raise self._too_long(first + int(long[0]))

    def _too_long(self, line: int) -> FormatError:
        return self._errors.stopped(line, f"a line longer than {self._longest:,} bytes")

    def _count(self, lines: int) -> None:
        if self._most is not None and lines > self._most:
            raise self._errors.stopped(self._most + 1, f"more than {self._most:,} lines")

    def _beginning(self) -> bytes:
        head = self._stream.read(len(_BOM))
        if head.startswith(_BOM):
            self.bom = True
            return b""
        for mark, encoding in _OTHER_BOMS.items():
            if head.startswith(mark):
                detail = f"byte 0x{head[0]:02x} at position 1: {encoding} text; save it as UTF-8"
                raise self._errors.stopped(1, detail)
        return head


def _count_newlines(block: bytes) -> int:
    # numpy takes a quarter of the time of `bytes.count`.
    return int(np.count_nonzero(np.frombuffer(block, dtype=np.uint8) == ord("\n")))


def text_lines(blocks: LineBlocks, errors: ErrorList) -> Iterator[tuple[int, bytes]]:
    """Every line with its number, without its line end.

    A line that is no text is an error, and comes with a mark for what cannot be read: it may hold the tag
    that ends a document, and should not make errors of the lines after it.
    """
    for first, block in blocks:
        lines = enumerate(block[:-1].split(b"\n"), first)
        if is_text(block):
            yield from lines
            continue
        for number, line in lines:
            if reason := what_is_not_text(line):
                errors.add(number, reason)
                yield number, line.translate(_WITHOUT_CONTROLS).decode("utf-8", "replace").encode()
            else:
                yield number, line


def is_text(block: bytes) -> bool:
    """True if a whole block can be text, so that its lines need not be checked one by one."""
    characters = np.frombuffer(block, dtype=np.uint8)
    controls = np.count_nonzero(characters < 32) + np.count_nonzero(characters == 127)
    # Tab, newline and their neighbours 9 to 13 are blanks; bytes below 9 wrap around to large ones.
    if controls != np.count_nonzero(characters - np.uint8(9) <= 4):
        return False
    if block.isascii():
        return True
    try:
        block.decode()
    except UnicodeDecodeError:
        return False
    return True


def what_is_not_text(line: bytes) -> str:
    """Reason why a line cannot be text: a control character, or a byte that is not UTF-8. Empty if it can."""
    if found := _CONTROL.search(line):
        name = "NUL byte" if found[0] == b"\0" else f"control character 0x{found[0][0]:02x}"
        return f"a {name} at position {found.start() + 1}"
    try:
        line.decode()
    except UnicodeDecodeError as error:
        return f"byte 0x{line[error.start]:02x} at position {error.start + 1} is not UTF-8 ({error.reason})"
    return ""


class LineNumbers:
    """Line numbers of places in a text, for places that ascend."""

    def __init__(self, text: str) -> None:
        self._text, self._place, self._line = text, 0, 1

    def __call__(self, place: int) -> int:
        if place < self._place:
            self._place, self._line = 0, 1
        self._line += self._text.count("\n", self._place, place)
        self._place = place
        return self._line


class TooCostly(Exception):
    """A line that a reader could not read within its limits."""


class JsonRecord:
    """An object, with the line it is on and its fields under the first of several names that is there."""

    def __init__(self, line: int, fields: dict[str, Any], errors: ErrorList) -> None:
        self.line = line
        self._fields, self._errors = fields, errors

    @property
    def fields(self) -> Mapping[str, Any]:
        return self._fields

    def name_of(self, *names: str) -> str:
        """The first of `names` that the object has."""
        return next((name for name in names if self._fields.get(name) is not None), "")

    def text(self, *names: str) -> str:
        """A field as text, fit to be stored; empty if the object has none of the names."""
        name = self.name_of(*names)
        value = self._fields[name] if name else ""
        if not isinstance(value, str):
            self._errors.add(self.line, f"“{name}” is not a string: {quote(repr(value))}", name)
            return ""
        return storable(value)

    def identifier(self, kind: str, *names: str) -> str:
        """A docno or topic number, trimmed; whole numbers are taken as written."""
        name = self.name_of(*names)
        value = self._fields[name] if name else None
        if isinstance(value, str) and value.strip():
            return value.strip()
        # Where a number lacks in a column, pandas makes floats of whole numbers.
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        wanted = ", ".join(f"“{known}”" for known in names)
        self._errors.add(self.line, f"no {kind}: there is a string under none of {wanted}", kind)
        return ""


def json_records(lines: Iterable[tuple[int, bytes]], errors: ErrorList) -> Iterator[JsonRecord]:
    """The objects of the lines that are not blank; what is no object is an error of its line. Readers take
    long lines apart: one that takes them too long ends the file."""
    for number, line in lines:
        if not line.strip():
            continue
        try:
            fields = load_object(line) if len(line) <= _LONGEST_HERE else _read_long(line)
        except ValueError as error:
            errors.add(number, str(error))
        except TooCostly as error:
            raise errors.stopped(number, str(error)) from error
        else:
            yield JsonRecord(number, fields, errors)


def _read_long(line: bytes) -> dict[str, Any]:
    [answer] = readers().submit([Task("json", "", line)]).result()
    if not isinstance(answer, Content):
        raise TooCostly(f"a line that takes over {LIMITS} to read")
    if not answer.title:
        raise ValueError(answer.body)
    return join_object(answer.title, answer.texts)


def judgment_lines(
    file: Path, errors: ErrorList, what_is_wrong: Callable[[list[bytes]], tuple[str, str] | None]
) -> Iterator[tuple[int, list[bytes]]]:
    """Number and words of every good line; what is wrong with the others, a field and a sentence, goes to
    `errors`. Blank lines and lines from # on are passed over. No word may be longer than a docno."""
    with open_stream(file, str(file), max_bytes=SAMPLE_BYTES) as stream:
        for number, line in text_lines(LineBlocks(stream, errors, most=SAMPLE_LINES), errors):
            words = line.split()
            if not words or words[0].startswith(b"#"):
                continue
            longest = max(words, key=len)
            if len(longest) > DOCNO_BYTES:
                errors.add(number, f"a word longer than {DOCNO_BYTES} bytes: {quote(longest)}")
            elif wrong := what_is_wrong(words):
                errors.add(number, wrong[1], wrong[0])
            else:
                yield number, words


def tab_rows(
    lines: Iterable[tuple[int, bytes]], errors: ErrorList, allowed: dict[int, str]
) -> Iterator[tuple[int, list[str]]]:
    """The fields of the lines that are not blank. `allowed` names the layout of each number of fields.

    The first line settles how many fields the file has: one more tab, inside a text, would else move a
    text to the wrong field without a word.
    """
    width = 0
    for number, line in lines:
        if not line.strip():
            continue
        fields = line.decode().rstrip("\r").split("\t", max(allowed))
        width = width or (len(fields) if len(fields) in allowed else 0)
        if width and len(fields) == width:
            yield number, [field.strip() for field in fields]
            continue
        wanted = allowed[width] if width else " or ".join(allowed.values())
        given = line.count(b"\t") + 1
        detail = f"{given} fields between tabs where {wanted} are wanted: {quote(line.strip())}"
        errors.add(number, detail)
