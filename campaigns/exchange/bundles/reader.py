"""Read a bundle: its rows, once signature and checksums agree, and from its names to this database's rows."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Set
from dataclasses import dataclass
from typing import IO, Any, NoReturn
from uuid import UUID, uuid5
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

import numpy as np
from django.contrib.auth.models import User
from django.db.models import ForeignKey, Model
from numpy.typing import NDArray

from campaigns.exchange.bundles.column_rules import AnyField
from campaigns.exchange.bundles.signatures import ALGORITHM, is_signed
from campaigns.exchange.bundles.tables import (
    ADDED_ENTRIES,
    ENTRIES,
    FORMAT,
    MANIFEST,
    SETTINGS_ENTRY,
    SIGNATURE,
    VERSION,
    ColumnContent,
    PackedFormat,
    Table,
    columns_of,
    from_json,
)
from campaigns.formats.archives import DIRECTORY_BYTES, ZIP_DAMAGE, BoundedReads
from campaigns.formats.errors import FormatError, LineError, quote
from campaigns.formats.reading.json_objects import what_is_too_much, without_doubled_names
from campaigns.models import Campaign, Collection, Document, Judgment, Run, Topic, TrainingItem
from campaigns.models.packed import SCORES, scores_precision

BUNDLE_PIECE = 1 << 20
SMALL_ENTRY = 1 << 20
# A document: 32 MiB as base64, or 8 MiB of text, each of whose bytes may be written as several.
LONGEST_LINE = 48 << 20
# Values of a column that are checked only once.
MOST_KNOWN, LONGEST_KNOWN = 10_000, 100
CheckProgress = Callable[[int], object]


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
        return (row for row, _ in self.sized_lines(entry))

    def sized_lines(self, entry: str) -> Iterator[tuple[dict[str, Any], int]]:
        """The entry's rows, each with its bytes in the file."""
        number = 0
        if entry not in self.rows:
            return
        with self.archive.open(entry) as stream:
            while line := stream.readline(LONGEST_LINE):
                number += 1
                if not line.endswith(b"\n"):
                    self.refuse(entry, "the line is too long, or was cut off", line=number)
                if reason := what_is_too_much(line):
                    self.refuse(entry, reason, line=number)
                row = _json(line)
                if not isinstance(row, dict):
                    self.refuse(entry, "is not a JSON object", line=number)
                yield row, len(line)
        if number != self.rows[entry]:
            self.refuse(entry, f"holds {number:,} rows, and not the {self.rows[entry]:,} of the manifest")

    def refuse(self, entry: str, detail: str, *, line: int | None = None, field: str = "") -> NoReturn:
        raise FormatError(f"{self.name}/{entry}", [LineError(line, detail, field)])


def open_bundle(
    file: IO[bytes], name: str, *, max_bytes: int, checked: CheckProgress = lambda size: None
) -> Bundle:
    """Check the whole file; `checked` hears of every byte. FormatError naming the entry that is wrong."""
    pieces = BoundedReads(file)
    try:
        archive = ZipFile(pieces)
    except ZIP_DAMAGE:
        if pieces.too_long:
            raise _wrong(name, f"its list of entries is longer than {DIRECTORY_BYTES:,} bytes") from None
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
        if entry not in sizes and entry not in ADDED_ENTRIES:
            raise _wrong(name, f"{entry} is missing", "entry")
    return sizes


def _small(archive: ZipFile, entry: str, name: str) -> bytes:
    try:
        with archive.open(entry) as stream:
            content = stream.read(SMALL_ENTRY + 1)
    except ZIP_DAMAGE:
        raise _wrong(f"{name}/{entry}", "is damaged") from None
    if len(content) > SMALL_ENTRY:
        raise _wrong(f"{name}/{entry}", f"is larger than {SMALL_ENTRY:,} bytes")
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
    if not isinstance(entries, dict) or set(entries) != set(sizes) - {MANIFEST, SIGNATURE}:
        raise _wrong(f"{name}/{MANIFEST}", "it does not list the bundle's entries")
    for entry, written in entries.items():
        if not isinstance(written, dict) or set(written) != {"sha256", "bytes", "rows"}:
            raise _wrong(f"{name}/{MANIFEST}", f"it does not say how {entry} was written")
        if type(written["rows"]) is not int or not 0 <= written["rows"] <= sizes[entry]:
            raise _wrong(f"{name}/{MANIFEST}", f"it does not say how many rows {entry} has")
        if written["bytes"] != sizes[entry]:
            raise _wrong(f"{name}/{entry}", f"has {sizes[entry]:,} bytes, and not those of the manifest")
    return entries


