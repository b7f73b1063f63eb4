"""Second opinions and documents that come once more look like any other on the judging screen."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Page, expect

from campaigns.models import Campaign, Repeat
from selection.randomness import lot
from tests.browser.judging_desk import ASSESSOR, Desk, desk_campaign, log
from tests.campaigns.factories import Api
from tests.plumbing.idle import wait_until_idle

pytestmark = pytest.mark.usefixtures("celery_worker")
SHARE = 0.5


@pytest.fixture
def campaign(live_site: str) -> Campaign:
    campaign = desk_campaign(repeat_share=SHARE)
    wait_until_idle()
    return campaign


@pytest.fixture
def desk(campaign: Campaign, page: Page, live_site: str) -> Desk:
    return Desk(page, live_site)


def judge_until_repeat(desk: Desk) -> str:
    """The document on screen that has been judged before."""
    judged: list[str] = []
    desk.open()
    while desk.docno() not in judged:
        desk.at_hand()
        judged.append(desk.judge("1"))
        desk.saved()
    assert len(judged) > 10
    return desk.docno()


def open_at_repeat(desk: Desk, campaign: Campaign) -> str:
    """The same, with all before it judged by a program."""
    grace, judged = Api(campaign, ASSESSOR), set[str]()
    docno: str
    while (docno := grace.get("next/", topic="7").json()["document"]["docno"]) not in judged:
        assert grace.judge("7", docno, 1).status_code == 201
        judged.add(docno)
    assert len(judged) > 10
    assert desk.open() == docno
    return docno


def looks_new(desk: Desk) -> None:
    page = desk.page
    expect(page.locator("#document")).to_be_visible()
    expect(page.locator("#revising")).to_be_hidden()
    expect(page.locator("[data-judge][aria-pressed=true]")).to_have_count(0)
    expect(page.locator("[data-docno][aria-current=true]")).to_have_count(0)
    expect(page.locator("#elsewhere")).to_be_hidden()


def test_what_comes_once_more_looks_new_and_leaves_the_log_alone(desk: Desk, campaign: Campaign) -> None:
    docno = judge_until_repeat(desk)
    judged = log(campaign)
    desk.page.locator("#history summary").click()
    looks_new(desk)
    desk.judge("2")
    desk.saved()
    assert (log(campaign), Repeat.objects.get().grade) == (judged, 2)
    desk.progress(f"{len(judged) + 1} of 30 · {len(judged) + 1} relevant")
    expect(desk.page.locator(f"#history-list [data-docno={docno}]")).to_have_count(1)
    expect(desk.page.locator(f"#last [data-docno={docno}]")).to_contain_text("2")
    expect(desk.page.locator("#elsewhere")).to_be_hidden()
    desk.press("u")
    expect(desk.page.locator("#document-title")).to_have_text(docno)
    looks_new(desk)
    desk.saved()
    desk.judge("0")
    desk.saved()
    assert log(campaign) == judged
    answers = Repeat.objects.order_by("created").values_list("grade", "undo")
    assert list(answers) == [(2, False), (None, True), (0, False)]
    desk.page.locator(f"#last [data-docno={docno}]").click()
    expect(desk.page.locator("#revising")).to_contain_text("not relevant")


def test_a_reload_shows_it_as_new_again(desk: Desk, campaign: Campaign) -> None:
    docno = open_at_repeat(desk, campaign)
    desk.page.reload()
    assert desk.docno() == docno
    looks_new(desk)
    desk.press("s")
    desk.saved()
    desk.page.reload()
    desk.docno()
    desk.page.locator("#aside summary").click()
    desk.page.locator("#aside [data-aside] button").click()
    expect(desk.page.locator("#document-title")).to_have_text(docno)
    expect(desk.page.locator("#revising")).to_be_hidden()
    desk.judge("0")
    desk.saved()
    assert Repeat.objects.get().document.docno == docno


def test_without_a_network_it_is_judged_once_and_beside_the_log(desk: Desk, campaign: Campaign) -> None:
    docno = open_at_repeat(desk, campaign)
    desk.at_hand()
    judged = log(campaign)
    desk.cut()
    assert desk.judge("0") == docno
    desk.judge("1")
    progress = f"{len(judged) + 2} of 30 · {len(judged) + 1} relevant"
    desk.progress(progress)
    # The network is back after the reload: an act that the old page had just sent would count twice.
    desk.page.reload()
    desk.mend()
    desk.docno()
    desk.saved()
    assert Repeat.objects.get().document.docno == docno
    assert len(log(campaign)) == len(judged) + 1
    desk.progress(progress)
    expect(desk.page.locator("#elsewhere")).to_be_hidden()


def test_a_second_opinion_is_asked_for_as_any_other(browser: Browser, page: Page, live_site: str) -> None:
    campaign = desk_campaign(overlap_share=SHARE)
    wait_until_idle()
    grace = Desk(page, live_site)
    grace.open()
    for _ in range(8):
        grace.at_hand()
        grace.judge("2")
        grace.saved()
    hers = [docno for docno, _ in log(campaign)]
    wait_until_idle()
    alan = Desk(browser.new_context().new_page(), live_site, who="Desk-alan")
    alan.open()
    for _ in range(10):
        looks_new(alan)
        alan.at_hand()
        alan.judge("1")
        alan.saved()
    his = [docno for docno, grade in log(campaign) if grade == 1]
    twice = [docno for docno in hers if lot("overlap", campaign.seed, "7", docno) < SHARE]
    assert 0 < len(twice) < 8
    assert his[: len(twice)] == twice
    assert not set(his[len(twice) :]) & set(hers)
