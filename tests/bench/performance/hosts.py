"""Judgments a second of a site on one host, with its database and broker on another."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from tests.bench.performance import throughput
from tests.bench.performance.report import Table
from tests.bench.performance.sizes import Sizes


def measure(folder: Path, sizes: Sizes) -> Iterator[Table]:
    words = (
        "The same campaigns and load. The database and Redis are on one host; web processes, workers and "
        "clients are on another. Both hosts are this machine: a virtual cable connects their network "
        "namespaces, and they share its cores."
    )
    for table in throughput.measure(folder, sizes):
        yield replace(table, title="Judgments a second, on two hosts", words=words)
