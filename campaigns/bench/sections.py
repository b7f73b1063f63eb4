"""The bench's sections by name. A section takes a Bench and yields figures; add one by naming it here."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from campaigns.bench.loop import bench_loop
from campaigns.bench.report import Figure
from campaigns.bench.selection import bench_selection
from campaigns.bench.setting import Bench

Section = Callable[[Bench], Iterator[Figure]]

SECTIONS: dict[str, Section] = {
    "selection": bench_selection,
    "loop": bench_loop,
}
