from __future__ import annotations

import json
from collections.abc import Callable, Generator, Iterator
from dataclasses import asdict
from hashlib import sha256
from itertools import islice
from typing import Any

from campaigns.core.database import consistent_reads
from campaigns.exchange.bundles.bundles_tables import (
    MANIFEST,
    PEOPLE,
    SETTINGS,
    SIGNATURE,
    TABLES,
    TEXTS,
    Table,
    columns_of,
    rows_of,
)
from campaigns.exchange.bundles.naming import Names
from campaigns.exchange.bundles.signing import own_key, signature_of
from campaigns.exchange.bundles.tables import FORMAT, VERSION
from campaigns.exchange.bundles.values import to_json
from campaigns.exchange.bundles.zipping import Zipping
from campaigns.models import Campaign, Collection, Document

CHUNK = 500
# Rows after which progress is told: some hold megabytes.
AT_ONCE = 20

Progress = Callable[[int], object]


def write_bundle(
    campaign: Campaign,
    *,
    texts: bool = True,
    pseudonyms: bool = False,
    progress: Progress = lambda rows: None,
) -> Generator[bytes]:
    """The campaign as a zip, piece by piece, all as it was at one moment. Without `texts`, of each document
    only its docno and a checksum; with `pseudonyms`, nobody's name. `progress` hears how many rows
    more are done."""
    own_key()
    return _pieces(campaign, texts, pseudonyms, progress)


def rows_in(campaign: Campaign) -> int:
    """How many rows a bundle of it holds, about."""
    counted = sum(rows_of(table, campaign).count() for table in TABLES)
    return counted + campaign.collection.documents.count()


def _pieces(campaign: Campaign, texts: bool, pseudonyms: bool, progress: Progress) -> Generator[bytes]:
    zipping = Zipping()
    with consistent_reads():
        campaign = Campaign.objects.select_related("collection").get(id=campaign.id)
        names = Names(campaign, pseudonyms=pseudonyms)
        yield from zipping.add(SETTINGS, [_line(_settings(campaign))])
        yield from zipping.add(TEXTS, _told(_documents(campaign, names, texts), progress))
        for table in TABLES:
            rows = iter(()) if pseudonyms and table.names_people else _table(table, campaign, names)
            yield from zipping.add(table.entry, _told(rows, progress))
    yield from zipping.add(PEOPLE, [_line({"name": name}) for name in names.people])
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


def _told(lines: Iterator[bytes], progress: Progress) -> Iterator[bytes]:
    while some := list(islice(lines, AT_ONCE)):
        yield from some
        progress(len(some))


def _settings(campaign: Campaign) -> dict[str, Any]:
    def fields(row: Campaign | Collection, left_out: str = "") -> dict[str, Any]:
        columns = columns_of(type(row)).items()
        return {name: to_json(c, getattr(row, name)) for name, c in columns if name not in left_out.split()}

    # A collection's owner and origin are matters of the site on which it lies.
    return {"campaign": fields(campaign), "collection": fields(campaign.collection, "owner origin")}


def _documents(campaign: Campaign, names: Names, texts: bool) -> Iterator[bytes]:
    rows = Document.objects.filter(collection=campaign.collection_id).order_by("id")
    for id, docno, *words in rows.values_list("id", "docno", "title", "body", "content_type").iterator(CHUNK):
        row = {"number": names.number(id), "docno": docno}
        if texts:
            row |= dict(zip(("title", "body", "content_type"), words, strict=True))
        else:
            row["sha256"] = sha256(_line(words)).hexdigest()
        yield _line(row)


def _table(table: Table, campaign: Campaign, names: Names) -> Iterator[bytes]:
    columns = table.columns
    attributes = [column.attname for column in columns.values()]
    rows = rows_of(table, campaign).order_by(*table.order).values_list(*attributes)
    for values in rows.iterator(chunk_size=20 if table.packed else CHUNK):
        row = {}
        for (name, column), value in zip(columns.items(), values, strict=True):
            packing = table.packed.get(name)
            row[name] = names.to_json(column, names.packed(value, packing) if packing else value)
        yield _line(row)


def _line(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode() + b"\n"
