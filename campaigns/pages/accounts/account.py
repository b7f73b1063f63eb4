"""One's own account: email address, password, sessions; and the gate of what the site demands first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.forms import PasswordChangeForm
from django.contrib.auth.models import User
from django.contrib.auth.views import PasswordChangeView, RedirectURLMixin
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext, ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from campaigns.core.digits import digits_or_zero
from campaigns.core.errors import Refusal
from campaigns.core.problems import refusal
from campaigns.models import ApiToken, SignedInSession
from campaigns.notifications.assessor_emails import is_switched_on, read_switch_off, switch
from campaigns.pages.access import (
    FORM_METHODS,
    LimitedPage,
    signed_in_user,
    too_many_attempts,
)
from campaigns.pages.acts import Answer, page_with_acts
from campaigns.people import second_factors, sessions, sign_in_attempts
from campaigns.people.accounts import change_address, settle_password
from campaigns.templatetags.contexts import PageContext, render_page

# Tries at the current password by one account, so that a browser left open does not give it away.
MOST_PASSWORD_TRIES, PASSWORD_SPAN = 20, 600
MOST_SESSIONS = 100


def _change_address(request: HttpRequest) -> str:
    user = signed_in_user(request)
    check_password(user, request.POST.get("password", ""))
    change_address(user=user, address=request.POST.get("address", ""))
    return gettext("The email address is saved.")


def _switch_emails(request: HttpRequest) -> str:
    switch(user=signed_in_user(request).pk, on="judging" in request.POST)
    return gettext("Saved.")


def _end_session(request: HttpRequest) -> str:
    user = _confirmed_user(request)
    sessions.end_session(user=user, session=digits_or_zero(request.POST.get("session", "")))
    return gettext("The session is ended.")


def _end_others(request: HttpRequest) -> str:
    ended = sessions.end_sessions(user=_confirmed_user(request), besides=request.session.session_key)
    words = ngettext("%(count)s other session is ended.", "%(count)s other sessions are ended.", ended)
    return words % {"count": ended}


# What ends sessions.
ENDING = {"end": _end_session, "end-others": _end_others}


class AccountPage(PageContext, template="campaigns/account/account.html"):
    address: str
    refused: Refusal | None
    ending: bool
    sessions: list[tuple[SignedInSession, str, bool]]
    tokens: int
    judging_emails: bool
    second_factor_on: bool
    second_factor: bool = field(default_factory=lambda: settings.SECOND_FACTOR)


@page_with_acts(
    login_required,
    never_cache,
    acts={"address": _change_address, "emails": _switch_emails, **ENDING},
)
def account(request: HttpRequest, answer: Answer) -> HttpResponse:
    user, refused = signed_in_user(request), answer.refused
    own, rows = request.session.session_key, sessions.open_sessions(user)[:MOST_SESSIONS]
    page = AccountPage(
        answer.typed.get("address", user.email),
        refused,
        refused is not None and refused.field == "password" and request.POST.get("act") in ENDING,
        [(row, sessions.device_name(row.device), row.session_id == own) for row in rows],
        ApiToken.objects.filter(user=user, revoked_at=None).count(),
        is_switched_on(user),
        second_factors.is_asked(user),
    )
    return render_page(request, page)


def _confirmed_user(request: HttpRequest) -> User:
    """A browser left open must not lock out its owner. An account without a password cannot be asked."""
    user, password = signed_in_user(request), request.POST.get("password", "")
    if user.has_usable_password():
        if not password:
            words = gettext("enter your current password to end sessions")
            raise Refusal("password_needed", words, field="password")
        check_password(user, password)
    return user


def check_password(user: User, password: str) -> None:
    left = password_wait(user)
    if left:
        raise Refusal("too_many_tries", gettext("too many tries; please try again later"), status=429)
    if not user.check_password(password):
        raise Refusal("wrong_password", gettext("this is not your current password"), field="password")
    sign_in_attempts.forget(what="password", who=str(user.pk))


def password_wait(user: User) -> int:
    return sign_in_attempts.wait(
        what="password", who=str(user.pk), most=MOST_PASSWORD_TRIES, seconds=PASSWORD_SPAN
    )


class ChangeForm(PasswordChangeForm):
    def clean_new_password1(self) -> str:
        password: str = self.cleaned_data["new_password1"]
        if self.user.check_password(password):
            raise ValidationError(gettext("This is your current password. Choose another one."))
        return password


class PasswordPage(LimitedPage, template="campaigns/account/password.html"):
    form: PasswordChangeForm | None = None
    temporary: bool = False
    next: str = ""


class ChangePassword(RedirectURLMixin, PasswordChangeView):
    """A person with a temporary password goes on to the page they came for."""

    http_method_names = FORM_METHODS
    form_class = ChangeForm

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        left = password_wait(signed_in_user(request))
        if left:
            return too_many_attempts(request, PasswordPage(), left)
        return super().post(request, *args, **kwargs)

    def render_to_response(self, context: dict[str, Any], **kwargs: Any) -> HttpResponse:
        temporary = sessions.TEMPORARY in self.request.session
        return render_page(self.request, PasswordPage(context["form"], temporary, self.get_redirect_url()))

    def get_success_url(self) -> str:
        return self.get_redirect_url() or reverse("account")

    def form_valid(self, form: PasswordChangeForm) -> HttpResponse:
        user = signed_in_user(self.request)
        with transaction.atomic():
            # Gives this session a new key, under which it goes on.
            response = super().form_valid(form)
            self.request.session.pop(sessions.TEMPORARY, None)
            settle_password(user=user, session=self.request.session.session_key)
        sign_in_attempts.forget(what="password", who=str(user.pk))
        messages.success(
            self.request, gettext("Your password is changed. All your other sessions are ended.")
        )
        return response


@dataclass(frozen=True)
class _Demand:
    """Demand of the site on a person before anything else: the page for it, and the API's error."""

    page: str
    code: str
    # In the reader’s language.
    detail: Callable[[], str]


