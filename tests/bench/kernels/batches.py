"""Judgments sent a thousand at a time, beside the same sent one by one."""

from __future__ import annotations

from collections.abc import Iterator

from tests.bench.judging.loop import on_services
from tests.bench.report import Figure
from tests.bench.setting import Bench


def bench_batches(bench: Bench) -> Iterator[Figure]:
    yield from on_services("tests.bench.kernels.batches_inside", bench)
