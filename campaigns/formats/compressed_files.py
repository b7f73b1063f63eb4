"""Files that people hand in: found by path, and opened whether plain or packed, up to a stated limit.

Packed files are read as plain streams, a bounded piece at a time, so that no archive can fill the memory.
"""

from __future__ import annotations

import bz2
import io
import lzma
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn, Protocol

from campaigns.formats.errors import FormatError, LineError
from evaluation.extras import extra

GZIP, XZ, ZSTD = b"\x1f\x8b", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd"
BZIP2, LZ4 = b"BZh", b"\x04\x22\x4d\x18"
MEMBER_PIECE = 1 << 18
# Of a packer at its strongest usual setting: xz -9 needs 65 MiB, zstd --long 128.
_XZ_MEMORY = 80 << 20
_ZSTD_WINDOW = 128 << 20
# bz2 and LZ4 have no errors of their own.
DAMAGE = (zlib.error, lzma.LZMAError, OSError, RuntimeError)


class PackedMember(Protocol):
    """One packed member: takes packed bytes, gives unpacked ones."""

    takes: int

    def feed(self, packed: bytes) -> bytes: ...
    @property
    def hungry(self) -> bool: ...
    @property
    def finished(self) -> bool: ...
    @property
    def rest(self) -> bytes: ...


_FIRST_BITE, _BITE = 1 << 12, 1 << 17


class _Gzip:
    def __init__(self) -> None:
        # What follows a member is given back as a copy: small first bites keep many tiny members cheap.
        self.takes = _FIRST_BITE
        self._inner = zlib.decompressobj(wbits=31)

    def feed(self, packed: bytes) -> bytes:
        self.takes = _BITE
        return self._inner.decompress(self._inner.unconsumed_tail + packed, MEMBER_PIECE)

    @property
    def hungry(self) -> bool:
        return not self._inner.unconsumed_tail

    @property
    def finished(self) -> bool:
        return self._inner.eof

    @property
    def rest(self) -> bytes:
        return self._inner.unused_data


class _Buffered:
    """A member whose library holds back what it is not asked for."""

    def __init__(self, inner: Any) -> None:
        self.takes = _FIRST_BITE
        self._inner = inner

    def feed(self, packed: bytes) -> bytes:
        self.takes = _BITE
        return bytes(self._inner.decompress(packed, MEMBER_PIECE))

    @property
    def hungry(self) -> bool:
        return bool(self._inner.needs_input)

    @property
    def finished(self) -> bool:
        return bool(self._inner.eof)

    @property
    def rest(self) -> bytes:
        return bytes(self._inner.unused_data or b"")


class _Zstd:
    # The library unpacks all that it is given at once, and four packed bytes can stand for 128 KiB:
    # small bites keep the worst answer near 32 MiB.
    takes = 1 << 10
    hungry = True

    def __init__(self) -> None:
        with extra("compressed"):
            import zstandard

        self._error = zstandard.ZstdError
        self._inner = zstandard.ZstdDecompressor(max_window_size=_ZSTD_WINDOW).decompressobj()

    def feed(self, packed: bytes) -> bytes:
        try:
            return self._inner.decompress(packed)
        except self._error as error:
            raise OSError(str(error)) from error

    @property
    def finished(self) -> bool:
        return bool(self._inner.eof)

    @property
    def rest(self) -> bytes:
        return bytes(self._inner.unused_data)


def _lz4() -> _Buffered:
    with extra("compressed"):
        import lz4.frame

    return _Buffered(lz4.frame.LZ4FrameDecompressor())


MEMBER_CLASSES: dict[bytes, Callable[[], PackedMember]] = {
    GZIP: _Gzip,
    XZ: lambda: _Buffered(lzma.LZMADecompressor(memlimit=_XZ_MEMORY)),
    ZSTD: _Zstd,
    BZIP2: lambda: _Buffered(bz2.BZ2Decompressor()),
    LZ4: _lz4,
}
PACKING_NAMES = {GZIP: "gzip", XZ: "xz", ZSTD: "zstd", BZIP2: "bzip2", LZ4: "LZ4"}

