"""Packed files as plain streams, a bounded piece at a time, so that no archive can fill the memory."""

from __future__ import annotations

import io
from typing import NoReturn, Protocol

from campaigns.formats.errors import FormatError, LineError
from campaigns.formats.packed_members import DAMAGE, KINDS, NAMES, PIECE, Member

# Archives that people send and that are not read; each is named in its error.
_OTHERS = {
    b"PK\x03\x04": "zip",
    b"BZh": "bzip2",
    b"7z\xbc\xaf": "7z",
    b"\x1f\x9d": "compress",
    b"%PDF": "PDF",
}


class Readable(Protocol):
    """The least that a file must do: uploads of web frameworks do no more."""

    def read(self, size: int, /) -> bytes: ...


def packed_as(head: bytes) -> bytes | None:
    """The magic bytes of a packing that is read, if a file begins so."""
    return next((magic for magic in KINDS if head.startswith(magic)), None)


def refuse_other_archives(head: bytes, name: str) -> None:
    for magic, kind in _OTHERS.items():
        if head.startswith(magic):
            detail = f"a {kind} file, which is not read: give it plain, or packed as .gz, .xz or .zst"
            raise FormatError(name, [LineError(None, detail)])


class Unpacked(io.RawIOBase):
    """The unpacked bytes of a file whose members, one or several, are packed in one way."""

    def __init__(self, packed: Readable, magic: bytes, name: str) -> None:
        self._packed, self._magic, self._name = packed, magic, name
        self._member: Member | None = KINDS[magic]()
        self._waiting = b""
        self._ready = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        while not self._ready and self._member is not None:
            self._ready = memoryview(self._next_piece())
        size = min(len(buffer), len(self._ready))
        buffer[:size] = self._ready[:size]
        self._ready = self._ready[size:]
        return size

    def _next_piece(self) -> bytes:
        member = self._member
        assert member is not None
        if member.finished:
            self._begin_next_member(member.rest)
            return b""
        packed = self._take(member.takes) if member.hungry else b""
        try:
            piece = member.feed(packed)
        except DAMAGE as error:
            self._refuse(f"is damaged: {error}")
        # Fed nothing, a member may still hold a last piece back.
        if member.hungry and not (packed or piece or member.finished):
            self._refuse("is cut short: the end of the packed data is missing")
        return piece

    def _begin_next_member(self, rest: bytes) -> None:
        """After a member comes the end, another member, or zeros that fill up a block of tape."""
        self._waiting = (rest + self._waiting).lstrip(b"\0")
        while len(self._waiting) < len(self._magic) and (more := self._packed.read(PIECE)):
            self._waiting = (self._waiting + more).lstrip(b"\0")
        if not self._waiting:
            self._member = None
        elif self._waiting.startswith(self._magic):
            self._member = KINDS[self._magic]()
        else:
            self._refuse("has other bytes after the end of the packed data")

    def _take(self, size: int) -> bytes:
        if not self._waiting:
            self._waiting = self._packed.read(PIECE)
        taken, self._waiting = self._waiting[:size], self._waiting[size:]
        return taken

    def _refuse(self, what: str) -> NoReturn:
        raise FormatError(self._name, [LineError(None, f"the {NAMES[self._magic]} file {what}")])
