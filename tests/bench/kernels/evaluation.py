"""Reading and scoring runs beside the field's own programs, in turns within one bench run.

Whole evaluations are measured by the clock, as processes of their own. Other ratios are of processor time,
which other programs on the machine do not lengthen.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.bench.judging.judging import bench_judging
from tests.bench.judging.readers import READERS
from tests.bench.judging.reading import bench_reading
from tests.bench.kernels.evaluating import bench_evaluating
from tests.bench.kernels.evaluation_data import judged_campaign, write_judgments, write_runs
from tests.bench.kernels.evaluators import EVALUATORS, OURS, OURS_TWICE, installed
from tests.bench.kernels.scoring import PEER, bench_scoring
from tests.bench.report import Figure
from tests.bench.setting import Bench


def bench_evaluation(bench: Bench) -> Iterator[Figure]:
    programs = [name for name in EVALUATORS if name not in (OURS, OURS_TWICE)]
    peers = [name for name in programs if installed(name)]
    if absent := [name for name in programs if name not in peers]:
        yield Figure(f"not installed, and not compared with: {', '.join(absent)}", len(absent), "programs")
    campaign = judged_campaign(bench.campaign)
    with tempfile.TemporaryDirectory(prefix="assess-bench-") as folder:
        runs, qrels = Path(folder) / "runs", Path(folder) / "qrels"
        runs.mkdir()
        with bench.bar("Writing run files", bench.size.runs) as advance:
            write_runs(bench.campaign, runs, advance)
        write_judgments(campaign, qrels)
        yield from bench_evaluating(bench, peers, qrels, runs)
        yield from bench_reading(bench, [name for name in peers if name in READERS], runs)
    yield from bench_scoring(bench, campaign, compared=PEER in peers)
    yield from bench_judging(bench, campaign, compared=PEER in peers)
