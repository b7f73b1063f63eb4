"""Examples beside the document: from the organiser’s search to the panel, by keyboard and offline."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, Request, expect

from campaigns.collection.documents import store_documents
from campaigns.collection.tasks import index_documents
from campaigns.formats.topics import DocumentRecord
from campaigns.models import Campaign, GuidelineExample, Judgment
from campaigns.setup.campaigns import change_settings
from campaigns.setup.examples import add_examples
from tests.browser.judging_desk import Desk, desk_campaign
from tests.browser.organiser import scrolls_sideways, sign_in
from tests.plumbing.browser.chromium_fixtures import intercept
from tests.plumbing.idle import wait_for

PAGE = "<h1>Sorting</h1><p onclick='x()'>It sorts rows.</p><script>parent.broken = 1</script><img src=x>"
LONG = "Sorting rows is what this text is about, again and again.\n\n" * 80


@pytest.fixture
def campaign(live_site: str) -> Campaign:
    campaign = desk_campaign(guidelines="Judge what it says.")
    store_documents(
        collection=campaign.collection,
        records=[
            DocumentRecord("page", "A web page", PAGE, "text/html"),
            DocumentRecord("long", "A long text", LONG, "text/plain"),
        ],
        file="more",
    )
    grades = [{**row, "definition": f"means {row['label']}"} for row in campaign.grades]
    change_settings(campaign=campaign, grades=grades)
    return campaign


@pytest.fixture
def desk(campaign: Campaign, page: Page, live_site: str) -> Desk:
    add_examples(campaign=campaign, docnos=["page"], grade=2, reason="It names the call.")
    add_examples(campaign=campaign, docnos=["long"], grade=2, reason="It says so often.", topic="7")
    return Desk(page, live_site)


def opened(desk: Desk) -> Page:
    desk.open()
    desk.press("g")
    expect(desk.page.locator(".example-link")).to_have_count(2)
    return desk.page


def test_from_the_search_to_the_panel(campaign: Campaign, page: Page, live_site: str) -> None:
    index_documents(campaign.collection_id)
    sign_in(page, live_site, "Desk-ada")
    page.goto(f"{live_site}/campaigns/desk/setup/?step=judging")
    page.get_by_role("link", name="Examples of the grades").click()
    page.get_by_label("Search the collection").fill("web page")
    page.get_by_role("button", name="Search").click()
    page.get_by_label("Select page").check()
    page.get_by_label("Grade").select_option("2")
    page.get_by_label("Reason").fill("It names the call.")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.get_by_text("page is an example in the guidelines now.")).to_be_visible()
    page.get_by_role("link", name="Change page").click()
    page.get_by_label("Topic").select_option("7")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("The example page is changed.")).to_be_visible()
    row = GuidelineExample.objects.select_related("topic").get()
    assert row.topic is not None
    assert (row.topic.number, row.grade) == ("7", 2)
    desk = Desk(page, live_site)
    desk.open()
    desk.press("g")
    page.get_by_role("button", name="A web page").click()
    expect(page.locator("#example-title")).to_be_focused()
    expect(page.locator("#example-grade")).to_have_text("highly relevant It names the call.")


def test_nothing_is_loaded_before_the_panel_opens(desk: Desk) -> None:
    asked: list[str] = []

    def note(request: Request) -> None:
        if "example" in request.url:
            asked.append(request.url)

    desk.page.on("request", note)
    desk.open()
    desk.judge("1")
    desk.docno()
    desk.saved()
    assert asked == []
    desk.press("g")
    expect(desk.page.locator(".example-link")).to_have_count(2)
    assert any(url.endswith("/examples/?limit=1000") for url in asked)


def test_grades_stand_with_definitions_and_the_open_topic_first(desk: Desk) -> None:
    page = opened(desk)
    expect(page.locator("#guidelines")).to_match_aria_snapshot("""
      - complementary "Guidelines":
        - heading "Guidelines" [level=2]
        - button "Examples"
        - button "Close"
        - paragraph: Judge what it says.
        - region "Examples":
          - heading "Examples" [level=3]
          - heading "not relevant" [level=4]
          - paragraph: means not relevant
          - heading "relevant" [level=4]
          - paragraph: means relevant
          - heading "highly relevant" [level=4]
          - paragraph: means highly relevant
          - list:
            - listitem:
              - button "A long text"
              - paragraph: It says so often.
            - listitem:
              - button "A web page"
              - paragraph: It names the call.
    """)


def test_example_opens_beside_the_document_and_escape_leads_back(desk: Desk) -> None:
    page = opened(desk)
    docno = desk.docno()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("#examples-title")).to_be_focused()
    page.get_by_role("button", name="A long text").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#example-title")).to_be_focused()
    expect(page.locator("#example-text p").first).to_contain_text("Sorting rows")
    # Beside the document, whose terms are highlighted; those of the example are not.
    expect(page.locator("#document-title")).to_have_text(docno)
    expect(page.locator("#document-text mark").first).to_be_visible()
    expect(page.locator("#example mark")).to_have_count(0)
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="A long text")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator("#guidelines")).to_be_hidden()
    # The grades' keys are the document's, also while an example is open.
    desk.press("g")
    page.get_by_role("button", name="A web page").click()
    expect(page.locator("#example")).to_be_visible()
    desk.judge("1")
    desk.saved()
    assert list(Judgment.objects.values_list("document__docno", "grade")) == [(docno, 1)]


def test_web_page_stays_in_its_frame(desk: Desk) -> None:
    page = opened(desk)
    page.get_by_role("button", name="A web page").click()
    frame = page.locator("#example iframe")
    expect(frame).to_have_attribute("sandbox", "allow-same-origin")
    inside = page.frame_locator("#example iframe")
    expect(inside.locator("h1")).to_have_text("Sorting")
    expect(inside.locator("script, img, [onclick]")).to_have_count(0)
    assert page.evaluate("globalThis.broken") is None
    # Keys inside the frame count as around it.
    inside.locator("h1").click()
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="A web page")).to_be_focused()


STORED = """async (table) => {
  const { Store } = await import("/static/assess/offline/store.js");
  const store = globalThis.testStore ??= await Store.open();
  const rows = await store.all(table);
  return rows.filter(({ key }) => table !== "documents" || key.startsWith("examples:")).length;
}"""


def test_examples_are_there_without_a_network(desk: Desk) -> None:
    page = opened(desk)
    docno = desk.docno()
    wait_for(lambda: page.evaluate(STORED, "documents") == 3)
    wait_for(lambda: page.evaluate(STORED, "screens") == 1)
    desk.cut()
    page.reload()
    expect(page.locator("#document-title")).to_have_text(docno)
    expect(page.locator(".example-link")).to_have_count(2)
    page.get_by_role("button", name="A web page").click()
    expect(page.frame_locator("#example iframe").locator("h1")).to_have_text("Sorting")


def test_example_that_does_not_come_is_explained(desk: Desk) -> None:
    page = desk.page
    desk.open()
    intercept(page, re.compile(r"/examples/\d+/"), lambda route: route.abort())
    desk.press("g")
    page.get_by_role("button", name="A web page").click()
    expect(page.locator("#examples-state")).to_have_text(
        "page can’t be loaded right now. Try again in a moment."
    )
    expect(page.locator("#example")).to_be_hidden()
    page.unroute_all(behavior="ignoreErrors")
    page.get_by_role("button", name="A web page").click()
    expect(page.locator("#example-title")).to_have_text("A web page")


@pytest.mark.parametrize("width", [390, 768, 1440])
def test_panel_fits_the_screen(desk: Desk, width: int) -> None:
    desk.page.set_viewport_size({"width": width, "height": 844})
    page = opened(desk)
    page.get_by_role("button", name=re.compile("A long text")).click()
    expect(page.locator("#example-title")).to_be_visible()
    assert not scrolls_sideways(page)
    back = page.locator("#example-back").bounding_box()
    assert back is not None
    assert back["x"] + back["width"] <= width