_OWN_PASSWORD = _Demand(
    "change-password",
    "temporary_password",
    lambda: gettext("your password is temporary: sign in on the pages and choose your own"),
)
_SECOND_FACTOR = _Demand(
    "second-factor",
    "second_factor_needed",
    lambda: gettext("this site demands a second factor: sign in on the pages and set it up"),
)


class AccountGate:
    """Lets a session of which something is demanded reach nothing but the page for it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        demand = _demand(request)
        return self.get_response(request) if demand is None else self._answer(request, demand)

    def _answer(self, request: HttpRequest, demand: _Demand) -> HttpResponseBase:
        page = reverse(demand.page)
        if request.path in (page, reverse("sign-out"), reverse("language")):
            return self.get_response(request)
        if request.path.startswith("/api/"):
            return refusal(403, demand.code, demand.detail())
        wanted = request.get_full_path() if request.method == "GET" else "/"
        return redirect(f"{page}?{urlencode({'next': wanted})}")


def _demand(request: HttpRequest) -> _Demand | None:
    # Without a session there is nothing to look up: most programs come by tokens.
    if not request.session.session_key:
        return None
    if sessions.TEMPORARY in request.session:
        return _OWN_PASSWORD
    if settings.SECOND_FACTOR_REQUIRED and isinstance(request.user, User):
        return _SECOND_FACTOR if second_factors.is_missing(request.user) else None
    return None


class EmailsOffPage(PageContext, template="registration/emails_off.html"):
    valid: bool
    done: bool


@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def emails_off(request: HttpRequest, token: str) -> HttpResponse:
    """Reading changes nothing, as mail programs look at links ahead. A POST switches off, also one by a mail
    program itself (RFC 8058), which has no cookie: the token is all it takes. The page names no person."""
    person = read_switch_off(token)
    if person is not None and request.method == "POST":
        switch(user=person, on=False)
    page = EmailsOffPage(valid=person is not None, done=request.method == "POST")
    return render_page(request, page, status=200 if page.valid else 404)
