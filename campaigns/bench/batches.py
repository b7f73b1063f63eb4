"""Judgments sent a thousand at a time, beside the same sent one by one."""

from __future__ import annotations

from collections.abc import Iterator

from campaigns.bench.loop import on_services
from campaigns.bench.report import Figure
from campaigns.bench.setting import Bench


def bench_batches(bench: Bench) -> Iterator[Figure]:
    yield from on_services("campaigns.bench.batches_inside", bench)
