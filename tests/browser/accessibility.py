"""What axe-core finds on a page."""

from __future__ import annotations

from typing import Any

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page

WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
COLOURS = ["color-contrast", "link-in-text-block"]

# Documents of others are in a frame that allows no scripts: what is in it is theirs.
LOOK = """async (runOnly) => {
  const { violations } = await axe.run({ runOnly, iframes: false, resultTypes: ["violations"] });
  return violations.flatMap(({ id, nodes }) => nodes.map(
    ({ target, failureSummary }) => `${id} at ${target.join(" ")}: ${failureSummary}`));
}"""


# A colour on its way to another one has no contrast of its own.
STILL = """() => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync("*, *::before, *::after { transition: none !important; animation: none !important }");
  document.adoptedStyleSheets = [sheet];
}"""


def still(page: Page) -> None:
    page.evaluate(STILL)


def barriers(page: Page, *, tags: list[str] | None = None, rules: list[str] | None = None) -> list[str]:
    if not page.evaluate("'axe' in globalThis"):
        page.evaluate(AXE_SCRIPT)
    only: Any = {"type": "rule", "values": rules} if rules else {"type": "tag", "values": tags or WCAG}
    found: list[str] = page.evaluate(LOOK, only)
    return found
