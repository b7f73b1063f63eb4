"""An assessor's way: invited, trained, chose a topic, wrote it out, judged it, was done."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from campaigns.models import Campaign, Judgment, Topic, TopicCompletion
from campaigns.people import members
from campaigns.quality import training
from campaigns.setup import campaigns as services
from tests.browser.judging_desk import ASSESSOR, Desk, desk_campaign
from tests.browser.organiser import WIDTHS, replace_password, scrolls_sideways, sign_in
from tests.campaigns.factories import Api
from tests.plumbing.idle import wait_until_idle

pytestmark = pytest.mark.usefixtures("celery_worker")


@pytest.fixture
def campaign(live_site: str) -> Campaign:
    campaign = desk_campaign(min_judgments=5)
    wait_until_idle()
    return campaign


@pytest.fixture
def desk(campaign: Campaign, page: Page, live_site: str) -> Desk:
    return Desk(page, live_site)


def judge(desk: Desk, times: int) -> list[str]:
    judged = [desk.judge(key) for _, key in zip(range(times), "01201201201201201201" * 2, strict=False)]
    desk.saved()
    return judged


def test_invited_trained_chose_wrote_judged_done(campaign: Campaign, page: Page, live_site: str) -> None:
    for number in range(1, 6):
        training.add_item(
            campaign=campaign, topic="7", docno=f"doc{number:02}", grade=1, reason="it sorts rows"
        )
    services.change_settings(campaign=campaign, training_required=True, development_required=True)
    _, password = members.create_account(campaign=campaign, username="barbara", role="assessor")

    page.goto("/judge/")
    page.get_by_label("Name").fill("barbara")
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Sign in").click()
    replace_password(page, password)
    page.get_by_role("link", name="Begin the training").click()
    for _ in range(5):
        expect(page.locator("[data-judge]").first).to_have_attribute("aria-disabled", "false")
        page.keyboard.press("1")
        expect(page.locator("#verdict")).to_be_visible()
        page.keyboard.press("Enter")
    page.get_by_role("link", name="Begin judging").click()

    page.get_by_role("link", name="sorting the rows of matrices").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("sorting the rows of matrices")
    page.get_by_label("Information need").fill("How does one sort rows?")
    page.get_by_label("Narrative").fill("Relevant: it says how.\n\nNot relevant: shuffling.")
    page.get_by_role("button", name="Save and begin judging").click()
    expect(page.locator("#need")).to_contain_text("Not relevant: shuffling.")

    desk = Desk(page, live_site, who="")
    desk.docno()
    judge(desk, 5)
    expect(page.locator("#nudge")).to_contain_text("the minimum of 5 judgments")
    desk.press("c")
    expect(page.get_by_role("heading", name="You are done with topic 7")).to_be_visible()
    topic = Topic.objects.get(number="7")
    assert topic.developed_by is not None
    done = [completion.assessor.username for completion in topic.completions.all()]
    assert (done, topic.developed_by.username) == (["barbara"], "barbara")
    assert Judgment.objects.filter(assessor__username="barbara", topic_revision=2).count() == 5


def test_refining_while_judging_keeps_each_wording(desk: Desk, campaign: Campaign) -> None:
    page = desk.page
    desk.open()
    first = desk.judge("1")
    desk.docno()
    page.get_by_role("button", name="Edit topic description").click()
    page.get_by_label("Information need").fill("How does one sort rows?")
    page.get_by_label("Narrative").fill("1 counts, 0 does not.")
    desk.saved()
    assert Judgment.objects.count() == 1
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator("#refining")).to_be_hidden()
    expect(page.locator("#need-narrative")).to_have_text("1 counts, 0 does not.")
    second = desk.judge("0")
    desk.saved()
    made = dict(Judgment.objects.values_list("document__docno", "topic_revision"))
    assert made == {first: 1, second: 2}


def test_what_somebody_else_wrote_meanwhile_is_shown_and_ones_own_kept(
    desk: Desk, campaign: Campaign
) -> None:
    page = desk.page
    desk.open()
    page.get_by_role("button", name="Edit topic description").click()
    page.get_by_label("Information need").fill("Mine?")
    words = {"description": "Theirs?", "narrative": "", "based_on": 1}
    assert Api(campaign, "Desk-alan").post("topics/7/revisions/", words).status_code == 201
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator("#refining-newer")).to_contain_text("Theirs?")
    expect(page.get_by_label("Information need")).to_have_value("Mine?")
    assert Topic.objects.get(number="7").description == "Theirs?"
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator("#need-description")).to_have_text("Mine?")
    assert Topic.objects.get(number="7").revision == 3


def test_being_done_waits_until_everything_is_saved(desk: Desk, campaign: Campaign) -> None:
    desk.open()
    judge(desk, 4)
    desk.docno()
    desk.cut()
    desk.judge("1")
    desk.press("c")
    expect(desk.page.locator("#done-words")).to_contain_text("until everything is saved")
    assert not TopicCompletion.objects.exists()
    desk.mend()
    expect(desk.page.locator("#finished")).to_contain_text("You are done with topic 7")
    assert Judgment.objects.count() == 5
    assert TopicCompletion.objects.count() == 1


def test_too_early_is_said(desk: Desk, campaign: Campaign) -> None:
    desk.open()
    judge(desk, 5)
    services.change_settings(campaign=campaign, min_judgments=9)
    desk.press("c")
    expect(desk.page.locator("#done-words")).to_contain_text("stays as it is: you have judged 5 of 9")


def test_the_organiser_assigns_takes_back_and_opens_again(
    campaign: Campaign, page: Page, live_site: str
) -> None:
    services.change_settings(campaign=campaign, min_judgments=1)
    Topic.objects.create(campaign=campaign, number="8", title="shuffling", position=8)
    Api(campaign, ASSESSOR).judge("7", "doc01", 1)
    assert Api(campaign, "Desk-ada").post("topics/7/close/").status_code == 200
    sign_in(page, live_site, "Desk-ada")
    page.goto("/campaigns/desk/topics/")
    page.get_by_label("Select topic 8", exact=True).check()
    page.locator("summary", has_text="Assign").click()
    page.locator(".choices").get_by_label(ASSESSOR).check()
    page.get_by_role("button", name="Assign the selected topics").click()
    page.get_by_role("button", name=f"Unassign topic 8 from {ASSESSOR}").click()
    expect(page.get_by_text("is no longer assigned")).to_be_visible()
    page.get_by_role("button", name="Assign evenly").click()
    expect(page.get_by_role("button", name="Unassign topic 8 from Desk-alan")).to_be_visible()
    page.get_by_role("button", name="Open topic 7 again").click()
    expect(page.get_by_text("Topic 7 is open again.")).to_be_visible()
    assert Topic.objects.get(number="7").closed_at is None
    assert User.objects.get(username="Desk-alan").topic_assignments.get().topic.number == "8"
    for width, height in WIDTHS:
        page.set_viewport_size({"width": width, "height": height})
        for path in ("/campaigns/desk/topics/", "/campaigns/desk/topics/7/"):
            page.goto(path)
            assert not scrolls_sideways(page)


@pytest.mark.parametrize(("width", "height"), WIDTHS)
def test_writing_out_and_refining_at_every_width(desk: Desk, width: int, height: int) -> None:
    page = desk.page
    page.set_viewport_size({"width": width, "height": height})
    page.goto("/judge/desk/7/develop")
    assert not scrolls_sideways(page)
    desk.open()
    if width < 800:
        page.locator("#fold").click()
    page.get_by_role("button", name="Edit topic description").click()
    assert not scrolls_sideways(page)
    save = page.get_by_role("button", name="Save", exact=True).bounding_box()
    assert save
    assert save["x"] + save["width"] <= width
