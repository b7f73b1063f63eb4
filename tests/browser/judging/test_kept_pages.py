"""What the browser keeps, and brings back without a network: the page, its files, its documents."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client
from playwright.sync_api import Page, Route, expect

from campaigns.models import Campaign, Judgment
from tests.browser.judging_desk import Desk, log
from tests.plumbing.idle import wait_for
from tests.plumbing.servers.network import Network

pytestmark = pytest.mark.usefixtures("celery_worker")


@pytest.fixture
def desk(campaign: Campaign, kept_page: Page, network: Network) -> Desk:
    return Desk(kept_page, network.address)


def test_ten_judgments_offline_with_a_reload_in_the_middle(
    desk: Desk, campaign: Campaign, network: Network
) -> None:
    desk.open()
    desk.kept()
    desk.at_hand()
    network.cut()
    judged = [(desk.judge(key), int(key)) for key in "01201"]
    waiting = desk.docno()
    desk.state("5 waiting · offline")
    desk.page.reload()
    desk.state("5 waiting · offline")
    desk.progress("5 of 30 · 3 relevant")
    assert desk.docno() == waiting
    # The stemmer is there, too.
    expect(desk.page.locator("#document-text mark").first).to_have_text("Sort")
    judged += [(desk.judge(key), int(key)) for key in "20120"]
    desk.press("u")
    expect(desk.page.locator("#document-title")).to_have_text(judged[-1][0])
    desk.judge("1")
    desk.state("12 waiting · offline")
    assert log(campaign) == []
    desk.reconnect(network)
    desk.saved()
    last = judged[-1][0]
    assert log(campaign) == [*judged, (last, None), (last, 1)]
    assert not Judgment.objects.filter(stale_claim=True).exists()
    desk.progress("10 of 30 · 7 relevant")
    expect(desk.page.locator("#elsewhere")).to_be_hidden()
    on_screen = desk.docno()
    assert desk.open() == on_screen


def test_a_page_that_came_past_the_worker_is_kept(desk: Desk) -> None:
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


def test_later_and_cannot_judge_go_on_offline(desk: Desk, campaign: Campaign, network: Network) -> None:
    aside = desk.open()
    desk.kept()
    desk.at_hand()
    network.cut()
    desk.press("s")
    expect(desk.page.locator("#document-title")).not_to_have_text(aside)
    unreadable = desk.docno()
    desk.press("x")
    desk.press("1")
    expect(desk.page.locator("#document-title")).not_to_have_text(unreadable)
    desk.state("2 waiting · offline")
    desk.page.reload()
    expect(desk.page.locator("#aside-count")).to_have_text("1 to judge later")
    desk.page.locator("#aside summary").click()
    desk.page.locator("#aside").get_by_text(aside).click()
    desk.judge("2")
    desk.reconnect(network)
    desk.saved()
    assert log(campaign) == [(unreadable, "unreadable"), (aside, 2)]


def test_signing_out_leaves_no_documents_behind(desk: Desk, campaign: Campaign, network: Network) -> None:
    docno = desk.open()
    desk.page.keyboard.press("n")
    desk.page.locator("#note-text").fill("Mentions a colleague.")
    desk.page.locator("#note-save").click()
    desk.saved()
    desk.kept()
    desk.at_hand()
    network.cut()
    desk.judge("1")
    desk.state("1 waiting · offline")
    context = desk.page.context
    desk.page.close()
    network.mend()
    desk.page = context.new_page()
    desk.page.goto("/judge/")
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
    Desk(desk.page, network.address).open()
    desk.saved()
    assert log(campaign) == [(docno, 1)]


def test_another_persons_page_takes_the_place_of_what_was_kept(desk: Desk, network: Network) -> None:
    desk.open()
    desk.kept()
    client = Client()
    client.force_login(User.objects.get(username="Desk-alan"))
    cookies = client.cookies.items()
    desk.page.context.add_cookies([{"name": n, "value": c.value, "url": network.address} for n, c in cookies])
    desk.open()
    desk.kept()
    names = "async () => (await caches.keys()).filter((name) => name.startsWith('pages-'))"
    his = f"pages-{User.objects.get(username='Desk-alan').id}"
    # The worker keeps the page a moment after it has handed it on.
    wait_for(lambda: desk.page.evaluate(names) == [his])
