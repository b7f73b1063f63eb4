"""The organiser's list of topics gets shorter while a person types, and stays so."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from campaigns.models import Topic
from tests.browser.judging_desk import desk_campaign
from tests.browser.organiser import sign_in


def test_found_while_typing(page: Page, live_site: str) -> None:
    campaign = desk_campaign()
    Topic.objects.bulk_create(
        Topic(campaign=campaign, number=str(number), title=f"bees {number}", position=number)
        for number in range(100, 112)
    )
    sign_in(page, live_site, "Desk-ada")
    page.goto("/campaigns/desk/topics/")
    rows = page.locator(".topics tbody tr")
    expect(rows).to_have_count(13)
    page.get_by_label("Number or words").fill("bees 107")
    expect(rows).to_have_count(1)
    expect(page.get_by_text("1 of 13 topics")).to_be_visible()
    # The page asks again every few seconds, for the same.
    with page.expect_response(lambda reply: "words=bees" in reply.url, timeout=60_000):
        pass
    expect(rows).to_have_count(1)
    page.reload()
    expect(page.get_by_label("Number or words")).to_have_value("bees 107")
    expect(rows).to_have_count(1)
    page.get_by_label("Number or words").fill("")
    # Or the answer to this would replace the link below while it is clicked.
    expect(rows).to_have_count(13)
    page.get_by_label("State").select_option("untouched")
    expect(page.get_by_text("13 of 13 topics")).to_be_visible()
    page.get_by_role("link", name="Show all").click()
    expect(page.get_by_label("State")).to_have_value("")
    expect(rows).to_have_count(13)
