"""A token from the page to a program and back: made, used as curl would, revoked."""

from __future__ import annotations

import json
import re
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from playwright.sync_api import Page, expect

from tests.browser.accessibility import barriers, still
from tests.browser.organiser import WIDTHS, scrolls_sideways, sign_in
from tests.browser.screens.acts import menu
from tests.campaigns.factories import make_campaign


def ask(site: str, secret: str) -> tuple[int, object]:
    request = Request(f"{site}/api/v1/campaigns/", headers={"Authorization": f"Token {secret}"})
    try:
        with urlopen(request, timeout=30) as reply:
            return reply.status, json.load(reply)
    except HTTPError as refused:
        return refused.code, json.load(refused)["code"]


def make(page: Page, name: str) -> str:
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_role("button", name="Make the token").click()
    secret = page.locator("#token-secret")
    expect(secret).to_have_value(re.compile(r"^assess_\w{43}$"))
    expect(page.locator("#token-line")).to_have_value(re.compile("^curl .*/api/v1/campaigns/$"))
    return secret.input_value()


def test_made_used_and_revoked(page: Page, live_site: str) -> None:
    make_campaign("Small")
    sign_in(page, live_site, "Small-ada")
    page.goto("/campaigns/small/people/")
    page.locator(".who").click()
    page.get_by_role("link", name="API tokens").click()
    secret = make(page, "notebook")
    status, found = ask(live_site, secret)
    assert status == 200
    assert isinstance(found, dict)
    assert [row["slug"] for row in found["results"]] == ["small"]
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy", exact=True).click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == secret
    page.reload()
    expect(page.locator("#token-secret")).to_have_count(0)
    expect(page.locator(".tokens tbody tr")).to_contain_text("just now")
    # First the question is cancelled, then confirmed.
    page.once("dialog", lambda dialog: dialog.dismiss())
    page.get_by_role("button", name="Revoke notebook").click()
    assert ask(live_site, secret)[0] == 200
    page.once("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Revoke notebook").click()
    expect(page.locator(".notice.good")).to_contain_text("“notebook” is revoked")
    expect(page.locator(".tokens .chip")).to_have_text("revoked")
    assert ask(live_site, secret) == (401, "bad_token")


@pytest.mark.parametrize(("width", "height"), WIDTHS)
def test_the_secret_fits_and_has_no_barriers(page: Page, live_site: str, width: int, height: int) -> None:
    make_campaign("Small")
    sign_in(page, live_site, "Small-ada")
    page.set_viewport_size({"width": width, "height": height})
    page.goto("/tokens/")
    make(page, "a token with a name of several words, as one writes who wants to know it again")
    assert not scrolls_sideways(page)
    # The form is far below on a phone; what it made is shown all the same.
    expect(page.locator("#token-secret")).to_be_in_viewport()
    still(page)
    # What is half behind the header now is not found too small.
    page.evaluate("scrollTo(0, 0)")
    assert not barriers(page)
    menu(page)
    page.locator(".who").click()
    expect(page.get_by_role("button", name="Sign out")).to_be_visible()
    assert not scrolls_sideways(page)
