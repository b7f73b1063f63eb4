"""What `tests.bench.judging.assess` runs once its services are up."""

from __future__ import annotations

import gzip
import json
import re
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from tests.bench.judging import assess_data, loop_data
from tests.bench.judging.loop import site
from tests.bench.judging.loop_inside import tell
from tests.bench.report import Figure, Timings, at_most
from tests.bench.watching.browser import signed_in, started, wait_for

if TYPE_CHECKING:
    from playwright.sync_api import Page

JUDGMENTS, PORTION = 60, 10
LATENCY_MS, PAUSE_MS = 300, 700
MOST_MS, MOST_KB = 100, 60
TEXTS = {"1": "plain texts of Cranfield's size", "2": "abstracts of TREC-COVID's size"}

# Milliseconds from each key to the frame that shows another document's title, and with it its text, painted.
WATCH = """
globalThis.painted = [];
let pressed = null;
addEventListener("keydown", (event) => (pressed = event.timeStamp), true);
addEventListener("DOMContentLoaded", () => {
  const title = document.getElementById("document-title");
  if (!title) return;
  new MutationObserver(() => {
    if (pressed === null) return;
    const since = pressed;
    pressed = null;
    requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => painted.push(performance.now() - since);
      port2.postMessage(null);
    });
  }).observe(title, { childList: true, characterData: true, subtree: true });
});
"""
# What may follow the document on screen, and a portion's worth of reserve, is in the browser.
AT_HAND = """
async (portion) => {
  const { Store } = await import("/static/assess/offline/store.js");
  const store = (globalThis.benchStore ??= await Store.open());
  const screens = (await store.all("screens")).map(({ value }) => value);
  return screens.some(({ docno, ahead }) => ahead.after.docno === docno && ahead.reserve.length >= portion);
}
"""


def main(folder: Path, seed: int) -> None:
    campaign = assess_data.load(seed)
    with site(folder) as (port, *_):
        loop_data.computed(campaign)
        address = f"http://127.0.0.1:{port}"
        tell(at_most("the screen's scripts and styles, gzipped", _weight(address), "kB", MOST_KB))
        for figure in _in_browser(address):
            tell(figure)


def _weight(address: str) -> float:
    """All that the screen's pages load and its worker keeps."""
    worker = _fetched(f"{address}/judge/worker.js").decode()
    listed = re.search(r"^const FILES = (.*);$", worker, re.MULTILINE)
    assert listed is not None
    files = [path for path in json.loads(listed[1]) if path.endswith((".js", ".css"))]
    return sum(len(gzip.compress(_fetched(address + path))) for path in files) / 1000


def _fetched(address: str) -> bytes:
    with urllib.request.urlopen(address, timeout=60) as reply:
        return bytes(reply.read())


def _in_browser(address: str) -> Iterator[Figure]:
    with started() as browser:
        for topic, what in TEXTS.items():
            page = signed_in(browser, address, "grace", WATCH)
            page.goto(f"{address}/judge/bench/{topic}/")
            for how, measure in (("300 ms away", _far_away), ("without a network", _without_network)):
                times = measure(page)
                timings = Timings([milliseconds / 1000 for milliseconds in times])
                label = f"key to next document painted, {how}, {what}"
                yield timings.median_ms(label)
                yield timings.p95_ms(label, MOST_MS)
            page.context.close()


def _far_away(page: Page) -> list[float]:
    """At a reader's pace, though a quick one's."""
    _wait_at_hand(page, 1)
    line = page.context.new_cdp_session(page)
    line.send("Network.enable")
    conditions = {"offline": False, "downloadThroughput": -1, "uploadThroughput": -1}
    line.send("Network.emulateNetworkConditions", {**conditions, "latency": LATENCY_MS})
    _judge(page, JUDGMENTS)
    line.send("Network.emulateNetworkConditions", {**conditions, "latency": 0})
    return _taken(page)


def _without_network(page: Page) -> list[float]:
    """In portions: the reserve holds a dozen documents."""
    for _ in range(JUDGMENTS // PORTION):
        _wait_saved(page)
        _wait_at_hand(page, PORTION + 1)
        page.context.set_offline(True)
        page.wait_for_timeout(PAUSE_MS)
        _judge(page, PORTION)
        page.context.set_offline(False)
    return _taken(page)


def _judge(page: Page, times: int) -> None:
    for number in range(times):
        wait_for(page, "document.querySelector('#paper[data-accepts]')")
        before = page.evaluate("painted.length")
        page.keyboard.press(str(number % 2))
        wait_for(page, f"painted.length > {before}")
        page.wait_for_timeout(PAUSE_MS)


def _taken(page: Page) -> list[float]:
    return [float(each) for each in page.evaluate("painted.splice(0)")]


def _wait_saved(page: Page) -> None:
    wait_for(page, "document.getElementById('saving').dataset.state === 'good'")


def _wait_at_hand(page: Page, portion: int) -> None:
    wait_for(page, "!document.querySelector('#paper[aria-busy=true]')")
    wait_for(page, AT_HAND, portion)