def _check_sum(
    archive: ZipFile, entry: str, written: dict[str, Any], name: str, checked: CheckProgress
) -> None:
    sha256 = hashlib.sha256()
    try:
        with archive.open(entry) as stream:
            while piece := stream.read(BUNDLE_PIECE):
                sha256.update(piece)
                checked(len(piece))
    except ZIP_DAMAGE:
        raise _wrong(f"{name}/{entry}", "is damaged: it cannot be unpacked whole") from None
    if sha256.hexdigest() != written["sha256"]:
        raise _wrong(f"{name}/{entry}", "was changed: its checksum is not the one in the manifest")


def _object(content: bytes, name: str) -> dict[str, Any]:
    value = _json(content)
    if not isinstance(value, dict):
        raise _wrong(name, "is not a JSON object")
    return value


def _json(content: bytes) -> Any:
    """None where it is not JSON; NaN, Infinity and a name twice in one object are not."""
    try:
        return json.loads(content, parse_constant=_no_constant, object_pairs_hook=without_doubled_names)
    except (ValueError, RecursionError):
        return None


def _no_constant(name: str) -> NoReturn:
    raise ValueError(name)


def _wrong(file: str, detail: str, field: str = "") -> FormatError:
    return FormatError(file, [LineError(None, detail, field)])


class NameResolver:
    """Resolver of references to stored rows, by name. `shift` leads from a document's number to its id; with
    `fresh` every act gets another id, since those of the bundle are in use here."""

    def __init__(
        self, people: Mapping[str, int], numbers: NDArray[np.int64], shift: int, fresh: UUID | None
    ) -> None:
        self.numbers, self.shift, self.fresh = numbers, shift, fresh
        self.revisions: dict[int, int] = {}
        self._of: dict[type[Model], Mapping[Any, int]] = {User: people}
        self._checked: defaultdict[tuple[str, str], dict[tuple[type, Any], Any]] = defaultdict(dict)

    def learn(self, table: Table, owner: int) -> None:
        """Take note of the rows that others name, once they are stored."""
        rows = table.model._default_manager.filter(**{table.owner: owner})
        if table.model is Topic:
            self._of[Topic] = dict(rows.values_list("number", "id"))
            self.revisions = dict(rows.values_list("id", "revision"))
        elif table.model is Run:
            self._of[Run] = dict(rows.values_list("tag", "id"))
        elif table.model is TrainingItem:
            self._of[TrainingItem] = dict(rows.values_list("position", "id"))

    def row(self, table: Table, given: Mapping[str, Any]) -> dict[str, Any]:
        """The row as the table has it; ValueError, which names the column, if it is none."""
        columns = table.columns
        for name in given:
            if name not in columns and name not in table.counts:
                raise ValueError(f"{name}: there is no such column")
        row, lengths = {}, set[int]()
        for name, column in columns.items():
            if name not in given and not column.has_default():
                raise ValueError(f"{name} is missing")
            try:
                if name in given:
                    value = self._value(table.name, column, given[name])
                else:
                    absent = table.absent.get(name, column.get_default())
                    value = self._value(table.name, column, absent)
                if name in table.packed and value is not None:
                    value, length = self._packed(value, table.packed[name], lengths)
                    lengths.add(length)
            except ValueError as error:
                raise ValueError(f"{name}: {error}") from None
            row[column.attname] = value
        if len(lengths) > 1:
            raise ValueError("its lists are not equally long")
        return row

    def _value(self, table: str, column: AnyField, value: Any) -> Any:
        if value is None and column.null:
            return None
        if column.get_internal_type() == "UUIDField" and column.primary_key:
            return self.act(from_json(column, value))
        if not isinstance(column, ForeignKey):
            return self._plain(table, column, value)
        if column.related_model is Document:
            return self._document(value)
        if column.related_model is Judgment:
            return self.act(from_json(Judgment._meta.pk, value))
        known = self._of.get(column.related_model, {})
        if isinstance(value, bool | float | list | dict) or value not in known:
            raise ValueError(f"the bundle has no {column.related_model._meta.verbose_name} {value!r}")
        return known[value]

    def _plain(self, table: str, column: AnyField, value: Any) -> Any:
        """`from_json`. Columns of millions of rows hold few values: each is checked once."""
        if not isinstance(value, str | int) or (isinstance(value, str) and len(value) > LONGEST_KNOWN):
            return from_json(column, value)
        known, key = self._checked[table, column.name], (type(value), value)
        if key in known:
            return known[key]
        checked = from_json(column, value)
        if len(known) < MOST_KNOWN:
            known[key] = checked
        return checked

    def act(self, id: UUID) -> UUID:
        return id if self.fresh is None else uuid5(self.fresh, id.hex)

    def _document(self, number: Any) -> int:
        if type(number) is not int or not self._has(np.array([number], dtype=object)):
            raise ValueError(f"the bundle has no document {number!r}")
        return number + self.shift

    def _has(self, numbers: NDArray[Any]) -> bool:
        if not len(numbers):
            return True
        if not len(self.numbers) or numbers.min() < self.numbers[0] or numbers.max() > self.numbers[-1]:
            return False
        wanted = numbers.astype(np.int64)
        return bool((self.numbers[np.searchsorted(self.numbers, wanted)] == wanted).all())

    def _packed(self, value: bytes, packing: PackedFormat, lengths: Set[int]) -> tuple[bytes, int]:
        """The array as this site has it, and its length. `lengths`: of the row's arrays before it."""
        dtype, holds = packing
        if holds is ColumnContent.SCORES:
            dtype = SCORES[scores_precision(len(value), sum(lengths))]
        if len(value) % dtype.itemsize:
            raise ValueError("is cut off in the middle of a number")
        found = np.frombuffer(value, dtype=dtype)
        if holds is ColumnContent.DOCUMENTS:
            if not self._has(found.astype(np.int64)):
                raise ValueError("names a document that the bundle does not hold")
            if len(np.unique(found)) < len(found):
                raise ValueError("names a document twice")
            value = (found.astype(np.int64) + self.shift).astype(dtype).tobytes()
        elif dtype.kind == "f" and not np.isfinite(found).all():
            raise ValueError("holds a number that is not finite")
        return value, len(found)