# Files that people send and that no stream is made of; each is named in its error. A 7z file may claim
# gigabytes of dictionary, and Python's decoders of its LZMA take no limit; RAR needs a program of its own.
_ARCHIVES = {b"7z\xbc\xaf": "7z", b"Rar!": "RAR"}
_WAY_OUT = "give it plain, or packed as .gz, .bz2, .xz, .zst or .lz4"
_OTHERS = {b"PK\x03\x04": "zip", b"%PDF": "PDF"}


class ByteReader(Protocol):
    """The least that a file must do: uploads of web frameworks do no more."""

    def read(self, size: int, /) -> bytes: ...


def packing_of(head: bytes) -> bytes | None:
    """The magic bytes of a packing that is read, if a file begins so."""
    return next((magic for magic in MEMBER_CLASSES if head.startswith(magic)), None)


def what_is_not_unpacked(head: bytes) -> str:
    """Sentence about a file that is packed in a way that is not read; empty for others.

    >>> what_is_not_unpacked(b"Rar!")
    'a RAR archive, which is not read: pack its files as .zip or .tar.gz'
    """
    for magic, kind in _ARCHIVES.items():
        if head.startswith(magic):
            return f"a {kind} archive, which is not read: pack its files as .zip or .tar.gz"
    if head.startswith(b"\x1f\x9d"):
        return f"a compress file, which is not read: {_WAY_OUT}"
    return ""


def refuse_other_archives(head: bytes, name: str) -> None:
    others = (
        f"a {kind} file, which is not read: {_WAY_OUT}"
        for magic, kind in _OTHERS.items()
        if head.startswith(magic)
    )
    if reason := what_is_not_unpacked(head) or next(others, ""):
        raise FormatError(name, [LineError(None, reason)])


class UnpackedStream(io.RawIOBase):
    """The unpacked bytes of a file whose members, one or several, are packed in one way."""

    def __init__(self, packed: ByteReader, magic: bytes, name: str) -> None:
        self._packed, self._magic, self._name = packed, magic, name
        self._member: PackedMember | None = MEMBER_CLASSES[magic]()
        # What was read and not yet unpacked is behind `_at`.
        self._waiting, self._at = b"", 0
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
        # What a member leaves is the end of what it took last.
        self._at -= len(rest)
        while self._waiting[self._at : self._at + 1] in (b"", b"\0"):
            self._waiting, self._at = self._waiting[self._at :].lstrip(b"\0"), 0
            if not self._waiting and not self._more():
                self._member = None
                return
        while len(self._waiting) - self._at < len(self._magic) and self._more():
            pass
        if not self._waiting.startswith(self._magic, self._at):
            self._refuse("has other bytes after the end of the packed data")
        self._member = MEMBER_CLASSES[self._magic]()

    def _more(self) -> bool:
        """Reads on; False at the end of the file."""
        piece = self._packed.read(MEMBER_PIECE)
        self._waiting, self._at = self._waiting[self._at :] + piece, 0
        return bool(piece)

    def _take(self, size: int) -> bytes:
        if self._at == len(self._waiting):
            self._more()
        taken = self._waiting[self._at : self._at + size]
        self._at += len(taken)
        return taken

    def _refuse(self, what: str) -> NoReturn:
        raise FormatError(self._name, [LineError(None, f"the {PACKING_NAMES[self._magic]} file {what}")])


Source = Path | ByteReader
DEFAULT_MAX_BYTES = 4 << 30
# Runs and qrels, at the strongest setting, unpack to some thirty times their size.
ALWAYS_UNPACKED, MOST_TIMES_PACKED = 16 << 20, 100
_HEAD = 8
_SUFFIXES = (".gz", ".xz", ".zst", ".bz2", ".lz4")


@contextmanager
def open_stream(
    source: Source, name: str, *, max_bytes: int | None = DEFAULT_MAX_BYTES
) -> Iterator[io.BufferedReader]:
    """The unpacked bytes of a file, as a stream to `read(n)`.

    Parameters
    ----------
    source : a path, which is closed afterwards, or an open binary file, which is read from where it stands
        and left open; `read(n)` is all it needs.
    name : what errors call it.
    max_bytes : the most it may hold, in bytes, packed as well as unpacked; None for no limit. A packed
        megabyte can be a terabyte of zeros: reading stops at the limit.

    Raises
    ------
    FormatError : no such file, an archive that is not read, damaged or cut short, or over the limit. The last
        three show while reading.
    """
    with open_untouched(source, name) as file:
        yield _plain(file, name, max_bytes)


