"""The connection to Redis, and the name of a campaign's channel."""

from __future__ import annotations

import redis
from django.conf import settings

_client: redis.Redis | None = None


def channel(campaign: int | str) -> str:
    return f"campaign:{campaign}"


def broker() -> redis.Redis:
    global _client
    if _client is None:
        _client = redis.Redis.from_url(
            settings.REDIS_URL, socket_connect_timeout=0.5, socket_timeout=2, retry=None
        )
    return _client
