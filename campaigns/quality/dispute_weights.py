"""Weights, in the runs, of documents on which people disagree, and how they are stored."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from math import ceil, log

import numpy as np
from django.db import connection
from numpy.typing import NDArray

from campaigns.core.jobs import request_count
from campaigns.log.tallies import TallyCounts, add_values, known_values
from campaigns.models import Campaign
from campaigns.models.packed import DOCUMENT_IDS, unpack_ids

# Ranks that carry all but so much of a list's weight are read, and no more than so many of them.
NEGLIGIBLE, DEEPEST_RANK = 1e-6, 1000

# A document of a topic, by their ids.
DocumentPlace = tuple[int, int]

WEIGHTS_TALLY, WEIGHT_UNIT = "weights", 10**9
# A page weighs documents of topics with no more rankings than this; the worker weighs the others.
MOST_RANKINGS = 10_000


def dispute_weights(
    *, campaign: Campaign, places: Iterable[DocumentPlace], every: bool = False
) -> dict[DocumentPlace, int]:
    """Stored weights of documents in the runs; those not weighed yet are missing where they are many, unless
    `every` is asked for."""
    known = known_values(campaign, WEIGHTS_TALLY)
    new = _new_places(known, places)
    if new and (every or not _are_many(campaign, new)):
        rows = _weights(campaign, _runs_of(campaign), new)
        more = {f"{t} {d}": [round(float(row.sum()) * WEIGHT_UNIT), 0] for (t, d), row in rows}
        known = add_values(campaign, WEIGHTS_TALLY, known, more)
    elif new:
        request_count(campaign.id)
    pairs = ((key.split(), weight) for key, (weight, _) in known.items())
    return {(int(topic), int(document)): weight for (topic, document), weight in pairs}


def are_left_to_worker(*, campaign: Campaign, places: Iterable[DocumentPlace]) -> bool:
    """True if some are not weighed yet, and too many for a page."""
    new = _new_places(known_values(campaign, WEIGHTS_TALLY), places)
    return bool(new) and _are_many(campaign, new)


def _new_places(known: TallyCounts, places: Iterable[DocumentPlace]) -> list[DocumentPlace]:
    return [(topic, document) for topic, document in places if f"{topic} {document}" not in known]


def _are_many(campaign: Campaign, places: Iterable[DocumentPlace]) -> bool:
    return len({topic for topic, _ in places}) * campaign.runs.count() > MOST_RANKINGS


# One row a topic: thousands of rankings cost more to hand over one by one than to look through.
_HEADS = """
SELECT topic_id, array_agg(run_id ORDER BY run_id), array_agg(length(head) / %s ORDER BY run_id),
  string_agg(head, ''::bytea ORDER BY run_id)
FROM (SELECT topic_id, run_id, substr(documents, 1, %s) AS head
      FROM campaigns_ranking WHERE run_id = ANY(%s) AND topic_id = ANY(%s)) heads
GROUP BY topic_id
"""


def weights_in_runs(
    *, campaign: Campaign, places: Collection[DocumentPlace]
) -> tuple[list[int], dict[DocumentPlace, NDArray[np.float64]]]:
    """The runs that take part, and what each document weighs in each of them: (1 - p) p^(rank - 1)."""
    runs = _runs_of(campaign)
    return runs, dict(_weights(campaign, runs, places))


def _runs_of(campaign: Campaign) -> list[int]:
    return list(campaign.runs.filter(withdrawn_at=None).order_by("id").values_list("id", flat=True))


def _weights(
    campaign: Campaign, order: list[int], places: Iterable[DocumentPlace]
) -> Iterator[tuple[DocumentPlace, NDArray[np.float64]]]:
    """Each document and what it weighs in the runs. Only the weights of one topic are in memory."""
    runs = {run: at for at, run in enumerate(order)}
    wanted: defaultdict[int, list[int]] = defaultdict(list)
    for topic, document in places:
        wanted[topic].append(document)
    depth = min(DEEPEST_RANK, ceil(log(NEGLIGIBLE) / log(campaign.p)))
    with connection.cursor() as cursor:
        size = DOCUMENT_IDS.itemsize
        cursor.execute(_HEADS, [size, size * depth, order, list(wanted)])
        for topic, ranking, lengths, packed in cursor:
            documents = np.sort(wanted.pop(topic))
            own = _weights_of(documents, unpack_ids(packed), np.array(lengths), campaign.p)
            rows = np.zeros((len(documents), len(runs)))
            rows[:, [runs[run] for run in ranking]] = own
            yield from (
                ((topic, document), row) for document, row in zip(documents.tolist(), rows, strict=True)
            )
    # What no run ranks weighs nothing.
    yield from (((topic, document), np.zeros(len(runs))) for topic in wanted for document in wanted[topic])


def _weights_of(
    documents: NDArray[np.int64], ids: NDArray[np.int32], lengths: NDArray[np.int64], p: float
) -> NDArray[np.float64]:
    """(documents, lists): what each document, ascending, weighs in each of the lists, which lie behind one
    another in `ids`."""
    at = np.minimum(np.searchsorted(documents, ids), len(documents) - 1)
    there = np.flatnonzero(documents[at] == ids)
    ends = np.cumsum(lengths)
    of_list = np.searchsorted(ends, there, side="right")
    ranks = there - (ends - lengths)[of_list]
    weights = np.zeros((len(documents), len(lengths)))
    weights[at[there], of_list] = (1 - p) * p**ranks
    return weights