SETTINGS_MODELS = {"campaign": Campaign, "collection": Collection}


def read_settings(bundle: Bundle) -> dict[str, dict[str, Any]]:
    """The values of both rows, each as its column takes it; those that are not given stay as by default."""
    rows = list(bundle.lines(SETTINGS_ENTRY))
    if len(rows) != 1 or set(rows[0]) != set(SETTINGS_MODELS):
        bundle.refuse(SETTINGS_ENTRY, "it is one object, of a campaign and its collection")
    return {part: _values(bundle, part, _tidied(part, rows[0][part])) for part in SETTINGS_MODELS}


def _tidied(part: str, given: Any) -> Any:
    """Earlier versions took names without a letter or digit, and addresses with blanks around them."""
    if not isinstance(given, dict):
        return given
    name, address = given.get("name"), given.get("url_template")
    if isinstance(name, str) and name.strip() and not any(map(str.isalnum, name)):
        given = given | {"name": f"{part.capitalize()} {name.strip()}"}
    return given | {"url_template": address.strip()} if isinstance(address, str) else given


def _values(bundle: Bundle, part: str, given: Any) -> dict[str, Any]:
    columns = columns_of(SETTINGS_MODELS[part])
    if not isinstance(given, dict):
        bundle.refuse(SETTINGS_ENTRY, f"{part} is no JSON object", field=part)
    values = {}
    for name, value in given.items():
        if name not in columns:
            bundle.refuse(SETTINGS_ENTRY, f"{part} has no setting {name}", field=name)
        try:
            values[name] = from_json(columns[name], value)
        except ValueError as error:
            bundle.refuse(SETTINGS_ENTRY, f"{part}.{name}: {error}", field=name)
    for name, column in columns.items():
        if name not in given and not column.has_default() and not column.null and name not in ("owner",):
            bundle.refuse(SETTINGS_ENTRY, f"{part}.{name} is missing", field=name)
    return values
