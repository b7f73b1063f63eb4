"""The bench's sections by name. A section takes a Bench and yields figures; add one by naming it here."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tests.bench.api.api import bench_api
from tests.bench.judging.assess import bench_assess
from tests.bench.judging.loop import bench_loop
from tests.bench.judging.order import bench_order
from tests.bench.kernels.batches import bench_batches
from tests.bench.kernels.evaluation import bench_evaluation
from tests.bench.kernels.mtc import bench_mtc
from tests.bench.kernels.selection import bench_selection
from tests.bench.kernels.topics import bench_topics
from tests.bench.large import bench_large
from tests.bench.report import Figure
from tests.bench.setting import Bench
from tests.bench.watching.dashboard import bench_dashboard
from tests.bench.watching.viewers import bench_viewers

Section = Callable[[Bench], Iterator[Figure]]

SECTIONS: dict[str, Section] = {
    "selection": bench_selection,
    "mtc": bench_mtc,
    "topics": bench_topics,
    "order": bench_order,
    "evaluation": bench_evaluation,
    "large": bench_large,
    "loop": bench_loop,
    "assess": bench_assess,
    "dashboard": bench_dashboard,
    "viewers": bench_viewers,
    "bulk": bench_batches,
    "api": bench_api,
}
