"""Archives of files: zip, and tar plain or packed. Members are streamed; nothing is written to a disk."""

from __future__ import annotations

import tarfile
import zlib
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import IO, Any, NoReturn
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, LargeZipFile, ZipFile

from campaigns.formats.compressed_files import (
    ByteReader,
    open_stream,
    readable_size,
    what_is_disproportionate,
)
from campaigns.formats.errors import FormatError, LineError
from campaigns.formats.recognition.heads import is_hidden

DIRECTORY_BYTES = 1 << 20
# Their paths are in memory at once.
MOST_MEMBERS = 100_000
# ValueError: where the zip says that an entry lies, there may be no place in the file.
ZIP_DAMAGE = (
    BadZipFile,
    LargeZipFile,
    zlib.error,
    EOFError,
    NotImplementedError,
    RuntimeError,
    OSError,
    ValueError,
)


MemberStreams = Generator[tuple[str, ByteReader]]


class BoundedReads:
    """A file of which little is read at once: a zip's list of entries is else read whole, however long."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.too_long = False

    def read(self, size: int = -1, /) -> bytes:
        if size > DIRECTORY_BYTES:
            self.too_long = True
            raise BadZipFile("a long list of entries")
        return self._file.read(size if size >= 0 else DIRECTORY_BYTES)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


class _TarHeader(tarfile.TarInfo):
    """A member whose long names and attributes, which are read whole, are no longer than a page."""

    def _proc_member(self, archive: tarfile.TarFile) -> Any:
        if not self.isfile() and self.size > DIRECTORY_BYTES:
            raise tarfile.ReadError("a header of a member is too long")
        return super()._proc_member(archive)  # type: ignore[misc]


def archive_members(file: IO[bytes], name: str, *, is_zip: bool, max_bytes: int) -> MemberStreams:
    """Path and stream of each file in an archive, in its order; hidden files are passed over.

    Parameters
    ----------
    file : open and seekable; it is read from its beginning, so that an archive can be gone through again.
    max_bytes : the most that all files may unpack to.

    Raises
    ------
    FormatError : damaged or cut short, an entry that is encrypted or packed in a way that is not read, over
        the limit, or of more than 100,000 files.
    """
    file.seek(0)
    members = _zip_members if is_zip else _tar_members
    for number, member in enumerate(members(file, name, max_bytes), start=1):
        if number > MOST_MEMBERS:
            _refuse(
                name, f"holds more than {MOST_MEMBERS:,} files; put documents into one file of JSON lines"
            )
        yield member


def _zip_members(file: IO[bytes], name: str, max_bytes: int) -> MemberStreams:
    pieces = BoundedReads(file)
    try:
        archive = ZipFile(pieces)
    except ZIP_DAMAGE:
        if pieces.too_long:
            _refuse(name, f"its list of entries is longer than {DIRECTORY_BYTES:,} bytes")
        _refuse(name, "this is not a whole zip file; was it cut off?")
    infos = [info for info in archive.infolist() if not is_hidden(info.filename)]
    if sum(info.file_size for info in infos) > max_bytes:
        _refuse(
            name, f"larger than {readable_size(max_bytes)} when unpacked, the limit for this kind of file"
        )
    sizes = (sum(info.file_size for info in infos), sum(info.compress_size for info in infos))
    if reason := what_is_disproportionate(*sizes):
        _refuse(name, reason)
    for info in infos:
        path = f"{name}/{info.filename}"
        if info.flag_bits & 1 or info.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
            _refuse(path, "is encrypted, or packed in a way that is not read")
        with _damage_named(path), archive.open(info) as stream:
            yield info.filename, _Member(stream, path)


def _tar_members(file: IO[bytes], name: str, max_bytes: int) -> MemberStreams:
    with (
        open_stream(file, name, max_bytes=max_bytes) as stream,
        _damage_named(name),
        tarfile.open(fileobj=stream, mode="r|", tarinfo=_TarHeader) as archive,
    ):
        for member in archive:
            # The library keeps every member that it has seen.
            archive.members = []  # type: ignore[attr-defined]
            if member.isfile() and not is_hidden(member.name) and (content := archive.extractfile(member)):
                yield member.name, _Member(content, f"{name}/{member.name}")


class _Member:
    """A member whose damage is an error of its file."""

    def __init__(self, stream: IO[bytes], path: str) -> None:
        self._stream, self._path = stream, path

    def read(self, size: int, /) -> bytes:
        with _damage_named(self._path):
            return self._stream.read(size)


@contextmanager
def _damage_named(name: str) -> Iterator[None]:
    try:
        yield
    except FormatError:
        raise
    except (tarfile.TarError, BadZipFile, zlib.error, EOFError) as error:
        raise FormatError(name, [LineError(None, f"is damaged or cut short: {error}")]) from error


def _refuse(name: str, detail: str) -> NoReturn:
    raise FormatError(name, [LineError(None, detail)])
