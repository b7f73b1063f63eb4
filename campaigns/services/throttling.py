"""How often one address may try something, counted by the broker; without a broker nobody is kept out."""

from __future__ import annotations

import logging

import redis

from campaigns.services.events import broker

logger = logging.getLogger(__name__)


def allowed(*, what: str, who: str, most: int, seconds: int) -> bool:
    """Count one try, and say whether it is among the first `most` in a span that begins with the first."""
    name = f"tries:{what}:{who}"
    try:
        with broker().pipeline() as steps:
            steps.set(name, 0, ex=seconds, nx=True)
            steps.incr(name)
            _, tries = steps.execute()
    except redis.RedisError as error:
        logger.warning("tries of %s are not counted: %s", what, error)
        return True
    return int(tries) <= most
