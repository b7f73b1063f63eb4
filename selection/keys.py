from __future__ import annotations

from zlib import crc32


def topic_key(number: str) -> int:
    """A topic's lasting identity, of which seeds are made, from the number by which files know it."""
    return crc32(number.encode())
