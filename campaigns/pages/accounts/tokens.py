"""The tokens of the signed-in person: made, shown once, listed, revoked. A token makes no tokens: only
sessions come here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache

from campaigns.api.description import CLIENT
from campaigns.core.digits import digits_or_zero
from campaigns.core.errors import Refusal
from campaigns.models import ApiToken, Campaign, TokenScope
from campaigns.pages.access import signed_in_user
from campaigns.pages.acts import Answer, page_with_acts
from campaigns.people import tokens as services
from campaigns.templatetags.contexts import PageContext, render_page

# Of those that hold no more, as they are listed, the newest.
MOST_ENDED_TOKENS = 20
TOKEN_DAYS = (7, 30, 90, 365)
USUAL_DAYS = 90


def _make(request: HttpRequest) -> dict[str, Any]:
    user, posted = signed_in_user(request), request.POST
    slug, days = posted.get("campaign", ""), posted.get("days", "")
    campaign = _campaigns_of(user).filter(slug=slug).first() if slug.isprintable() else None
    if slug and campaign is None:
        raise Refusal("unknown_campaign", gettext("you have no role in this campaign"), field="campaign")
    token, secret = services.make(
        user=user,
        name=posted.get("name", "").strip(),
        scopes=posted.getlist("scopes"),
        campaign=campaign,
        days=digits_or_zero(days) if days else None,
    )
    return {"made": token, "secret": secret, "line": _line(request, token, secret)}


def _line(request: HttpRequest, token: ApiToken, secret: str) -> str:
    """A command to try a token with that may read."""
    if TokenScope.READ not in token.scopes:
        return ""
    path = reverse("api:campaigns")
    if token.campaign is not None:
        path = reverse("api:campaign", args=[token.campaign.slug])
    return f'curl --header "Authorization: Token {secret}" {request.build_absolute_uri(path)}'


def _revoke(request: HttpRequest) -> dict[str, Any]:
    token = digits_or_zero(request.POST.get("token", ""))
    revoked = services.revoke_token(user=signed_in_user(request), token=token)
    words = gettext("“%(name)s” is revoked. Programs that use it are now rejected.")
    return {"said": words % {"name": revoked.name}}


class TokensPage(PageContext, template="campaigns/tokens/tokens.html"):
    """`made`: the token of which `secret` is shown once; `line`: a command to try it with."""

    fragments = ("campaigns/tokens/_tokens.html",)
    client_line: str
    tokens: list[ApiToken]
    campaigns: QuerySet[Campaign]
    refused: Refusal | None
    typed: Mapping[str, Any]
    made: ApiToken | None = None
    secret: str = ""
    line: str = ""
    said: str = ""
    days: Sequence[int] = TOKEN_DAYS


@page_with_acts(login_required, never_cache, acts={"make": _make, "revoke": _revoke})
def tokens(request: HttpRequest, answer: Answer) -> HttpResponse:
    user = signed_in_user(request)
    rows = ApiToken.objects.filter(user=user).select_related("campaign").order_by("-id")
    good = services.good_of(user).values("id")
    found = [*rows.filter(id__in=good), *rows.exclude(id__in=good)[:MOST_ENDED_TOKENS]]
    line = f"curl -o {CLIENT} {request.build_absolute_uri(reverse('api:client'))}"
    typed, campaigns = _typed(request, answer), _campaigns_of(user)
    page = TokensPage(line, found, campaigns, answer.refused, typed, **answer.shown)
    return render_page(request, page, template=page.fragments[0] if "HX-Request" in request.headers else "")


def _campaigns_of(user: User) -> QuerySet[Campaign]:
    return Campaign.objects.filter(Q(memberships__user=user) | Q(participants__user=user)).order_by("name")


def _typed(request: HttpRequest, answer: Answer) -> dict[str, Any]:
    if not answer.refused:
        return {"days": str(USUAL_DAYS), "scopes": [TokenScope.READ]}
    words = {name: request.POST.get(name, "") for name in ("name", "campaign", "days")}
    return {**words, "scopes": request.POST.getlist("scopes")}
