"""The bench's sections by name. A section takes a Bench and yields figures; add one by naming it here."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from campaigns.bench.api import bench_api
from campaigns.bench.assess import bench_assess
from campaigns.bench.batches import bench_batches
from campaigns.bench.dashboard import bench_dashboard
from campaigns.bench.evaluation import bench_evaluation
from campaigns.bench.large import bench_large
from campaigns.bench.loop import bench_loop
from campaigns.bench.mtc import bench_mtc
from campaigns.bench.report import Figure
from campaigns.bench.selection import bench_selection
from campaigns.bench.setting import Bench
from campaigns.bench.viewers import bench_viewers

Section = Callable[[Bench], Iterator[Figure]]

SECTIONS: dict[str, Section] = {
    "selection": bench_selection,
    "mtc": bench_mtc,
    "evaluation": bench_evaluation,
    "large": bench_large,
    "loop": bench_loop,
    "assess": bench_assess,
    "dashboard": bench_dashboard,
    "viewers": bench_viewers,
    "bulk": bench_batches,
    "api": bench_api,
}
