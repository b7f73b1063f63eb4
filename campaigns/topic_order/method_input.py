"""A campaign's runs and judgments as what the methods that choose topics take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from django.db import connection

from campaigns.computing.arrays import refuse_outdated
from campaigns.computing.live import LiveCampaign
from campaigns.models import Campaign, Run
from campaigns.models.packed import DOCUMENT_IDS, unpack_ids, unpack_scores
from campaigns.topic_order.order_content import Note
from evaluation.arrays import FloatArray
from selection.topics.lists import POOL_DEPTH, TopicLists, cut_lists
from selection.topics.measures import DELTA, PUBLISHED, is_uncertain_measure
from selection.topics.methods import TOPIC_METHODS, topic_method_entry
from selection.topics.performance import TopicSetting

# Beside the campaign's primary one; for methods that use several.
FURTHER_MEASURES = ("AP", "P@10")
# Entries of lists in memory, about 30 bytes each; large campaigns are cut at a smaller depth.
MOST_ENTRIES = 5_000_000
LEAST_DEPTH = 10
MOST_NAMED = 5

_LISTS = """
SELECT run_id, substring(documents FROM 1 FOR %(depth)s * 4),
    substring(scores FROM 1 FOR %(depth)s * (octet_length(scores) / (octet_length(documents) / 4)))
FROM campaigns_ranking WHERE topic_id = %(topic)s AND octet_length(documents) > 0
"""


@dataclass(frozen=True, eq=False)
class OrderSetting:
    """setting : the campaign's topics by their places, of the runs that take part
    judged : by place, what is known of the documents; unanswered : places of topics that no run answers
    notes : what the order suffers from"""

    setting: TopicSetting
    judged: Mapping[int, FloatArray]
    unanswered: frozenset[int]
    depth: int
    notes: tuple[Note, ...]


def measures_of(campaign: Campaign) -> tuple[str, ...]:
    """The primary measure, or RBP at p where the primary one has no known variance; then further ones for
    methods that use several."""
    first = campaign.measure if is_uncertain_measure(campaign.measure) else campaign.rbp
    several = topic_method_entry(campaign.topic_method).several if campaign.topic_method != "hand" else False
    return tuple(dict.fromkeys((first, *(FURTHER_MEASURES if several else ()))))


def named_options(method: str, options: Mapping[str, object]) -> dict[str, object]:
    """With the variance of AP named where the method reads AP, so that a bundle orders topics the same way
    whatever the default is later."""
    if method in TOPIC_METHODS and TOPIC_METHODS[method].several:
        return {"variance": PUBLISHED, **options}
    return dict(options)


def options_of(campaign: Campaign) -> dict[str, object]:
    """Options of the campaign's method. Orders without a named variance come from versions that knew only the
    delta method."""
    named = named_options(campaign.topic_method, campaign.topic_options)
    return named | ({"variance": DELTA} if named.keys() > campaign.topic_options.keys() else {})


def depth_of(runs: int, topics: int) -> int:
    """Depth to which each list counts."""
    return max(LEAST_DEPTH, min(POOL_DEPTH, MOST_ENTRIES // max(runs * topics, 1)))


def order_setting(campaign: Campaign, live: LiveCampaign) -> OrderSetting:
    """Reads the lists of the runs that take part, which are at least three; OutdatedArrays if they have
    changed since the copy was made."""
    runs = [live.arrays.runs[place] for place in live.arrays.taking_part]
    depth = depth_of(len(runs), len(live.arrays.topics))
    relevance, lists, judged = live.relevance(), list[TopicLists](), dict[int, FloatArray]()
    low, high = np.full(len(runs), np.inf), np.full(len(runs), -np.inf)
    for place, topic in enumerate(live.arrays.topics):
        documents, topic_lists = _topic_lists(topic, runs, depth)
        lists.append(topic_lists)
        for run, scores in enumerate(topic_lists.scores):
            if scores is not None and len(scores):
                low[run], high[run] = min(low[run], scores.min()), max(high[run], scores.max())
        if known := relevance.get(topic):
            judged[place] = np.array(
                [known.get(document, np.nan) for document in documents], dtype=np.float64
            )
    refuse_outdated(live.campaign_id, live.configuration)
    measures = measures_of(campaign)
    setting = TopicSetting(lists, live.plan.numbers, measures, live.seed)
    unanswered = frozenset(place for place, one in enumerate(lists) if not one.documents)
    equal = [run for run, flat in zip(runs, low >= high, strict=True) if flat]
    notes = [
        *(
            []
            if measures[0] == campaign.measure
            else [_named("other_measure", [measures[0], campaign.measure])]
        ),
        *_judgment_notes(judged),
        *([_named("equal_scores", _tags(equal))] if equal else []),
        *(
            [_named("unanswered", [setting.numbers[place] for place in sorted(unanswered)])]
            if unanswered
            else []
        ),
    ]
    return OrderSetting(setting, judged, unanswered, depth, tuple(notes))


def _topic_lists(topic: int, runs: Sequence[int], depth: int) -> tuple[list[int], TopicLists]:
    """The documents' ids, and the lists by their places."""
    at = {run: place for place, run in enumerate(runs)}
    rankings: list[np.ndarray | None] = [None] * len(runs)
    scores: list[np.ndarray | None] = [None] * len(runs)
    with connection.cursor() as cursor:
        cursor.execute(_LISTS, {"depth": depth, "topic": topic})
        for run, ids, packed in cursor:
            if run in at:
                rankings[at[run]] = unpack_ids(ids)
                # A score that is no number teaches nothing.
                values = unpack_scores(packed, len(ids) // DOCUMENT_IDS.itemsize)
                scores[at[run]] = np.nan_to_num(values, posinf=0.0, neginf=0.0)
    documents, lists = cut_lists(rankings, scores, depth)
    return documents.tolist(), lists


def _judgment_notes(judged: Mapping[int, FloatArray]) -> list[Note]:
    known = np.concatenate([np.zeros(0), *judged.values()])
    known = known[~np.isnan(known)]
    if not len(known):
        return [Note("nothing_judged")]
    if not known.any():
        return [Note("no_relevant", count=len(known))]
    if known.all():
        return [Note("all_relevant", count=len(known))]
    return []


def _named(code: str, names: Sequence[str]) -> Note:
    return Note(code, tuple(names[:MOST_NAMED]), len(names))


def _tags(runs: Sequence[int]) -> list[str]:
    return list(Run.objects.filter(id__in=runs).order_by("id").values_list("tag", flat=True))
