"""Duplicates are found by the worker after an import, a batch of documents at a time.

Each document is compared with the representatives before it, never with their duplicates: so no chain of
alike texts joins two that are not.
"""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

from django.db import connection, transaction
from django.db.models import F, Min, Q, QuerySet

from campaigns.collection.search_index import unheld
from campaigns.collection.shown_text import shown_html
from campaigns.duplicates.fingerprints import (
    LEAST_SIMILARITY,
    Fingerprint,
    bands_of,
    fingerprint_of,
    jaccard,
)
from campaigns.duplicates.judgment_copies import propagate_in_collection
from campaigns.models import Collection, Document, TextSignature
from selection.cache import LruCache

# Ids of a batch, and the seconds after which other tasks get their turn.
BATCH_IDS, SECONDS_A_TURN = 250, 5.0
# Representatives that share a band, and of all that share one with a text, those that it is compared with.
# Thousands of pages of one template would otherwise each be compared with all others.
MOST_IN_BAND = 20
# Shingles in memory, of 8 bytes.
MOST_SHINGLES = 4_000_000

_TEXT = ("id", "title", "body", "html", "content_type")
_ALIKE = "SELECT document_id, bands FROM campaigns_textsignature WHERE bands && %s"


class _Place(NamedTuple):
    """The place of texts of one hash: their representative, and how they compare with it."""

    representative: int
    same: bool
    similarity: float


def due_collections() -> list[int]:
    due = Collection.objects.filter(compared_until__lt=F("texts_until"))
    return list(due.values_list("id", flat=True))


def compare_for_a_while(*, collection: int) -> bool:
    """Compare documents until all are done or the turn is over. True if documents are left."""
    end = time.monotonic() + SECONDS_A_TURN
    while _compare_batch(collection):
        if time.monotonic() >= end:
            return True
    return False


def _compare_batch(collection: int) -> bool:
    """Compare one batch; true if there may be more. Does nothing where an import holds the collection, and
    drops the batch if one changed it meanwhile, as the search index does."""
    with transaction.atomic():
        seen = unheld(collection, "compared_until")
    if seen is None:
        return False
    with transaction.atomic():
        until = _compare_ids(seen)
        held = unheld(collection, "compared_until")
        if held is None or held.version != seen.version:
            transaction.set_rollback(True)
            return held is not None
        held.compared_until = until
        held.save(update_fields=["compared_until"])
        if until == seen.texts_until:
            propagate_in_collection(collection)
    return bool(until < seen.texts_until)


def _compare_ids(held: Collection) -> int:
    """Store what is new of the next ids. Returns the id up to which all is done."""
    until = min(held.compared_until + BATCH_IDS, held.texts_until)
    rows = Document.objects.filter(collection=held, id__gt=held.compared_until, id__lte=until)
    again = _forget_outdated(rows)
    unknown = rows.filter(signature=None).exclude(title="", body="").order_by("id")
    fingerprints = _Fingerprints()
    signatures = []
    for revision, *text in unknown.values_list("revision", *_TEXT).iterator(20):
        id, fingerprint = text[0], _fingerprint(*text)
        fingerprints.add(id, fingerprint)
        if fingerprint.text_hash is not None:
            bands = bands_of(fingerprint.shingles, collection=held.id)
            row = TextSignature(
                document_id=id, revision=revision, text_hash=fingerprint.text_hash, bands=bands
            )
            signatures.append(row)
    _place(held, signatures, fingerprints)
    TextSignature.objects.bulk_create(signatures)
    return until if again is None else min(until, again - 1)


def _forget_outdated(rows: QuerySet[Document]) -> int | None:
    """Delete the signatures of texts that changed, and those of their duplicates, which need another place.
    Returns the first of the latter."""
    changed = ~Q(signature__revision=F("revision")) | Q(title="", body="")
    gone = list(rows.filter(changed, signature__isnull=False).values_list("id", flat=True))
    if not gone:
        return None
    orphans = TextSignature.objects.filter(representative__in=gone)
    first: int | None = orphans.aggregate(first=Min("document"))["first"]
    orphans.delete()
    TextSignature.objects.filter(document__in=gone).delete()
    return first


class _Fingerprints:
    """Fingerprints of documents by their ids: as many as there is room for, the others are made again."""

    def __init__(self) -> None:
        self._added: Fingerprint | None = None
        self._cache: LruCache[int, Fingerprint] = LruCache(
            lambda id: self._added or _stored(id), lambda _, of: 100 + len(of.shingles), MOST_SHINGLES
        )

    def add(self, id: int, fingerprint: Fingerprint) -> None:
        self._added = fingerprint
        self._cache[id]
        self._added = None

    def __getitem__(self, id: int) -> Fingerprint:
        return self._cache[id]


def _stored(document: int) -> Fingerprint:
    return _fingerprint(*Document.objects.values_list(*_TEXT).get(id=document))


def _fingerprint(id: int, title: str, body: str, html: str | None, content_type: str) -> Fingerprint:
    html = shown_html(id, body, content_type, stored=html)
    return fingerprint_of(title=title, body=body, html=html, content_type=content_type)


def _place(held: Collection, signatures: Sequence[TextSignature], fingerprints: _Fingerprints) -> None:
    """Give each signature, in the order of ids, its representative, or make it one."""
    places = _known_places(held, {row.text_hash for row in signatures})
    alike = _representatives_by_band({band for row in signatures for band in row.bands})
    for row in signatures:
        known = places.get(row.text_hash) or _nearest(row, alike, fingerprints)
        if known is None:
            row.bands = [band for band in row.bands if len(alike[band]) < MOST_IN_BAND]
            for band in row.bands:
                alike[band].append(row.document_id)
            places[row.text_hash] = _Place(row.document_id, same=True, similarity=1.0)
            continue
        row.bands = []
        row.representative_id, row.same, row.similarity = known
        places.setdefault(row.text_hash, known)


def _known_places(held: Collection, hashes: set[UUID]) -> dict[UUID, _Place]:
    rows = TextSignature.objects.filter(document__collection=held, text_hash__in=hashes).order_by("document")
    places: dict[UUID, _Place] = {}
    for row in rows.defer("bands"):
        place = _Place(row.document_id, same=True, similarity=1.0)
        if row.representative_id is not None:
            place = _Place(row.representative_id, row.same, row.similarity or 0.0)
        places.setdefault(row.text_hash, place)
    return places


def _representatives_by_band(bands: set[int]) -> defaultdict[int, list[int]]:
    alike: defaultdict[int, list[int]] = defaultdict(list)
    with connection.cursor() as cursor:
        # Read as a sequence, the table would be compared row by row with thousands of bands.
        cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute(_ALIKE, [list(bands)])
        for document, shared in cursor:
            for band in bands.intersection(shared):
                alike[band].append(document)
        cursor.execute("SET LOCAL enable_seqscan = on")
    return alike


def _nearest(
    row: TextSignature, alike: defaultdict[int, list[int]], fingerprints: _Fingerprints
) -> _Place | None:
    """The representative that is most alike, of several the first."""
    shared = Counter(document for band in row.bands for document in alike[band])
    candidates = sorted(shared, key=lambda document: (-shared[document], document))[:MOST_IN_BAND]
    own = fingerprints[row.document_id].shingles
    measured = [(jaccard(own, fingerprints[each].shingles), -each) for each in candidates]
    similarity, negative = max(measured, default=(0.0, 0))
    return _Place(-negative, same=False, similarity=similarity) if similarity >= LEAST_SIMILARITY else None
