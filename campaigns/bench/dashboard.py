"""The organiser's page over 129 runs in a real Chromium: how soon it is there, what each judgment costs it,
and how soon a run that is uploaded stands in it, scored."""

from __future__ import annotations

from collections.abc import Iterator

from campaigns.bench.browser import there_is_one
from campaigns.bench.loop import on_services
from campaigns.bench.report import Figure
from campaigns.bench.setting import Bench


def bench_dashboard(bench: Bench) -> Iterator[Figure]:
    if there_is_one("dashboard"):
        yield from on_services("campaigns.bench.dashboard_inside", bench)
