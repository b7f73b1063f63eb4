"""The figures at /metrics: the whole site's, read from rows and Redis when asked, and those of web processes.

Rows and Redis give the same figures whichever web process answers. With several machines, take the maximum
of these over the machines, and the sum of `assess_request_seconds` and `assess_route_seconds`.
"""

from __future__ import annotations

import platform
from collections.abc import Iterable, Iterator
from datetime import timedelta

import django
from django.conf import settings
from django.db import Error, connection
from django.utils import timezone
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from redis.exceptions import RedisError

from campaigns.computing.health import (
    AGE_DUE,
    SERVING_COLUMNS,
    ServingFigures,
    broker_answers,
    worker_silence,
)
from campaigns.core.broker import broker
from campaigns.models import Delivery, Loading
from campaigns.operations.backups.program_versions import program_version
from campaigns.operations.process_metrics import register_processes
from campaigns.operations.worker_memory import memory_by_worker

RECENT = timedelta(minutes=15)
# Campaigns with figures of their own: accounts make any number. No slug holds a bracket.
MOST_CAMPAIGNS, OTHERS = 20, "(others)"

# By campaign: acts in the log, acts not yet computed, and the age of the oldest of these; the newest first.
LAGS = """
SELECT campaign.slug, head.length, head.length - coalesce(computed.applied, 0),
       coalesce(extract(epoch FROM clock_timestamp() - judgment.created), 0)
FROM campaigns_campaign campaign
JOIN campaigns_loghead head ON head.campaign_id = campaign.id
LEFT JOIN campaigns_computed computed ON computed.campaign_id = campaign.id
LEFT JOIN campaigns_judgment judgment
  ON judgment.campaign_id = campaign.id AND judgment.sequence = coalesce(computed.applied, 0) + 1
WHERE campaign.status <> 'draft'
ORDER BY campaign.status = 'open' DESC, campaign.id DESC
"""

# By campaign, of documents that queues served.
SERVING = f"""
SELECT campaign.slug, count({AGE_DUE}), {SERVING_COLUMNS}
FROM campaigns_judgment judgment
JOIN campaigns_campaign campaign ON campaign.id = judgment.campaign_id
WHERE judgment.created > %s AND served_exactly IS NOT NULL
GROUP BY campaign.slug
ORDER BY campaign.slug
"""  # noqa: S608


def metrics_text() -> bytes:
    registry = CollectorRegistry()
    register_processes(registry)
    registry.register(SiteCollector())
    return generate_latest(registry)


class SiteCollector(Collector):
    """Without database or Redis, what the other one knows."""

    def collect(self) -> Iterator[Metric]:
        up = GaugeMetricFamily("assess_service_up", "1 if the service answers.", labels=["service"])
        for service, read in (("database", _of_rows), ("redis", _of_redis)):
            try:
                metrics = list(read())
            except (Error, RedisError, OSError):
                if service == "database":
                    connection.close()
                metrics = []
            up.add_metric([service], 1.0 if metrics else 0.0)
            yield from metrics
        yield up
        yield _about()

    def describe(self) -> Iterable[Metric]:
        return []


def _about() -> Metric:
    labels = {"version": program_version(), "python": platform.python_version(), "django": django.__version__}
    about = GaugeMetricFamily("assess_info", "Versions; always 1.", labels=list(labels))
    about.add_metric(list(labels.values()), 1)
    return about


def _of_rows() -> Iterator[Metric]:
    judgments = CounterMetricFamily("assess_judgments", "Acts in the judgment log.", labels=["campaign"])
    behind = GaugeMetricFamily(
        "assess_judgments_behind", "Judgments that no queue or score reflects yet.", labels=["campaign"]
    )
    age = GaugeMetricFamily(
        "assess_judgments_behind_seconds", "Age of the oldest judgment behind.", labels=["campaign"]
    )
    with connection.cursor() as cursor:
        cursor.execute(LAGS)
        rows = [
            (slug, length, max(lag, 0), max(float(seconds), 0.0) if lag > 0 else 0.0)
            for slug, length, lag, seconds in cursor.fetchall()
        ]
    named, others = rows[:MOST_CAMPAIGNS], rows[MOST_CAMPAIGNS:]
    if others:
        _, lengths, lags, ages = zip(*others, strict=True)
        named.append((OTHERS, sum(lengths), sum(lags), max(ages)))
    for slug, length, lag, seconds in named:
        judgments.add_metric([slug], length)
        behind.add_metric([slug], lag)
        age.add_metric([slug], seconds)
    yield from (judgments, behind, age, *_serving({slug for slug, *_ in named}))
    silence = worker_silence()
    if silence is not None:
        yield GaugeMetricFamily("assess_worker_silent_seconds", "Since a worker ran a task.", silence)
    loads = Loading.objects.filter(state__in=(Loading.State.WAITING, Loading.State.RUNNING)).count()
    yield GaugeMetricFamily("assess_datasets_loading", "Datasets that wait or are being loaded.", loads)
    waiting = Delivery.objects.filter(state=Delivery.State.WAITING).count()
    yield GaugeMetricFamily("assess_deliveries_waiting", "Webhook deliveries on their way.", waiting)


def _serving(named: set[str]) -> Iterator[Metric]:
    age = GaugeMetricFamily(
        "assess_served_queue_age_judgments",
        "Of documents judged in the last 15 minutes: judgments that their queue lacked when it served them.",
        labels=["campaign", "quantile"],
    )
    given_up = GaugeMetricFamily(
        "assess_weight_given_up_ratio",
        "Of documents judged in the last 15 minutes: how much lighter than the best one, on average.",
        labels=["campaign"],
    )
    measured = GaugeMetricFamily(
        "assess_served_measured_ratio",
        "Of documents judged in the last 15 minutes: the share of which a figure was measured.",
        labels=["campaign", "figure"],
    )
    with connection.cursor() as cursor:
        cursor.execute(SERVING, [timezone.now() - RECENT])
        for slug, due, *row in cursor.fetchall():
            if slug not in named:
                continue
            figures = ServingFigures(*row)
            if due:
                measured.add_metric([slug, "queue_age"], figures.aged / due)
            measured.add_metric([slug, "weight_given_up"], figures.weighed / figures.served)
            if figures.queue_age_median is not None and figures.queue_age_high is not None:
                age.add_metric([slug, "0.5"], figures.queue_age_median)
                age.add_metric([slug, "0.95"], figures.queue_age_high)
            if figures.weight_given_up is not None:
                given_up.add_metric([slug], figures.weight_given_up)
    yield from (age, given_up, measured)


def _of_redis() -> Iterator[Metric]:
    if not broker_answers():
        return
    waiting = GaugeMetricFamily("assess_tasks_waiting", "Tasks that no worker has taken.", labels=["queue"])
    for queue in settings.CELERY_TASK_QUEUES:
        waiting.add_metric([queue], float(broker().llen(queue)))
    yield waiting
    memory = GaugeMetricFamily(
        "assess_worker_memory_bytes", "Memory of a worker with its pool.", labels=["worker"]
    )
    for worker, size in memory_by_worker().items():
        memory.add_metric([worker], size)
    yield memory
