"""The scope a token needs for a view. Every view names it in `needs`; without it, a view is closed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext
from rest_framework.exceptions import PermissionDenied
from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request

from campaigns.models import ApiToken, TokenScope

if TYPE_CHECKING:
    # The framework reads its settings, and with them this module, before it has its views.
    from rest_framework.views import APIView


@dataclass(frozen=True)
class RequiredScopes:
    """The scope for reading (GET, HEAD, OPTIONS), and the one for everything else."""

    reading: TokenScope
    writing: TokenScope

    def scope_of(self, method: str | None) -> TokenScope:
        return self.reading if method in SAFE_METHODS else self.writing


# Whatever changes the campaign, beside what is only looked at.
ORGANISES = RequiredScopes(TokenScope.READ, TokenScope.ORGANISE)
# What an assessor does, beside what is only looked at.
ASSESSES = RequiredScopes(TokenScope.READ, TokenScope.JUDGE)
# What a participant does, beside what is only looked at.
SUBMITS = RequiredScopes(TokenScope.READ, TokenScope.SUBMIT)
# Asking for a document reserves it, so here reading is judging, too.
JUDGES = RequiredScopes(TokenScope.JUDGE, TokenScope.JUDGE)


class ScopePermission(BasePermission):
    """A token may do what its scopes say, out of what its owner may; who has signed in is not limited."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        token = request.auth
        if not isinstance(token, ApiToken):
            return True
        needs = getattr(view, "needs", None)
        if not isinstance(needs, RequiredScopes):
            raise PermissionDenied(gettext("this address does not accept tokens"), code="scope")
        wanted = needs.scope_of(request.method)
        if wanted not in token.scopes:
            detail = gettext("this token lacks the scope “%(scope)s”") % {"scope": wanted.value}
            raise PermissionDenied(detail, code="scope")
        return True


def token_of(request: Request) -> int | None:
    """The id of the request's token; None for a session."""
    token: Any = request.auth
    return token.id if isinstance(token, ApiToken) else None


def campaign_of(request: Request) -> int | None:
    """The id of the only campaign that the request's token is for; None where there is no such limit."""
    token: Any = request.auth
    return token.campaign_id if isinstance(token, ApiToken) else None
