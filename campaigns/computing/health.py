"""Health of the background services, for pages that must not fail in silence."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

import redis
from django.conf import settings
from django.db import connection
from django.utils import timezone

from campaigns.core import broker
from campaigns.core.measured import where_measured
from campaigns.log.judgments import acts_of, length_of
from campaigns.models import Campaign, Claim, Computed, Heartbeat

# Serving figures cover so many of the latest acts: a count over the whole log would cost more as it grows.
LATEST_ACTS = 1000


@dataclass(frozen=True)
class CampaignHealth:
    campaign: str
    worker: str
    worker_heard: float | None
    broker: str
    database: str
    head: int
    applied: int
    stalled: bool
    serving: ServingFigures
    judging_now: int


def status_of(*, campaign: Campaign) -> CampaignHealth:
    heard = worker_silence()
    return CampaignHealth(
        campaign=campaign.status,
        worker="up" if heard is not None and heard < settings.WORKER_SILENCE_SECONDS else "down",
        worker_heard=heard,
        broker="up" if broker_answers() else "down",
        # It has just answered the queries of this request.
        database="up",
        head=length_of(campaign=campaign),
        applied=Computed.objects.filter(campaign=campaign).values_list("applied", flat=True).first() or 0,
        stalled=stalled_by(campaign=campaign) > 0,
        serving=serving_figures(campaign),
        judging_now=_judging_now(campaign),
    )


# The acts that nothing computed reflects, if the first of them and all that was computed are so old.
_STALLED = """
SELECT head.length - coalesce(computed.applied, 0)
FROM campaigns_loghead head
LEFT JOIN campaigns_computed computed ON computed.campaign_id = head.campaign_id
JOIN campaigns_judgment waiting
  ON waiting.campaign_id = head.campaign_id AND waiting.sequence = coalesce(computed.applied, 0) + 1
WHERE head.campaign_id = %(campaign)s AND waiting.created < %(patient)s
  AND coalesce(computed.updated < %(patient)s, true)
  AND EXISTS (SELECT FROM campaigns_run run WHERE run.campaign_id = head.campaign_id)
"""


def stalled_by(*, campaign: Campaign) -> int:
    """Acts of the log that no figure reflects, once the worker has computed nothing for
    `WORKER_SILENCE_SECONDS` though they wait: it may be gone, stopped, or busy with something else, while its
    heartbeat goes on. 0 while it keeps up."""
    if campaign.archived_at is not None:
        return 0
    patient = timezone.now() - timedelta(seconds=settings.WORKER_SILENCE_SECONDS)
    with connection.cursor() as cursor:
        cursor.execute(_STALLED, {"campaign": campaign.id, "patient": patient})
        row = cursor.fetchone()
    return row[0] if row else 0


def worker_silence() -> float | None:
    """Seconds since a worker last ran a task, None if none ever did."""
    at = Heartbeat.objects.filter(name="worker").values_list("at", flat=True).first()
    return None if at is None else max((timezone.now() - at).total_seconds(), 0.0)


def broker_answers() -> bool:
    try:
        return bool(broker.broker().ping())
    except redis.RedisError:
        return False


@dataclass(frozen=True)
class ServingFigures:
    """Figures of the latest documents that were served to be judged first, and were judged.

    Median and 95th percentile of how many judgments the queue lacked; and the mean of how much lighter the
    document was than the best free one, as a share of the latter's weight. Both are measured only while the
    worker keeps up, which is when they are small: None unless most documents have theirs. `served`: such
    documents; `aged` and `weighed`: those whose queue's age and whose weight were measured."""

    queue_age_median: int | None
    queue_age_high: int | None
    weight_given_up: float | None
    served: int
    aged: int
    weighed: int


# A document that the browser shows already was chosen by an older queue, whose age nobody knows; its weight
# is measured all the same. While the worker is away, neither is.
AGE_DUE = "CASE WHEN queue_age IS NOT NULL OR weight_given_up IS NULL THEN served_exactly END"


def _age(share: float) -> str:
    figure = f"percentile_disc({share}) WITHIN GROUP (ORDER BY queue_age)"
    return where_measured(figure, "queue_age", AGE_DUE)


# Columns of a query over judgments. Those that were served to be judged first were served exactly or not.
SERVING_COLUMNS = f"""
{_age(0.5)}, {_age(0.95)}, {where_measured("avg(weight_given_up)", "weight_given_up", "served_exactly")},
count(served_exactly), count(queue_age), count(weight_given_up)
"""
_SERVING = f"""
SELECT {SERVING_COLUMNS}
FROM (SELECT served_exactly, queue_age, weight_given_up FROM campaigns_judgment
      WHERE campaign_id = %s ORDER BY sequence DESC LIMIT %s) latest
"""  # noqa: S608


def serving_figures(campaign: Campaign) -> ServingFigures:
    with connection.cursor() as cursor:
        cursor.execute(_SERVING, [campaign.id, LATEST_ACTS])
        return ServingFigures(*cursor.fetchone())


# Who has judged so lately counts as judging, also between two documents. Imports have no time.
JUDGING_MINUTES = 5


def assessors_now(*, campaign: Campaign) -> set[tuple[int, str]]:
    """Topic and name of each assessor who has a document open or has just judged one."""
    names = ("topic", "assessor__username")
    held = Claim.objects.filter(topic__campaign=campaign, reserved=False, expires_at__gt=timezone.now())
    lately = acts_of(campaign=campaign, since=timezone.now() - timedelta(minutes=JUDGING_MINUTES))
    judged = lately.filter(milliseconds__isnull=False).order_by().values_list(*names).distinct()
    return {*held.values_list(*names), *judged}


def _judging_now(campaign: Campaign) -> int:
    return len({name for _, name in assessors_now(campaign=campaign)})
