"""Signing in, with a code after the password where the account has a second factor; and joining a campaign by
an invitation's link, with the account one has or with a new one.

Tries are limited, so that passwords are not found by trying.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import field
from typing import Any

from django.conf import settings
from django.contrib.auth import login
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.models import User
from django.contrib.auth.signals import user_login_failed
from django.contrib.auth.views import LoginView, LogoutView
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.crypto import constant_time_compare
from django.utils.translation import get_language
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from campaigns.core.errors import Refusal
from campaigns.core.rate_limits import network_of
from campaigns.models import Invitation, Membership, TeamMember
from campaigns.notifications.emails import prefer
from campaigns.pages.access import FORM_METHODS, LimitedPage, second_factor_page, too_many_attempts
from campaigns.pages.home import keep_language
from campaigns.people import invitations as services
from campaigns.people import second_factors, sign_in_attempts
from campaigns.people.accounts import folded_name, is_password_expired, signing_in_as
from campaigns.people.teams import has_role
from campaigns.templatetags.contexts import render_page

# Tries in ten minutes from one network: of one name, and of all, as people behind one gateway share theirs.
MOST_OF_A_NAME, MOST_OF_ALL, SIGN_IN_SPAN = 30, 600, 600
# Tries of one name from everywhere: a password cannot be guessed from many networks either.
MOST_EVERYWHERE, EVERYWHERE_SPAN = 100, 3600

# Wrong codes of one account from everywhere. At 480 a day, one in 700 accounts whose password is known falls.
MOST_CODES, CODE_SPAN = 20, 3600
# In the session between password and code: the account, a hash of its password, when, and where to go on.
PENDING, PENDING_SECONDS = "second_factor", 600
LONGEST_CODE = 50

# Tries of one network in ten minutes; people behind one gateway share theirs.
MOST_JOIN_TRIES, JOIN_SPAN = 60, 600
# Names tried in an hour by one link, beyond one for each place: a refused name may be an account's.
MOST_NAMES, NAMES_SPAN = 20, 3600
# In the session that has shown an invitation's secret: its id.
INVITATION = "invitation"


class SignInForm(AuthenticationForm):
    def clean_username(self) -> str:
        return signing_in_as(self.cleaned_data["username"])

    def confirm_login_allowed(self, user: User) -> None:
        super().confirm_login_allowed(user)
        if is_password_expired(user):
            raise ValidationError("expired", code="expired")


class SignInPage(LimitedPage, template="registration/login.html"):
    next: str
    form: AuthenticationForm | None = None
    no_accounts: bool = False
    openid: Mapping[str, str] = field(default_factory=lambda: settings.OPENID)

    @property
    def expired(self) -> bool:
        form = self.form
        return form is not None and form.is_bound and form.has_error("__all__", code="expired")


class SignIn(LoginView):
    http_method_names = FORM_METHODS
    redirect_authenticated_user = True
    authentication_form = SignInForm

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        left = _wait(request)
        if left:
            # The password is not even looked at: the answer is the same for a good one.
            return too_many_attempts(request, SignInPage(self.get_redirect_url()), left)
        return super().post(request, *args, **kwargs)

    def render_to_response(self, context: dict[str, Any], **kwargs: Any) -> HttpResponse:
        page = SignInPage(self.get_redirect_url(), context["form"], not User.objects.exists())
        return render_page(self.request, page)

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        return complete_sign_in(self.request, form.get_user(), self.get_redirect_url())


def complete_sign_in(request: HttpRequest, user: User, next_page: str) -> HttpResponse:
    """After the first factor: sign in, or ask for a code first."""
    if second_factors.is_asked(user):
        # A session key that was known to another person before must not be the one that gets in.
        request.session.cycle_key()
        pending = {"user": user.pk, "password": user.get_session_auth_hash(), "at": time.time()}
        request.session[PENDING] = {**pending, "next": next_page}
        return redirect("sign-in-code")
    return _enter(request, user, next_page)


def _enter(request: HttpRequest, user: User, next_page: str) -> HttpResponse:
    login(request, user, backend=settings.AUTHENTICATION_BACKENDS[0])
    response = redirect(next_page or settings.LOGIN_REDIRECT_URL)
    keep_language(request, response, user)
    forget_tries(user.get_username())
    sign_in_attempts.forget(what="sign-in", who=f"{network_of(request)} {folded_name(user.get_username())}")
    return response


class CodePage(LimitedPage, template="registration/code.html"):
    wrong: bool = False


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@second_factor_page
def enter_code(request: HttpRequest) -> HttpResponse:
    """The second step of a sign-in: a code of the app, or a recovery code."""
    user = _pending_user(request)
    if user is None:
        return redirect("sign-in")
    if request.method != "POST":
        return render_page(request, CodePage())
    left = sign_in_attempts.wait(what="code of", who=str(user.pk), most=MOST_CODES, seconds=CODE_SPAN)
    if left:
        return too_many_attempts(request, CodePage(), left)
    if not second_factors.use_code(user=user, code=request.POST.get("code", "")[:LONGEST_CODE]):
        credentials = {"username": user.get_username()}
        user_login_failed.send(sender=__name__, credentials=credentials, request=request)
        return render_page(request, CodePage(wrong=True))
    next_page = request.session.pop(PENDING)["next"]
    sign_in_attempts.forget(what="code of", who=str(user.pk))
    return _enter(request, user, next_page)


def _pending_user(request: HttpRequest) -> User | None:
    """User who has given their password in this session, unless it was changed or the account shut since."""
    pending = request.session.get(PENDING)
    if pending is None or not 0 <= time.time() - pending["at"] <= PENDING_SECONDS:
        return None
    user = User.objects.filter(pk=pending["user"], is_active=True).first()
    unchanged = user and constant_time_compare(pending["password"], user.get_session_auth_hash())
    return user if unchanged else None


class SignOut(LogoutView):
    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Clear the browser's cache of exports and documents. Judgments that are not sent yet stay."""
        response = super().post(request, *args, **kwargs)
        response.headers["Clear-Site-Data"] = '"cache"'
        return response


