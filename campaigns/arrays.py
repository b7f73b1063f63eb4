"""The only bridge between rows and the kernels' arrays."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from django.db import connection
from numpy.typing import NDArray

from campaigns.models import Campaign, Judgment, Ranking, Run, Topic
from selection.pool import TopicPool, build_topic_pool

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


@dataclass(frozen=True)
class CampaignArrays:
    """One configuration of a campaign: axis 0 of the kernels' results is `topics`, axis 1 is `runs`."""

    topics: tuple[int, ...]
    runs: tuple[int, ...]
    contributing: NDArray[np.bool_]
    pools: tuple[TopicPool, ...]


def load_campaign(campaign: Campaign) -> CampaignArrays:
    topics = tuple(Topic.objects.filter(campaign=campaign).order_by("position").values_list("id", flat=True))
    rows = list(Run.objects.filter(campaign=campaign).order_by("id").values_list("id", "contributes_to_pool"))
    runs = tuple(row[0] for row in rows)
    contributing = np.array([row[1] for row in rows], dtype=np.bool_)
    pools = tuple(
        build_topic_pool(rankings, campaign.p, contributing, sort_key=docno_order)
        for rankings in _rankings_by_topic(topics, runs)
    )
    return CampaignArrays(topics, runs, contributing, pools)


def _rankings_by_topic(topics: Sequence[int], runs: Sequence[int]) -> Iterator[list[Ids | None]]:
    """One topic at a time, so that only one topic's packed rows are in memory."""
    position = {run: index for index, run in enumerate(runs)}
    for topic in topics:
        rankings: list[Ids | None] = [None] * len(runs)
        for run, packed in Ranking.objects.filter(topic_id=topic).values_list("run_id", "documents"):
            # A run uploaded after `runs` was read belongs to the next configuration.
            if run in position:
                rankings[position[run]] = unpack_ids(packed)
        yield rankings


def docno_order(documents: NDArray[np.int32]) -> NDArray[np.int64]:
    """For each document id, its place when the docnos are sorted ascending by their bytes."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT array_agg(id ORDER BY docno) FROM campaigns_document WHERE id = ANY(%s)",
            [documents.tolist()],
        )
        ids = np.array(cursor.fetchone()[0] or [], dtype=np.int32)
    by_id = np.argsort(ids, kind="stable")
    places = by_id[np.searchsorted(ids[by_id], documents)]
    return places.astype(np.int64)


@dataclass(frozen=True)
class Act:
    """One row of the judgment log, as the fold needs it."""

    sequence: int
    topic: int
    document: int
    assessor: int
    grade: int | None
    undo: bool


def read_log(campaign: int, *, after: int) -> Iterator[Act]:
    """The acts after a sequence number, in order. Committed order is sequence order (see LogHead)."""
    rows = (
        Judgment.objects.filter(campaign_id=campaign, sequence__gt=after)
        .order_by("sequence")
        .values_list("sequence", "topic_id", "document_id", "assessor_id", "grade", "undo")
    )
    for row in rows.iterator(chunk_size=5000):
        yield Act(*row)
