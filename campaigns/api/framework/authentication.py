"""API tokens as authentication, and how often a token, an account or an address may send requests.

`Authorization: Token …` stands beside the session of the pages. Only the session needs a CSRF token: no other
site can make a browser send this header.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import rest_framework.authentication
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.auth.models import User
from django.contrib.sessions.backends.base import SessionBase
from django.utils.crypto import constant_time_compare
from django.utils.translation import gettext
from rest_framework.authentication import TokenAuthentication
from rest_framework.exceptions import AuthenticationFailed, Throttled
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from campaigns.core import rate_limits
from campaigns.models import ApiToken
from campaigns.people import tokens
from campaigns.people.members import account_with_role

if TYPE_CHECKING:
    from rest_framework.views import APIView

Rate = tuple[int, int] | None
_BACKEND = "django.contrib.auth.backends.ModelBackend"


class ApiTokenAuthentication(TokenAuthentication):
    def authenticate(self, request: Request) -> tuple[User, ApiToken] | None:
        header = request.headers.get("Authorization", "").split()
        if not header or header[0].lower() != self.keyword.lower():
            return None
        token = tokens.find_token(header[1]) if len(header) == 2 else None
        if token is None:
            count_bad_token(request)
            # The same for all: the answer does not show that a secret was good once.
            detail = gettext("this token is not known, has expired, or was revoked")
            raise AuthenticationFailed(detail, code="bad_token")
        tokens.note_use(token)
        return token.user, token


class SessionAuthentication(rest_framework.authentication.SessionAuthentication):
    """The account of a session. Below a campaign it is read together with its role there."""

    def authenticate(self, request: Request) -> tuple[User, None] | None:
        slug = (request.parser_context or {}).get("kwargs", {}).get("slug")
        account = None if slug is None else _account_of(request._request.session, slug)
        if account is not None:
            request._request.user = account
        return super().authenticate(request)


def _account_of(session: SessionBase, slug: str) -> User | None:
    """The active account that the session was signed in with. None also where Django has to decide: it signs
    out a session of an old password, and knows older secrets of the site."""
    if session.get(BACKEND_SESSION_KEY) != _BACKEND:
        return None
    account = account_with_role(user=int(session[SESSION_KEY]), slug=slug)
    if account is None or not account.is_active:
        return None
    proof = session.get(HASH_SESSION_KEY, "")
    return account if constant_time_compare(proof, account.get_session_auth_hash()) else None


def count_bad_token(request: Request) -> None:
    """Count a wrong token as a request without authentication from the same address."""
    left = _wait("address", rate_limits.network_of(request._request), settings.THROTTLE_ANONYMOUS)
    if left:
        raise Throttled(left)


class Throttle(BaseThrottle):
    left = 0

    def allow_request(self, request: Request, view: APIView) -> bool:
        if isinstance(request.auth, ApiToken):
            self.left = _wait("token", str(request.auth.id), settings.THROTTLE_TOKEN)
        elif request.user.is_authenticated:
            self.left = _wait("account", str(request.user.pk), settings.THROTTLE_SESSION)
        else:
            self.left = _wait(
                "address", rate_limits.network_of(request._request), settings.THROTTLE_ANONYMOUS
            )
        return self.left == 0

    def wait(self) -> float:
        return self.left


def _wait(what: str, who: str, rate: Rate) -> int:
    if rate is None:
        return 0
    most, seconds = rate
    return rate_limits.wait(what=what, who=who, most=most, seconds=seconds)
