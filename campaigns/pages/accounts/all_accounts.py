"""All accounts, for administrators: deactivated, reactivated, given a link to a new password."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.paginator import Page, Paginator
from django.db.models import OuterRef
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext

from campaigns.core.digits import digits_or_zero, read_digits
from campaigns.core.errors import Refusal
from campaigns.core.phrases import join_words
from campaigns.pages.access import administrator_page, signed_in_user
from campaigns.pages.accounts.reset import ResetLinkPart, new_reset_link
from campaigns.pages.acts import Answer, page_with_acts
from campaigns.people import accounts as services
from campaigns.people import second_factors
from campaigns.templatetags.contexts import PageContext, render_page

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
    return {"reset": new_reset_link(request, _account(request))}


def _account(request: HttpRequest) -> User:
    user = User.objects.filter(id=digits_or_zero(request.POST.get("account", ""))).first()
    if user is None:
        raise Refusal("unknown_account", gettext("there is no such account"), field="account", status=404)
    return user


class AccountsPage(PageContext, template="campaigns/account/accounts.html"):
    words: str
    page: Page[User]
    me: User
    refused: Refusal | None
    said: str = ""
    left: str = ""
    reset: ResetLinkPart = ResetLinkPart()


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
    me, page = signed_in_user(request), pages.get_page(read_digits(request.GET.get("page", "")) or 1)
    return render_page(request, AccountsPage(words, page, me, answer.refused, **answer.shown))
