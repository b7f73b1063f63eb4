"""How often one token, one account or one address may ask; the rates are settings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.conf import settings
from rest_framework.exceptions import Throttled
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from campaigns.core import rate_limits
from campaigns.models import ApiToken

if TYPE_CHECKING:
    # The framework reads its settings, and with them this module, before it has its views.
    from rest_framework.views import APIView

Rate = tuple[int, int] | None


class Throttle(BaseThrottle):
    left = 0

    def allow_request(self, request: Request, view: APIView) -> bool:
        if isinstance(request.auth, ApiToken):
            self.left = _wait("token", str(request.auth.id), settings.THROTTLE_TOKEN)
        elif request.user.is_authenticated:
            self.left = _wait("account", str(request.user.pk), settings.THROTTLE_SESSION)
        else:
            self.left = _wait(
                "address", rate_limits.address_of(request._request), settings.THROTTLE_ANONYMOUS
            )
        return self.left == 0

    def wait(self) -> float:
        return self.left


def count_bad_token(request: Request) -> None:
    """Who tries tokens is an address like any other that nobody has signed in from."""
    left = _wait("address", rate_limits.address_of(request._request), settings.THROTTLE_ANONYMOUS)
    if left:
        raise Throttled(left)


def _wait(what: str, who: str, rate: Rate) -> int:
    if rate is None:
        return 0
    most, seconds = rate
    return rate_limits.wait(what=what, who=who, most=most, seconds=seconds)
