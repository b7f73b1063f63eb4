"""All accounts, for administrators: deactivated, reactivated, given a link to a new password."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.paginator import Paginator
from django.db.models import OuterRef
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext

from campaigns.core.digits import digits_or_zero, read_digits
from campaigns.core.errors import Refusal
from campaigns.core.links import secret_link
from campaigns.core.phrases import join_words
from campaigns.pages.access import administrator_page, places_of, signed_in_user
from campaigns.pages.acts import Answer, page_with_acts
from campaigns.people import accounts as services
from campaigns.people import resets, second_factors

ACCOUNTS_ON_A_PAGE = 50
LONGEST_SEARCH = 254


def _deactivate(request: HttpRequest) -> dict[str, Any]:
    user = _account(request)
    left = services.deactivate(user=user, administrator=signed_in_user(request))
    words = gettext("%(name)s is deactivated: sessions and tokens are ended. Judgments stay.")
    return {"said": words % {"name": user.get_username()}, "left": join_words(left)}


def _reactivate(request: HttpRequest) -> dict[str, Any]:
    user = _account(request)
    services.reactivate(user=user, administrator=signed_in_user(request))
    words = gettext("%(name)s is active again, and signs in with the same password.")
    return {"said": words % {"name": user.get_username()}}


def _remove_factor(request: HttpRequest) -> dict[str, Any]:
    user = _account(request)
    second_factors.remove(user=user, administrator=signed_in_user(request))
    if settings.SECOND_FACTOR_REQUIRED:
        words = gettext("The second factor of %(name)s is removed. They must set up a new one first.")
    else:
        words = gettext("%(name)s signs in without a second factor from now on.")
    return {"said": words % {"name": user.get_username()}}


def _reset(request: HttpRequest) -> dict[str, Any]:
    user, maker = _account(request), signed_in_user(request)
    link = resets.make_reset_link(maker=maker, user=user, link_of=secret_link(request, "reset-open"))
    return {"reset_link": link, "reset_hours": resets.RESET_HOURS, "reset_of": user.get_username()}


def _account(request: HttpRequest) -> User:
    user = User.objects.filter(id=digits_or_zero(request.POST.get("account", ""))).first()
    if user is None:
        raise Refusal("unknown_account", gettext("there is no such account"), field="account", status=404)
    return user


@page_with_acts(
    administrator_page,
    acts={
        "deactivate": _deactivate,
        "reactivate": _reactivate,
        "remove-factor": _remove_factor,
        "reset": _reset,
    },
)
def accounts(request: HttpRequest, answer: Answer) -> HttpResponse:
    words = request.GET.get("words", "").strip()[:LONGEST_SEARCH]
    rows = services.find_accounts(words)
    if settings.SECOND_FACTOR:
        rows = rows.annotate(second_factor=second_factors.has_app(OuterRef("pk")))
    pages = Paginator(rows, ACCOUNTS_ON_A_PAGE)
    context = {
        **places_of(signed_in_user(request)),
        "words": words,
        "page": pages.get_page(read_digits(request.GET.get("page", "")) or 1),
        "me": signed_in_user(request),
        **answer.context,
    }
    return render(request, "campaigns/account/accounts.html", context)
