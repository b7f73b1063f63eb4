"""What `tests.bench.watching.dashboard` runs once its services are up."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import numpy as np

from tests.bench.judging import loop_data
from tests.bench.judging.loop import Site, site
from tests.bench.judging.loop_inside import tell
from tests.bench.processor import processor_seconds, site_seconds
from tests.bench.report import Figure, Timings, at_most
from tests.bench.watching import dashboard_data
from tests.bench.watching.dashboard_page import Dashboard
from tests.bench.watching.viewers_inside import PACE_SECONDS, UNMEASURED, judge
from tests.bench.watching.visitor import PASSWORD, Visitor

ASKED, OPENED, JUDGMENTS, UPLOADS = 20, 5, 50, 3
REST_SECONDS = 0.05
MOST_PAINT_MS, MOST_UPDATE_MS, MOST_SCORED = 1000, 60, 3
PAGE, ROOT = "/campaigns/bench/", "/api/v1/campaigns/bench/"


def main(folder: Path, seed: int) -> None:
    campaign = loop_data.load(seed)
    qrels = dashboard_data.judged_text(campaign, np.random.default_rng(seed))
    late = [loop_data.one_run_text(seed + n, f"late{n}") for n in range(UPLOADS)]
    with site(folder) as running:
        ada, grace = Visitor(running.port), Visitor(running.port)
        ada.sign_in("ada", PASSWORD)
        grace.sign_in("grace", PASSWORD)
        ada.upload(f"{ROOT}qrels/", "judged.qrels", qrels)
        loop_data.computed(campaign)
        judged = qrels.count(b"\n")
        tell_all(asked_figures(running, ada, judged))
        # Where a browser is driven, an event loop runs, and Django refuses to read rows beside one.
        with ThreadPoolExecutor(1) as aside, Dashboard.at(f"http://127.0.0.1:{running.port}{PAGE}") as page:

            def computed() -> None:
                aside.submit(loop_data.computed, campaign).result()

            tell_all(opened_figures(page))
            tell_all(update_figures(page, grace, judged))
            computed()
            found = [
                uploaded(page, ada, f"late{n}", text, lambda: site_seconds(folder, running), computed)
                for n, text in enumerate(late)
            ]
            tell_all(upload_figures(found, late[0].count(b"\n")))


def tell_all(figures: Iterator[Figure]) -> None:
    for figure in figures:
        tell(figure)


def asked_figures(running: Site, ada: Visitor, judged: int) -> Iterator[Figure]:
    def ask() -> float:
        began = time.perf_counter()
        status, _ = ada.request("GET", PAGE)
        if status != 200:
            raise RuntimeError(f"GET {PAGE}: {status}")
        return time.perf_counter() - began

    ask()
    used = processor_seconds(running.web.pid)
    seconds = [ask() for _ in range(ASKED)]
    own = 1000 * (processor_seconds(running.web.pid) - used) / ASKED
    what = f"dashboard of 129 runs, 50 topics, {judged:,} judgments"
    yield Timings(seconds).median_ms(f"{what}: answered")
    yield Figure(f"{what}: processor time of the web server", own, "ms")


def opened_figures(page: Dashboard) -> Iterator[Figure]:
    """The first visit finds nothing in the browser's cache."""
    first, *others = [page.opened() for _ in range(OPENED)]
    for visit, paint, rows in (
        ("first visit", first.paint, first.rows),
        ("later visits", median(one.paint for one in others), median(one.rows for one in others)),
    ):
        yield at_most(f"dashboard's first paint, {visit}", paint, "ms", MOST_PAINT_MS)
        yield Figure(f"all 129 intervals painted, {visit}", rows, "ms")


def update_figures(page: Dashboard, grace: Visitor, judged: int) -> Iterator[Figure]:
    served = grace.get(f"{ROOT}next/?topic=1")
    served, _ = judge(grace, served, UNMEASURED)
    page.wait_for_judged(judged + UNMEASURED)
    began = page.work()
    judge(grace, served, JUDGMENTS)
    page.wait_for_judged(judged + UNMEASURED + JUDGMENTS)
    work = page.work() - began
    if not work.updates:
        raise RuntimeError("the dashboard showed no judgment")
    what = f"dashboard at {1 / PACE_SECONDS:g} judgments a second"
    yield Figure(f"{what}: judgments in each update", JUDGMENTS / work.updates, "")
    for part, seconds in (("scripts", work.scripts), ("style and layout", work.layout)):
        yield Figure(f"{what}: an update's {part}", 1000 * seconds / work.updates, "ms")
    yield at_most(f"{what}: an update's work in all", 1000 * work.all / work.updates, "ms", MOST_UPDATE_MS)
    yield Figure(f"{what}: longest task, others' time included", page.longest_task(), "ms")


@dataclass(frozen=True)
class Uploaded:
    """Seconds since the upload began; `own`: of the processor until the scores were published."""

    answered: float
    published: float
    own: float
    drawn: float
    queued: float


def uploaded(
    page: Dashboard,
    ada: Visitor,
    tag: str,
    text: bytes,
    used: Callable[[], float],
    computed: Callable[[], None],
) -> Uploaded:
    def scored() -> bool:
        # Asking takes time from what is waited for.
        time.sleep(REST_SECONDS)
        rows = ada.get(f"{ROOT}intervals/")["runs"]
        return any(row["run"] == tag and row["residual"] < 1 for row in rows)

    before, began = used(), time.perf_counter()
    ada.upload(f"{ROOT}runs/", f"{tag}.run", text)
    answered = time.perf_counter() - began
    loop_data.wait_until(scored)
    published, own = time.perf_counter() - began, used() - before
    page.wait_for_scored(tag)
    drawn = time.perf_counter() - began
    computed()
    return Uploaded(answered, published, own, drawn, time.perf_counter() - began)


def upload_figures(found: list[Uploaded], lines: int) -> Iterator[Figure]:
    what = f"a {lines:,}-line run uploaded"
    yield at_most(f"{what}, validated and answered", median(one.answered for one in found), "s", 1)
    yield at_most(f"{what}, scored in the API", median(one.published for one in found), "s", MOST_SCORED)
    yield Figure(f"{what}, scored in the API: processor time", median(one.own for one in found), "s")
    yield at_most(f"{what}, scored on the dashboard", median(one.drawn for one in found), "s", MOST_SCORED)
    yield Figure(f"{what}, every queue rebuilt", median(one.queued for one in found), "s")
