"""A forgotten password: a link by email, where the link leads, and the new password."""

from __future__ import annotations

import unicodedata
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.forms import PasswordResetForm, SetPasswordForm
from django.contrib.auth.models import User
from django.contrib.auth.views import (
    INTERNAL_RESET_SESSION_TOKEN,
    PasswordResetConfirmView,
    PasswordResetView,
)
from django.db import transaction
from django.forms import Form
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse_lazy
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode
from django.utils.translation import get_language, gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from campaigns.core.links import secret_link
from campaigns.core.rate_limits import network_of
from campaigns.notifications.emails import LONGEST_EMAIL, can_email
from campaigns.pages.access import FORM_METHODS, LimitedPage, signed_in_user, too_many_attempts
from campaigns.pages.accounts.sign_in import forget_tries
from campaigns.people import resets, sign_in_attempts
from campaigns.people.accounts import settle_password
from campaigns.templatetags.contexts import PageContext, render_page

# Requests from one network in ten minutes, and for one email address in an hour.
MOST_REQUESTS, REQUEST_SPAN = 30, 600
MOST_OF_AN_ADDRESS, ADDRESS_SPAN = 5, 3600
# Links that one network opens in ten minutes.
MOST_LINKS, LINK_SPAN = 60, 600


class ResetPage(LimitedPage, template="registration/reset.html"):
    can_email: bool
    form: PasswordResetForm | None = None


class AskReset(PasswordResetView):
    http_method_names = FORM_METHODS
    success_url = reverse_lazy("reset-sent")

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not can_email():
            return render_page(request, ResetPage(can_email=False), status=409)
        left = _wait(request)
        if left:
            return too_many_attempts(request, ResetPage(can_email=True), left)
        return super().post(request, *args, **kwargs)

    def render_to_response(self, context: dict[str, Any], **kwargs: Any) -> HttpResponse:
        return render_page(self.request, ResetPage(can_email(), context["form"]))

    def form_valid(self, form: PasswordResetForm) -> HttpResponse:
        # Django would look for the account and write to it here: the time would tell whether there is one.
        language = get_language() or settings.LANGUAGE_CODE
        resets.request_reset(address=form.cleaned_data["email"], language=language)
        return redirect(self.success_url)


def _wait(request: HttpRequest) -> int:
    address = unicodedata.normalize("NFKC", request.POST.get("email", "")[:LONGEST_EMAIL]).strip().casefold()
    return max(
        sign_in_attempts.wait(
            what="reset", who=network_of(request), most=MOST_REQUESTS, seconds=REQUEST_SPAN
        ),
        sign_in_attempts.wait(what="reset of", who=address, most=MOST_OF_AN_ADDRESS, seconds=ADDRESS_SPAN),
    )


class OpenResetPage(LimitedPage, template="registration/reset_open.html"):
    invalid: bool = False
    hours: int = resets.RESET_HOURS


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def open_reset(request: HttpRequest) -> HttpResponse:
    """Open a reset link. Its secret stands behind the #; a script of the page sends it as a form."""
    if request.method != "POST":
        return render_page(request, OpenResetPage())
    left = sign_in_attempts.wait(what="link", who=network_of(request), most=MOST_LINKS, seconds=LINK_SPAN)
    if left:
        return too_many_attempts(request, OpenResetPage(), left)
    found = resets.open_secret(request.POST.get("secret", ""))
    if found is None:
        return render_page(request, OpenResetPage(invalid=True), status=410)
    user, token = found
    # Django's own way: the next page reads it here, and its address may be seen by all.
    request.session[INTERNAL_RESET_SESSION_TOKEN] = token
    return redirect("reset-choose", uidb64=urlsafe_base64_encode(force_bytes(user.pk)))


class NewPasswordPage(PageContext, template="registration/reset_choose.html"):
    form: Form | None


class ChooseNew(PasswordResetConfirmView):
    http_method_names = FORM_METHODS
    success_url = reverse_lazy("sign-in")

    def dispatch(self, request: HttpRequest, uidb64: str) -> HttpResponseBase:
        # Django also takes the secret from the address, where logs would hold it: here none reaches it.
        return super().dispatch(request, uidb64=uidb64, token=self.reset_url_token)

    def get_user(self, uidb64: str) -> User | None:
        user = super().get_user(uidb64)
        return user if isinstance(user, User) and user.is_active else None

    def render_to_response(self, context: dict[str, Any], **kwargs: Any) -> HttpResponse:
        page = NewPasswordPage(context["form"])
        return render_page(self.request, page, status=200 if page.form else 410)

    def form_valid(self, form: SetPasswordForm[User]) -> HttpResponse:
        with transaction.atomic():
            # Two who follow one link come in one after the other: the second finds the password changed.
            now = User.objects.select_for_update().get(pk=form.user.pk)
            if now.password != form.user.password:
                return redirect("reset-open")
            response = super().form_valid(form)
            settle_password(user=form.user)
        forget_tries(form.user.get_username())
        messages.success(self.request, gettext("Your password is changed. Please sign in."))
        return response


class ResetLinkPart(PageContext, template="campaigns/account/_reset_link.html"):
    reset_link: str = ""
    reset_of: str = ""
    reset_hours: int = resets.RESET_HOURS


def new_reset_link(request: HttpRequest, user: User) -> ResetLinkPart:
    maker, link_of = signed_in_user(request), secret_link(request, "reset-open")
    return ResetLinkPart(resets.make_reset_link(maker=maker, user=user, link_of=link_of), user.username)
