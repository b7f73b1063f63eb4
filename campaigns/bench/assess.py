"""The assessor's screen in a real Chromium: from the key to the next document painted, on a slow line and
without any, and how much the screen weighs."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib.util import find_spec

from campaigns.bench.chromium import find
from campaigns.bench.loop import on_services
from campaigns.bench.report import Figure
from campaigns.bench.setting import Bench


def bench_assess(bench: Bench) -> Iterator[Figure]:
    if find() is None or find_spec("playwright") is None:
        print("assess: left out, it needs a Chromium and the package playwright", file=sys.stderr)
        return
    yield from on_services("campaigns.bench.assess_inside", bench)
