"""The assessor's screen in a real Chromium: from the key to the next document painted, on a slow line and
without any, and how much the screen weighs."""

from __future__ import annotations

from collections.abc import Iterator

from tests.bench.judging.loop import on_services
from tests.bench.report import Figure
from tests.bench.setting import Bench
from tests.bench.watching.browser import there_is_one


def bench_assess(bench: Bench) -> Iterator[Figure]:
    if there_is_one("assess"):
        yield from on_services("tests.bench.judging.assess_inside", bench)
