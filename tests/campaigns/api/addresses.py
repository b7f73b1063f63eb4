"""The API's addresses, each with its whole path."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from django.urls import URLPattern, URLResolver, path

from campaigns.api.urls import urlpatterns


def _whole(entries: Sequence[Any], before: str = "") -> Iterator[URLPattern]:
    for entry in entries:
        route = f"{before}{entry.pattern}"
        if isinstance(entry, URLResolver):
            yield from _whole(entry.url_patterns, route)
        else:
            yield path(route, entry.callback, entry.default_args, entry.name)


API_ADDRESSES = list(_whole(urlpatterns))
