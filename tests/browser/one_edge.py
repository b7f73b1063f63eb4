"""The left edge that headings, text, cards and tables of a page share."""

from __future__ import annotations

from playwright.sync_api import Page

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


def off_edge(page: Page) -> list[str]:
    found: list[str] = page.evaluate(OFF_EDGE)
    return found
