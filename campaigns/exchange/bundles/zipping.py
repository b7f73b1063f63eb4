"""A zip made as it is sent, the same bytes for the same contents, and never in memory."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

PIECE = 1 << 16
# The first that a zip can say, for every entry: when a bundle was made is no part of what it says.
NO_TIME = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True)
class Written:
    sha256: str
    bytes: int
    rows: int


class Zipping:
    def __init__(self) -> None:
        self._out = _Outlet()
        self._zip = ZipFile(self._out, "w")  # type: ignore[call-overload]  # it can be written to, which is enough
        self.written: dict[str, Written] = {}

    def add(self, name: str, lines: Iterable[bytes]) -> Iterator[bytes]:
        """Write an entry; what is given back is to be sent on as it comes."""
        info = ZipInfo(name, NO_TIME)
        info.compress_type, info.create_system, info.external_attr = ZIP_DEFLATED, 3, 0o644 << 16
        sha256, size, rows = hashlib.sha256(), 0, 0
        with self._zip.open(info, "w", force_zip64=True) as entry:
            for rows, line in enumerate(lines, start=1):  # noqa: B007
                sha256.update(line)
                size += len(line)
                entry.write(line)
                yield from self._out.take(PIECE)
        self.written[name] = Written(sha256.hexdigest(), size, rows)
        yield from self._out.take(1)

    def end(self) -> Iterator[bytes]:
        self._zip.close()
        yield from self._out.take(1)


class _Outlet:
    """A file that only grows, and is taken away from the front."""

    def __init__(self) -> None:
        self._waiting = bytearray()

    def write(self, data: bytes) -> int:
        self._waiting += data
        return len(data)

    def flush(self) -> None:
        pass

    def take(self, least: int) -> Iterator[bytes]:
        if len(self._waiting) >= least:
            yield bytes(self._waiting)
            self._waiting.clear()
