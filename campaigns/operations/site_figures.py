"""Figures of the administration page: accounts, campaigns, disk, versions, worker, errors."""

from __future__ import annotations

import shutil
from dataclasses import dataclass

from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.postgres.aggregates import StringAgg
from django.db import connection
from django.db.models import Count, F, Q, QuerySet, Value
from django.db.models.functions import Coalesce
from redis.exceptions import RedisError

from campaigns.computing.health import worker_silence
from campaigns.core.broker import broker
from campaigns.models import Campaign, Membership
from campaigns.operations.backups.program_versions import versions
from campaigns.operations.error_log import LoggedError, latest_errors
from campaigns.operations.worker_memory import memory_by_worker

MOST_ROWS = 100
LARGEST_TABLES = 5

TABLES = """
SELECT relname, pg_total_relation_size(oid) FROM pg_class
WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
ORDER BY 2 DESC LIMIT %s
"""


@dataclass(frozen=True)
class Disk:
    """Bytes. ``free``: where the data folder lies, None if this machine has none."""

    database: int
    tables: list[tuple[str, int]]
    free: int | None


@dataclass(frozen=True)
class Background:
    """``heard``: seconds since a worker ran a task, None if none ever did; bytes by worker, tasks by queue.
    ``up``: whether a worker was heard of lately."""

    heard: float | None
    up: bool
    memory: dict[str, int]
    waiting: dict[str, int]
    errors: list[LoggedError]


def account_counts() -> dict[str, int]:
    """Active and deactivated accounts."""
    return User.objects.aggregate(
        active=Count("id", filter=Q(is_active=True)), deactivated=Count("id", filter=Q(is_active=False))
    )


def campaigns() -> QuerySet[Campaign]:
    """The latest first, with organisers, acts of the log, and judgments that nothing reflects yet."""
    organiser = Q(memberships__role=Membership.Role.ORGANISER)
    return Campaign.objects.annotate(
        organisers=StringAgg("memberships__user__username", ", ", filter=organiser, default=Value("")),
        acts=F("log_head__length"),
        behind=F("log_head__length") - Coalesce("computed__applied", 0),
    ).order_by("-created", "-id")


def disk() -> Disk:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_database_size(current_database())")
        size = int(cursor.fetchone()[0])
        cursor.execute(TABLES, [LARGEST_TABLES])
        tables = [(str(name), int(its)) for name, its in cursor.fetchall()]
    free = shutil.disk_usage(settings.DATA_DIR).free if settings.DATA_DIR.is_dir() else None
    return Disk(size, tables, free)


def background() -> Background | None:
    """None if Redis is away."""
    heard = worker_silence()
    up = heard is not None and heard < settings.WORKER_SILENCE_SECONDS
    try:
        waiting = {queue: int(broker().llen(queue)) for queue in settings.CELERY_TASK_QUEUES}
        return Background(heard, up, memory_by_worker(), waiting, latest_errors())
    except RedisError:
        return None


def program_versions() -> dict[str, str]:
    try:
        return versions()
    except RedisError:
        return {}
