"""One's own second factor: set up with an authenticator app, recovery codes, turned off."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import Any

from allauth.mfa.models import Authenticator
from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache

from campaigns.core.errors import Refusal
from campaigns.notifications.delivery_signatures import UnreadableSecret, seal, unseal
from campaigns.pages.access import second_factor_page, signed_in_user
from campaigns.pages.accounts.account import check_password
from campaigns.pages.acts import Answer, page_with_acts, redirect_with
from campaigns.people import second_factors
from campaigns.templatetags.contexts import PageContext, render_page

# In the session while the app is set up, so that reloading the page shows the same QR code.
SECRET = "second_factor_secret"  # noqa: S105
SECRET_GROUP = 4


def _turn_on(request: HttpRequest) -> dict[str, Any]:
    user, session = _confirmed_user(request), request.session.session_key
    code = request.POST.get("code", "")
    codes = second_factors.turn_on(user=user, secret=_secret(request), code=code, session=session)
    request.session.pop(SECRET, None)
    return {"codes": codes, "first": True}


def _renew_codes(request: HttpRequest) -> dict[str, Any]:
    codes = second_factors.renew_recovery_codes(user=_confirmed_user(request))
    return {"codes": codes}


def _turn_off(request: HttpRequest) -> HttpResponse:
    second_factors.turn_off(user=_confirmed_user(request))
    return redirect_with(request, gettext("Your second factor is off."), "account")


def _confirmed_user(request: HttpRequest) -> User:
    user = signed_in_user(request)
    check_password(user, request.POST.get("password", ""))
    return user


class SecondFactorPage(PageContext, template="campaigns/account/second_factor.html"):
    app: Authenticator | None
    left: int
    secret: str
    picture: SafeString
    next: str
    refused: Refusal | None
    codes: Sequence[str] = ()
    first: bool = False
    required: bool = field(default_factory=lambda: settings.SECOND_FACTOR_REQUIRED)


@page_with_acts(
    second_factor_page,
    login_required,
    never_cache,
    acts={"on": _turn_on, "codes": _renew_codes, "off": _turn_off},
)
def second_factor(request: HttpRequest, answer: Answer) -> HttpResponse:
    user = signed_in_user(request)
    app = second_factors.app_of(user)
    left, secret = (second_factors.recovery_codes_left(user), "") if app else (0, _secret(request))
    # Made here of a secret and the account's name, which its encoding as a picture makes harmless.
    picture = mark_safe(second_factors.qr_code(user, secret) if secret else "")  # noqa: S308
    secret = " ".join(secret[at : at + SECRET_GROUP] for at in range(0, len(secret), SECRET_GROUP))
    page = SecondFactorPage(app, left, secret, picture, _next_page(request), answer.refused, **answer.shown)
    return render_page(request, page)


def _next_page(request: HttpRequest) -> str:
    """The page from which the person was sent here, if any."""
    wanted = request.GET.get("next", "")
    ours = url_has_allowed_host_and_scheme(
        wanted, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    return wanted if ours else ""


def _secret(request: HttpRequest) -> str:
    """Secret of this session, sealed there: its row outlives the set-up in backups."""
    try:
        return unseal(request.session[SECRET])
    except (KeyError, UnreadableSecret):
        secret = second_factors.new_secret()
        request.session[SECRET] = seal(secret)
        return secret
