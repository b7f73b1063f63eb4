"""A whole topic without a mouse: from sign-in to the end of the topic, the focus in sight all the way."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from campaigns.models import Campaign, Judgment, Topic
from tests.browser.judging_desk import ASSESSOR, Desk, desk_campaign, log
from tests.campaigns.factories import Api, make_campaign
from tests.plumbing.idle import wait_until_idle

pytestmark = pytest.mark.usefixtures("celery_worker")

FAR = 60
FOCUSED = """() => {
  const one = document.activeElement;
  const { outlineStyle, outlineWidth } = getComputedStyle(one);
  return {
    name: (one.getAttribute("aria-label") ?? one.labels?.[0]?.textContent ?? one.textContent).trim(),
    seen: outlineStyle !== "none" && parseFloat(outlineWidth) >= 2,
    inView: one.checkVisibility() && one.getBoundingClientRect().bottom > 0
      && one.getBoundingClientRect().top < innerHeight,
  };
}"""


@pytest.fixture
def campaign(live_site: str) -> Campaign:
    campaign = desk_campaign(min_judgments=5)
    user = User.objects.get(username=ASSESSOR)
    user.set_password("a pass phrase")
    user.save()
    wait_until_idle()
    return campaign


def tab_to(page: Page, name: str, *, key: str = "Tab") -> None:
    """Press Tab until the focus is there; it is in sight at every stop."""
    passed = []
    for _ in range(FAR):
        page.keyboard.press(key)
        focused = page.evaluate(FOCUSED)
        assert focused["seen"], focused
        assert focused["inView"], focused
        passed.append(focused["name"])
        if name in focused["name"]:
            return
    pytest.fail(f"Tab never came to {name!r}, only to {passed}")


def judge(page: Page, key: str) -> str:
    """Press the grade's key; the focus is then on the name of the next document."""
    title = page.get_by_role("heading", level=1)
    expect(page.locator("#paper")).to_have_attribute("data-accepts", "grades")
    expect(title).to_be_focused()
    docno = title.inner_text()
    page.keyboard.press(key)
    expect(page.locator("#said")).to_contain_text(docno)
    return docno


