"""Versions of answers: a few values on which an answer depends; as long as they stay, so does the answer.

They are read before the answer is made, so the answer may be newer than they are, and never older.
"""

from __future__ import annotations

from typing import Any

from django.db import connection
from django.db.models import Count, Max

from campaigns.log.judgments import length_of
from campaigns.models import (
    Advice,
    Annotation,
    Campaign,
    Computed,
    Measured,
    Prediction,
    Priority,
    Sample,
    Topic,
    TopicDraw,
)

Version = tuple[Any, ...]


def of_log(campaign: Campaign) -> Version:
    """Version of everything that only judgments, topics, runs and settings decide."""
    length = length_of(campaign=campaign)
    return length, campaign.configuration


def of_annotations(campaign: Campaign) -> Version:
    """Version of notes and marked passages, which change without a judgment."""
    rows = Annotation.objects.filter(topic__campaign=campaign)
    return *of_log(campaign), *rows.aggregate(count=Count("pk"), last=Max("created")).values()


def of_draws(campaign: Campaign) -> Version:
    """Version of the draws of topics, which change without a judgment."""
    rows = TopicDraw.objects.filter(campaign=campaign)
    return tuple(rows.aggregate(count=Count("pk"), taken=Count("taken_at")).values())


# Whose a run is, is said without anything being computed again; which runs came late is known from the first
# judgment on.
_INTERVALS = """
SELECT c.applied, c.configuration, c.updated, h.length > 0, (
  SELECT md5(string_agg(concat_ws(' ', id, contributes_to_pool, withdrawn_at, "group"), E'\\n' ORDER BY id))
  FROM campaigns_run r WHERE r.campaign_id = h.campaign_id)
FROM campaigns_loghead h LEFT JOIN campaigns_computed c ON c.campaign_id = h.campaign_id
WHERE h.campaign_id = %s
"""


def of_score_ranges(campaign: Campaign) -> Version:
    with connection.cursor() as cursor:
        cursor.execute(_INTERVALS, [campaign.id])
        return *cursor.fetchone(), campaign.configuration


def of_prels(campaign: Campaign) -> Version:
    """The worker draws a topic's sample when it first needs it."""
    samples = Sample.objects.filter(topic__campaign=campaign)
    return *of_log(campaign), *samples.aggregate(count=Count("pk"), last=Max("created")).values()


def of_advice(campaign: Campaign) -> Version:
    rows = Advice.objects.filter(campaign=campaign)
    return rows.values_list("as_of", "configuration", "updated").first(), *of_prediction(campaign)


def of_prediction(campaign: Campaign) -> Version:
    """Pages and API show it as long as the configuration is its own."""
    rows = Prediction.objects.filter(campaign=campaign)
    return rows.values_list("as_of", "configuration", "updated").first(), campaign.configuration


def of_measured(campaign: Campaign) -> Version:
    """The scores by the campaign's measures; the configuration alone decides why there are none."""
    rows = Measured.objects.filter(campaign=campaign)
    return rows.values_list("as_of", "configuration", "updated").first(), campaign.configuration


def of_priorities(campaign: Campaign, topic: Topic) -> Version:
    queue = Priority.objects.filter(topic=topic)
    computed = Computed.objects.filter(campaign=campaign)
    return (
        queue.values_list("as_of", "configuration", "remaining").first(),
        computed.values_list("applied", "configuration", "updated").first(),
        *of_prels(campaign),
    )
