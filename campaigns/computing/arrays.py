"""The only bridge between rows and the kernels' arrays."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from django.db.models import BooleanField, F, Func, IntegerField, Max, Q, Sum, Value
from django.db.models.expressions import RawSQL
from numpy.typing import NDArray

from campaigns.collection.rankings import all_documents, rankings_of
from campaigns.log.current import excluded
from campaigns.models import Campaign, Judgment, Ranking, Run
from campaigns.models.judgment import COPIED, SEARCHED
from campaigns.models.packed import DOCUMENT_IDS
from selection.pool import Ids, Pools, TopicPool, build_topic_pool


class OutdatedArrays(Exception):
    """The campaign's runs, topics or settings are no longer those that these arrays were made for."""


@dataclass(frozen=True)
class CampaignArrays:
    """One configuration of a campaign: axis 0 of the kernels' results is `topics`, axis 1 is `runs`.
    `withdrawn` runs are scored like the others and compared with none. `groups`: each run's team as a
    number; a run without a group is a team of its own."""

    topics: tuple[int, ...]
    runs: tuple[int, ...]
    contributing: NDArray[np.bool_]
    withdrawn: NDArray[np.bool_]
    groups: NDArray[np.int64]
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
    DocnoOrder for callers that ask for many pools."""
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
            raise OutdatedArrays
        return pool

    configuration = campaign.configuration
    pools = Pools(load, capacities, depth)
    return CampaignArrays(topics, runs, contributing, withdrawn, team_numbers(rows), pools)


def team_numbers(runs: Sequence[Run]) -> NDArray[np.int64]:
    teams: dict[str | int, int] = {}
    return np.array([teams.setdefault(run.group or run.id, len(teams)) for run in runs], dtype=np.int64)


def _sizes(campaign: Campaign) -> tuple[dict[int, int], int]:
    """Count the documents of each topic's rankings; also return the length of the longest ranking."""
    length = Func(F("documents"), function="octet_length", output_field=IntegerField())
    rows = Ranking.objects.filter(run__campaign=campaign).values("topic").order_by()
    counted = list(rows.annotate(total=Sum(length), longest=Max(length)))
    size = DOCUMENT_IDS.itemsize
    totals = {row["topic"]: row["total"] // size for row in counted}
    return totals, max((row["longest"] // size for row in counted), default=0)


def refuse_outdated(campaign: int, configuration: int) -> None:
    """Asked after the rows were read."""
    if Campaign.objects.values_list("configuration", flat=True).get(id=campaign) != configuration:
        raise OutdatedArrays


@dataclass(frozen=True)
class ActRow:
    """One row of the judgment log, as the fold needs it."""

    sequence: int
    topic: int
    document: int
    assessor: int
    grade: int | None
    undo: bool
    adjudication: bool
    # Its assessor is excluded there.
    excluded: bool = False
    # Whether its document was found by search, or it was copied: no method served it.
    searched: bool = False


def read_log(
    campaign: int, *, after: int, until: int | None = None, topic: int | None = None, exclusions: bool = False
) -> Iterator[ActRow]:
    """The acts after a sequence number, up to another if it is given, in order, of all topics or of one.
    Committed order is sequence order (see LogHead). `exclusions`: whether the campaign has any."""
    wanted = {} if topic is None else {"topic_id": topic}
    if until is not None:
        wanted["sequence__lte"] = until
    rows = Judgment.objects.filter(campaign_id=campaign, sequence__gt=after, **wanted).order_by("sequence")
    # Put together from constants only.
    left_out = RawSQL(excluded(), (), BooleanField()) if exclusions else Value(False)  # noqa: S611
    rows = rows.annotate(excluded=left_out, searched=Q(method__in=(SEARCHED, COPIED)))
    columns = rows.values_list(
        *("sequence", "topic_id", "document_id", "assessor_id", "grade", "undo", "adjudication"),
        *("excluded", "searched"),
    )
    for row in columns.iterator(chunk_size=5000):
        yield ActRow(*row)
