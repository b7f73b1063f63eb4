"""How often somebody may do something, counted by the broker for all processes. Without a broker nobody is
kept out, nor kept waiting: after it failed it is left alone for a while."""

from __future__ import annotations

import logging
import time

import redis
from django.conf import settings
from django.http import HttpRequest

from campaigns.core.broker import broker

logger = logging.getLogger(__name__)

# In one step, so that no count is left without an end. A span longer than any is left of a clock that was set
# back: it would last for hours.
_COUNT = """
if redis.call('TTL', KEYS[1]) > tonumber(ARGV[1]) then redis.call('DEL', KEYS[1]) end
local tries = redis.call('INCR', KEYS[1])
if tries == 1 then redis.call('EXPIRE', KEYS[1], ARGV[1]) end
return {tries, redis.call('TTL', KEYS[1])}
"""
LEFT_ALONE_SECONDS = 5.0
LONGEST_CLIENT_ADDRESS = 64
_left_alone_until = 0.0


def count_try(*, what: str, who: str, most: int, seconds: int) -> bool:
    """Count one try, and say whether it is among the first `most` in a span that begins with the first."""
    return wait(what=what, who=who, most=most, seconds=seconds) == 0


def wait(*, what: str, who: str, most: int, seconds: int) -> int:
    """The same, said as the whole seconds until the next span; 0 if this try is among the first."""
    global _left_alone_until
    if time.monotonic() < _left_alone_until:
        return 0
    name = f"tries:{what}:{who}"
    try:
        tries, left = broker().register_script(_COUNT)(keys=[name], args=[seconds])
    except redis.RedisError as error:
        logger.warning("tries of %s are not counted: %s", what, error)
        _left_alone_until = time.monotonic() + LEFT_ALONE_SECONDS
        return 0
    return 0 if int(tries) <= most else max(1, int(left))


def address_of(request: HttpRequest) -> str:
    """Where a request comes from, as the outermost of our own proxies saw it. What stands before that in the
    header, whoever asks may have made up."""
    passed = request.META.get("HTTP_X_FORWARDED_FOR", "").split(",")
    if 0 < settings.TRUSTED_PROXIES <= len(passed):
        seen: str = passed[-settings.TRUSTED_PROXIES].strip()[:LONGEST_CLIENT_ADDRESS]
        if seen:
            return seen
    return str(request.META.get("REMOTE_ADDR", ""))
