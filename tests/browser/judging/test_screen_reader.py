"""The judging screen as a screen reader has it: names, roles, and what is said after each act."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.judging_desk import Desk, desk_campaign
from tests.plumbing.idle import wait_until_idle

pytestmark = pytest.mark.usefixtures("celery_worker")


@pytest.fixture
def desk(live_site: str, page: Page) -> Desk:
    desk_campaign(min_judgments=5, guidelines="Judge what it says.")
    wait_until_idle()
    return Desk(page, live_site)


def hear(page: Page) -> None:
    """Keep whatever live regions say, and whatever the focus moves to."""
    page.evaluate("""() => {
      globalThis.heard = [];
      const listen = (region) => new MutationObserver(() => {
        const words = region.textContent.trim();
        if (words) heard.push(words);
      }).observe(region, { childList: true, characterData: true, subtree: true });
      document.querySelectorAll("[role=status], [role=alert], [aria-live]").forEach(listen);
    }""")


def heard(page: Page, words: str) -> None:
    page.wait_for_function("words => globalThis.heard.includes(words)", arg=words)


def test_names_and_roles(desk: Desk) -> None:
    desk.open()
    expect(desk.page.get_by_role("main")).to_match_aria_snapshot("""
      - article "Document":
        - heading /doc\\d+/ [level=1]
      - complementary "Topic and judging":
        - heading "sorting the rows of matrices" [level=2]
        - button "Edit topic description"
        - region "Judge":
          - group "Grade":
            - button "0 not relevant" [pressed=false]
            - button "1 relevant"
            - button "2 highly relevant"
          - button "u undo"
          - button "s later"
          - button "x cannot judge"
          - progressbar "judged, of the minimum"
        - heading "My terms" [level=2]
        - textbox "Highlight also"
        - button "Add"
    """)
    expect(desk.page.get_by_role("banner")).to_match_aria_snapshot("""
      - link "Desk"
      - button "saved"
      - button "Text size and line length"
      - button "Show the keys"
    """)


def test_dialogs_are_named_and_give_the_focus_back(desk: Desk) -> None:
    page = desk.page
    docno = desk.open()
    for key, name in (("?", "Keys"), ("x", "Why can it not be judged?")):
        desk.press(key)
        expect(page.get_by_role("dialog", name=name)).to_be_visible()
        desk.press("Escape")
        expect(page.get_by_role("heading", name=docno)).to_be_focused()


def test_what_was_recorded_what_comes_next_and_that_it_is_saved(desk: Desk) -> None:
    page = desk.page
    first = desk.open()
    hear(page)
    desk.press("1")
    heard(page, f"relevant · {first}")
    expect(page.locator("#document-title")).not_to_have_text(first)
    # The focus on its name announces the next document.
    expect(page.get_by_role("heading", level=1)).to_be_focused()
    heard(page, "saved")
    desk.press("u")
    heard(page, f"undone · {first}")
    expect(page.get_by_role("heading", name=first)).to_be_focused()
    assert desk.docno() == first
    desk.cut()
    desk.press("0")
    page.wait_for_function("() => globalThis.heard.some((words) => words.includes('cannot be reached'))")
    desk.mend()
    page.wait_for_function("() => globalThis.heard.includes('Connected again. Everything is saved.')")


def test_history_and_terms_have_names(desk: Desk) -> None:
    page = desk.page
    desk.open()
    docno = desk.judge("2")
    desk.saved()
    expect(page.get_by_role("button", name=f"Revise {docno}: highly relevant")).to_be_visible()
    page.get_by_label("Highlight also").fill("stable")
    page.keyboard.press("Enter")
    remove = page.get_by_role("button", name="Remove the term stable")
    remove.focus()
    page.keyboard.press("Enter")
    expect(remove).to_have_count(0)
    expect(page.get_by_label("Highlight also")).to_be_focused()
    expect(page.locator("#match-counts")).to_have_text(re.compile(r"^\d+ matches: "))
