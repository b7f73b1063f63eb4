"""The worker's order of topics in a campaign of TREC-8's size, on real services."""

from __future__ import annotations

from collections.abc import Iterator

from tests.bench.judging.loop import on_services
from tests.bench.report import Figure
from tests.bench.setting import Bench


def bench_order(bench: Bench) -> Iterator[Figure]:
    yield from on_services("tests.bench.judging.order_inside", bench)
