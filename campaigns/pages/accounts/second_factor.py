"""One's own second factor: set up with an authenticator app, recovery codes, turned off."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.safestring import mark_safe
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from campaigns.core.errors import Refusal, unknown_act
from campaigns.notifications.signatures import UnreadableSecret, seal, unseal
from campaigns.pages.access import places_of, second_factor_page, signed_in_user
from campaigns.pages.accounts.account import check_password
from campaigns.people import second_factors

# In the session while the app is set up, so that reloading the page shows the same QR code.
SECRET = "second_factor_secret"  # noqa: S105
SECRET_GROUP = 4


@require_http_methods(["GET", "HEAD", "POST"])
@second_factor_page
@login_required
@never_cache
def second_factor(request: HttpRequest) -> HttpResponse:
    user = signed_in_user(request)
    answer: dict[str, Any] = {}
    if request.method == "POST":
        try:
            codes = _act(user, request)
        except Refusal as error:
            answer = {"refused": error}
        else:
            if not codes:
                messages.success(request, gettext("Your second factor is off."))
                return redirect("account")
            answer = {"codes": codes, "codes_text": "\n".join(codes), "first": request.POST["act"] == "on"}
    context = {
        **places_of(user),
        **_standing(user, request),
        "required": settings.SECOND_FACTOR_REQUIRED,
        "next": _next_page(request),
        **answer,
    }
    status = answer["refused"].status if "refused" in answer else 200
    return render(request, "campaigns/account/second_factor.html", context, status=status)


def _next_page(request: HttpRequest) -> str:
    """The page from which the person was sent here, if any."""
    wanted = request.GET.get("next", "")
    ours = url_has_allowed_host_and_scheme(
        wanted, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    return wanted if ours else ""


def _act(user: User, request: HttpRequest) -> list[str]:
    """Return new recovery codes, or none if it was turned off."""
    posted = request.POST
    act = posted.get("act")
    if act not in ("on", "codes", "off"):
        raise unknown_act(act)
    check_password(user, posted.get("password", ""))
    if act == "on":
        key, code = request.session.session_key, posted.get("code", "")
        codes = second_factors.turn_on(user=user, secret=_secret(request), code=code, session=key)
        request.session.pop(SECRET, None)
        return codes
    if act == "codes":
        return second_factors.renew_recovery_codes(user=user)
    second_factors.turn_off(user=user)
    return []


def _standing(user: User, request: HttpRequest) -> dict[str, Any]:
    app = second_factors.app_of(user)
    if app is not None:
        return {"app": app, "left": second_factors.recovery_codes_left(user)}
    secret = _secret(request)
    groups = [secret[at : at + SECRET_GROUP] for at in range(0, len(secret), SECRET_GROUP)]
    # Made here of a secret and the account's name, which its encoding as a picture makes harmless.
    picture = mark_safe(second_factors.qr_code(user, secret))  # noqa: S308
    return {"app": None, "picture": picture, "secret": " ".join(groups)}


def _secret(request: HttpRequest) -> str:
    """Secret of this session, sealed there: its row outlives the set-up in backups."""
    try:
        return unseal(request.session[SECRET])
    except (KeyError, UnreadableSecret):
        secret = second_factors.new_secret()
        request.session[SECRET] = seal(secret)
        return secret
