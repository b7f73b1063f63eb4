from __future__ import annotations

import bz2
import gzip
import io
import lzma
import random
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import lz4.frame
import pytest
import zstandard

from campaigns.formats.archives import archive_members
from campaigns.formats.compressed_files import ALWAYS_UNPACKED, find_files, open_stream, plain_name
from campaigns.formats.errors import FormatError

# Incompressible, so that packed members are longer than what is read at a time.
TEXT = random.Random(7).randbytes(700_000)
PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "xz": lzma.compress,
    "zstd": zstandard.ZstdCompressor().compress,
    "bzip2": bz2.compress,
    "LZ4": lz4.frame.compress,
}
packings = pytest.mark.parametrize("pack", PACKERS.values(), ids=PACKERS)


def unpack(content: bytes, max_bytes: int | None = None) -> bytes:
    with open_stream(io.BytesIO(content), "f", max_bytes=max_bytes) as stream:
        return stream.read()


class OnlyRead:
    """An upload that can do no more than read, and gives less than it is asked for."""

    def __init__(self, content: bytes) -> None:
        self._inner = io.BytesIO(content)

    def read(self, size: int, /) -> bytes:
        return self._inner.read(min(size, 1000))


@packings
def test_packed_files_are_told_by_their_bytes_not_their_names(
    pack: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    path = tmp_path / "run.txt"
    path.write_bytes(pack(TEXT))
    with open_stream(path, "run.txt") as stream:
        assert stream.read() == TEXT


def test_plain_files_come_as_they_are() -> None:
    assert unpack(TEXT) == TEXT
    assert unpack(b"") == b""
    assert unpack(b"x") == b"x"


@packings
def test_several_members_and_the_zeros_of_tapes_are_read_through(pack: Callable[[bytes], bytes]) -> None:
    assert unpack(pack(b"one ") + pack(b"") + pack(b"two") + bytes(512)) == b"one two"


@packings
def test_an_upload_needs_only_read(pack: Callable[[bytes], bytes]) -> None:
    with open_stream(OnlyRead(pack(TEXT)), "f") as stream:
        assert stream.read() == TEXT


def test_a_given_file_stays_open_and_a_path_is_closed(tmp_path: Path) -> None:
    given = io.BytesIO(b"a b")
    with open_stream(given, "f") as stream:
        stream.read()
    del stream
    assert not given.closed


@packings
@pytest.mark.parametrize("kept", [0.1, 0.5, 0.999])
def test_truncated_archives_say_so(pack: Callable[[bytes], bytes], kept: float) -> None:
    packed = pack(TEXT)
    with pytest.raises(FormatError, match=r"f: the \w+ file is cut short"):
        unpack(packed[: int(len(packed) * kept)])


@packings
def test_damaged_archives_say_so(pack: Callable[[bytes], bytes]) -> None:
    packed = bytearray(pack(b"some text that repeats, some text that repeats" * 300))
    packed[-6] ^= 0xFF
    packed[len(packed) // 2] ^= 0xFF
    with pytest.raises(FormatError, match=r"f: the \w+ file is (damaged|cut short)"):
        unpack(bytes(packed))


@packings
def test_bytes_after_the_end_of_an_archive_are_an_error(pack: Callable[[bytes], bytes]) -> None:
    with pytest.raises(FormatError, match="other bytes after the end"):
        unpack(pack(b"text") + b"\0\0and more")


@pytest.mark.parametrize(
    ("content", "kind"),
    [(b"PK\x03\x04rest", "zip"), (b"%PDF-1.7", "PDF"), (b"\x1f\x9d\x90", "compress")],
)
def test_other_files_are_named(content: bytes, kind: str) -> None:
    with pytest.raises(
        FormatError, match=rf"a {kind} file, which is not read: .*\.gz, \.bz2, \.xz, \.zst or \.lz4"
    ):
        unpack(content)


@pytest.mark.parametrize(("content", "kind"), [(b"7z\xbc\xaf\x27\x1c", "7z"), (b"Rar!\x1a\x07", "RAR")])
def test_archives_that_are_not_read_name_those_that_are(content: bytes, kind: str) -> None:
    with pytest.raises(
        FormatError, match=rf"a {kind} archive, which is not read: pack .* as \.zip or \.tar\.gz"
    ):
        unpack(content)


@packings
def test_a_bomb_stops_at_the_limit_and_the_error_names_it(pack: Callable[[bytes], bytes]) -> None:
    bomb = pack(bytes(96 << 20))
    assert len(bomb) < 1 << 20
    tracemalloc.start()
    with pytest.raises(FormatError, match=r"larger than 1 MiB \(1,048,576 bytes\) when unpacked"):
        unpack(bomb, max_bytes=1 << 20)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 48 << 20


def test_the_limit_itself_is_allowed() -> None:
    assert unpack(b"12345", max_bytes=5) == b"12345"
    with pytest.raises(FormatError, match="larger than 4 bytes"):
        unpack(b"12345", max_bytes=4)


def test_missing_files_are_format_errors(tmp_path: Path) -> None:
    with (
        pytest.raises(FormatError, match="no such file or directory"),
        open_stream(tmp_path / "none", "none"),
    ):
        pass
    with pytest.raises(FormatError, match="no such file"):
        find_files([tmp_path / "none"])


def test_directories_stand_for_their_files_by_name(tmp_path: Path) -> None:
    for name in ("b.gz", "a", ".hidden"):
        (tmp_path / name).write_text("x")
    (tmp_path / "sub").mkdir()
    assert find_files([tmp_path, tmp_path / "a"]) == [tmp_path / "a", tmp_path / "b.gz", tmp_path / "a"]
    with pytest.raises(FormatError, match="a directory without files"):
        find_files([tmp_path / "sub"])


@pytest.mark.parametrize(
    ("name", "plain"),
    [
        ("a/READWARE2.gz", "READWARE2"),
        ("input.run.zst", "input.run"),
        ("x.XZ", "x"),
        ("run.txt", "run.txt"),
        (".gz", ".gz"),
        ("C:\\runs\\a.gz", "a"),
    ],
)
def test_plain_names(name: str, plain: str) -> None:
    assert plain_name(name) == plain


@packings
def test_what_is_small_to_send_and_long_to_read_is_refused(pack: Callable[[bytes], bytes]) -> None:
    content = pack(bytes(ALWAYS_UNPACKED))
    with open_stream(io.BytesIO(content), "f") as stream:
        assert len(stream.read(ALWAYS_UNPACKED)) == ALWAYS_UNPACKED
    content = pack(bytes(2 * ALWAYS_UNPACKED))
    with pytest.raises(FormatError, match="unpacks to more than 100 times its size"):
        unpack(content)


def test_a_zip_that_is_small_to_send_and_long_to_read_is_refused() -> None:
    file = io.BytesIO()
    with ZipFile(file, "w", ZIP_DEFLATED) as archive:
        for name in "ab":
            archive.writestr(name, bytes(ALWAYS_UNPACKED))
    members = archive_members(file, "f.zip", is_zip=True, max_bytes=1 << 40)
    with pytest.raises(FormatError, match="unpacks to more than 100 times its size"):
        next(members)
