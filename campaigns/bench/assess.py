"""The assessor's screen in a real Chromium: from the key to the next document painted, on a slow line and
without any, and how much the screen weighs."""

from __future__ import annotations

from collections.abc import Iterator

from campaigns.bench.browser import there_is_one
from campaigns.bench.loop import on_services
from campaigns.bench.report import Figure
from campaigns.bench.setting import Bench


def bench_assess(bench: Bench) -> Iterator[Figure]:
    if there_is_one("assess"):
        yield from on_services("campaigns.bench.assess_inside", bench)