@contextmanager
def open_untouched(source: Source, name: str) -> Iterator[ByteReader]:
    """The bytes of a file as they are, packed or not."""
    if not isinstance(source, Path):
        yield source
        return
    try:
        file = source.open("rb")
    except OSError as error:
        raise FormatError(name, [LineError(None, (error.strerror or str(error)).lower())]) from error
    with file:
        yield file


def _plain(file: ByteReader, name: str, max_bytes: int | None) -> io.BufferedReader:
    head = file.read(_HEAD)
    if not isinstance(head, bytes):
        raise TypeError(f"{name} is open as text: open it as bytes")
    refuse_other_archives(head, name)
    whole: ByteReader = PrefixedStream(head, file)
    magic = packing_of(head)
    packed = None
    if magic is not None:
        # Members that unpack to nothing would else be read without end.
        packed = _Limited(whole, max_bytes, name, "packed")
        whole = UnpackedStream(packed, magic, name)
    return io.BufferedReader(_Limited(whole, max_bytes, name, "unpacked", packed), 1 << 18)


def what_is_disproportionate(unpacked: int, packed: int) -> str:
    """Reason why a packed file is not read: it is small to send and long to read. Empty for any text."""
    if unpacked <= ALWAYS_UNPACKED + MOST_TIMES_PACKED * packed:
        return ""
    return f"unpacks to more than {MOST_TIMES_PACKED} times its size: upload it unpacked"


class PrefixedStream:
    """A file whose first bytes were already read, without seeking back: uploads may be pipes."""

    def __init__(self, head: bytes, file: ByteReader) -> None:
        self._head, self._file = head, file

    def read(self, size: int, /) -> bytes:
        head, self._head = self._head[:size], self._head[size:]
        return head + self._file.read(size - len(head)) if len(head) < size else head


class _Limited(io.RawIOBase):
    """`packed`: the file of which this one is unpacked."""

    def __init__(
        self, file: ByteReader, limit: int | None, name: str, state: str, packed: _Limited | None = None
    ) -> None:
        self._file, self._limit, self._name, self._state = file, limit, name, state
        self._packed = packed
        self.seen = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        piece = self._file.read(len(buffer))
        self.seen += len(piece)
        if self._limit is not None and self.seen > self._limit:
            size = readable_size(self._limit)
            detail = f"larger than {size} when {self._state}, the limit for this kind of file"
            raise FormatError(self._name, [LineError(None, detail)])
        if self._packed and (reason := what_is_disproportionate(self.seen, self._packed.seen)):
            raise FormatError(self._name, [LineError(None, reason)])
        buffer[: len(piece)] = piece
        return len(piece)


def readable_size(size: int) -> str:
    for unit, name in ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")):
        if size >= unit:
            return f"{size / unit:.4g} {name} ({size:,} bytes)"
    return f"{size:,} bytes"


def find_files(paths: Iterable[Path]) -> list[Path]:
    """The files that a command line names: files as they are, of a directory its files by name, hidden ones
    left out; of a dataset of Hugging Face those in folders, too. What does not exist, and a directory without
    files, is a `FormatError`."""
    found: list[Path] = []
    for path in paths:
        if path.is_dir():
            listed = path.rglob("*") if _is_dataset(path) else path.iterdir()
            inside = sorted(p for p in listed if p.is_file() and not p.name.startswith("."))
            if not inside:
                raise FormatError(str(path), [LineError(None, "a directory without files")])
            found += inside
        elif path.exists():
            found.append(path)
        else:
            raise FormatError(str(path), [LineError(None, "no such file or directory")])
    return found


def _is_dataset(folder: Path) -> bool:
    return (folder / "dataset_dict.json").is_file() or any(folder.glob("data/*.parquet"))


def plain_name(name: str) -> str:
    """A file's own name, without folders and the suffix of its packing: `a/READWARE2.gz` is `READWARE2`."""
    last = name.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1]
    suffix = next((s for s in _SUFFIXES if last.lower().endswith(s) and len(last) > len(s)), "")
    return last[: len(last) - len(suffix)]
