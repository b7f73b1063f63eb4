"""What `tests.bench.api.api` runs once its services are up."""

from __future__ import annotations

import http.client
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from django.contrib.auth.models import User
from rest_framework.test import APIRequestFactory, force_authenticate

from campaigns.api.results import IntervalsView
from tests.bench.api import api_data
from tests.bench.judging import loop_data
from tests.bench.judging.loop import site
from tests.bench.judging.loop_inside import megabytes, tell
from tests.bench.report import Figure, Timings, at_least, at_most
from tests.bench.watching.visitor import PASSWORD, Visitor

CALLS, ACTS, ROUNDS = 200, 1_000_000, 3
LEAST_LINES, MOST_MILLISECONDS, MOST_GROWTH = 200_000, 10, 20
ROOT = "/api/v1/campaigns/"
PIECE = 1 << 18
FILES = ("qrels", "prels", "judgments-jsonl", "judgments-csv")


def main(folder: Path, seed: int) -> None:
    campaign = loop_data.load(seed)
    with site(folder) as running:
        ada = Visitor(running.port)
        ada.sign_in("ada", PASSWORD)
        loop_data.computed(campaign)
        for figure in interval_figures():
            tell(figure)
        api_data.make_judged(ACTS)
        # Whatever is loaded at a first download is no growth.
        for what in FILES:
            fetched(running.port, running.web.pid, ada.cookies, f"{ROOT}bench/exports/{what}/")
        for what in FILES:
            path = f"{ROOT}million/exports/{what}/"
            found = [fetched(running.port, running.web.pid, ada.cookies, path) for _ in range(ROUNDS)]
            for figure in file_figures(what, found):
                tell(figure)


def interval_figures() -> Iterator[Figure]:
    view, make, ada = IntervalsView.as_view(), APIRequestFactory(), User.objects.get(username="ada")

    def asked(query: str, **headers: str) -> tuple[Timings, Any]:
        took, own = [], []
        for _ in range(CALLS + 10):
            request = make.get(f"{ROOT}bench/intervals/{query}", headers=headers)
            force_authenticate(request, user=ada)
            began, worked = time.perf_counter(), time.process_time()
            answer = view(request, slug="bench")
            if hasattr(answer, "render"):
                answer.render()
            own.append(time.process_time() - worked)
            took.append(time.perf_counter() - began)
        return Timings(took[10:], own[10:]), answer

    for query, name in (("", "129 runs' means over 50 topics"), ("?topic=7", "129 runs in one topic")):
        took, answer = asked(query)
        yield took.median_ms(f"intervals in the view, {name}", MOST_MILLISECONDS)
        own = 1000 * median(took.processor)
        yield Figure("the same without what other programs and the database took, median", own, "ms")
        known, _ = asked(query, **{"If-None-Match": answer.headers["ETag"]})
        yield known.median_ms("the same, not changed since")


@dataclass(frozen=True)
class Fetched:
    """`growth`: of the web server's memory meanwhile, in megabytes, at its most."""

    lines: int
    seconds: float
    first: float
    growth: float


def fetched(port: int, web: int, cookies: str, path: str) -> Fetched:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=600)
    before, most, lines, first = megabytes(web), 0.0, 0, 0.0
    began = time.perf_counter()
    connection.request("GET", path, headers={"Cookie": cookies})
    response = connection.getresponse()
    if response.status != 200:
        raise RuntimeError(f"GET {path}: {response.status}")
    while piece := response.read(PIECE):
        first = first or time.perf_counter() - began
        lines += piece.count(b"\n")
        most = max(most, megabytes(web) - before)
    connection.close()
    return Fetched(lines, time.perf_counter() - began, first, most)


def file_figures(what: str, found: list[Fetched]) -> Iterator[Figure]:
    if found[0].lines not in (ACTS, ACTS + 1):
        raise RuntimeError(f"{what}: {found[0].lines:,} lines of {ACTS:,} judgments")
    name = f"{what} of {ACTS:,} judgments"
    rate = median(one.lines / one.seconds for one in found)
    if what == "qrels":
        yield at_least(name, rate, "lines/s", LEAST_LINES)
    else:
        yield Figure(name, rate, "lines/s")
    yield Figure(f"{name}: first bytes after", 1000 * median(one.first for one in found), "ms")
    growth = max(one.growth for one in found)
    yield at_most(f"{name}: the web server's memory grows by", growth, "MB", MOST_GROWTH)
