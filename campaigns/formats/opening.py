"""Opening what people hand in: a path or an upload, plain or packed, never larger than a stated limit."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from campaigns.formats.errors import FormatError, LineError
from campaigns.formats.unpacking import Readable, Unpacked, packed_as, refuse_other_archives

Source = Path | Readable
DEFAULT_MAX_BYTES = 4 << 30
_HEAD = 8
_SUFFIXES = (".gz", ".xz", ".zst")


@contextmanager
def open_stream(
    source: Source, name: str, *, max_bytes: int | None = DEFAULT_MAX_BYTES
) -> Iterator[BinaryIO]:
    """The unpacked bytes of a file, as a stream to `read(n)`.

    Parameters
    ----------
    source : a path, which is closed afterwards, or an open binary file, which is read from where it stands
        and left open; `read(n)` is all it needs.
    name : what errors call it.
    max_bytes : the most it may unpack to, in bytes; None for no limit. A packed megabyte can be a terabyte
        of zeros: reading stops at the limit.

    Raises
    ------
    FormatError : no such file, an archive that is not read, damaged or cut short, or over the limit. The last
        three show while reading.
    """
    with open_untouched(source, name) as file:
        yield _plain(file, name, max_bytes)


@contextmanager
def open_untouched(source: Source, name: str) -> Iterator[Readable]:
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


def _plain(file: Readable, name: str, max_bytes: int | None) -> BinaryIO:
    head = file.read(_HEAD)
    if not isinstance(head, bytes):
        raise TypeError(f"{name} is open as text: open it as bytes")
    refuse_other_archives(head, name)
    whole: Readable = Rejoined(head, file)
    magic = packed_as(head)
    if magic is not None:
        whole = Unpacked(whole, magic, name)
    return io.BufferedReader(_Limited(whole, max_bytes, name), 1 << 18)


class Rejoined:
    """A file whose first bytes were already read, without seeking back: uploads may be pipes."""

    def __init__(self, head: bytes, file: Readable) -> None:
        self._head, self._file = head, file

    def read(self, size: int, /) -> bytes:
        head, self._head = self._head[:size], self._head[size:]
        return head + self._file.read(size - len(head)) if len(head) < size else head


class _Limited(io.RawIOBase):
    def __init__(self, file: Readable, limit: int | None, name: str) -> None:
        self._file, self._limit, self._name, self._seen = file, limit, name, 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        piece = self._file.read(len(buffer))
        self._seen += len(piece)
        if self._limit is not None and self._seen > self._limit:
            detail = (
                f"larger than {readable_size(self._limit)} when unpacked, the limit for this kind of file"
            )
            raise FormatError(self._name, [LineError(None, detail)])
        buffer[: len(piece)] = piece
        return len(piece)


def readable_size(size: int) -> str:
    for unit, name in ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")):
        if size >= unit:
            return f"{size / unit:.4g} {name} ({size:,} bytes)"
    return f"{size:,} bytes"


def find_files(paths: Iterable[Path]) -> list[Path]:
    """The files that a command line names: files as they are, of a directory its files by name, hidden ones
    left out. What does not exist, and a directory without files, is a `FormatError`."""
    found: list[Path] = []
    for path in paths:
        if path.is_dir():
            inside = sorted(p for p in path.iterdir() if p.is_file() and not p.name.startswith("."))
            if not inside:
                raise FormatError(str(path), [LineError(None, "a directory without files")])
            found += inside
        elif path.exists():
            found.append(path)
        else:
            raise FormatError(str(path), [LineError(None, "no such file or directory")])
    return found


def plain_name(name: str) -> str:
    """A file's own name, without folders and the suffix of its packing: `a/READWARE2.gz` is `READWARE2`."""
    last = name.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1]
    suffix = next((s for s in _SUFFIXES if last.lower().endswith(s) and len(last) > len(s)), "")
    return last[: len(last) - len(suffix)]
