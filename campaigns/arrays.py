"""The only bridge between rows and the kernels' arrays."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from django.db import connection
from django.db.models import F, Func, IntegerField, Max, Sum
from numpy.typing import NDArray

from campaigns.models import Campaign, Document, Judgment, Ranking, Run
from selection.pool import TopicPool, build_topic_pool
from selection.pools import Pools

Ids = NDArray[np.int32]

DOCUMENT_IDS = np.dtype("<i4")
RUN_IDS = np.dtype("<i8")
SCORES = np.dtype("<f4")
WEIGHTS = np.dtype("<f8")


def pack(values: Iterable[float] | NDArray[np.generic], dtype: np.dtype[np.generic]) -> bytes:
    array = values if isinstance(values, np.ndarray) else np.array(list(values))
    return np.ascontiguousarray(array, dtype=dtype).tobytes()


def unpack_ids(packed: bytes | memoryview) -> Ids:
    return np.frombuffer(packed, dtype=DOCUMENT_IDS).astype(np.int32, copy=False)


def unpack_runs(packed: bytes | memoryview) -> NDArray[np.int64]:
    return np.frombuffer(packed, dtype=RUN_IDS).astype(np.int64, copy=False)


def unpack_weights(packed: bytes | memoryview) -> NDArray[np.float64]:
    return np.frombuffer(packed, dtype=WEIGHTS).astype(np.float64, copy=False)


class Outdated(Exception):
    """The campaign's runs, topics or settings are no longer those that these arrays were made for."""


@dataclass(frozen=True)
class CampaignArrays:
    """One configuration of a campaign: axis 0 of the kernels' results is `topics`, axis 1 is `runs`.
    `withdrawn` runs are scored like the others and compared with none."""

    topics: tuple[int, ...]
    runs: tuple[int, ...]
    contributing: NDArray[np.bool_]
    withdrawn: NDArray[np.bool_]
    pools: Pools

    @property
    def taking_part(self) -> tuple[int, ...]:
        """Indices of the runs that were not withdrawn."""
        return tuple(np.flatnonzero(~self.withdrawn).tolist())


def load_campaign(
    campaign: Campaign,
    *,
    topics: tuple[int, ...],
    whole_collection: Collection[int] = (),
    sort_key: Callable[[Ids], NDArray[np.int64]],
) -> CampaignArrays:
    """The pools are read when they are asked for. In the topics `whole_collection` they hold every
    document of the collection, not only those that runs rank. `sort_key` is `docno_order`, or a
    DocnoOrder for whoever asks for many pools."""
    rows = list(Run.objects.filter(campaign=campaign).order_by("id"))
    runs = tuple(run.id for run in rows)
    contributing = np.array([run.proposes for run in rows], dtype=np.bool_)
    withdrawn = np.array([run.withdrawn_at is not None for run in rows], dtype=np.bool_)
    everything = campaign.collection.documents.count() if whole_collection else 0
    ranked, depth = _sizes(campaign)
    capacities = [ranked.get(topic, 0) + everything * (topic in whole_collection) for topic in topics]

    def load(index: int) -> TopicPool:
        topic = topics[index]
        rankings = rankings_of(topic, runs)
        refuse_outdated(campaign.id, configuration)
        unranked = all_documents(campaign.collection_id) if topic in whole_collection else None
        pool = build_topic_pool(rankings, campaign.p, contributing, sort_key=sort_key, unranked=unranked)
        if len(pool) > capacities[index]:
            raise Outdated
        return pool

    configuration = campaign.configuration
    return CampaignArrays(topics, runs, contributing, withdrawn, Pools(load, capacities, depth))


def _sizes(campaign: Campaign) -> tuple[dict[int, int], int]:
    """How many documents the rankings of each topic hold together, and the longest of all rankings."""
    length = Func(F("documents"), function="octet_length", output_field=IntegerField())
    rows = Ranking.objects.filter(run__campaign=campaign).values("topic").order_by()
    counted = list(rows.annotate(total=Sum(length), longest=Max(length)))
    size = DOCUMENT_IDS.itemsize
    totals = {row["topic"]: row["total"] // size for row in counted}
    return totals, max((row["longest"] // size for row in counted), default=0)


def refuse_outdated(campaign: int, configuration: int) -> None:
    """Asked after the rows were read."""
    if Campaign.objects.values_list("configuration", flat=True).get(id=campaign) != configuration:
        raise Outdated


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


@dataclass(frozen=True)
class Act:
    """One row of the judgment log, as the fold needs it."""

    sequence: int
    topic: int
    document: int
    assessor: int
    grade: int | None
    undo: bool
    adjudication: bool


def read_log(
    campaign: int, *, after: int, until: int | None = None, topic: int | None = None
) -> Iterator[Act]:
    """The acts after a sequence number, up to another if it is given, in order, of all topics or of one.
    Committed order is sequence order (see LogHead)."""
    wanted = {} if topic is None else {"topic_id": topic}
    if until is not None:
        wanted["sequence__lte"] = until
    rows = (
        Judgment.objects.filter(campaign_id=campaign, sequence__gt=after, **wanted)
        .order_by("sequence")
        .values_list("sequence", "topic_id", "document_id", "assessor_id", "grade", "undo", "adjudication")
    )
    for row in rows.iterator(chunk_size=5000):
        yield Act(*row)
