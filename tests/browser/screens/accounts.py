"""Pages of accounts and administration, and what a visitor sees when something fails."""

from __future__ import annotations

import re
from collections.abc import Callable

from allauth.mfa.models import Authenticator
from django.conf import settings
from django.contrib.auth.forms import PasswordResetForm
from django.contrib.auth.models import AnonymousUser, User
from django.core.exceptions import SuspiciousOperation
from django.core.handlers.wsgi import WSGIRequest
from django.http import HttpResponse
from django.test import RequestFactory
from django.utils import timezone
from django.utils.safestring import SafeString
from django.views.defaults import bad_request, server_error
from playwright.sync_api import Page, expect

from campaigns.core.errors import Refusal
from campaigns.notifications.assessor_emails import switch_off_link
from campaigns.pages.accounts.openid import RefusedSignIn
from campaigns.pages.accounts.reset import ResetPage
from campaigns.pages.accounts.second_factor import SecondFactorPage
from campaigns.pages.accounts.sign_in import CodePage, SignInPage
from campaigns.people.resets import secret_of
from campaigns.templatetags.contexts import render_page
from config.web.refusals import unavailable
from tests.browser.sample_site import (
    ADMINISTRATOR,
    ASSESSOR,
    INVITED,
    LONER,
    ORGANISER,
    PARTICIPANT,
    PROTECTED,
)
from tests.browser.screens.acts import Act, Screen, click, menu, organising, unconfirmed, unfold_all


def account_menu(page: Page) -> None:
    menu(page)
    click(".who", "#account")(page)


def invited(page: Page) -> None:
    page.goto(INVITED[-1])
    expect(page.get_by_role("button", name="Make the account and join")).to_be_visible()


def asked_by_email(request: WSGIRequest) -> HttpResponse:
    """This site has no mail server."""
    return render_page(request, ResetPage(can_email=True, form=PasswordResetForm()))


def recovery_codes(request: WSGIRequest) -> HttpResponse:
    """They are shown once, to the person who has just set it up."""
    codes = [f"{10_000_000 + n * 7_919_113}" for n in range(10)]
    app, request.user = Authenticator(created_at=timezone.now()), User.objects.get(username=LONER)
    return render_page(request, SecondFactorPage(app, 10, "", SafeString(), "", None, codes, first=True))


def openid_sign_in(request: WSGIRequest) -> HttpResponse:
    return render_page(request, SignInPage(next="", openid={"name": "Example University"}))


def openid_refused(request: WSGIRequest) -> HttpResponse:
    refused = Refusal("failed", "signing in at the provider failed: please try again")
    return render_page(request, RefusedSignIn(refused=refused))


def wrong_code(request: WSGIRequest) -> HttpResponse:
    return render_page(request, CodePage(wrong=True))


def unheld(page: Page) -> None:
    said = re.compile("This invitation does not exist|This link is not valid")
    expect(page.get_by_text(said)).to_be_visible()


def refused_address(page: Page) -> None:
    page.locator("#password").fill("wrong")
    page.get_by_role("button", name="Save the address").click()
    expect(page.get_by_role("alert")).to_be_visible()
    page.evaluate("scrollTo(0, 0)")


def refused_password(page: Page) -> None:
    for name in ("old_password", "new_password1", "new_password2"):
        page.locator(f"#id_{name}").fill("short")
    page.get_by_role("button", name="Change password").click()
    expect(page.locator(".errorlist").first).to_be_visible()


def reset_link(page: Page) -> None:
    page.get_by_text("Change").first.click()
    page.get_by_role("button", name="Make a reset link").first.click()
    expect(page.locator("#reset-link")).to_be_visible()
    page.get_by_text("Change").first.click()


def new_password(page: Page) -> None:
    page.goto(f"/reset/open/#{secret_of(User.objects.get(username=LONER))}")
    expect(page.get_by_label("New password", exact=True)).to_be_visible()


def switching_off(page: Page) -> None:
    page.goto(switch_off_link(User.objects.get(username=LONER).id).removeprefix(settings.SITE_URL))
    expect(page.get_by_role("button", name="Switch off emails")).to_be_visible()


def wrong_name(page: Page) -> None:
    page.get_by_label("User name").fill("edith")
    page.get_by_label("Password").fill("wrong")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_be_visible()


def instead(answer: Callable[[WSGIRequest], HttpResponse]) -> Act:
    """As the server answers when it fails, or cannot read what was sent."""

    def act(page: Page) -> None:
        request = RequestFactory().get("/")
        request.user = AnonymousUser()
        said = answer(request)
        body, status = said.content.decode(), said.status_code
        page.route("**/failing/", lambda r: r.fulfill(status=status, body=body, content_type="text/html"))
        page.goto("/failing/")

    return act


