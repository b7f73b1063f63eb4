"""Conditional requests: whoever has the answer already (If-None-Match) is told so, without its being made.

A tag is of what the answer was made from, not of its bytes, so tags are weak; compressed or not, an answer
has the same one.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import TypeVar

from django.http import HttpRequest, HttpResponseNotModified
from django.http.response import HttpResponseBase
from django.utils.cache import patch_vary_headers
from django.utils.http import parse_etags
from django.utils.translation import get_language
from rest_framework.request import Request

from campaigns.services.versions import Version

# Counted up whenever an answer says the same in another way, so that no kept one is taken for it.
FORM = 1
# On what else an answer hangs, at one address.
VARIES = ("Accept", "Accept-Encoding", "Authorization", "Cookie")

Answer = TypeVar("Answer", bound=HttpResponseBase)


def tag_of(request: HttpRequest | Request, version: Version) -> str:
    said = repr((FORM, request.user.pk, get_language(), version))
    return f'W/"{blake2b(said.encode(), digest_size=16).hexdigest()}"'


def unchanged(request: HttpRequest | Request, tag: str) -> HttpResponseNotModified | None:
    """What to answer somebody who has what the tag is of; None if they have something else."""
    given = parse_etags(request.headers.get("If-None-Match", ""))
    if "*" in given or tag.removeprefix("W/") in {one.removeprefix("W/") for one in given}:
        return tagged(HttpResponseNotModified(), tag)
    return None


def tagged(answer: Answer, tag: str) -> Answer:
    """To be kept by whoever asked, and asked for again each time."""
    answer.headers["ETag"] = tag
    answer.headers["Cache-Control"] = "private, no-cache"
    patch_vary_headers(answer, VARIES)
    return answer
