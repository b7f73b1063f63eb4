"""Files as blocks of whole lines, and blocks as numbered lines."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from campaigns.formats.byte_words import count_lines
from campaigns.formats.errors import ErrorList
from campaigns.formats.limits import LINE_BYTES
from campaigns.formats.unpacking import Readable

# Small enough that the arrays made of a block are reused by the next, not asked of the system again.
BLOCK = 1 << 18
_BOM = b"\xef\xbb\xbf"
_OTHER_BOMS = {b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16"}
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1f\x7f]")


class LineBlocks:
    """A stream cut into blocks of whole lines, each ending with a newline, with the number of its first line.

    What the cutting notices stands in `bom` and `final_newline` once the file has been read.
    """

    def __init__(
        self, stream: Readable, errors: ErrorList, *, block: int = BLOCK, longest: int = LINE_BYTES
    ) -> None:
        self._stream, self._errors, self._block, self._longest = stream, errors, block, longest
        self.bom = False
        self.final_newline = True

    def __iter__(self) -> Iterator[tuple[int, bytes]]:
        line, begun = 1, [self._beginning()]
        while piece := self._stream.read(self._block):
            cut = piece.rfind(b"\n") + 1
            if cut:
                whole = b"".join([*begun, piece[:cut]])
                yield line, whole
                line += count_lines(whole)
                begun = []
            # Joined only when its newline comes: a long line would else be copied with every piece of it.
            begun.append(piece[cut:])
            if sum(map(len, begun)) > self._longest:
                raise self._errors.stopped(line, f"a line longer than {self._longest:,} bytes")
        if last := b"".join(begun):
            self.final_newline = last.endswith(b"\n")
            yield line, last if self.final_newline else last + b"\n"

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
                yield number, _CONTROL.sub(b"?", line).decode("utf-8", "replace").encode()
            else:
                yield number, line


def is_text(block: bytes) -> bool:
    """Whether a block can be text as a whole, so that its lines need not be asked one by one."""
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
    """Why a line cannot be text: a control character, or a byte that is not UTF-8. Empty if it can."""
    if found := _CONTROL.search(line):
        name = "NUL byte" if found[0] == b"\0" else f"control character 0x{found[0][0]:02x}"
        return f"a {name} at position {found.start() + 1}"
    try:
        line.decode()
    except UnicodeDecodeError as error:
        return f"byte 0x{line[error.start]:02x} at position {error.start + 1} is not UTF-8 ({error.reason})"
    return ""
