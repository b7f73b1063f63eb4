"""Links that carry a secret, such as invitations and new passwords."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from django.http import HttpRequest
from django.urls import reverse

if TYPE_CHECKING:
    from rest_framework.request import Request


def secret_link(request: HttpRequest | Request, page: str) -> Callable[[str], str]:
    """Return a function from a secret to its link. The secret stands behind the #, which browsers send to no
    server: no log of the site or of a proxy can hold it, and no Referer."""
    return lambda secret: f"{request.build_absolute_uri(reverse(page))}#{secret}"
