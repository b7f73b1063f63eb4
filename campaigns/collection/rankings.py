"""The runs' lists, packed: whether a document is ranked, each run's list in a topic, the order of docnos."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
from django.db import connection
from numpy.typing import NDArray

from campaigns.models import Document, Ranking
from campaigns.models.packed import unpack_ids
from selection.pool import Ids


def is_ranked(topic: int, document: int) -> bool:
    """Four aligned bytes are searched for in the packed lists; a hit at an odd offset is no hit, so each is
    looked at again."""
    needle = document.to_bytes(4, "little")
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT documents FROM campaigns_ranking WHERE topic_id = %s AND position(%s IN documents) > 0",
            [topic, needle],
        )
        return any(_aligned(bytes(row[0]), needle) for row in cursor)


def _aligned(packed: bytes, needle: bytes) -> bool:
    at = packed.find(needle)
    while at >= 0 and at % 4:
        at = packed.find(needle, at + 1)
    return at >= 0


def ranked_of(topic: int, documents: Collection[int]) -> set[int]:
    """Documents among these that any run ranks: the topic's lists are read once."""
    wanted = np.array(sorted(documents), dtype=np.int32)
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT string_agg(documents, ''::bytea) FROM campaigns_ranking WHERE topic_id = %s", [topic]
        )
        packed = cursor.fetchone()[0]
    return set(wanted[np.isin(wanted, unpack_ids(packed or b""))].tolist())


def rankings_of(topic: int, runs: Sequence[int]) -> list[Ids | None]:
    """Each run's list in the topic, None where it has none."""
    position = {run: index for index, run in enumerate(runs)}
    rankings: list[Ids | None] = [None] * len(runs)
    for run, packed in Ranking.objects.filter(topic_id=topic).values_list("run_id", "documents"):
        # A run uploaded after `runs` was read belongs to the next configuration.
        if run in position:
            rankings[position[run]] = unpack_ids(packed)
    return rankings


def all_documents(collection: int) -> Ids:
    rows = Document.objects.filter(collection_id=collection).order_by("id")
    return np.fromiter(rows.values_list("id", flat=True).iterator(chunk_size=50_000), dtype=np.int32)


def docno_order(documents: Ids) -> NDArray[np.int64]:
    """For each document id, its place when the docnos are sorted ascending by their bytes."""
    return _places(_by_docno("id = ANY(%s)", documents.tolist()), documents)


class DocnoOrder:
    """The same for one collection, whose docnos are sorted once and not for every pool."""

    # Of 12 bytes a document.
    MOST = 20_000_000

    def __init__(self, collection: int) -> None:
        self._collection = collection
        self._ids: Ids = np.zeros(0, dtype=np.int32)
        self._place: NDArray[np.int64] = np.zeros(0, dtype=np.int64)

    def __call__(self, documents: Ids) -> NDArray[np.int64]:
        if not self._knows(documents):
            # Not read yet, or documents have come since.
            rows = Document.objects.filter(collection_id=self._collection)
            if rows.count() > self.MOST:
                return docno_order(documents)
            by_docno = _by_docno("collection_id = %s", self._collection)
            self._place = np.argsort(by_docno, kind="stable")
            self._ids = by_docno[self._place]
        return np.asarray(self._place[np.searchsorted(self._ids, documents)], dtype=np.int64)

    @property
    def size(self) -> int:
        """Size in bytes at present."""
        return self._ids.nbytes + self._place.nbytes

    def _knows(self, documents: Ids) -> bool:
        at = np.searchsorted(self._ids, documents)
        return len(self._ids) > 0 and bool((self._ids[np.minimum(at, len(self._ids) - 1)] == documents).all())


def _by_docno(where: str, given: int | list[int]) -> Ids:
    with connection.cursor() as cursor:
        # `where` is one of two constants above.
        cursor.execute(f"SELECT array_agg(id ORDER BY docno) FROM campaigns_document WHERE {where}", [given])  # noqa: S608
        return np.array(cursor.fetchone()[0] or [], dtype=np.int32)


def _places(by_docno: Ids, documents: Ids) -> NDArray[np.int64]:
    by_id = np.argsort(by_docno, kind="stable")
    return np.asarray(by_id[np.searchsorted(by_docno[by_id], documents)], dtype=np.int64)
