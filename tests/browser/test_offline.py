"""Nothing acknowledged by the screen is lost, and nothing is stored twice."""

from __future__ import annotations

import pytest
from django.contrib.sessions.models import Session
from playwright.sync_api import Page, expect

from campaigns.models import Campaign, Membership
from tests.browser.desk import ASSESSOR, Desk, desk_campaign, log
from tests.plumbing.rest import wait_until_idle

pytestmark = pytest.mark.usefixtures("celery_worker")


@pytest.fixture
def campaign(live_site: str) -> Campaign:
    campaign = desk_campaign()
    wait_until_idle()
    return campaign


@pytest.fixture
def desk(campaign: Campaign, page: Page, live_site: str) -> Desk:
    return Desk(page, live_site)


def test_judgments_wait_for_the_network_in_order(desk: Desk, campaign: Campaign) -> None:
    docno = desk.open()
    desk.cut()
    desk.judge("1")
    desk.state("1 waiting · offline")
    desk.press("u")
    expect(desk.page.locator("#document-title")).to_have_text(docno)
    desk.judge("2")
    desk.state("3 waiting · offline")
    assert log(campaign) == []
    desk.mend()
    desk.saved()
    assert log(campaign) == [(docno, 1), (docno, None), (docno, 2)]
    assert desk.docno() != docno


def test_a_reload_loses_nothing(desk: Desk, campaign: Campaign) -> None:
    docno = desk.open()
    desk.cut()
    desk.judge("2")
    desk.state("1 waiting · offline")
    desk.page.reload()
    desk.state("1 waiting · offline")
    desk.mend()
    desk.saved()
    assert log(campaign) == [(docno, 2)]
    assert desk.docno() != docno
    desk.progress("1 of 40 · 1 relevant")


def test_an_answer_that_is_lost_is_asked_for_again_and_stored_once(desk: Desk, campaign: Campaign) -> None:
    docno = desk.open()
    desk.lose_replies()
    desk.judge("1")
    desk.state("1 waiting · offline")
    assert log(campaign) == [(docno, 1)]
    desk.mend()
    desk.saved()
    assert log(campaign) == [(docno, 1)]
    assert desk.docno() != docno


def test_an_interrupted_document_can_be_judged_without_network(desk: Desk, campaign: Campaign) -> None:
    desk.open()
    first = desk.judge("0")
    second = desk.docno()
    desk.saved()
    desk.cut()
    desk.page.locator(f'#last [data-docno="{first}"]').click()
    expect(desk.page.locator("#document-title")).to_have_text(first)
    desk.judge("1")
    expect(desk.page.locator("#document-title")).to_have_text(second)
    desk.judge("2")
    desk.state("2 waiting · offline")
    desk.mend()
    desk.saved()
    assert log(campaign) == [(first, 0), (first, 1), (second, 2)]


def test_a_session_that_ended_keeps_judgments_until_one_signs_in_again(
    desk: Desk, campaign: Campaign, page: Page, live_site: str
) -> None:
    docno = desk.open()
    Session.objects.all().delete()
    desk.judge("1")
    desk.state("1 waiting · signed out")
    desk.page.locator("#saving").click()
    expect(desk.page.get_by_role("link", name="Sign in again")).to_be_visible()
    Desk(page, live_site)
    desk.page.get_by_role("button", name="Try now").click()
    desk.saved()
    assert log(campaign) == [(docno, 1)]


def test_a_refusal_is_shown_with_its_reason(desk: Desk, campaign: Campaign) -> None:
    docno = desk.open()
    Membership.objects.filter(user__username=ASSESSOR).delete()
    desk.judge("1")
    desk.state("1 refused")
    desk.page.locator("#saving").click()
    expect(desk.page.locator("#refused-list")).to_contain_text(docno)
    desk.page.get_by_role("button", name="Dismiss").click()
    expect(desk.page.locator("#refused")).to_be_hidden()
    assert log(campaign) == []
