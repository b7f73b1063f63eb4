"""What it costs the judging that many people look on: the same campaign with and without live pages open."""

from __future__ import annotations

from collections.abc import Iterator

from tests.bench.judging.loop import on_services
from tests.bench.report import Figure
from tests.bench.setting import Bench


def bench_viewers(bench: Bench) -> Iterator[Figure]:
    yield from on_services("tests.bench.watching.viewers_inside", bench)
