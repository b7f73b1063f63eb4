"""Write a bundle: a zip made while it is sent, the same bytes for the same contents, and never in memory."""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Generator, Iterable, Iterator
from dataclasses import asdict, dataclass
from hashlib import sha256
from itertools import islice
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import numpy as np
from django.contrib.auth.models import User
from django.db.models import Count, DecimalField, ForeignKey, Model, QuerySet, Sum
from django.db.models.expressions import RawSQL

from campaigns.core.database import consistent_reads
from campaigns.exchange.bundles.column_rules import AnyField
from campaigns.exchange.bundles.signatures import own_key, signature_of
from campaigns.exchange.bundles.tables import (
    FORMAT,
    MANIFEST,
    PEOPLE_ENTRY,
    SETTINGS_ENTRY,
    SIGNATURE,
    TABLES,
    TEXTS_ENTRY,
    VERSION,
    ColumnContent,
    CountProgress,
    PackedFormat,
    Table,
    columns_of,
    rows_of,
    run_counts,
    to_json,
)
from campaigns.formats.tables import PieceBuffer
from campaigns.log.judgments import length_of
from campaigns.models import (
    Annotation,
    Campaign,
    Collection,
    Document,
    DocumentRevision,
    Judgment,
    Run,
    Topic,
    TrainingItem,
)
from campaigns.models.packed import unpack_ids


class NameTable:
    """From this database's ids to names. People are noted as they are met."""

    def __init__(self, campaign: Campaign, *, pseudonyms: bool) -> None:
        self._origin = campaign.collection.origin
        self._pseudonyms = pseudonyms
        self._names: dict[int, str] = {}
        self._of: dict[type[Model], dict[Any, Any]] = {
            Topic: dict(campaign.topics.values_list("id", "number")),
            Run: dict(campaign.runs.values_list("id", "tag")),
            TrainingItem: dict(campaign.training_items.values_list("id", "position")),
        }

    @property
    def people(self) -> list[str]:
        return sorted(self._names.values())

    def to_json(self, column: AnyField, value: Any) -> Any:
        if not isinstance(column, ForeignKey) or value is None:
            return to_json(column, value)
        kind = column.related_model
        if kind is Document:
            return self.number(value)
        if kind is Judgment:
            return str(value)
        return self._person(value) if kind is User else self._of[kind][value]

    def number(self, document: int) -> int:
        return document - self._origin

    def packed(self, value: bytes | memoryview, packing: PackedFormat) -> bytes:
        dtype, holds = packing
        if holds is ColumnContent.DOCUMENTS:
            return (unpack_ids(value).astype(np.int64) - self._origin).astype(dtype).tobytes()
        return bytes(value)

    def _person(self, user: int) -> str:
        if user not in self._names:
            known = User.objects.values_list("username", flat=True).get(id=user)
            self._names[user] = f"person-{len(self._names) + 1}" if self._pseudonyms else known
        return self._names[user]


# Rows that are only ever appended are recognised by their number. Documents come and go with a deed of every
# campaign that reads them; but where only docnos are known, another campaign's runs may bring some.
_BY_LENGTH = Judgment


def of_bundle(campaign: Campaign) -> tuple[Any, ...]:
    with consistent_reads():
        rows = [_rows(rows_of(table, campaign)) for table in TABLES if table.model is not _BY_LENGTH]
        collection = Collection.objects.filter(id=campaign.collection_id)
        return (
            *_of_code(),
            length_of(campaign=campaign),
            0 if campaign.collection.complete else campaign.collection.documents.count(),
            _rows(Campaign.objects.filter(id=campaign.id)),
            _rows(collection),
            *rows,
            _sum(User.objects.all(), "username"),
        )


def _of_code() -> tuple[Any, ...]:
    """The key, and how rows become bytes."""
    settings = tuple(columns_of(Campaign)), tuple(columns_of(Collection))
    columns = *settings, *((*table.columns, *table.counts) for table in TABLES)
    return own_key(), VERSION, zlib.ZLIB_RUNTIME_VERSION, columns


def _rows(rows: QuerySet[Any]) -> str:
    """Another whenever a row comes, goes or is written: Postgres notes which transaction wrote each."""
    return _sum(rows, "xmin")


def _sum(rows: QuerySet[Any], column: str) -> str:
    model: type[Model] = rows.model
    table, key = model._meta.db_table, model._meta.pk.column
    # Names of the model and of this file.
    mark = RawSQL(  # noqa: S611
        f"hashtextextended(concat({table}.{key}, ' ', {table}.{column}), 0)", [], DecimalField()
    )
    found = rows.order_by().aggregate(count=Count("pk"), sum=Sum(mark))
    return f"{found['count']} {found['sum']}"


ZIP_PIECE = 1 << 16
# The first that a zip can say, for every entry: when a bundle was made is no part of what it says.
NO_TIME = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True)
class EntrySummary:
    sha256: str
    bytes: int
    rows: int


class BundleZip:
    def __init__(self) -> None:
        self._out = PieceBuffer()
        self._zip = ZipFile(self._out, "w")  # type: ignore[call-overload]  # it can be written to, which is enough
        self.written: dict[str, EntrySummary] = {}

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
                yield from self._out.take(ZIP_PIECE)
        self.written[name] = EntrySummary(sha256.hexdigest(), size, rows)
        yield from self._out.take(1)

    def end(self) -> Iterator[bytes]:
        self._zip.close()
        yield from self._out.take(1)


