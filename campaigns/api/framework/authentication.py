"""`Authorization: Token …`, beside the session of the pages. Only the session needs a CSRF token: no other
site can make a browser send this header."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.utils.translation import gettext
from rest_framework.authentication import TokenAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from campaigns.api.framework.throttles import count_bad_token
from campaigns.models import ApiToken
from campaigns.people import tokens


class ApiTokenAuthentication(TokenAuthentication):
    def authenticate(self, request: Request) -> tuple[User, ApiToken] | None:
        header = request.headers.get("Authorization", "").split()
        if not header or header[0].lower() != self.keyword.lower():
            return None
        token = tokens.find(header[1]) if len(header) == 2 else None
        if token is None:
            count_bad_token(request)
            # The same for all: nobody learns that a secret was good once.
            detail = gettext("this token is not known, has expired, or was revoked")
            raise AuthenticationFailed(detail, code="bad_token")
        tokens.note_use(token)
        return token.user, token
