"""Conditional requests: whoever has the answer already (If-None-Match) is told so, without its being made.

A tag is of what the answer was made from, not of its bytes, so tags are weak; compressed or not, an answer
has the same one.
"""

from __future__ import annotations

from collections.abc import Callable
from hashlib import blake2b

from django.http import HttpRequest, HttpResponseNotModified
from django.http.response import HttpResponseBase
from django.utils.cache import patch_vary_headers
from django.utils.http import parse_etags
from django.utils.translation import get_language
from rest_framework.request import Request

from campaigns.exchange.versions import Version

# Counted up whenever an answer says the same in another way, so that no kept one is taken for it.
FORM = 1
# On what else an answer hangs, at one address.
VARIES = ("Accept", "Accept-Encoding", "Authorization", "Cookie")


def if_changed(
    request: HttpRequest | Request, version: Version, make: Callable[[], HttpResponseBase]
) -> HttpResponseBase:
    """The answer, with its tag; or only that it is what the client has already."""
    tag = tag_of(request, version)
    given = parse_etags(request.headers.get("If-None-Match", ""))
    known = "*" in given or _opaque(tag) in map(_opaque, given)
    answer = HttpResponseNotModified() if known else make()
    answer.headers["ETag"] = tag
    # To be kept by whoever asked, and asked for again each time.
    answer.headers["Cache-Control"] = "private, no-cache"
    patch_vary_headers(answer, VARIES)
    return answer


def tag_of(request: HttpRequest | Request, version: Version) -> str:
    said = repr((FORM, request.get_full_path(), request.user.pk, get_language(), version))
    return f'W/"{blake2b(said.encode(), digest_size=16).hexdigest()}"'


def _opaque(tag: str) -> str:
    return tag.removeprefix("W/")
