"""The organiser's page over 129 runs in a real Chromium: how soon it is there, what each judgment costs it,
and how soon a run that is uploaded stands in it, scored."""

from __future__ import annotations

from collections.abc import Iterator

from tests.bench.judging.loop import on_services
from tests.bench.report import Figure
from tests.bench.setting import Bench
from tests.bench.watching.browser import there_is_one


def bench_dashboard(bench: Bench) -> Iterator[Figure]:
    if there_is_one("dashboard"):
        yield from on_services("tests.bench.watching.dashboard_inside", bench)
