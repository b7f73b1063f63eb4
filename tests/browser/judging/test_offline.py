"""Nothing acknowledged by the screen is lost, and nothing is stored twice."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.test import Client
from playwright.sync_api import Page, Route, expect

from campaigns.models import Campaign, Judgment, Membership
from tests.browser.judging_desk import ASSESSOR, Desk, desk_campaign, log
from tests.plumbing.idle import wait_for, wait_until_idle

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
    desk.at_hand()
    Membership.objects.filter(user__username=ASSESSOR).delete()
    desk.judge("1")
    desk.state("1 refused")
    desk.page.locator("#saving").click()
    expect(desk.page.locator("#refused-list")).to_contain_text(docno)
    desk.page.get_by_role("button", name="Dismiss").click()
    expect(desk.page.locator("#refused")).to_be_hidden()
    assert log(campaign) == []


def test_ten_judgments_offline_with_a_reload_in_the_middle(desk: Desk, campaign: Campaign) -> None:
    desk.open()
    desk.kept()
    desk.at_hand()
    desk.page.context.set_offline(True)
    judged = [(desk.judge(key), int(key)) for key in "01201"]
    waiting = desk.docno()
    desk.state("5 waiting · offline")
    desk.page.reload()
    desk.state("5 waiting · offline")
    desk.progress("5 of 40 · 3 relevant")
    assert desk.docno() == waiting
    # The stemmer is there, too.
    expect(desk.page.locator("#document-text mark").first).to_have_text("Sort")
    judged += [(desk.judge(key), int(key)) for key in "20120"]
    desk.press("u")
    expect(desk.page.locator("#document-title")).to_have_text(judged[-1][0])
    desk.judge("1")
    desk.state("12 waiting · offline")
    # A reloaded page may send one, of which it gets no answer, before Chromium cuts it off.
    assert len(log(campaign)) <= 1
    desk.page.context.set_offline(False)
    desk.saved()
    last = judged[-1][0]
    assert log(campaign) == [*judged, (last, None), (last, 1)]
    assert not Judgment.objects.filter(stale_claim=True).exists()
    desk.progress("10 of 40 · 7 relevant")
    expect(desk.page.locator("#elsewhere")).to_be_hidden()
    on_screen = desk.docno()
    assert desk.open() == on_screen


def test_a_page_that_came_past_the_worker_is_kept(desk: Desk, campaign: Campaign) -> None:
    """Another page brings the worker while this one's script is still on its way."""
    held: list[Route] = []
    desk.page.route("**/assess/judge.js", lambda route: held.append(route))
    desk.page.goto(desk.address, wait_until="commit")
    with desk.page.context.new_page() as other:
        other.goto(f"{desk.address}?other")
        wait_for(lambda: bool(desk.page.evaluate("navigator.serviceWorker.controller !== null")))
    for route in held:
        route.continue_()
    desk.docno()
    desk.kept()


def test_later_and_cannot_judge_go_on_offline(desk: Desk, campaign: Campaign) -> None:
    aside = desk.open()
    desk.kept()
    desk.at_hand()
    desk.page.context.set_offline(True)
    desk.press("s")
    expect(desk.page.locator("#document-title")).not_to_have_text(aside)
    unreadable = desk.docno()
    desk.press("x")
    desk.press("1")
    expect(desk.page.locator("#document-title")).not_to_have_text(unreadable)
    desk.state("2 waiting · offline")
    desk.page.reload()
    expect(desk.page.locator("#aside-count")).to_have_text("1 set aside")
    desk.page.locator("#aside summary").click()
    desk.page.locator("#aside").get_by_text(aside).click()
    desk.judge("2")
    desk.page.context.set_offline(False)
    desk.saved()
    assert log(campaign) == [(unreadable, "unreadable"), (aside, 2)]


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


def test_a_clock_that_is_hours_off_changes_nothing(desk: Desk, campaign: Campaign) -> None:
    desk.page.clock.install(time=datetime(2031, 5, 4, 3, 0, tzinfo=UTC))
    first = desk.open()
    desk.at_hand()
    desk.cut()
    second = [desk.judge("1"), desk.docno()][1]
    # Between two acts it is put right, years back.
    desk.page.clock.set_system_time(datetime(2019, 1, 1, tzinfo=UTC))
    desk.judge("2")
    desk.page.reload()
    desk.mend()
    desk.saved()
    assert log(campaign) == [(first, 1), (second, 2)]
    times = Judgment.objects.values_list("milliseconds", flat=True)
    assert all(time is not None and 0 <= time < 120_000 for time in times)


def test_signing_out_leaves_no_documents_behind(desk: Desk, campaign: Campaign) -> None:
    docno = desk.open()
    desk.page.keyboard.press("n")
    desk.page.locator("#note-text").fill("Mentions a colleague.")
    desk.page.locator("#note-save").click()
    desk.saved()
    desk.kept()
    desk.at_hand()
    desk.cut()
    desk.judge("1")
    desk.state("1 waiting · offline")
    desk.page.goto("/judge/")
    desk.page.unroute_all(behavior="ignoreErrors")
    desk.page.locator(".who").click()
    desk.page.get_by_role("button", name="Sign out").click()
    expect(desk.page.get_by_role("heading", name="Sign in")).to_be_visible()
    left = """async () => {
      const { Store } = await import("/static/assess/offline/store.js");
      const store = await Store.open();
      const rows = async (table) => (await store.all(table)).length;
      const pages = (await caches.keys()).filter((name) => name.startsWith("pages-"));
      const notes = Object.keys(localStorage).filter((name) => name.startsWith("annotations:"));
      return [pages.length, notes.length, await rows("documents"), await rows("screens"), await rows("acts")];
    }"""
    wait_for(lambda: desk.page.evaluate(left) == [0, 0, 0, 0, 1])
    Desk(desk.page, desk.address.split("/judge/")[0]).open()
    desk.saved()
    assert log(campaign) == [(docno, 1)]


def test_another_persons_page_takes_the_place_of_what_was_kept(desk: Desk, live_site: str) -> None:
    desk.open()
    desk.kept()
    client = Client()
    client.force_login(User.objects.get(username="Desk-alan"))
    cookies = client.cookies.items()
    desk.page.context.add_cookies([{"name": n, "value": c.value, "url": live_site} for n, c in cookies])
    desk.open()
    desk.kept()
    names = "async () => (await caches.keys()).filter((name) => name.startsWith('pages-'))"
    his = f"pages-{User.objects.get(username='Desk-alan').id}"
    # The worker keeps the page a moment after it has handed it on.
    wait_for(lambda: desk.page.evaluate(names) == [his])
