"""Notes and marked passages on the judging screen: by keys, in wrapped text and web pages, offline."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import APIResponse, Page, Route, expect

from campaigns.collection.documents import store_documents
from campaigns.formats.topics import DocumentRecord
from campaigns.models import Annotation, Campaign, DocumentRevision, Judgment
from campaigns.setup.campaigns import change_settings
from tests.browser.judging_desk import DOCNOS, Desk
from tests.campaigns.factories import Api
from tests.plumbing.browser.chromium_fixtures import intercept
from tests.plumbing.idle import wait_for

pytestmark = pytest.mark.usefixtures("celery_worker")

# Hard-wrapped, with an underlined heading, astral characters, combining marks and two-character line ends.
TEXT = (
    "Heading 🎬\r\n=========\r\n\r\nA film by e\u0301\u0323mile, shown\n"
    "to 𝔸da and to many others in the year.\n"
)
HTML = "\n<h2>A &amp; B</h2><pre>\n\n x 🎬</pre><p>to 𝔸da, <b>bold</b>ly</p>"

# Selects the words between the first and the last of these, wherever they stand.
SELECT = """
([first, last]) => {
  const frame = document.querySelector("iframe.frame:not([hidden])");
  const inside = frame ? frame.contentDocument : document;
  const root = frame ? inside.body : document.getElementById("document-text");
  const walker = inside.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const range = inside.createRange();
  let begun = false;
  while (walker.nextNode()) {
    const { data } = walker.currentNode;
    if (!begun && data.includes(first)) {
      range.setStart(walker.currentNode, data.indexOf(first));
      begun = true;
    }
    if (begun && data.includes(last)) range.setEnd(walker.currentNode, data.indexOf(last) + last.length);
  }
  inside.getSelection().removeAllRanges();
  inside.getSelection().addRange(range);
}
"""


@pytest.fixture
def desk(campaign: Campaign, page: Page, live_site: str) -> Desk:
    return Desk(page, live_site)


def with_text(campaign: Campaign, body: str, content_type: str = "text/plain") -> None:
    records = [DocumentRecord(docno, "", body, content_type) for docno in DOCNOS]
    store_documents(collection=campaign.collection, records=records, file="texts")


def mark(desk: Desk, first: str, last: str) -> None:
    desk.page.evaluate(SELECT, [first, last])
    desk.press("m")
    expect(desk.page.locator("#flash")).to_have_text("Passage marked")


def texts(docno: str) -> list[str]:
    newest = Annotation.objects.filter(document__docno=docno).latest("created")
    return [one["text"] for one in newest.passages]


def painted(page: Page) -> list[str]:
    return page.evaluate(  # type: ignore[no-any-return]
        """() => {
          const frame = document.querySelector("iframe.frame:not([hidden])");
          const view = frame ? frame.contentWindow : window;
          return [...(view.CSS.highlights.get("passage") ?? [])].map((range) => range.toString());
        }"""
    )


def test_passages_of_wrapped_text_have_the_offsets_of_the_stored_text(desk: Desk, campaign: Campaign) -> None:
    with_text(campaign, TEXT)
    docno = desk.open()
    mark(desk, "🎬", "film")
    mark(desk, "e\u0301", "to 𝔸da")
    desk.saved()
    assert texts(docno) == ["🎬\r\n=========\r\n\r\nA film", "e\u0301\u0323mile, shown\nto 𝔸da"]
    wait_for(lambda: painted(desk.page) == ["🎬A film", "e\u0301\u0323mile, shown to 𝔸da"])
    expect(desk.page.locator("#passages li")).to_have_count(2)
    # One is removed with its button, one with the caret in it.
    desk.page.get_by_role("button", name="Remove the passage “🎬").click()
    desk.page.evaluate(SELECT, ["mile", "mile"])
    desk.page.evaluate("getSelection().collapseToStart()")
    desk.press("m")
    expect(desk.page.locator("#annotations")).to_be_hidden()
    desk.saved()
    assert texts(docno) == []
    assert Annotation.objects.count() == 4
    assert not Judgment.objects.exists()


def test_passages_grow_to_whole_words_but_not_into_the_next_cell(desk: Desk, campaign: Campaign) -> None:
    with_text(campaign, "<table><tr><td>one</td><td>second third</td></tr></table>", "text/html")
    docno = desk.open()
    expect(desk.page.frame_locator("iframe.frame").get_by_text("third")).to_be_visible()
    mark(desk, "ne", "ne")
    mark(desk, "cond", "thi")
    desk.saved()
    assert texts(docno) == ["one", "second third"]


def test_passages_of_a_web_page_have_the_offsets_of_its_plain_text(desk: Desk, campaign: Campaign) -> None:
    with_text(campaign, HTML, "text/html")
    docno = desk.open()
    expect(desk.page.frame_locator("iframe.frame").get_by_text("bold")).to_be_visible()
    mark(desk, "𝔸da", "ly")
    desk.saved()
    newest = Annotation.objects.get(document__docno=docno)
    plain = "A & B x 🎬to 𝔸da, boldly"
    start = plain.index("𝔸da")
    assert newest.passages == [{"start": start, "end": len(plain), "text": "𝔸da, boldly"}]
    wait_for(lambda: painted(desk.page) == ["𝔸da, boldly"])


def test_a_note_is_written_saved_kept_and_edited_by_keys(desk: Desk, campaign: Campaign) -> None:
    page = desk.page
    docno = desk.open()
    desk.press("n")
    expect(page.locator("#note-text")).to_be_focused()
    page.keyboard.type("sorts, 1 only")
    page.keyboard.press("Enter")
    expect(page.locator("#note-words")).to_have_text("sorts, 1 only")
    # A note that is being written when the grade is clicked is saved, too.
    desk.press("n")
    page.locator("#note-text").fill("sorts two")
    page.get_by_role("button", name="highly relevant").click()
    expect(page.locator("#document-title")).not_to_have_text(docno)
    expect(page.locator("#note-form")).to_be_hidden()
    desk.saved()
    assert list(Annotation.objects.order_by("created").values_list("note", flat=True)) == [
        "sorts, 1 only",
        "sorts two",
    ]
    desk.docno()
    page.locator("#last button").first.click()
    expect(page.locator("#note-words")).to_have_text("sorts two")
    desk.press("n")
    page.locator("#note-text").fill("never mind")
    page.keyboard.press("Escape")
    expect(page.locator("#note-form")).to_be_hidden()
    assert Annotation.objects.count() == 2


def test_where_a_grade_asks_for_a_note_the_note_comes_first(desk: Desk, campaign: Campaign) -> None:
    grades = [{**row, "note": row["grade"] == 2} for row in campaign.grades]
    change_settings(campaign=campaign, grades=grades)
    page = desk.page
    docno = desk.open()
    desk.press("2")
    expect(page.locator("#note-label")).to_have_text("Note on “highly relevant”")
    page.keyboard.press("Escape")
    expect(page.locator("#note-form")).to_be_hidden()
    assert desk.docno() == docno
    desk.press("2")
    page.keyboard.press("Enter")
    expect(page.locator("#note-form")).to_be_visible()
    page.keyboard.type("all of it")
    page.keyboard.press("Enter")
    expect(page.locator("#document-title")).not_to_have_text(docno)
    desk.saved()
    assert Judgment.objects.get().grade == 2
    assert Annotation.objects.get().note == "all of it"
    desk.judge("1")
    desk.saved()
    assert Annotation.objects.count() == 1


def test_notes_wait_for_the_network_and_are_stored_once(desk: Desk, campaign: Campaign) -> None:
    page = desk.page
    docno = desk.open()
    sent: list[APIResponse] = []

    def lose_the_answer(route: Route) -> None:
        sent.append(route.fetch())
        route.abort()

    # The server stores it, and its answer is lost.
    intercept(page, re.compile("/annotations/"), lose_the_answer)
    desk.press("n")
    page.keyboard.type("twice")
    page.keyboard.press("Enter")
    expect(page.locator("#saving")).to_contain_text("offline")
    wait_for(lambda: bool(sent))
    page.reload()
    desk.mend()
    assert desk.docno() == docno
    expect(page.locator("#note-words")).to_have_text("twice")
    desk.saved()
    assert Annotation.objects.count() == 1


def test_a_disagreement_asks_for_a_note_and_keys_go_on(desk: Desk, campaign: Campaign) -> None:
    change_settings(campaign=campaign, note_on_disagreement=True)
    alan = Api(campaign, "Desk-alan")
    page, asked = desk.page, desk.page.locator("#note-asked")
    first = desk.open()
    alan.judge("7", first, 2)
    desk.judge("1")
    expect(asked).to_contain_text(f"Note on “relevant” · {first}")
    # Nothing has the focus, so the next key judges; a request is about the judgment just made.
    second = desk.judge("1")
    expect(asked).to_be_hidden()
    third = desk.docno()
    alan.judge("7", third, 0)
    desk.judge("2")
    expect(asked).to_contain_text(f"Note on “highly relevant” · {third}")
    fourth = desk.docno()
    desk.press("n")
    expect(page.locator("#note-label")).to_have_text("Note on “highly relevant”")
    expect(page.locator("#note-about")).to_have_text(third)
    page.keyboard.type("names it twice")
    page.keyboard.press("Enter")
    expect(asked).to_be_hidden()
    assert desk.docno() == fourth
    expect(page.locator("#note-words")).to_be_hidden()
    desk.saved()
    assert Annotation.objects.get().document.docno == third
    # What was not written then is on the assessor’s own page.
    page.goto(desk.address.replace("/7/", "/work"))
    links = page.locator("#notes a")
    expect(links.locator(".grow")).to_have_text([first])
    links.click()
    expect(page.locator("#document-title")).to_have_text(first)
    assert second not in {first, third}
    desk.docno()
    desk.press("n")
    page.keyboard.type("only in passing")
    page.keyboard.press("Enter")
    desk.saved()
    page.goto(desk.address.replace("/7/", "/work"))
    expect(page.locator("#notes")).to_have_count(0)


def test_disagreements_found_offline_are_asked_about_once(desk: Desk, campaign: Campaign) -> None:
    change_settings(campaign=campaign, note_on_disagreement=True)
    first = desk.open()
    desk.at_hand()
    desk.cut()
    judged = [desk.judge("1") for _ in range(3)]
    alan = Api(campaign, "Desk-alan")
    for docno in judged:
        alan.judge("7", docno, 2)
    desk.mend()
    desk.saved()
    expect(desk.page.locator("#note-asked")).to_contain_text(judged[-1])
    assert first == judged[0]
    desk.page.get_by_role("button", name="Not now").click()
    expect(desk.page.locator("#note-asked")).to_be_hidden()
    desk.page.goto(desk.address.replace("/7/", "/work"))
    expect(desk.page.locator("#notes .grow")).to_have_text(judged[::-1])


def test_a_note_written_beside_another_text_keeps_the_passages_of_the_earlier_one(
    desk: Desk, campaign: Campaign
) -> None:
    with_text(campaign, TEXT)
    docno = desk.open()
    mark(desk, "🎬", "film")
    desk.saved()
    first = Annotation.objects.get(document__docno=docno).document_revision
    records = [DocumentRecord(docno, "", f"Another beginning. {TEXT}")]
    store_documents(collection=campaign.collection, records=records, file="texts", replace=True)
    assert desk.open() == docno
    expect(desk.page.locator("#document-text")).to_contain_text("Another beginning")
    expect(desk.page.locator("#passages li")).to_have_count(0)
    desk.press("n")
    desk.page.keyboard.type("a word")
    desk.page.keyboard.press("Control+Enter")
    desk.saved()
    newest = Annotation.objects.filter(document__docno=docno).latest("created")
    assert (newest.note, newest.document_revision) == ("a word", first)
    assert texts(docno) == ["🎬\r\n=========\r\n\r\nA film"]
    # What is marked in the text on the screen is of that text.
    mark(desk, "Another", "beginning")
    desk.saved()
    newest = Annotation.objects.filter(document__docno=docno).latest("created")
    assert (newest.note, newest.document_revision) == ("a word", first + 1)
    assert texts(docno) == ["Another beginning"]


@pytest.mark.parametrize("held", [True, False], ids=["held", "from a bundle without texts"])
def test_an_earlier_text_is_offered_where_it_is_held(desk: Desk, campaign: Campaign, held: bool) -> None:
    with_text(campaign, TEXT)
    docno = desk.open()
    mark(desk, "🎬", "film")
    desk.saved()
    records = [DocumentRecord(docno, "", "Another text.")]
    store_documents(collection=campaign.collection, records=records, file="texts", replace=True)
    if not held:
        DocumentRevision.objects.update(title="", body="", metadata={})
    with desk.page.expect_response("**/earlier/*"):
        desk.open()
    expect(desk.page.locator("#text-replaced")).to_be_visible()
    button = desk.page.locator("#show-earlier")
    if held:
        expect(desk.page.locator("#text-replaced-words")).to_contain_text("20")
        button.click()
        expect(desk.page.locator("#earlier-text")).to_contain_text("A film by")
    else:
        expect(button).to_be_hidden()
