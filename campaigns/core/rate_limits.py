"""Rate limits of a token, an account or an address in the API, counted by the broker for all processes.

A process takes a hundredth of the limit at once, so that few requests wait for the broker. What it has left
at the end of the span is lost: with many processes the limit is reached a little early, never late.

Without a broker no one is kept out, nor kept waiting: after it failed it is left alone for a while. What
guards accounts is counted in the database instead (`attempts`).
"""

from __future__ import annotations

import logging
import re
import threading
import time
from dataclasses import dataclass
from ipaddress import IPv4Address, ip_address, ip_network
from math import ceil

import redis
from django.conf import settings
from django.http import HttpRequest

from campaigns.core.broker import broker

logger = logging.getLogger(__name__)

# In one step, so that no count is left without an end. A span longer than any is left of a clock that was set
# back: it would last for hours.
_COUNT = """
if redis.call('TTL', KEYS[1]) > tonumber(ARGV[1]) then redis.call('DEL', KEYS[1]) end
local tries = redis.call('INCRBY', KEYS[1], ARGV[2])
if tries == tonumber(ARGV[2]) then redis.call('EXPIRE', KEYS[1], ARGV[1]) end
return {tries, redis.call('PTTL', KEYS[1])}
"""
LEFT_ALONE_SECONDS = 5.0
LOTS = 100
MOST_REMEMBERED = 10_000
LONGEST_CLIENT_ADDRESS = 64
CUSTOMER_BITS = 64
_WITH_PORT = re.compile(r"\[([0-9A-Fa-f:.%]+)\](?::\d+)?|([0-9.]+):\d+")
_left_alone_until = 0.0


@dataclass
class _Lot:
    """Tries that this process took from the broker, valid until a moment of the monotonic clock."""

    left: int
    until: float

    def take(self) -> bool:
        self.left -= 1
        return self.left >= 0 and time.monotonic() < self.until


# By the broker's name of the count. What is forgotten is lost like the rest of a span.
_lots: dict[str, _Lot] = {}
_lock = threading.Lock()


def wait(*, what: str, who: str, most: int, seconds: int) -> int:
    """Count one try. Return 0 if it is among the first `most` of a span that begins with the first try, else
    the whole seconds until the next span."""
    global _left_alone_until
    name = f"tries:{what}:{who}"
    with _lock:
        if name in _lots and _lots[name].take():
            return 0
    if time.monotonic() < _left_alone_until:
        return 0
    lot = max(1, most // LOTS)
    asked = time.monotonic()
    try:
        tries, milliseconds = broker().register_script(_COUNT)(keys=[name], args=[seconds, lot])
    except redis.RedisError as error:
        logger.warning("tries of %s are not counted: %s", what, error)
        _left_alone_until = time.monotonic() + LEFT_ALONE_SECONDS
        return 0
    allowed = lot - max(int(tries) - most, 0)
    if allowed <= 0:
        return max(1, ceil(int(milliseconds) / 1000))
    if allowed > 1:
        # From before the question on: a lot ends with its span or before it.
        _remember(name, _Lot(allowed - 1, asked + int(milliseconds) / 1000))
    return 0


def _remember(name: str, lot: _Lot) -> None:
    with _lock:
        if len(_lots) >= MOST_REMEMBERED:
            _lots.clear()
        _lots[name] = lot


def address_of(request: HttpRequest) -> str:
    """Address of a request's sender, as the outermost of our own proxies saw it. The client may have made up
    anything before that in the header."""
    passed = request.META.get("HTTP_X_FORWARDED_FOR", "").split(",")
    if 0 < settings.TRUSTED_PROXIES <= len(passed):
        seen: str = passed[-settings.TRUSTED_PROXIES].strip()[:LONGEST_CLIENT_ADDRESS]
        if seen:
            return _without_port(seen)
    return str(request.META.get("REMOTE_ADDR", ""))


def network_of(request: HttpRequest) -> str:
    """Network by which tries are counted: the address, of IPv6 the 64 bits that one customer gets, since the
    other 64 they choose themselves."""
    address = address_of(request)
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    if isinstance(parsed, IPv4Address):
        return str(parsed)
    if parsed.ipv4_mapped:
        return str(parsed.ipv4_mapped)
    return str(ip_network((parsed, CUSTOMER_BITS), strict=False))


def _without_port(seen: str) -> str:
    """Some proxies name the port, too, of which a client has thousands."""
    match = _WITH_PORT.fullmatch(seen)
    return match[1] or match[2] if match else seen
