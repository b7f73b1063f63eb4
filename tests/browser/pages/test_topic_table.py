"""The table of topics as an organiser uses it: select, assign, undo, and all of it by keys."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Page, expect

from campaigns.models import Campaign, Topic, TopicAssignment
from tests.browser.judging_desk import desk_campaign
from tests.browser.organiser import sign_in

TOPICS = "/campaigns/desk/topics/"


@pytest.fixture
def campaign(page: Page, live_site: str) -> Campaign:
    campaign = desk_campaign()
    Topic.objects.bulk_create(
        Topic(campaign=campaign, number=str(number), title=f"bees {number}", position=number)
        for number in range(100, 112)
    )
    sign_in(page, live_site, "Desk-ada")
    page.goto(live_site + TOPICS)
    return campaign


def given() -> set[tuple[str, str]]:
    return set(TopicAssignment.objects.values_list("topic__number", "assessor__username"))


def test_three_topics_are_assigned_and_undone(campaign: Campaign, page: Page) -> None:
    bar = page.locator("[data-selection]")
    expect(bar).to_be_hidden()
    for number in (100, 103, 107):
        page.get_by_label(f"Select topic {number}").check()
    expect(bar.get_by_text("3 selected")).to_be_visible()
    bar.locator("summary", has_text="Assign").click()
    bar.get_by_label("Desk-grace").check()
    page.get_by_role("button", name="Assign the selected topics").click()
    expect(page.get_by_text("3 topics are newly assigned to Desk-grace.")).to_be_visible()
    assert {("100", "Desk-grace"), ("103", "Desk-grace"), ("107", "Desk-grace")} <= given()
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("It is undone.")).to_be_visible()
    assert {number for number, _ in given()}.isdisjoint({"100", "103", "107"})


def test_keys_select_move_filter_and_clear(campaign: Campaign, page: Page) -> None:
    page.keyboard.press("/")
    expect(page.get_by_label("Number or words")).to_be_focused()
    page.keyboard.type("bees")
    expect(page.get_by_text("12 of 13 topics")).to_be_visible()
    # The browser empties the field of a search, and the list comes again with all topics.
    page.keyboard.press("Escape")
    expect(page.get_by_text("12 of 13 topics")).to_be_hidden()
    first = page.get_by_role("link", name="sorting the rows")
    page.keyboard.press("ArrowDown")
    expect(first).to_be_focused()
    page.keyboard.press("x")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("x")
    expect(page.get_by_text("2 selected")).to_be_visible()
    page.keyboard.press("ArrowUp")
    expect(first).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator("[data-selection]")).to_be_hidden()
    page.keyboard.press("Enter")
    page.wait_for_url("**/topics/7/")


def test_shift_selects_a_stretch(campaign: Campaign, page: Page) -> None:
    page.get_by_label("Select topic 101").click()
    page.get_by_label("Select topic 105").click(modifiers=["Shift"])
    expect(page.get_by_text("5 selected")).to_be_visible()
    page.get_by_label("Select all rows of this page").check()
    expect(page.get_by_text("13 selected")).to_be_visible()


def test_selection_outlasts_what_comes_anew(campaign: Campaign, page: Page) -> None:
    page.get_by_label("Select topic 101").check()
    with page.expect_response(lambda reply: "topics/" in reply.url, timeout=60_000):
        pass
    expect(page.get_by_label("Select topic 101")).to_be_checked()
    expect(page.get_by_text("1 selected")).to_be_visible()
    # What a filter takes away is selected no more: nothing is done to rows out of sight.
    page.get_by_label("Number or words").fill("bees 107")
    expect(page.get_by_text("1 of 13 topics")).to_be_visible()
    expect(page.locator("[data-selection]")).to_be_hidden()


def test_sort_is_in_the_address(campaign: Campaign, page: Page) -> None:
    page.get_by_role("link", name="No.").click()
    page.wait_for_url("**sort=number**")
    page.get_by_role("link", name="No.").click()
    page.wait_for_url("**sort=-number**")
    expect(page.locator(".topics tbody th a").first).to_have_text("bees 111")
    page.get_by_label("Number or words").fill("bees 10")
    expect(page.get_by_text("10 of 13 topics")).to_be_visible()
    expect(page.locator(".topics tbody th a").first).to_have_text("bees 109")


def test_without_scripts_the_bar_is_a_form(
    campaign: Campaign, page: Page, browser: Browser, live_site: str
) -> None:
    context = browser.new_context(base_url=live_site, java_script_enabled=False)
    plain = context.new_page()
    sign_in(plain, live_site, "Desk-ada")
    plain.goto(TOPICS)
    plain.get_by_label("Select topic 104").check()
    plain.get_by_label("Select topic 105").check()
    plain.get_by_role("button", name="Close").click()
    expect(plain.get_by_text("2 topics are closed")).to_be_visible()
    assert set(campaign.topics.exclude(closed_at=None).values_list("number", flat=True)) == {"104", "105"}
    context.close()
