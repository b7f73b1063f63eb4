"""An organiser sets a due date; an assessor sees it, finds their work, and switches emails off and on."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.utils import timezone
from playwright.sync_api import Page, ViewportSize, expect

from campaigns.collection import assignments
from campaigns.models import Campaign, EmailsOff
from campaigns.notifications.assessor_emails import switch_off_link
from tests.browser.judging_desk import ASSESSOR, desk_campaign
from tests.browser.organiser import fits, sign_in
from tests.plumbing.idle import wait_for

SIZES: list[ViewportSize] = [{"width": 390, "height": 844}, {"width": 1440, "height": 900}]


@pytest.fixture
def campaign(live_site: str) -> Campaign:
    campaign = desk_campaign()
    ada = User.objects.get(username="Desk-ada")
    topics = list(campaign.topics.all())
    assignments.assign(campaign=campaign, topics=topics, username=ASSESSOR, organiser=ada)
    return campaign


def open_menu(page: Page) -> None:
    """On a phone, the menu under one's name is in the site's menu."""
    button = page.get_by_role("button", name="Menu", exact=True)
    if button.is_visible():
        button.click()
    page.locator("button.who").click()


def test_set_seen_switched_off_and_on(campaign: Campaign, page: Page, live_site: str) -> None:
    day = (timezone.now() + timedelta(days=4)).date()
    sign_in(page, live_site, "Desk-ada")
    page.set_viewport_size(SIZES[1])
    page.goto("/campaigns/desk/setup/?step=judging")
    page.locator("#due_at").fill(f"{day}T18:00")
    page.locator("form.settings:has(#due_at) .go-on button").click()
    wait_for(lambda: Campaign.objects.get().due_at == datetime(day.year, day.month, day.day, 18, tzinfo=UTC))
    page.goto("/campaigns/desk/people/")
    expect(page.locator(".page-head")).to_contain_text(
        f"Due {day:%A} {day.day} {day:%B} {day.year}, 18:00 UTC"
    )
    expect(page.get_by_role("row", name=ASSESSOR)).to_contain_text("40 judgments left")
    assert fits(page)

    page.context.clear_cookies()
    sign_in(page, live_site, ASSESSOR)
    for size in SIZES:
        page.goto("/judge/")
        page.set_viewport_size(size)
        line = page.locator(".due")
        expect(line).to_contain_text(f"40 judgments left to the minimum, due {day:%A} {day.day}")
        expect(line).to_contain_text(" a day.")
        page.get_by_role("link", name="Desk", exact=True).click()
        expect(line).to_contain_text("40 judgments left to the minimum")
        open_menu(page)
        page.locator("#account").get_by_role("link", name="My work").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("My work")
        expect(line).to_contain_text("judgments a day.")
    assert fits(page)

    page.context.clear_cookies()
    person = User.objects.get(username=ASSESSOR)
    page.goto(switch_off_link(person.id).removeprefix(settings.SITE_URL))
    assert fits(page)
    page.get_by_role("button", name="Switch off emails").click()
    expect(page.get_by_role("status")).to_contain_text("switched off")
    assert EmailsOff.objects.get().user == person
    sign_in(page, live_site, ASSESSOR)
    page.goto("/account/")
    choice = page.get_by_label("answers to my questions, and reminders")
    expect(choice).not_to_be_checked()
    choice.check()
    page.locator("section", has=choice).get_by_role("button", name="Save").click()
    expect(page.get_by_text("Saved.")).to_be_visible()
    assert not EmailsOff.objects.exists()
