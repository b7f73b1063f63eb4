"""Invitations, judgments that differ, and a third person who decides: each in a browser of their own."""

from __future__ import annotations

import re
from contextlib import ExitStack

import pytest
from playwright.sync_api import Browser, Page, expect

from campaigns.log.current import current_qrels
from campaigns.models import Judgment
from tests.browser.judging_desk import Desk, desk_campaign
from tests.browser.organiser import WIDTHS, scrolls_sideways, sign_in
from tests.campaigns.factories import Api
from tests.plumbing.browser.chromium_fixtures import visit

PEOPLE, ADJUDICATE = "/campaigns/desk/people/", "/campaigns/desk/adjudicate/"


def invited(organiser: Page, role: str) -> str:
    """The link, as the page shows it once."""
    organiser.goto(PEOPLE)
    organiser.locator("#invite-role").select_option(role)
    organiser.get_by_role("button", name="Create invitation").click()
    link = organiser.locator("#invitation-link")
    expect(link).to_have_value(re.compile("/join/"))
    return link.input_value()


def accept(page: Page, link: str, name: str) -> None:
    page.goto(link)
    page.locator("#username").fill(name)
    page.locator("#password").fill("correct horse battery")
    page.get_by_role("button", name="Make the account and join").click()
    expect(page.locator(".who")).to_have_text(name)


def test_three_people_join_two_differ_and_the_third_decides(
    celery_worker: object, page: Page, browser: Browser, live_site: str
) -> None:
    campaign = desk_campaign(overlap_share=1.0)
    sign_in(page, live_site, "Desk-ada")
    with ExitStack() as open_:
        barbara, edsger, tony = (open_.enter_context(visit(browser, live_site)) for _ in range(3))
        for other, name, role in (
            (barbara, "barbara", "assessor"),
            (edsger, "edsger", "assessor"),
            (tony, "tony", "organiser"),
        ):
            accept(other, invited(page, role), name)
        first = Desk(barbara, live_site, who="")
        first.open()
        docno = first.judge("0")
        first.saved()
        second = Desk(edsger, live_site, who="")
        second.open()
        # Others' documents come first.
        assert second.judge("2") == docno
        second.saved()
        tony.goto(ADJUDICATE)
        expect(tony.locator(".given .grade-mark")).to_have_text(["0", "2"])
        expect(tony.locator("main")).not_to_contain_text("barbara")
        expect(tony.locator(".plain-text mark").first).to_have_text("Sort")
        tony.keyboard.press("1")
        expect(tony.locator(".notice.success, .notice").first).to_contain_text(f"{docno} is decided: 1.")
        expect(tony.locator(".decided")).to_contain_text("barbara 0, edsger 2")
        # Keys are taken once the page's script is there.
        tony.wait_for_load_state()
        assert [row for row in current_qrels(campaign=campaign) if row[1] == docno] == [("7", docno, 1)]
        tony.keyboard.press("u")
        expect(tony.locator(".given .grade-mark")).to_have_text(["0", "2"])
        assert Judgment.objects.filter(adjudication=True).count() == 2
        page.goto("/campaigns/desk/invitations/")
        expect(page.locator(".invitations")).to_contain_text("used by tony")
        page.goto(PEOPLE)
        expect(page.locator(".agreement").last).to_contain_text("what the others are compared with")


@pytest.mark.parametrize(("width", "height"), WIDTHS)
def test_nothing_runs_over_the_edge(
    celery_worker: object, page: Page, live_site: str, width: int, height: int
) -> None:
    campaign = desk_campaign(overlap_share=1.0)
    for name, grade in (("grace", 0), ("alan", 2)):
        for docno in ("doc01", "doc02"):
            assert Api(campaign, f"Desk-{name}").judge("7", docno, grade).status_code == 201
    sign_in(page, live_site, "Desk-ada")
    page.set_viewport_size({"width": width, "height": height})
    invited(page, "assessor")
    assert not scrolls_sideways(page)
    page.goto(ADJUDICATE)
    for button in page.locator(".decide button, .steps a").all():
        box = button.bounding_box()
        assert box
        assert box["height"] >= (48 if width < 900 else 32)
    assert not scrolls_sideways(page)
    page.keyboard.press("1")
    expect(page.locator(".decided")).to_be_visible()
    for path in (ADJUDICATE, PEOPLE, "/campaigns/desk/exports/", "/join/#nothing"):
        page.goto(path)
        assert not scrolls_sideways(page), path
