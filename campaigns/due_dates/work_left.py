"""Work left to each assessor up to the minimum of their topics, and the pace needed for a due date."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import connection

from campaigns.judging.overlap_and_repeats import waiting_for_each
from campaigns.log.current import OF_CAMPAIGN, latest_repeats
from campaigns.log.tallies import judged_by_each
from campaigns.models import Campaign
from campaigns.models.campaign import Status, TopicChoice
from campaigns.models.topics import Release

# A topic is a person's if it is assigned to them, if they have judged or set aside some of it, or have a
# document of it open. On their own pages, answers to repeat checks count as well. `judged`: stored counts of
# everything that they did.
_LEFT = f"""
WITH judged AS (
  SELECT * FROM unnest(%(topics)s::bigint[], %(people)s::int[], %(begun)s::int[], %(done)s::int[])
    AS judged (topic_id, assessor_id, begun, done)),
{latest_repeats(OF_CAMPAIGN, columns="undo")},
repeated AS (SELECT topic_id, assessor_id, count(*) AS done FROM again WHERE NOT undo GROUP BY 1, 2),
pairs AS (
  SELECT topic_id, assessor_id FROM judged WHERE begun > 0
  UNION SELECT a.topic_id, a.assessor_id FROM campaigns_topicassignment a
    JOIN campaigns_topic t ON t.id = a.topic_id WHERE t.campaign_id = %(campaign)s
  UNION SELECT k.topic_id, k.assessor_id FROM campaigns_claim k
    JOIN campaigns_topic t ON t.id = k.topic_id WHERE t.campaign_id = %(campaign)s
    AND k.expires_at > now() AND NOT k.reserved
  UNION SELECT s.topic_id, s.assessor_id FROM campaigns_postponement s
    JOIN campaigns_topic t ON t.id = s.topic_id WHERE t.campaign_id = %(campaign)s)
SELECT p.assessor_id, p.topic_id, coalesce(judged.done, 0) + coalesce(repeated.done, 0),
  EXISTS (SELECT FROM campaigns_topicassignment a
          WHERE a.topic_id = p.topic_id AND a.assessor_id = p.assessor_id),
  EXISTS (SELECT FROM campaigns_claim k WHERE k.topic_id = p.topic_id
          AND k.assessor_id = p.assessor_id AND k.expires_at > now() AND NOT k.reserved),
  EXISTS (SELECT FROM campaigns_postponement s
          WHERE s.topic_id = p.topic_id AND s.assessor_id = p.assessor_id),
  t.release = '{Release.RELEASED}', q.remaining,
  least(%(minimum)s, q.pool_size)
FROM pairs p JOIN campaigns_topic t ON t.id = p.topic_id
JOIN campaigns_membership m ON m.campaign_id = t.campaign_id AND m.user_id = p.assessor_id
LEFT JOIN judged ON judged.topic_id = p.topic_id AND judged.assessor_id = p.assessor_id
LEFT JOIN repeated ON repeated.topic_id = p.topic_id AND repeated.assessor_id = p.assessor_id
LEFT JOIN campaigns_priority q ON q.topic_id = p.topic_id
WHERE t.closed_at IS NULL AND coalesce(judged.begun, 0) < %(minimum)s AND NOT EXISTS (
  SELECT FROM campaigns_topiccompletion e WHERE e.topic_id = t.id AND e.assessor_id = p.assessor_id)
"""  # noqa: S608


@dataclass(frozen=True)
class WorkLeft:
    """Judgments to the minimum, in so many topics."""

    judgments: int = 0
    topics: int = 0


@dataclass(frozen=True)
class _OwnTopic:
    judged: int
    assigned: bool
    open: bool
    postponed: bool
    released: bool
    # Unjudged documents of the pool; None until the worker has counted them.
    remaining: int | None
    # The campaign's, or the pool where that is smaller.
    minimum: int


def work_left(*, campaign: Campaign) -> dict[int, WorkLeft]:
    """Work left by member id; members with nothing left are missing. The same figures as on the members' own
    pages (`campaigns.topic_offers.offers`), for all of them at once."""
    counts = judged_by_each(campaign=campaign)
    values: dict[str, Any] = {
        "campaign": campaign.id,
        "minimum": campaign.min_judgments,
        "topics": [topic for topic, _ in counts],
        "people": [person for _, person in counts],
        "begun": [judged for judged, _ in counts.values()],
        "done": [judged + decided for judged, decided in counts.values()],
    }
    with connection.cursor() as cursor:
        cursor.execute(_LEFT, values)
        rows = cursor.fetchall()
    owed = waiting_for_each(campaign=campaign, pairs=[(topic, person) for person, topic, *_ in rows])
    lefts: defaultdict[int, list[int]] = defaultdict(list)
    for (person, _, *columns), waiting in zip(rows, owed, strict=True):
        own = _OwnTopic(*columns)
        if _is_left(campaign, own, waiting):
            lefts[person].append(own.minimum - own.judged)
    return {person: WorkLeft(sum(each), len(each)) for person, each in lefts.items()}


def _is_left(campaign: Campaign, own: _OwnTopic, waiting: int) -> bool:
    if own.judged >= own.minimum:
        return False
    more = own.remaining != 0 or waiting > 0
    if own.judged or own.open or own.postponed:
        theirs = own.assigned or campaign.topic_choice == TopicChoice.FREE
        return theirs and (more or own.open or own.postponed)
    return own.assigned and own.released and more


@dataclass(frozen=True)
class DueWork:
    """Work of one person left before the due date. `per_day`: judgments a day to be done in time; None on the
    last day and after it."""

    at: datetime
    over: bool
    left: int
    per_day: int | None


def due_work(*, campaign: Campaign, left: int, now: datetime) -> DueWork | None:
    """None where there is no due date, or none that matters any more."""
    due = campaign.due_at
    if due is None or campaign.status == Status.CLOSED or campaign.archived_at is not None:
        return None
    # Spans of 24 hours, the begun one counted.
    days = math.ceil((due - now) / timedelta(days=1))
    return DueWork(due, due <= now, left, math.ceil(left / days) if left and days > 1 else None)
