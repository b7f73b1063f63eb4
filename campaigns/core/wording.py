from __future__ import annotations

from urllib.parse import urlsplit


def host_of(url: str) -> str:
    """For sentences: what an address says beyond its host may be a secret."""
    return urlsplit(url).hostname or ""
