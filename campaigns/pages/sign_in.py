"""Signing in, and joining a campaign by an invitation's link, with the account one has or with a new one.

Tries are limited, so that nobody finds passwords by trying.
"""

from __future__ import annotations

from typing import Any

from django.contrib.auth import login
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.models import User
from django.contrib.auth.views import LoginView, LogoutView
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from campaigns.core.errors import Refusal
from campaigns.core.rate_limits import address_of, count_try, wait
from campaigns.models import Invitation, Membership
from campaigns.notifications.emails import prefer
from campaigns.pages.home import keep_language
from campaigns.people import invitations as services

# Tries of one address in ten minutes: of one name, and of all, as people behind one gateway share theirs.
MOST_OF_A_NAME, MOST_OF_ALL, SIGN_IN_SPAN = 30, 600, 600
LONGEST_USERNAME = 150

# Tries of one address in ten minutes; people behind one gateway share theirs.
MOST_JOIN_TRIES, JOIN_SPAN = 60, 600


class SignIn(LoginView):
    redirect_authenticated_user = True

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        left = _left(request)
        if not left:
            return super().post(request, *args, **kwargs)
        # The password is not even looked at: the answer is the same for a good one.
        context = {"too_many": True, "next": self.get_redirect_url()}
        response = render(request, self.get_template_names(), context, status=429)
        response.headers["Retry-After"] = str(left)
        return response

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return {**super().get_context_data(**kwargs), "no_accounts": not User.objects.exists()}

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        response = super().form_valid(form)
        keep_language(self.request, response, form.get_user())
        return response


class SignOut(LogoutView):
    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Clear the browser's cache of exports and documents. Judgments that are not sent yet stay."""
        response = super().post(request, *args, **kwargs)
        response.headers["Clear-Site-Data"] = '"cache"'
        return response


def _left(request: HttpRequest) -> int:
    address = address_of(request)
    name = request.POST.get("username", "")[:LONGEST_USERNAME]
    return max(
        wait(what="sign-in", who=f"{address} {name}", most=MOST_OF_A_NAME, seconds=SIGN_IN_SPAN),
        wait(what="sign-in", who=address, most=MOST_OF_ALL, seconds=SIGN_IN_SPAN),
    )


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def join(request: HttpRequest, token: str) -> HttpResponse:
    if not count_try(what="join", who=address_of(request), most=MOST_JOIN_TRIES, seconds=JOIN_SPAN):
        words = _("Too many tries from where you are. Please try again in ten minutes.")
        context = {"too_many": words}
        response = render(request, "campaigns/people/join.html", context, status=429)
        response.headers["Retry-After"] = str(JOIN_SPAN)
        return response
    if request.method == "POST":
        try:
            membership = _join(request, token)
        except Refusal as refused:
            return _page(request, token, refused)
        return _inside(membership)
    return _page(request, token, None)


def _join(request: HttpRequest, token: str) -> Membership:
    if isinstance(request.user, User):
        return services.accept(token=token, user=request.user)
    posted = request.POST
    membership = services.accept_with_new_account(
        token=token, username=posted.get("username", "").strip(), password=posted.get("password", "")
    )
    login(request, membership.user, backend="django.contrib.auth.backends.ModelBackend")
    prefer(user=membership.user, code=get_language() or "")
    return membership


def _inside(membership: Membership) -> HttpResponse:
    slug = membership.campaign.slug
    if membership.role == Membership.Role.ORGANISER:
        return redirect("campaigns:dashboard", slug=slug)
    return redirect("assess:campaign", slug=slug)


def _page(request: HttpRequest, token: str, refused: Refusal | None) -> HttpResponse:
    invitation = services.find_invitation(token)
    known = False
    if invitation is not None and isinstance(request.user, User):
        members = Membership.objects.filter(campaign=invitation.campaign)
        known = members.filter(user=request.user).exists()
    context: dict[str, Any] = {
        "invitation": invitation,
        "member": known,
        "here": request.path,
        "refused": refused,
        "typed": request.POST.get("username", ""),
    }
    return render(request, "campaigns/people/join.html", context, status=_status(invitation, refused))


def _status(invitation: Invitation | None, refused: Refusal | None) -> int:
    if invitation is None:
        return 404
    if invitation.state != "open":
        return 410
    return refused.status if refused else 200
