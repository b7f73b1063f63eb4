"""The dashboard in a browser, and what its browser says of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import astuple, dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from tests.bench.watching.browser import signed_in, started, wait_for

if TYPE_CHECKING:
    from playwright.sync_api import Page

RUNS, SETTLED_MS = 129, 1500

# When the frame with all rows was painted, since the page was asked for; how long the longest task took since
# then, and how often panels were replaced.
WATCH = """
globalThis.seen = { rows: null, longest: 0, updates: 0 };
const rows = document.getElementsByClassName("run");
const watching = new MutationObserver(() => {
  if (rows.length < RUNS || seen.rows !== null) return;
  watching.disconnect();
  new MutationObserver(() => (seen.updates += 1)).observe(
    document.getElementById("overview"), { childList: true, subtree: true });
  requestAnimationFrame(() => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => (seen.rows = performance.now());
    port2.postMessage(null);
  });
});
watching.observe(document, { childList: true, subtree: true });
new PerformanceObserver((list) => {
  seen.longest = Math.max(seen.longest, ...list.getEntries().map(({ duration }) => duration));
}).observe({ type: "longtask" });
""".replace("RUNS", str(RUNS))
PAINTED = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? null"
JUDGED = r"(judged) => document.getElementById('judged').textContent.replace(/\D/g, '') === `${judged}`"
SCORED = """
(tag) => [...document.querySelectorAll(".run")].some(
  (row) => row.querySelector(".run-tag").textContent === tag &&
    row.querySelector(".whisker").getAttribute("width") !== "100.000%")
"""


@dataclass(frozen=True)
class Opened:
    """Milliseconds since the page was asked for."""

    paint: float
    rows: float


@dataclass(frozen=True)
class Work:
    """How often the panels were replaced, and seconds in which the page's main thread had the processor."""

    updates: int
    all: float
    scripts: float
    layout: float

    def __sub__(self, other: Work) -> Work:
        return Work(*(now - before for now, before in zip(astuple(self), astuple(other), strict=True)))


class Dashboard:
    def __init__(self, page: Page, address: str) -> None:
        self._page, self._address = page, address
        self._line = page.context.new_cdp_session(page)
        # Not the time in which other programs had the processor.
        self._line.send("Performance.enable", {"timeDomain": "threadTicks"})

    @classmethod
    @contextmanager
    def at(cls, address: str) -> Iterator[Dashboard]:
        parts = urlsplit(address)
        with started() as browser:
            yield cls(signed_in(browser, f"{parts.scheme}://{parts.netloc}", "ada", WATCH), address)

    def opened(self) -> Opened:
        self._page.goto(self._address)
        wait_for(self._page, "seen.rows !== null")
        wait_for(self._page, f"{PAINTED} !== null")
        found = Opened(self._page.evaluate(PAINTED), self._page.evaluate("seen.rows"))
        # What follows the first picture is over before anything else is measured.
        wait_for(self._page, "document.getElementById('live-words').parentElement.dataset.live === 'on'")
        self._page.wait_for_load_state("networkidle")
        self._page.evaluate("Object.assign(seen, { longest: 0, updates: 0 })")
        return found

    def work(self) -> Work:
        rows = self._line.send("Performance.getMetrics")["metrics"]
        found = {row["name"]: float(row["value"]) for row in rows}
        layout = found["LayoutDuration"] + found["RecalcStyleDuration"]
        updates = int(self._page.evaluate("seen.updates"))
        return Work(updates, found["TaskDuration"], found["ScriptDuration"], layout)

    def longest_task(self) -> float:
        """Milliseconds; 0 if none took 50."""
        return float(self._page.evaluate("seen.longest"))

    def wait_for_judged(self, judged: int) -> None:
        """Until it shows so many; whatever glides has come to rest."""
        wait_for(self._page, JUDGED, judged)
        self._page.wait_for_timeout(SETTLED_MS)

    def wait_for_scored(self, tag: str) -> None:
        wait_for(self._page, SCORED, tag)