def _wait(request: HttpRequest) -> int:
    network, name = network_of(request), folded_name(request.POST.get("username", ""))
    return max(
        sign_in_attempts.wait(
            what="sign-in", who=f"{network} {name}", most=MOST_OF_A_NAME, seconds=SIGN_IN_SPAN
        ),
        sign_in_attempts.wait(what="sign-in", who=network, most=MOST_OF_ALL, seconds=SIGN_IN_SPAN),
        sign_in_attempts.wait(what="sign-in of", who=name, most=MOST_EVERYWHERE, seconds=EVERYWHERE_SPAN),
    )


def forget_tries(name: str) -> None:
    """Forget the tries from everywhere, once the account's owner has shown themself."""
    sign_in_attempts.forget(what="sign-in of", who=folded_name(name))


@require_safe
def join_by_path(request: HttpRequest, token: str) -> HttpResponse:
    """Links of earlier versions had the secret in the path."""
    return redirect(f"{reverse('join')}#{token}")


class JoinPage(LimitedPage, template="campaigns/people/join.html"):
    """`unopened`: no link was followed yet; `member`: the person belongs to the campaign already."""

    invitation: Invitation | None = None
    unopened: bool = False
    member: bool = False
    refused: Refusal | None = None
    typed: str = ""
    address: str = ""


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def join(request: HttpRequest) -> HttpResponse:
    """Open an invitation's link. Its secret stands behind the #; a script of the page sends it as a form, and
    this session stores the invitation."""
    if request.method == "POST":
        left = sign_in_attempts.wait(
            what="join", who=network_of(request), most=MOST_JOIN_TRIES, seconds=JOIN_SPAN
        )
        if left:
            return too_many_attempts(request, JoinPage(), left)
        if "secret" in request.POST:
            return _open(request)
        if left := _names_wait(request):
            return too_many_attempts(request, JoinPage(), left)
        try:
            membership = _join(request)
        except Refusal as refused:
            return _page(request, refused)
        request.session.pop(INVITATION, None)
        return _inside(membership)
    return _page(request, None)


def _open(request: HttpRequest) -> HttpResponse:
    invitation = services.find_invitation(request.POST["secret"].strip())
    if invitation is None:
        return render_page(request, JoinPage(), status=404)
    request.session[INVITATION] = invitation.id
    return redirect("join")


def _names_wait(request: HttpRequest) -> int:
    """Seconds to wait for a person who makes an account: a link must not serve to find out which names are
    taken."""
    invitation = services.read_invitation(request.session.get(INVITATION, 0))
    if invitation is None or request.user.is_authenticated:
        return 0
    most = MOST_NAMES + invitation.capacity
    return sign_in_attempts.wait(what="names of", who=str(invitation.id), most=most, seconds=NAMES_SPAN)


def _join(request: HttpRequest) -> Membership | TeamMember:
    id = request.session.get(INVITATION, 0)
    if isinstance(request.user, User):
        return services.accept(invitation_id=id, user=request.user)
    posted = request.POST
    membership = services.accept_with_new_account(
        invitation_id=id,
        username=posted.get("username", "").strip(),
        password=posted.get("password", ""),
        address=posted.get("address", "").strip(),
    )
    login(request, membership.user, backend="django.contrib.auth.backends.ModelBackend")
    prefer(user=membership.user, code=get_language() or "")
    return membership


def _inside(membership: Membership | TeamMember) -> HttpResponse:
    slug = membership.campaign.slug
    if isinstance(membership, TeamMember):
        return redirect("campaigns:team", slug=slug)
    if membership.role == Membership.Role.ORGANISER:
        return redirect("campaigns:dashboard", slug=slug)
    return redirect("assess:campaign", slug=slug)


def _page(request: HttpRequest, refused: Refusal | None) -> HttpResponse:
    if INVITATION not in request.session:
        return render_page(request, JoinPage(unopened=not refused, refused=refused))
    invitation = services.read_invitation(request.session[INVITATION])
    known = False
    if invitation is not None and isinstance(request.user, User):
        known = has_role(user=request.user, campaign=invitation.campaign)
    typed, address = request.POST.get("username", ""), invitation.address if invitation else ""
    page = JoinPage(invitation, False, known, refused, typed, request.POST.get("address", address))
    return render_page(request, page, status=_status(invitation, refused))


def _status(invitation: Invitation | None, refused: Refusal | None) -> int:
    if invitation is None:
        return 404
    if invitation.state != "open":
        return 410
    return refused.status if refused else 200
