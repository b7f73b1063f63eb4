"""Nothing acknowledged by the screen is lost, and nothing is stored twice."""

from __future__ import annotations

import json

import pytest
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from playwright.sync_api import Page, expect

from campaigns.models import Campaign, Membership
from tests.browser.judging_desk import ASSESSOR, Desk, log

pytestmark = pytest.mark.usefixtures("celery_worker")


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
    desk.progress("1 of 30 · 1 relevant")
    desk.mend()
    desk.saved()
    assert log(campaign) == [(docno, 2)]
    assert desk.docno() != docno
    desk.progress("1 of 30 · 1 relevant")


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
    desk.at_hand()
    Membership.objects.filter(user__username=ASSESSOR).delete()
    # A refusal may take the ring of its judgment away before anybody looks.
    desk.press("1")
    desk.state("1 refused")
    desk.page.locator("#saving").click()
    expect(desk.page.locator("#refused-list")).to_contain_text(docno)
    desk.page.get_by_role("button", name="Dismiss").click()
    expect(desk.page.locator("#refused")).to_be_hidden()
    assert log(campaign) == []


def test_a_tab_that_crashed_loses_nothing(desk: Desk, campaign: Campaign) -> None:
    first = desk.open()
    desk.at_hand()
    desk.cut()
    second = [desk.judge("1"), desk.docno()][1]
    desk.judge("2")
    desk.state("2 waiting · offline")
    context = desk.page.context
    desk.page.close()
    desk.page = context.new_page()
    desk.page.goto(desk.address)
    desk.saved()
    assert log(campaign) == [(first, 1), (second, 2)]


def test_what_an_older_version_left_is_sent(desk: Desk, campaign: Campaign) -> None:
    owner = User.objects.get(username=ASSESSOR).id
    old = {
        f"outbox:{owner}:desk:1700000000000:00000{n}": json.dumps(
            {
                "path": "judgments/",
                "body": {
                    "id": f"00000000-0000-4000-8000-00000000000{n}",
                    "topic": "7",
                    "docno": f"doc0{n}",
                    "grade": n,
                },
            }
        )
        for n in (2, 1)
    }
    desk.page.goto("/sign-in/")
    desk.page.evaluate("old => Object.entries(old).forEach(([k, v]) => localStorage.setItem(k, v))", old)
    desk.open()
    desk.saved()
    assert log(campaign) == [("doc01", 1), ("doc02", 2)]
    assert desk.page.evaluate("Object.keys(localStorage).filter((k) => k.startsWith('outbox'))") == []
    desk.open()
    desk.saved()
    assert len(log(campaign)) == 2


def test_a_browser_that_keeps_nothing_says_so_and_still_judges(desk: Desk, campaign: Campaign) -> None:
    for method in ("IDBFactory.prototype.open", "Storage.prototype.setItem"):
        desk.page.add_init_script(f"{method} = () => {{ throw new Error('forbidden'); }};")
    docno = desk.open()
    desk.state("saved · offline storage off")
    desk.page.locator("#saving").click()
    expect(desk.page.locator("#not-kept")).to_be_visible()
    desk.page.keyboard.press("Escape")
    other = [desk.judge("1"), desk.docno()][1]
    desk.judge("2")
    desk.state("saved · offline storage off")
    assert log(campaign) == [(docno, 1), (other, 2)]
