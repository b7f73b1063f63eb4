"""A first day's work, from the invitation to the closed topic: the network goes and the page with it, and
every act is stored once, in the order in which it was made."""

from __future__ import annotations

from itertools import cycle

import pytest
from playwright.sync_api import Page, expect

from campaigns.collection.documents import store_documents
from campaigns.formats.topics import DocumentRecord
from campaigns.models import Campaign, Judgment, Membership, TopicCompletion
from campaigns.people import members
from campaigns.quality import training
from campaigns.setup import campaigns as services
from tests.browser.judging_desk import TEXT, Desk, log
from tests.browser.organiser import replace_password
from tests.campaigns.factories import make_campaign
from tests.plumbing.idle import wait_until_idle
from tests.plumbing.servers.network import Network

pytestmark = pytest.mark.usefixtures("celery_worker")

TOPICS, DOCUMENTS, DRAWN, MINIMUM = 12, 50, 10, 40
NEED = "How does one sort rows?"
# An act of the log: the document, and what it was given; nothing, if the judgment was taken back.
Acts = list[tuple[str, int | str | None]]


@pytest.fixture
def campaign(live_site: str) -> Campaign:
    numbers = [str(number) for number in range(1, TOPICS + 1)]
    docnos = {number: [f"t{number}d{each:02}" for each in range(1, DOCUMENTS + 1)] for number in numbers}
    backwards = {number: pool[::-1] for number, pool in docnos.items()}
    campaign = make_campaign("Desk", {"up": docnos, "down": backwards}, min_judgments=MINIMUM)
    records = [
        DocumentRecord(docno, "", TEXT.format(docno=docno), "text/plain")
        for pool in docnos.values()
        for docno in pool
    ]
    store_documents(collection=campaign.collection, records=records, file="texts")
    for number in range(1, 6):
        training.add_item(campaign=campaign, topic="1", docno=f"t1d{number:02}", grade=1, reason="it sorts")
    services.change_settings(campaign=campaign, training_required=True, development_required=True)
    wait_until_idle()
    return campaign


def test_everything_on_one_day(campaign: Campaign, kept_page: Page, network: Network) -> None:
    page = kept_page
    _, password = members.create_account(campaign=campaign, username="barbara", role="assessor")
    assert Membership.objects.filter(user__username="barbara", role="assessor").exists()
    sign_in(page, "barbara", password)
    train(page)
    number = choose_and_write_out(page)
    desk = Desk(page, network.address, topic=number, who="")
    acts: Acts = []
    judge(desk, acts, 12)
    undo_and_judge_anew(desk, acts)
    revise(desk, acts)
    set_aside_and_take_up(desk, acts)
    say_that_one_cannot_judge(desk, acts)
    desk.saved()
    ten_without_network(desk, acts, network)
    assert log(campaign) == acts
    judge(desk, acts, MINIMUM - len({docno for docno, _ in acts}))
    desk.saved()
    assert log(campaign) == acts
    assert Judgment.objects.filter(assessor__username="barbara", topic_revision=2).count() == len(acts)
    expect(page.locator("#nudge")).to_contain_text(f"the minimum of {MINIMUM} judgments")
    desk.progress(f"{MINIMUM} judged · {relevant(acts)} relevant")
    desk.press("c")
    expect(page.get_by_role("heading", name=f"You are done with topic {number}")).to_be_visible()
    completion = TopicCompletion.objects.select_related("assessor").get(topic__number=number)
    assert completion.assessor.username == "barbara"
    assert log(campaign) == acts


def sign_in(page: Page, name: str, password: str) -> None:
    page.goto("/judge/")
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Sign in").click()
    replace_password(page, password)


def train(page: Page) -> None:
    page.get_by_role("link", name="Begin the training").click()
    for _ in range(5):
        expect(page.locator("[data-judge]").first).to_have_attribute("aria-disabled", "false")
        page.keyboard.press("1")
        expect(page.locator("#verdict")).to_be_visible()
        page.keyboard.press("Enter")
    page.get_by_role("link", name="Begin judging").click()


def choose_and_write_out(page: Page) -> str:
    offered = page.locator(".topics a")
    expect(offered).to_have_count(DRAWN)
    number = offered.nth(3).locator(".number").inner_text()
    offered.nth(3).click()
    page.get_by_label("Information need").fill(NEED)
    page.get_by_label("Narrative").fill("Relevant: it says how.")
    page.get_by_role("button", name="Save and begin judging").click()
    expect(page.locator("#need")).to_contain_text(NEED)
    return number


def judge(desk: Desk, acts: Acts, times: int) -> None:
    for _, key in zip(range(times), cycle("0120"), strict=False):
        acts.append((desk.judge(key), int(key)))


def undo_and_judge_anew(desk: Desk, acts: Acts) -> None:
    docno, _ = acts[-1]
    desk.press("u")
    expect(desk.page.locator("#document-title")).to_have_text(docno)
    assert desk.judge("2") == docno
    acts += [(docno, None), (docno, 2)]


def revise(desk: Desk, acts: Acts) -> None:
    docno, _ = acts[4]
    on_screen = desk.docno()
    desk.page.locator(f'#last [data-docno="{docno}"]').press("Enter")
    expect(desk.page.locator("#document-title")).to_have_text(docno)
    assert desk.docno() == docno
    desk.page.keyboard.press("2")
    expect(desk.page.locator("#document-title")).to_have_text(on_screen)
    acts.append((docno, 2))


def set_aside_and_take_up(desk: Desk, acts: Acts) -> None:
    docno = desk.docno()
    desk.press("s")
    expect(desk.page.locator("#document-title")).not_to_have_text(docno)
    judge(desk, acts, 1)
    # The next document takes the focus.
    expect(desk.page.locator("#document-title")).not_to_have_text(acts[-1][0])
    desk.page.locator("#aside summary").press("Enter")
    desk.page.locator(f'#aside [data-docno="{docno}"]').press("Enter")
    expect(desk.page.locator("#document-title")).to_have_text(docno)
    assert desk.judge("1") == docno
    acts.append((docno, 1))


def say_that_one_cannot_judge(desk: Desk, acts: Acts) -> None:
    docno = desk.docno()
    desk.press("x")
    desk.press("1")
    expect(desk.page.locator("#document-title")).not_to_have_text(docno)
    acts.append((docno, "unreadable"))


def ten_without_network(desk: Desk, acts: Acts, network: Network) -> None:
    desk.kept()
    desk.at_hand()
    stored = len(acts)
    network.cut()
    judge(desk, acts, 5)
    waiting = desk.docno()
    desk.state("5 waiting · offline")
    desk.page.reload()
    desk.state("5 waiting · offline")
    assert desk.docno() == waiting
    judge(desk, acts, 5)
    desk.state("10 waiting · offline")
    assert Judgment.objects.count() == stored
    desk.reconnect(network)
    desk.saved()


def relevant(acts: Acts) -> int:
    latest = dict(acts)
    return sum(isinstance(given, int) and given > 0 for given in latest.values())
