"""Topics whose pools contain an example of the guidelines, stored so that pages need not read rankings."""

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
    """Numbers of the topics, by example, where a contributing run ranks it and it is shown. None while more
    than `MOST_RANKINGS` have to be read: the worker reads them, unless `every` is true."""
    rows = list(examples)
    known = known_values(campaign, POOLS_TALLY) if rows else {}
    new = [row for row in rows if _key(row) not in known]
    if new and (every or not _are_many(campaign, new)):
        known = add_values(campaign, POOLS_TALLY, known, _count_pools(campaign, new))
    elif new:
        request_count(campaign.id)
    wanted = {topic for row in rows for topic in known.get(_key(row), ())}
    numbers = dict(campaign.topics.filter(id__in=wanted).order_by("position").values_list("id", "number"))
    by_example: dict[int, list[str] | None] = {}
    for row in rows:
        topics = set(known.get(_key(row), ()))
        its_numbers = [number for topic, number in numbers.items() if topic in topics]
        by_example[row.id] = its_numbers if _key(row) in known else None
    return by_example


def are_left_to_worker(*, campaign: Campaign) -> bool:
    """True if a page shows examples without their topics."""
    known = known_values(campaign, POOLS_TALLY)
    new = [row for row in campaign.guideline_examples.all() if _key(row) not in known]
    return bool(new) and _are_many(campaign, new)


def _key(row: GuidelineExample) -> str:
    return f"{row.topic_id or 'every'} {row.document_id}"


def _topics(rows: Sequence[GuidelineExample]) -> set[int] | None:
    """Ids of the examples' topics; None if one is shown in every topic."""
    return {row.topic_id for row in rows if row.topic_id} if all(row.topic_id for row in rows) else None


def _are_many(campaign: Campaign, rows: Sequence[GuidelineExample]) -> bool:
    topics = _topics(rows)
    many = campaign.topics.count() if topics is None else len(topics)
    return campaign.runs.count() * many > MOST_RANKINGS


def _count_pools(campaign: Campaign, rows: Sequence[GuidelineExample]) -> TallyCounts:
    runs, topics = campaign.runs.proposing().values_list("id", flat=True), _topics(rows)
    rankings = Ranking.objects.filter(run__in=list(runs))
    if topics is not None:
        rankings = rankings.filter(topic__in=topics)
    documents = np.unique([row.document_id for row in rows])
    topics_of: defaultdict[int, set[int]] = defaultdict(set)
    for topic, packed in rankings.values_list("topic_id", "documents").iterator():
        for document in documents[np.isin(documents, unpack_ids(packed))].tolist():
            topics_of[document].add(topic)
    return {
        _key(row): sorted(topic for topic in topics_of[row.document_id] if row.topic_id in (None, topic))
        for row in rows
    }
