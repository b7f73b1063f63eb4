"""Where acts wait in the browser: whatever ends a page or fails, each arrives once, in order."""

from __future__ import annotations

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.sessions.backends.db import SessionStore
from playwright.sync_api import Page, expect

from campaigns.models import Campaign, Judgment, Membership
from campaigns.people.sessions import TEMPORARY
from tests.browser.judging_desk import ASSESSOR, Desk, log

pytestmark = pytest.mark.usefixtures("celery_worker")

NO_DATABASE = "IDBFactory.prototype.open = () => { throw new Error('forbidden'); };"
NO_LOCAL_STORAGE = (
    "Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); };"
)
LEFT = """async () => {
  const { Store } = await import("/static/assess/offline/store.js");
  const store = await Store.open();
  const rows = async (table) => (await store.all(table)).length;
  const names = Object.keys(localStorage).filter((name) => /^(outbox|refused)/.test(name));
  return [await rows("acts"), await rows("refused"), names.length];
}"""


@pytest.fixture
def desk(campaign: Campaign, page: Page, live_site: str) -> Desk:
    return Desk(page, live_site)


@pytest.mark.parametrize("failing", [NO_DATABASE, NO_LOCAL_STORAGE])
def test_one_storage_that_fails_is_made_up_for_by_the_other(
    desk: Desk, campaign: Campaign, failing: str
) -> None:
    desk.page.add_init_script(failing)
    docno = desk.open()
    desk.cut()
    desk.judge("1")
    desk.state("1 waiting · offline")
    desk.page.reload()
    desk.state("1 waiting · offline")
    desk.mend()
    desk.saved()
    assert log(campaign) == [(docno, 1)]


def test_two_tabs_that_have_the_same_acts_store_them_once(
    desk: Desk, campaign: Campaign, live_site: str
) -> None:
    first = desk.open()
    desk.at_hand()
    desk.cut()
    desk.judge("1")
    second = desk.judge("2")
    desk.press("u")
    expect(desk.page.locator("#document-title")).to_have_text(second)
    desk.state("3 waiting · offline")
    other = Desk(desk.page.context.new_page(), live_site)
    other.cut()
    other.page.goto(other.address)
    other.page.get_by_role("button", name="Continue here").click()
    other.state("3 waiting · offline")
    assert other.judge("0") == second
    other.state("4 waiting · offline")
    desk.mend()
    other.mend()
    desk.saved()
    other.saved()
    assert log(campaign) == [(first, 1), (second, 2), (second, None), (second, 0)]
    assert other.page.evaluate(LEFT) == [0, 0, 0]


def test_a_refusal_outlives_the_page_until_it_is_dismissed(desk: Desk, campaign: Campaign) -> None:
    docno = desk.open()
    desk.at_hand()
    Membership.objects.filter(user__username=ASSESSOR).delete()
    # A refusal may take the ring of its judgment away before anybody looks.
    desk.press("1")
    desk.state("1 refused")
    Membership.objects.create(campaign=campaign, user=User.objects.get(username=ASSESSOR), role="assessor")
    desk.open()
    desk.state("1 refused")
    desk.page.locator("#saving").click()
    expect(desk.page.locator("#saving-words")).to_contain_text("Everything else")
    expect(desk.page.locator("#refused-list")).to_contain_text(docno)
    desk.page.get_by_role("button", name="Dismiss").click()
    desk.page.keyboard.press("Escape")
    desk.saved()
    desk.open()
    desk.saved()
    assert desk.page.evaluate(LEFT) == [0, 0, 0]
    assert log(campaign) == []


def test_nothing_is_recorded_for_somebody_else_who_signed_in_since(
    desk: Desk, campaign: Campaign, page: Page, live_site: str
) -> None:
    docno = desk.open()
    desk.at_hand()
    Desk(page, live_site, who="Desk-alan")
    desk.judge("1")
    desk.state("1 waiting · signed out")
    assert not Judgment.objects.exists()
    Desk(page, live_site)
    desk.page.locator("#saving").click()
    desk.page.get_by_role("button", name="Try now").click()
    desk.saved()
    assert log(campaign) == [(docno, 1)]
    assert Judgment.objects.get().assessor.username == ASSESSOR


def test_an_act_waits_until_the_assessor_has_met_what_the_site_demands(
    desk: Desk, campaign: Campaign
) -> None:
    docno = desk.open()
    desk.at_hand()
    [cookie] = [one for one in desk.page.context.cookies() if one["name"] == settings.SESSION_COOKIE_NAME]
    session = SessionStore(cookie["value"])
    session[TEMPORARY] = True
    session.save()
    desk.judge("1")
    desk.state("1 waiting · on hold")
    assert not Judgment.objects.exists()
    del session[TEMPORARY]
    session.save()
    desk.page.locator("#saving").click()
    desk.page.get_by_role("button", name="Try now").click()
    desk.saved()
    assert desk.page.evaluate(LEFT) == [0, 0, 0]
    assert log(campaign) == [(docno, 1)]
