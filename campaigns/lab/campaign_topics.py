"""A campaign's runs and judgments as the data of studies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from django.db import connection
from django.utils.translation import gettext

from campaigns.core.errors import Refusal
from campaigns.formats.errors import LAB_LINES
from campaigns.formats.topics import in_topic_order
from campaigns.lab.known_topics import NamedTopic, named_topic
from campaigns.log.current import grades_of
from campaigns.models import Campaign, Document
from campaigns.models.packed import unpack_ids, unpack_scores
from evaluation.measures.ordering import Scores
from selection.pool import Ids

_ENTRIES = """
SELECT coalesce(sum(octet_length(documents)), 0) / 4 FROM campaigns_ranking
WHERE run_id = ANY(%(runs)s) AND topic_id = ANY(%(topics)s)
"""
_LISTS = """
SELECT run_id, documents, scores FROM campaigns_ranking WHERE topic_id = %(topic)s AND run_id = ANY(%(runs)s)
"""


def topics_of_campaign(campaign: Campaign, runs: Sequence[int]) -> Iterator[NamedTopic]:
    """The judged topics that one of these runs answers, in the order of their numbers as files have it. Each
    document has the gain that the campaign's policy gives it."""
    grades = grades_of(campaign=campaign)
    topics = {number: id for id, number in campaign.topics.values_list("id", "number") if grades.get(id)}
    with connection.cursor() as cursor:
        cursor.execute(_ENTRIES, {"runs": list(runs), "topics": list(topics.values())})
        entries = int(cursor.fetchone()[0])
    if entries > LAB_LINES:
        words = gettext("the runs have %(count)s lines in judged topics; the Lab takes %(most)s")
        raise Refusal("too_large", words % {"count": f"{entries:,}", "most": f"{LAB_LINES:,}"}, status=409)
    for number in in_topic_order(topics):
        gains = {document: campaign.gain_of(grade) for document, grade in grades[topics[number]].items()}
        topic = _topic(topics[number], number, runs, gains)
        if any(ranking is not None for ranking in topic.known.rankings):
            yield topic


def _topic(topic: int, number: str, runs: Sequence[int], gains: Mapping[int, float | None]) -> NamedTopic:
    place = {run: at for at, run in enumerate(runs)}
    lists: list[Ids | None] = [None] * len(runs)
    scores: list[Scores | None] = [None] * len(runs)
    with connection.cursor() as cursor:
        cursor.execute(_LISTS, {"topic": topic, "runs": list(runs)})
        for run, documents, packed in cursor:
            ranking = unpack_ids(documents)
            lists[place[run]], scores[place[run]] = ranking, unpack_scores(packed, len(ranking))
    ranked = np.unique(np.concatenate([np.zeros(0, np.int32), *(one for one in lists if one is not None)]))
    pool = set(ranked.tolist())
    rows = Document.objects.filter(id__in=[*{*pool, *gains}]).order_by("docno")
    names = dict(rows.values_list("id", "docno"))
    pooled = [id for id in names if id in pool]
    ids = {id: at for at, id in enumerate(pooled)}
    rankings = [
        None if one is None else np.fromiter(map(ids.__getitem__, one.tolist()), np.int32, len(one))
        for one in lists
    ]
    # A grade that left the scale since is judged, and worth nothing.
    known = {names[document]: gain or 0.0 for document, gain in gains.items()}
    return named_topic(number, [names[id] for id in pooled], rankings, scores, known)
