"""A bundle from anywhere: nothing of it is believed before the signature and every checksum agree."""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import IO, Any, NoReturn
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, LargeZipFile, ZipFile

from campaigns.exchange.bundles.bundles_tables import ENTRIES, MANIFEST, SIGNATURE
from campaigns.exchange.bundles.signing import ALGORITHM, is_signed
from campaigns.exchange.bundles.tables import FORMAT, VERSION
from campaigns.formats.errors import FormatError, LineError, quote

PIECE = 1 << 20
SMALL = 1 << 20
# A document may be 32 MB, and each of its bytes be written as several.
LONGEST_LINE = 1 << 28
# ValueError: where the zip says that an entry lies, there may be no place in the file.
_DAMAGE = (
    BadZipFile,
    LargeZipFile,
    zlib.error,
    EOFError,
    NotImplementedError,
    RuntimeError,
    OSError,
    ValueError,
)

Checked = Callable[[int], object]


@dataclass(frozen=True)
class Bundle:
    """An opened bundle whose bytes are those that were signed."""

    name: str
    archive: ZipFile
    rows: dict[str, int]
    public_key: str
    texts: bool
    pseudonyms: bool

    def lines(self, entry: str) -> Iterator[dict[str, Any]]:
        """The entry's rows, one at a time."""
        number = 0
        with self.archive.open(entry) as stream:
            while line := stream.readline(LONGEST_LINE):
                number += 1
                if not line.endswith(b"\n"):
                    self.refuse(entry, "the line is too long, or was cut off", line=number)
                row = _json(line)
                if not isinstance(row, dict):
                    self.refuse(entry, "is not a JSON object", line=number)
                yield row

    def refuse(self, entry: str, detail: str, *, line: int | None = None, field: str = "") -> NoReturn:
        raise FormatError(f"{self.name}/{entry}", [LineError(line, detail, field)])


def open_bundle(
    file: IO[bytes], name: str, *, max_bytes: int, checked: Checked = lambda size: None
) -> Bundle:
    """Check the whole file; `checked` hears of every byte. FormatError naming the entry that is wrong."""
    try:
        archive = ZipFile(file)
    except _DAMAGE:
        raise _wrong(name, "this is not a whole zip file; was it cut off?") from None
    sizes = _sizes(archive, name)
    manifest = _small(archive, MANIFEST, name)
    signature = _object(_small(archive, SIGNATURE, name), f"{name}/{SIGNATURE}")
    key = _check_signature(manifest, signature, name)
    said = _object(manifest, f"{name}/{MANIFEST}")
    if said.get("format") != FORMAT:
        raise _wrong(f"{name}/{MANIFEST}", f"this is no {FORMAT}")
    if said.get("version") != VERSION:
        what = f"the bundle is of version {said.get('version')!r}; this site reads version {VERSION}"
        raise _wrong(f"{name}/{MANIFEST}", what)
    entries = _entries(said, sizes, name)
    total = sum(sizes.values())
    if total > max_bytes:
        raise _wrong(name, f"it unpacks to {total:,} bytes, and at most {max_bytes:,} are read")
    for entry, written in entries.items():
        _check_sum(archive, entry, written, name, checked)
    rows = {entry: int(written["rows"]) for entry, written in entries.items()}
    return Bundle(name, archive, rows, key, said.get("texts") is True, said.get("pseudonyms") is True)


def _sizes(archive: ZipFile, name: str) -> dict[str, int]:
    sizes: dict[str, int] = {}
    for info in archive.infolist():
        entry = info.filename
        if entry not in (*ENTRIES, MANIFEST, SIGNATURE):
            raise _wrong(name, f"{quote(entry)} is no part of a bundle", "entry")
        if entry in sizes:
            raise _wrong(name, f"{entry} is there twice", "entry")
        if info.flag_bits & 1 or info.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
            raise _wrong(f"{name}/{entry}", "is encrypted, or packed in a way that is not read")
        sizes[entry] = info.file_size
    for entry in (*ENTRIES, MANIFEST, SIGNATURE):
        if entry not in sizes:
            raise _wrong(name, f"{entry} is missing", "entry")
    return sizes


def _small(archive: ZipFile, entry: str, name: str) -> bytes:
    try:
        with archive.open(entry) as stream:
            content = stream.read(SMALL + 1)
    except _DAMAGE:
        raise _wrong(f"{name}/{entry}", "is damaged") from None
    if len(content) > SMALL:
        raise _wrong(f"{name}/{entry}", f"is larger than {SMALL:,} bytes")
    return content


def _check_signature(manifest: bytes, signature: dict[str, Any], name: str) -> str:
    given = [signature.get(part) for part in ("public_key", "signature")]
    if signature.get("algorithm") != ALGORITHM or not all(isinstance(part, str) for part in given):
        raise _wrong(f"{name}/{SIGNATURE}", f"is no signature by {ALGORITHM}")
    key = str(given[0])
    if not is_signed(manifest, public_key=key, signature=str(given[1])):
        what = "the signature does not fit: the manifest is not the one that was signed"
        raise _wrong(f"{name}/{MANIFEST}", what)
    return key


def _entries(manifest: dict[str, Any], sizes: dict[str, int], name: str) -> dict[str, dict[str, Any]]:
    entries = manifest.get("entries")
    if not isinstance(entries, dict) or set(entries) != set(ENTRIES):
        raise _wrong(f"{name}/{MANIFEST}", "it does not list the bundle's entries")
    for entry, written in entries.items():
        if not isinstance(written, dict) or set(written) != {"sha256", "bytes", "rows"}:
            raise _wrong(f"{name}/{MANIFEST}", f"it does not say how {entry} was written")
        if written["bytes"] != sizes[entry]:
            raise _wrong(f"{name}/{entry}", f"has {sizes[entry]:,} bytes, and not those of the manifest")
    return entries


def _check_sum(archive: ZipFile, entry: str, written: dict[str, Any], name: str, checked: Checked) -> None:
    sha256 = hashlib.sha256()
    try:
        with archive.open(entry) as stream:
            while piece := stream.read(PIECE):
                sha256.update(piece)
                checked(len(piece))
    except _DAMAGE:
        raise _wrong(f"{name}/{entry}", "is damaged: it cannot be unpacked whole") from None
    if sha256.hexdigest() != written["sha256"]:
        raise _wrong(f"{name}/{entry}", "was changed: its checksum is not the one in the manifest")


def _object(content: bytes, name: str) -> dict[str, Any]:
    value = _json(content)
    if not isinstance(value, dict):
        raise _wrong(name, "is not a JSON object")
    return value


def _json(content: bytes) -> Any:
    """None where it is not JSON; NaN and Infinity are not."""
    try:
        return json.loads(content, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        return None


def _no_constant(name: str) -> NoReturn:
    raise ValueError(name)


def _wrong(file: str, detail: str, field: str = "") -> FormatError:
    return FormatError(file, [LineError(None, detail, field)])
