"""On a phone headings, text, cards and tables share one left edge, and none stands outside of it."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser

from tests.browser.sample_site import Showing
from tests.browser.screens.acts import Screen
from tests.browser.screens.every import ALL
from tests.plumbing.chromium_fixtures import visit

# Of headings, text and tables that none stands outside; of sheets in no other sheet that all are at the edge.
OFF_EDGE = """() => {
  const page = document.querySelector("main.page");
  // Judging has a sheet of paper in place of a page.
  if (!page) return document.querySelector("main .sheet") ? [] : ["neither page nor paper"];
  const { paddingLeft, paddingRight } = getComputedStyle(page);
  const box = page.getBoundingClientRect();
  const left = box.left + parseFloat(paddingLeft), right = box.right - parseFloat(paddingRight);
  const sheets = ".panel, .scroll-x, .notice, .selection";
  const found = [];
  for (const one of page.querySelectorAll(`h1, h2, h3, p, table, ${sheets}`)) {
    if (!one.checkVisibility() || one.closest("dialog, [popover], .drop-panel, .decide")) continue;
    const { left: from, right: to, width } = one.getBoundingClientRect();
    if (width < 2) continue;
    const isSheet = one.matches(sheets);
    const inSheet = one.parentElement.closest(`${sheets}, .step-body, li, .scroll-x`) !== null;
    const outside = from < left - 1 || (isSheet && !inSheet && to > right + 1);
    if (outside || (isSheet && !inSheet && Math.abs(from - left) > 1))
      found.push(`${one.outerHTML.slice(0, 80)} from ${from} to ${to}, the page from ${left} to ${right}`);
  }
  return found;
}"""


@pytest.mark.parametrize("screen", ALL, ids=lambda screen: screen.name)
def test_one_left_edge(showing: Showing, browser: Browser, site_process: str, screen: Screen) -> None:
    with visit(browser, site_process, viewport={"width": 390, "height": 844}, has_touch=True) as page:
        screen.open(page, site_process)
        assert page.evaluate(OFF_EDGE) == []
