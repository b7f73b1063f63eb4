"""One member of a packed file, in each of the packings that are read."""

from __future__ import annotations

import lzma
import zlib
from typing import Protocol

import zstandard

GZIP, XZ, ZSTD = b"\x1f\x8b", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd"
PIECE = 1 << 18
_XZ_MEMORY = 512 << 20
DAMAGE = (zlib.error, lzma.LZMAError, zstandard.ZstdError)


class Member(Protocol):
    """One packed member: takes packed bytes, gives unpacked ones."""

    takes: int

    def feed(self, packed: bytes) -> bytes: ...
    @property
    def hungry(self) -> bool: ...
    @property
    def finished(self) -> bool: ...
    @property
    def rest(self) -> bytes: ...


class _Gzip:
    takes = 1 << 17

    def __init__(self) -> None:
        self._inner = zlib.decompressobj(wbits=31)

    def feed(self, packed: bytes) -> bytes:
        return self._inner.decompress(self._inner.unconsumed_tail + packed, PIECE)

    @property
    def hungry(self) -> bool:
        return not self._inner.unconsumed_tail

    @property
    def finished(self) -> bool:
        return self._inner.eof

    @property
    def rest(self) -> bytes:
        return self._inner.unused_data


class _Xz:
    takes = 1 << 17

    def __init__(self) -> None:
        self._inner = lzma.LZMADecompressor(memlimit=_XZ_MEMORY)

    def feed(self, packed: bytes) -> bytes:
        return self._inner.decompress(packed, PIECE)

    @property
    def hungry(self) -> bool:
        return self._inner.needs_input

    @property
    def finished(self) -> bool:
        return self._inner.eof

    @property
    def rest(self) -> bytes:
        return self._inner.unused_data


class _Zstd:
    # The library unpacks all that it is given at once, and four packed bytes can stand for 128 KiB:
    # small bites keep the worst answer near 32 MiB.
    takes = 1 << 10
    hungry = True

    def __init__(self) -> None:
        self._inner = zstandard.ZstdDecompressor().decompressobj()

    def feed(self, packed: bytes) -> bytes:
        return self._inner.decompress(packed)

    @property
    def finished(self) -> bool:
        return bool(self._inner.eof)

    @property
    def rest(self) -> bytes:
        return bytes(self._inner.unused_data)


KINDS: dict[bytes, type[_Gzip] | type[_Xz] | type[_Zstd]] = {GZIP: _Gzip, XZ: _Xz, ZSTD: _Zstd}
NAMES = {GZIP: "gzip", XZ: "xz", ZSTD: "zstd"}
