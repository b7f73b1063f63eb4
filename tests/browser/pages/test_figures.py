"""Figures in a real browser: the exports page waits for them, and their painted texts have room."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.judging_desk import desk_campaign
from tests.browser.organiser import fits, sign_in
from tests.campaigns.figures.figure_data import EVERY_FIGURE

PREVIEWS = 3
# In millimetres of print: what a text's painted box may share with another's by the rounding of glyphs.
TOUCHING = 0.1

# Pairs of texts that overlap as painted, and texts that leave the page.
COLLISIONS = """touching => {
  const sheet = document.querySelector("svg").getBoundingClientRect();
  const millimetre = sheet.width / Number.parseFloat(document.querySelector("svg").getAttribute("width"));
  const room = touching * millimetre;
  const boxes = [...document.querySelectorAll("svg text")].map((text) => {
    const { left, right, top, bottom, height } = text.getBoundingClientRect();
    // The box of a line has room for accents and descenders of every letter.
    return { words: text.textContent, left, right, top: top + 0.15 * height, bottom: bottom - 0.1 * height };
  });
  const found = [];
  const common = (one, other) =>
    Math.min(one.right, other.right) - Math.max(one.left, other.left) > room &&
    Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > room;
  for (const [place, one] of boxes.entries()) {
    const sideways = one.left < sheet.left - room || one.right > sheet.right + room;
    if (sideways || one.top < sheet.top || one.bottom > sheet.bottom) found.push([one.words]);
    for (const other of boxes.slice(place + 1)) if (common(one, other)) found.push([one.words, other.words]);
  }
  return { found, texts: boxes.length };
}"""


@pytest.mark.parametrize("width", [84, 178])
def test_painted_texts_neither_overlap_nor_leave_the_page(page: Page, width: int) -> None:
    for name, figure in EVERY_FIGURE.items():
        page.set_content(f"<body style='margin:0'>{figure.draw(width).svg(title='', caption='')}</body>")
        found: Any = page.evaluate(COLLISIONS, TOUCHING)
        assert found["texts"] >= 4
        assert found["found"] == [], name


@pytest.mark.usefixtures("celery_worker")
def test_figures_appear_once_the_worker_has_drawn_them(page: Page, live_site: str) -> None:
    desk_campaign()
    sign_in(page, live_site, "Desk-ada")
    page.goto("/campaigns/desk/exports/")
    # Nothing is drawn before it comes into sight.
    expect(page.locator(".preview img")).to_have_count(0)
    for place in range(PREVIEWS):
        page.evaluate(
            "place => document.querySelectorAll('.preview')[place].scrollIntoView({ block: 'center' })", place
        )
        picture = page.locator(".preview").nth(place).locator("img")
        expect(picture).to_be_visible(timeout=30_000)
        page.wait_for_function("img => img.complete && img.naturalWidth > 0", arg=picture.element_handle())
    first = page.locator(".preview").first
    first.get_by_text("Caption", exact=True).click()
    expect(first.get_by_role("textbox")).to_have_value(page.locator(".caption textarea").first.input_value())
    assert "judged documents known" in page.locator(".caption textarea").first.input_value()
    with page.expect_download() as saved:
        first.get_by_label("Format").select_option("pdf")
        first.get_by_role("button", name="Download").click()
    assert saved.value.suggested_filename == "desk.intervals-178mm.pdf"
    page.get_by_role("link", name="Judged topics", exact=True).click()
    expect(page.get_by_role("link", name="Judged topics", exact=True)).to_have_attribute(
        "aria-current", "true"
    )
    assert fits(page)


@pytest.mark.usefixtures("celery_worker")
def test_without_scripts_a_link_leads_to_the_figure(browser: Browser, page: Page, live_site: str) -> None:
    desk_campaign()
    sign_in(page, live_site, "Desk-ada")
    with browser.new_context(java_script_enabled=False, base_url=live_site) as context:
        context.add_cookies(
            [{"name": one["name"], "value": one["value"], "url": live_site} for one in page.context.cookies()]
        )
        plain = context.new_page()
        plain.goto("/campaigns/desk/exports/")
        plain.get_by_role("link", name="Draw the figure").first.click()
        # The page that waits loads itself again; then the browser shows the picture alone.
        expect(plain.locator("svg:root")).to_be_visible(timeout=30_000)
        plain.goto("/campaigns/desk/exports/")
        expect(plain.locator(".preview img")).to_have_count(1)