WRITE_CHUNK = 500
# Rows after which progress is reported: some hold megabytes.
LINES_A_PIECE = 20


def write_bundle(
    campaign: Campaign,
    *,
    texts: bool = True,
    pseudonyms: bool = False,
    progress: CountProgress = lambda rows: None,
) -> Generator[bytes]:
    """The campaign as a zip, piece by piece, all as it was at one moment. Without `texts`, of each document
    only its docno and a checksum; with `pseudonyms`, no names of people. `progress` hears how many rows
    more are done."""
    own_key()
    return _pieces(campaign, texts, pseudonyms, progress)


def rows_in(campaign: Campaign) -> int:
    """Approximate number of rows in a bundle of the campaign."""
    counted = sum(rows_of(table, campaign).count() for table in TABLES)
    return counted + campaign.collection.documents.count()


def _pieces(campaign: Campaign, texts: bool, pseudonyms: bool, progress: CountProgress) -> Generator[bytes]:
    zipping = BundleZip()
    with consistent_reads():
        campaign = Campaign.objects.select_related("collection").get(id=campaign.id)
        names = NameTable(campaign, pseudonyms=pseudonyms)
        yield from zipping.add(SETTINGS_ENTRY, [_line(_settings(campaign))])
        yield from zipping.add(TEXTS_ENTRY, _counted(_documents(campaign, names, texts), progress))
        for table in TABLES:
            rows = iter(()) if pseudonyms and table.names_people else _table(table, campaign, names)
            if table.model is Annotation and not texts:
                rows = map(_without_words, rows)
            if table.model is DocumentRevision:
                rows = (_earlier_text(line, texts) for line in rows)
            yield from zipping.add(table.entry, _counted(rows, progress))
    yield from zipping.add(PEOPLE_ENTRY, [_line({"name": name}) for name in names.people])
    manifest = {
        "format": FORMAT,
        "version": VERSION,
        "texts": texts,
        "pseudonyms": pseudonyms,
        "entries": {name: asdict(written) for name, written in zipping.written.items()},
    }
    signed = json.dumps(manifest, indent=1, sort_keys=True).encode() + b"\n"
    yield from zipping.add(MANIFEST, [signed])
    yield from zipping.add(SIGNATURE, [_line(signature_of(signed))])
    yield from zipping.end()


def _counted(lines: Iterator[bytes], progress: CountProgress) -> Iterator[bytes]:
    while some := list(islice(lines, LINES_A_PIECE)):
        yield from some
        progress(len(some))


def _settings(campaign: Campaign) -> dict[str, Any]:
    def fields(row: Campaign | Collection, left_out: str = "") -> dict[str, Any]:
        columns = columns_of(type(row)).items()
        return {name: to_json(c, getattr(row, name)) for name, c in columns if name not in left_out.split()}

    # Owner, origin, search index and reading are matters of the site on which a collection lies.
    own = "owner origin indexed_until compared_until texts_until unread_until column_choices"
    return {"campaign": fields(campaign), "collection": fields(campaign.collection, own)}


def _documents(campaign: Campaign, names: NameTable, texts: bool) -> Iterator[bytes]:
    rows = Document.objects.filter(collection=campaign.collection_id).order_by("id")
    columns = ("id", "docno", "metadata", "revision", "title", "body", "content_type")
    for id, docno, metadata, revision, *words in rows.values_list(*columns).iterator(WRITE_CHUNK):
        row = {"number": names.number(id), "docno": docno}
        if revision > 1:
            row["revision"] = revision
        if texts:
            row |= dict(zip(("title", "body", "content_type"), words, strict=True))
            # Without fields a line is what older versions wrote and read.
            row |= {"metadata": metadata} if metadata else {}
        else:
            row["sha256"] = sha256(_line(words)).hexdigest()
        yield _line(row)


def _table(table: Table, campaign: Campaign, names: NameTable) -> Iterator[bytes]:
    columns = table.columns
    counts = run_counts(campaign) if table.model is Run else {}
    attributes = [column.attname for column in columns.values()]
    rows = rows_of(table, campaign).order_by(*table.order).values_list(*attributes)
    for values in rows.iterator(chunk_size=20 if table.packed else WRITE_CHUNK):
        row = {}
        for (name, column), value in zip(columns.items(), values, strict=True):
            packing = table.packed.get(name)
            row[name] = names.to_json(column, names.packed(value, packing) if packing else value)
        if table.counts:
            row |= counts.get(row["tag"], dict.fromkeys(table.counts, 0))
        yield _line(row)


def _without_words(line: bytes) -> bytes:
    """A line of the annotations in which the words of marked passages, parts of a text, are left out."""
    row = json.loads(line)
    row["passages"] = [{**passage, "text": ""} for passage in row["passages"]]
    return _line(row)


def _earlier_text(line: bytes, texts: bool) -> bytes:
    """A line of a replaced text: safe HTML is made where it is shown, and without texts its checksum
    remains."""
    without = {} if texts else {"title": "", "body": "", "metadata": {}}
    return _line(json.loads(line) | without | {"html": None})


def _line(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode() + b"\n"
