"""What the REST API is asked for most: intervals, and a million judgments as files."""

from __future__ import annotations

from collections.abc import Iterator

from tests.bench.judging.loop import on_services
from tests.bench.report import Figure
from tests.bench.setting import Bench


def bench_api(bench: Bench) -> Iterator[Figure]:
    yield from on_services("tests.bench.api.api_inside", bench)
