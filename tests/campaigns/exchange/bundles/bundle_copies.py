"""Bundles in memory, and what of two campaigns has to be the same."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

from campaigns.computing.tasks import recompute
from campaigns.exchange.bundles.importer import import_bundle
from campaigns.exchange.bundles.reader import Bundle, open_bundle
from campaigns.exchange.bundles.signatures import signature_of
from campaigns.exchange.bundles.tables import MANIFEST, SIGNATURE
from campaigns.exchange.bundles.writer import write_bundle
from campaigns.models import Campaign, Computed, Document, Interval, Priority, Sample
from campaigns.models.packed import unpack_ids

MOST = 1 << 30


def packed(campaign: Campaign, **options: Any) -> bytes:
    return b"".join(write_bundle(campaign, **options))


def opened(content: bytes, name: str = "copy.zip") -> Bundle:
    return open_bundle(io.BytesIO(content), name, max_bytes=MOST)


def copied(content: bytes, slug: str = "copy", **options: Any) -> Campaign:
    return import_bundle(bundle=opened(content), slug=slug, **{"trusted": True, **options})


def contents(content: bytes) -> dict[str, bytes]:
    with ZipFile(io.BytesIO(content)) as archive:
        return {info.filename: archive.read(info) for info in archive.infolist()}


def zipped(entries: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with ZipFile(out, "w", ZIP_DEFLATED) as archive:
        for name, entry in entries.items():
            archive.writestr(name, entry)
    return out.getvalue()


def forged(content: bytes, entry: str, change: Callable[[bytes], bytes]) -> bytes:
    """With one entry changed by a person who knows a key: every checksum and the signature fit."""
    import hashlib

    entries = contents(content)
    entries[entry] = changed = change(entries[entry])
    manifest = json.loads(entries[MANIFEST])
    said = {
        "sha256": hashlib.sha256(changed).hexdigest(),
        "bytes": len(changed),
        "rows": changed.count(b"\n"),
    }
    if entry != MANIFEST:
        manifest["entries"][entry] = said
        entries[MANIFEST] = json.dumps(manifest).encode()
    entries[SIGNATURE] = json.dumps(signature_of(entries[MANIFEST])).encode()
    return zipped(entries)


def computed(campaign: Campaign) -> dict[str, Any]:
    """Everything that the worker makes of the campaign's rows, to the last bit, by names instead of ids.
    Up to where each row was written does not count: an act that moves nothing writes nothing."""
    recompute(campaign.id)
    tags = dict(campaign.runs.values_list("id", "tag"))
    docnos = dict(Document.objects.filter(collection=campaign.collection_id).values_list("id", "docno"))
    intervals = Interval.objects.filter(run__campaign=campaign)
    means = Computed.objects.get(campaign=campaign)
    queues = Priority.objects.filter(topic__campaign=campaign).order_by("topic__position")
    samples = Sample.objects.filter(topic__campaign=campaign).order_by("topic__position")
    return {
        "intervals": {
            (tags[run], number): (base.hex(), residual.hex())
            for run, number, base, residual in intervals.values_list(
                "run", "topic__number", "base", "residual"
            )
        },
        "means": (
            means.applied,
            means.configuration,
            means.judged,
            means.relevant,
            bytes(means.bases),
            bytes(means.residuals),
            bytes(means.projections),
        ),
        "queues": [
            (
                [docnos[document] for document in unpack_ids(row.documents).tolist()],
                bytes(row.weights),
                bytes(row.inclusion or b""),
                row.sources,
                row.method,
                row.remaining,
                row.pool_size,
                row.best_weight.hex(),
                row.configuration,
            )
            for row in queues
        ],
        "samples": [
            (
                [docnos[document] for document in unpack_ids(row.documents).tolist()],
                bytes(row.inclusion),
                bytes(row.buckets),
                bytes(row.masses),
                row.size,
                row.seed,
                row.created,
            )
            for row in samples
        ],
    }
