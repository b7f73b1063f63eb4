"""Filled buttons: each state of a page has at most one, so that the eye finds what the page is for."""

from __future__ import annotations

from playwright.sync_api import Page

# A dialog or an unfolded menu asks something of its own.
FILLED = """() => {
  const accent = document.createElement("i");
  accent.style.color = "var(--accent)";
  document.body.append(accent);
  const filling = getComputedStyle(accent).color;
  accent.remove();
  return [...document.querySelectorAll("button, a.button, summary.button")]
    .filter((one) => one.checkVisibility({ visibilityProperty: true }))
    .filter((one) => !one.closest("dialog, [popover], .drop-panel"))
    .filter((one) => getComputedStyle(one).backgroundColor === filling)
    .map((one) => one.outerHTML.slice(0, 120));
}"""


def too_many_filled(page: Page) -> list[str]:
    found: list[str] = page.evaluate(FILLED)
    return found if len(found) > 1 else []
