"""A question to the organisers from the judging screen, with and without a network."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from campaigns.models import Campaign, Question
from tests.browser.judging_desk import Desk
from tests.plumbing.idle import wait_for

pytestmark = pytest.mark.usefixtures("celery_worker")


def test_a_question_is_sent_and_waits_while_there_is_no_network(
    campaign: Campaign, page: Page, live_site: str
) -> None:
    desk = Desk(page, live_site)
    desk.open()
    docno = desk.docno()
    desk.press("q")
    expect(page.locator("#asking-text")).to_be_focused()
    page.keyboard.type("does 1 count?")
    page.get_by_role("button", name="Send", exact=True).click()
    expect(page.locator("#flash")).to_have_text("Question sent")
    expect(page.locator("#asked li")).to_have_text("does 1 count?No answer yet")
    wait_for(lambda: Question.objects.count() == 1)
    assert Question.objects.get().document.docno == docno
    page.context.set_offline(True)
    desk.press("q")
    page.locator("#asking-text").fill("and 2?")
    page.get_by_role("button", name="Send", exact=True).click()
    expect(page.locator("#flash")).to_have_text("Question kept, not sent yet")
    expect(page.locator("#asked li")).to_have_count(2)
    assert Question.objects.count() == 1
    page.context.set_offline(False)
    wait_for(lambda: Question.objects.count() == 2)
    desk.press("q")
    page.keyboard.press("Escape")
    desk.press("1")
    expect(page.locator("#asked")).to_be_hidden()
