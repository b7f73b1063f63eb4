"""The topics in which assessors may be asked to judge the guidelines' examples, as they are stored."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

import numpy as np

from campaigns.core.jobs import request_count
from campaigns.log.tallies import TallyCounts, add_values, known_values
from campaigns.models import Campaign, GuidelineExample, Ranking
from campaigns.models.packed import unpack_ids

POOLS_TALLY = "pools"
# A page reads no more rankings than this; the worker reads more.
MOST_RANKINGS = 10_000


def pooled_in(
    *, campaign: Campaign, examples: Iterable[GuidelineExample], every: bool = False
) -> dict[int, list[str] | None]:
    """Topics, by example, in which it may be served for judging: a contributing run ranks it there, and the
    example is shown there. None until the worker has read many rankings, unless `every` is asked for."""
    rows = list(examples)
    known = known_values(campaign, POOLS_TALLY) if rows else {}
    new = [row for row in rows if _key(row) not in known]
    if new and (every or not _are_many(campaign, new)):
        known = add_values(campaign, POOLS_TALLY, known, _found(campaign, new))
    elif new:
        request_count(campaign.id)
    wanted = {topic for row in rows for topic in known.get(_key(row), ())}
    numbers = dict(campaign.topics.filter(id__in=wanted).order_by("position").values_list("id", "number"))
    found: dict[int, list[str] | None] = {}
    for row in rows:
        topics = set(known.get(_key(row), ()))
        names = [number for topic, number in numbers.items() if topic in topics]
        found[row.id] = names if _key(row) in known else None
    return found


def are_left_to_worker(*, campaign: Campaign) -> bool:
    """True if a page shows examples without their topics."""
    known = known_values(campaign, POOLS_TALLY)
    new = [row for row in campaign.guideline_examples.all() if _key(row) not in known]
    return bool(new) and _are_many(campaign, new)


def _key(row: GuidelineExample) -> str:
    return f"{row.topic_id or 'every'} {row.document_id}"


def _topics(rows: Sequence[GuidelineExample]) -> set[int] | None:
    """None: all."""
    return {row.topic_id for row in rows if row.topic_id} if all(row.topic_id for row in rows) else None


def _are_many(campaign: Campaign, rows: Sequence[GuidelineExample]) -> bool:
    topics = _topics(rows)
    many = campaign.topics.count() if topics is None else len(topics)
    return campaign.runs.count() * many > MOST_RANKINGS


def _found(campaign: Campaign, rows: Sequence[GuidelineExample]) -> TallyCounts:
    runs, topics = campaign.runs.proposing().values_list("id", flat=True), _topics(rows)
    rankings = Ranking.objects.filter(run__in=list(runs))
    if topics is not None:
        rankings = rankings.filter(topic__in=topics)
    documents = np.unique([row.document_id for row in rows])
    found: defaultdict[int, set[int]] = defaultdict(set)
    for topic, packed in rankings.values_list("topic_id", "documents").iterator():
        for document in documents[np.isin(documents, unpack_ids(packed))].tolist():
            found[document].add(topic)
    return {
        _key(row): sorted(topic for topic in found[row.document_id] if row.topic_id in (None, topic))
        for row in rows
    }