def test_from_sign_in_to_the_end_of_the_topic(campaign: Campaign, page: Page) -> None:
    page.goto("/judge/")
    expect(page.get_by_label("User name")).to_be_focused()
    page.keyboard.type(ASSESSOR)
    tab_to(page, "Password")
    page.keyboard.type("a pass phrase")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="My judging")).to_be_visible()
    tab_to(page, "Choose a topic")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Start a topic")).to_be_visible()
    tab_to(page, "sorting the rows of matrices")
    page.keyboard.press("Enter")

    judged = [judge(page, "1")]
    expect(page.get_by_role("heading", level=1)).not_to_have_text(judged[0])
    expect(page.get_by_role("heading", level=1)).to_be_focused()
    # The grades are buttons, too.
    tab_to(page, "highly relevant")
    expect(page.locator("#paper")).to_have_attribute("data-accepts", "grades")
    docno = page.get_by_role("heading", level=1).inner_text()
    expect(page.locator("#paper")).to_have_attribute("data-accepts", "grades")
    page.keyboard.press("Enter")
    expect(page.locator("#document-title")).not_to_have_text(docno)
    judged += [docno, *(judge(page, key) for key in ("0", "0", "h"))]
    expect(page.locator("#nudge")).to_contain_text("the minimum")
    # The next document takes the focus when it comes, a moment after the key.
    expect(page.get_by_role("heading", level=1)).not_to_have_text(judged[-1])
    expect(page.get_by_role("heading", level=1)).to_be_focused()
    tab_to(page, "I’m done here", key="Shift+Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="You are done with topic 7")).to_be_visible()
    expect(page.get_by_role("link", name="To the topics")).to_be_focused()
    assert log(campaign) == list(zip(judged, [1, 2, 0, 0, 2], strict=True))
    page.keyboard.press("Enter")
    expect(page.get_by_text("done", exact=True)).to_be_visible()
    assert Topic.objects.get(number="7").closed_at is None


def test_c_is_done_from_the_minimum_and_u_judges_on(campaign: Campaign, page: Page, live_site: str) -> None:
    campaign.overlap_share = 1.0
    campaign.save()
    desk = Desk(page, live_site)
    desk.open()
    expect(page.locator("#done")).to_be_hidden()
    desk.press("c")
    expect(page.locator("#flash")).to_contain_text("from 5 judgments on")
    for key in "01201":
        desk.judge(key)
    expect(page.locator("#done")).to_be_visible()
    desk.press("c")
    expect(page.locator("#finished")).to_contain_text("You are done with topic 7")
    desk.press("u")
    expect(page.locator("#document")).to_be_visible()
    desk.judge("1")
    desk.saved()
    alan = Api(campaign, "Desk-alan")
    for _ in range(7):
        alan.judge("7", alan.get("next/", topic="7").json()["docno"], 1)
    desk.press("c")
    expect(page.locator("#leaving")).to_contain_text("1 document of this topic waits for your grade.")
    page.get_by_role("button", name="Leave without judging them").click()
    expect(page.locator("#finished")).to_contain_text("1 document that others judged still waits")
    page.reload()
    expect(page.locator("#finished")).to_contain_text("You are done with topic 7")


def test_closing_for_all_says_first_what_it_means(campaign: Campaign, page: Page, live_site: str) -> None:
    Campaign.objects.update(assessors_close=True)
    desk = Desk(page, live_site)
    desk.open()
    for key in "01201":
        desk.judge(key)
    desk.press("c")
    page.get_by_role("button", name="Close the topic for all assessors…").click()
    expect(page.locator("#closing-all")).to_contain_text("Nothing more of topic 7 is served to any assessor")
    page.get_by_role("button", name="Close for all", exact=True).click()
    expect(page.get_by_text("closed", exact=True)).to_be_visible()
    assert Topic.objects.get(number="7").closed_at is not None


def test_the_skip_link_comes_first_and_skips(campaign: Campaign, page: Page) -> None:
    page.goto("/no/such/page/")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    expect(page.get_by_role("link", name="Skip to the content")).to_be_in_viewport()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="To the start page")).to_be_focused()


def test_going_on_brings_the_focus_back_to_the_document(campaign: Campaign, page: Page) -> None:
    page.goto("/sign-in/?next=/judge/desk/7/")
    expect(page.get_by_label("User name")).to_be_focused()
    page.keyboard.type(ASSESSOR)
    page.keyboard.press("Tab")
    page.keyboard.type("a pass phrase")
    page.keyboard.press("Enter")
    for key in "01201":
        last = judge(page, key)
    expect(page.get_by_role("heading", level=1)).not_to_have_text(last)
    expect(page.get_by_role("heading", level=1)).to_be_focused()
    tab_to(page, "Go on", key="Shift+Tab")
    page.keyboard.press("Enter")
    expect(page.locator("#nudge")).to_be_hidden()
    expect(page.get_by_role("heading", level=1)).to_be_focused()
    judge(page, "2")


@pytest.mark.parametrize("reloaded", [False, True])
def test_enter_on_the_finish_card_goes_to_the_next_topic(
    page: Page, live_site: str, *, reloaded: bool
) -> None:
    make_campaign("Desk", {"up": {"7": ["a", "b", "c"], "8": ["a", "b", "c"]}}, min_judgments=1)
    wait_until_idle()
    desk = Desk(page, live_site)
    desk.open()
    desk.judge("1")
    desk.press("c")
    if reloaded:
        expect(page.locator("#finished")).to_contain_text("You are done with topic 7")
        page.reload()
    expect(page.get_by_role("link", name="Next topic: 8")).to_be_focused()
    desk.press("Enter")
    page.wait_for_url("**/judge/desk/8/")
    desk.judge("2")
    desk.saved()
    judged = Judgment.objects.order_by("sequence").values_list("topic__number", "grade")
    assert list(judged) == [("7", 1), ("8", 2)]
