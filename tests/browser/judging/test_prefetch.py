"""The next document is on the screen whatever the network does; other tabs and devices are noticed."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Browser, Page, Route, expect

from campaigns.models import Campaign, Claim, Judgment
from tests.browser.judging_desk import DOCNOS, Desk, log
from tests.campaigns.factories import Api
from tests.plumbing.browser.chromium_fixtures import intercept

pytestmark = pytest.mark.usefixtures("celery_worker")


@pytest.fixture
def desk(campaign: Campaign, page: Page, live_site: str) -> Desk:
    return Desk(page, live_site)


class Held:
    """Judgments do not reach the server until they are let go."""

    def __init__(self, desk: Desk) -> None:
        self.routes: list[Route] = []
        self.free = False
        intercept(desk.page, re.compile("/judgments/$"), self._meet)

    def _meet(self, route: Route) -> None:
        if self.free:
            route.continue_()
        else:
            self.routes.append(route)

    def let_go(self) -> None:
        self.free = True
        for route in self.routes:
            route.continue_()


def test_the_next_document_is_there_before_the_reply(desk: Desk, campaign: Campaign) -> None:
    desk.open()
    desk.at_hand()
    held = Held(desk)
    judged = [desk.judge(key) for key in "0121"]
    shown = desk.docno()
    desk.state("4 waiting")
    assert len({*judged, shown}) == 5
    assert log(campaign) == []
    held.let_go()
    desk.saved()
    assert log(campaign) == list(zip(judged, [0, 1, 2, 1], strict=True))
    assert desk.docno() == shown
    assert list(Judgment.objects.values_list("stale_claim", flat=True)) == [False] * 4


@pytest.mark.parametrize("key", ["0", "1", "2"])
def test_it_is_the_very_document_the_grade_asks_for(desk: Desk, key: str) -> None:
    # Chromium keeps no body of an answer that must not be stored, so it is read on its way.
    aheads: list[Any] = []

    def keep(route: Route) -> None:
        reply = route.fetch()
        aheads.append(reply.json())
        route.fulfill(response=reply)

    desk.page.route("**/ahead/**", keep)
    with desk.page.expect_response(lambda reply: "/ahead/" in reply.url and aheads[-1]["exact"]):
        desk.open()
    desk.page.unroute_all(behavior="wait")
    expected = aheads[-1]["next"][key]
    desk.at_hand()
    desk.judge(key)
    assert desk.docno() == expected
    desk.saved()
    claim = Claim.objects.get(document__docno=expected)
    assert (claim.reserved, claim.exact) == (False, True)


# Longer than the longest wait for a better answer, in the page's own time.
LATER = "() => new Promise((passed) => setTimeout(passed, 4500))"


def test_what_follows_the_document_before_is_not_asked_again(desk: Desk) -> None:
    asked: list[str] = []
    late: list[Route] = []

    def note(route: Route) -> None:
        [docno] = parse_qs(urlsplit(route.request.url).query)["docno"]
        asked.append(docno)
        if len(asked) == 1:
            late.append(route)
        else:
            route.continue_()

    intercept(desk.page, re.compile("/ahead/"), note)
    first = desk.open()
    desk.judge("1")
    desk.saved()
    desk.docno()
    [route] = late
    answer = route.fetch()
    route.fulfill(response=answer, json={**answer.json(), "exact": False, "more": False})
    desk.at_hand()
    desk.page.evaluate(LATER)
    desk.at_hand()
    assert asked.count(first) == 1


def test_a_busy_topic_is_asked_again(desk: Desk) -> None:
    busy: list[Route] = []

    def refuse_once(route: Route) -> None:
        if busy:
            route.continue_()
        else:
            busy.append(route)
            route.fulfill(status=409, json={"code": "busy", "detail": "the topic is busy; try again"})

    intercept(desk.page, re.compile("/ahead/"), refuse_once)
    desk.open()
    desk.at_hand()
    assert busy


def test_what_somebody_else_judged_meanwhile_is_replaced(desk: Desk, campaign: Campaign) -> None:
    first = desk.open()
    desk.at_hand()
    held = Held(desk)
    desk.judge("1")
    shown = desk.docno()
    Api(campaign, "Desk-alan").judge("7", shown, 0)
    held.let_go()
    expect(desk.page.locator("#document-title")).not_to_have_text(shown)
    expect(desk.page.locator("#flash")).to_contain_text("Another assessor has just judged")
    assert desk.docno() not in (first, shown)
    desk.saved()


def test_one_who_has_gone_on_from_it_keeps_both(desk: Desk, campaign: Campaign) -> None:
    first = desk.open()
    desk.at_hand()
    held = Held(desk)
    desk.judge("1")
    shown = desk.docno()
    Api(campaign, "Desk-alan").judge("7", shown, 0)
    desk.judge("2")
    third = desk.docno()
    held.let_go()
    desk.saved()
    assert log(campaign) == [(shown, 0), (first, 1), (shown, 2)]
    assert desk.docno() == third


# Every reply is as quick as can be measured.
QUICK = "performance.now = () => 0;"
# And it is awaited without end.
PATIENT = """
const { setTimeout: after } = globalThis;
globalThis.setTimeout = (call, delay, ...rest) => after(call, delay === 80 ? 3_600_000 : delay, ...rest);
"""
AFTER_0 = """
async () => (await globalThis.testStore.all("screens"))[0].value.ahead.after.next["0"]
"""


def test_a_quick_server_chooses_what_follows(desk: Desk, campaign: Campaign) -> None:
    desk.page.add_init_script(QUICK + PATIENT)
    desk.open()
    first = desk.judge("1")
    desk.saved()
    desk.at_hand()
    chosen_earlier = desk.page.evaluate(AFTER_0)
    Api(campaign, "Desk-alan").judge("7", chosen_earlier, 0)
    second = desk.judge("0")
    desk.saved()
    assert desk.docno() not in (first, second, chosen_earlier)
    expect(desk.page.locator("#flash")).not_to_contain_text("Another assessor has just judged")
    on_screen = Claim.objects.get(assessor__username="Desk-grace", reserved=False)
    assert on_screen.document.docno == desk.docno()


def test_a_choice_that_comes_late_leaves_the_screen_as_it_is(desk: Desk, campaign: Campaign) -> None:
    desk.page.add_init_script(QUICK)
    desk.open()
    first = desk.judge("1")
    desk.saved()
    desk.at_hand()
    at_hand = desk.page.evaluate(AFTER_0)
    held = Held(desk)
    second = desk.judge("0")
    expect(desk.page.locator("#document-title")).to_have_text(at_hand)
    # Another assessor has it now: the server chooses another.
    Claim.objects.filter(document__docno=at_hand).update(assessor=User.objects.get(username="Desk-alan"))
    held.let_go()
    desk.saved()
    assert desk.judge("2") == at_hand
    desk.saved()
    assert log(campaign) == [(first, 1), (second, 0), (at_hand, 2)]


def test_the_topic_ends_without_a_document_twice(desk: Desk, campaign: Campaign) -> None:
    desk.open()
    for _ in DOCNOS:
        desk.judge("1")
    expect(desk.page.locator("#end")).to_be_visible()
    desk.saved()
    assert sorted(docno for docno, _ in log(campaign)) == DOCNOS


def test_a_second_tab_says_so_and_may_take_over(desk: Desk, campaign: Campaign) -> None:
    _two_tabs(desk, campaign)


def test_tabs_ask_each_other_where_there_are_no_locks(desk: Desk, campaign: Campaign) -> None:
    desk.page.context.add_init_script("delete Navigator.prototype.locks;")
    _two_tabs(desk, campaign)


def _two_tabs(desk: Desk, campaign: Campaign) -> None:
    docno = desk.open()
    other = desk.page.context.new_page()
    other.goto(desk.address)
    expect(other.locator("#elsewhere")).to_contain_text("open in another tab")
    other.keyboard.press("1")
    expect(other.locator("#document")).to_be_hidden()
    other.get_by_role("button", name="Continue here").click()
    expect(other.locator("#document-title")).to_have_text(docno)
    expect(desk.page.locator("#elsewhere")).to_contain_text("open in another tab")
    expect(other.locator("#paper")).to_have_attribute("data-accepts", "grades")
    desk.press("2")
    other.keyboard.press("1")
    expect(other.locator("#document-title")).not_to_have_text(docno)
    expect(other.locator("#saving")).to_have_text("saved")
    assert log(campaign) == [(docno, 1)]


def test_a_reload_is_no_second_tab(desk: Desk) -> None:
    docno = desk.open()
    for _ in range(3):
        desk.page.reload()
        assert desk.docno() == docno
        expect(desk.page.locator("#elsewhere")).to_be_hidden()


def test_another_device_is_noticed_with_the_next_reply(
    desk: Desk, campaign: Campaign, browser: Browser, live_site: str
) -> None:
    desk.open()
    context = browser.new_context(base_url=live_site)
    phone = Desk(context.new_page(), live_site)
    phone.open()
    on_phone = [phone.judge("0"), phone.judge("0"), phone.judge("0")]
    phone.saved()
    desk.at_hand()
    here = desk.docno()
    # The reply may replace what the key says before it is read.
    desk.press("2")
    expect(desk.page.locator("#elsewhere")).to_contain_text("continued this topic elsewhere")
    desk.saved()
    assert log(campaign) == [*((docno, 0) for docno in on_phone), (here, 2)]
    desk.page.get_by_role("button", name="Show my latest judgments").click()
    desk.progress("3 of 30 · 1 relevant")
    expect(desk.page.locator("#elsewhere")).to_be_hidden()
    context.close()


def test_the_same_document_judged_on_another_device_is_noticed_although_the_counts_agree(
    desk: Desk, campaign: Campaign, browser: Browser, live_site: str
) -> None:
    docno = desk.open()
    context = browser.new_context(base_url=live_site)
    phone = Desk(context.new_page(), live_site)
    phone.open()
    assert phone.judge("0") == docno
    phone.saved()
    assert desk.judge("2") == docno
    expect(desk.page.locator("#elsewhere")).to_contain_text("continued this topic elsewhere")
    desk.saved()
    assert log(campaign) == [(docno, 0), (docno, 2)]
    context.close()


def test_judging_anew_what_was_taken_back_is_not_taken_for_another_device(desk: Desk) -> None:
    docno = desk.open()
    desk.judge("0")
    desk.docno()
    desk.press("u")
    expect(desk.page.locator("#document-title")).to_have_text(docno)
    desk.judge("1")
    desk.saved()
    expect(desk.page.locator("#elsewhere")).to_be_hidden()
