"""A second factor from set-up to a lost phone, as a person does it."""

from __future__ import annotations

from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value, yield_hotp_counters_from_time
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

NAME, PASSWORD = "ada", "correct horse battery"


def test_second_factor_is_set_up_asked_for_and_removed(page: Page, live_site: str) -> None:
    User.objects.create_user(NAME, password=PASSWORD)
    sign_in(page, live_site)
    page.goto(f"{live_site}/account/")
    page.get_by_role("link", name="Second factor").click()
    expect(page.locator(".qr svg")).to_be_visible()
    secret = page.locator(".totp-key").inner_text().replace(" ", "")
    now = list(yield_hotp_counters_from_time())[1]
    page.get_by_label("Code", exact=True).fill(format_hotp_value(hotp_value(secret, now)))
    page.get_by_label("Current password").fill(PASSWORD)
    page.get_by_role("button", name="Turn it on").click()
    codes = page.locator("#recovery-codes").input_value().split()
    assert len(codes) == 10
    sign_out(page)

    # A code is valid up to 30 seconds later and earlier, and each once: this one is not used yet.
    sign_in(page, live_site)
    enter(page, "000000 x")
    expect(page.get_by_role("alert")).to_be_visible()
    enter(page, format_hotp_value(hotp_value(secret, now + 1)))
    expect(page).to_have_url(f"{live_site}/campaigns/")
    sign_out(page)

    sign_in(page, live_site)
    enter(page, codes[0])
    expect(page).to_have_url(f"{live_site}/campaigns/")
    page.goto(f"{live_site}/account/second-factor/")
    expect(page.get_by_text("9 unused recovery codes are left")).to_be_visible()
    page.locator("#off-password").fill(PASSWORD)
    page.get_by_role("button", name="Turn it off").click()
    expect(page.get_by_text("Your second factor is off.")).to_be_visible()
    sign_out(page)
    sign_in(page, live_site)
    expect(page).to_have_url(f"{live_site}/campaigns/")


def sign_in(page: Page, site: str) -> None:
    page.goto(f"{site}/sign-in/")
    page.get_by_label("User name").fill(NAME)
    page.get_by_label("Password").fill(PASSWORD)
    page.keyboard.press("Enter")
    page.wait_for_url(lambda url: not url.endswith("/sign-in/"))


def enter(page: Page, code: str) -> None:
    page.get_by_label("Code", exact=True).fill(code)
    page.keyboard.press("Enter")


def sign_out(page: Page) -> None:
    page.locator(".who").click()
    page.get_by_role("button", name="Sign out").click()
    page.wait_for_url("**/sign-in/")