def receipt(page: Page) -> None:
    page.get_by_role("link", name="Receipt").click()
    page.wait_for_url("**/receipt/")


def no_scope(page: Page) -> None:
    page.get_by_label("Name", exact=True).fill("by nothing")
    page.locator("input[value=read]").uncheck()
    page.get_by_role("button", name="Make the token").click()
    expect(page.locator(".notice.bad")).to_be_visible()
    page.evaluate("scrollTo(0, 0)")


def remove_person(page: Page) -> None:
    page.get_by_text("Change", exact=True).click()
    page.get_by_role("link", name="Delete for good").click()
    page.wait_for_url("**/delete/")


def unremoved(page: Page) -> None:
    remove_person(page)
    unconfirmed(page)


OTHERS = [
    Screen("a team's runs", "/campaigns/given/team/", PARTICIPANT, unfold_all),
    Screen("a team's receipt", "/campaigns/given/team/", PARTICIPANT, receipt),
    Screen("a team's scores, not released", "/campaigns/given/team/scores/", PARTICIPANT),
    Screen("administration", "/administration/", ADMINISTRATOR),
    Screen("deletion of a person", "/accounts/?words=Desk-grace", ADMINISTRATOR, remove_person),
    Screen("deletion of a person, refused", "/accounts/?words=Desk-grace", ADMINISTRATOR, unremoved),
    Screen("deletion of an only organiser", "/accounts/?words=Differ-ada", ADMINISTRATOR, remove_person),
    organising("API tokens", "/tokens/"),
    organising("API tokens, refused", "/tokens/", no_scope),
    organising("account menu", "/campaigns/", account_menu),
    Screen("no API tokens", "/tokens/", LONER),
    Screen("help", "/help/", None),
    Screen("help, a page", "/help/concepts/", None, unfold_all),
    Screen("help, search", "/help/search/?q=residual", None),
    Screen("help, nothing found", "/help/search/?q=zzzz", None),
    Screen("assessor's guide", "/judge/guide.de.html", None, unfold_all),
    Screen("sign in", "/sign-in/", None),
    Screen("sign in, refused", "/sign-in/", None, wrong_name),
    Screen("invitation", "/sign-in/", None, invited),
    Screen("invitation that does not hold", "/join/#nothing", None, unheld),
    Screen("invitation, to be opened", "/join/", None),
    Screen("account", "/account/", ORGANISER),
    Screen("account, refused", "/account/", ORGANISER, refused_address),
    Screen("change password", "/account/password/", ORGANISER),
    Screen("change password, refused", "/account/password/", ORGANISER, refused_password),
    Screen("account without a password", "/account/", LONER),
    Screen("sign in, by a provider", "/sign-in/", None, instead(openid_sign_in)),
    Screen("sign in, by a provider, refused", "/sign-in/", None, instead(openid_refused)),
    Screen("second factor", "/account/second-factor/", ORGANISER),
    Screen("second factor, on", "/account/second-factor/", PROTECTED),
    Screen("second factor, recovery codes", "/sign-in/", None, instead(recovery_codes)),
    Screen("code", "/sign-in/", None, instead(wrong_code)),
    Screen("all accounts, with a second factor", "/accounts/?words=protected", ADMINISTRATOR, unfold_all),
    Screen("all accounts", "/accounts/?words=desk", ADMINISTRATOR, reset_link),
    Screen("emails, to be switched off", "/sign-in/", None, switching_off),
    Screen("emails, by a link that does not hold", "/emails-off/1:x/", None),
    Screen("forgotten password", "/reset/", None),
    Screen("forgotten password, by email", "/sign-in/", None, instead(asked_by_email)),
    Screen("reset sent", "/reset/sent/", None),
    Screen("reset link, to be opened", "/reset/open/", None),
    Screen("reset link that does not hold", "/reset/open/#nothing", None, unheld),
    Screen("new password", "/reset/open/", None, new_password),
    Screen("not found", "/no/such/page/", ASSESSOR),
    Screen("not by this method", "/campaigns/desk/move/", ORGANISER),
    Screen("not allowed", "/campaigns/desk/setup/", ASSESSOR),
    Screen(
        "not to be read", "/sign-in/", None, instead(lambda asked: bad_request(asked, SuspiciousOperation()))
    ),
    Screen("failed", "/sign-in/", None, instead(server_error)),
    Screen("away for a moment", "/sign-in/", None, instead(unavailable)),
]
