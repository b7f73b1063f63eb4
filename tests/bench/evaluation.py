"""Reading and scoring runs beside the field's own programs, in turns within one bench run.

Ratios are of processor time, which other programs on the machine do not lengthen.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec

from tests.bench.evaluation_data import judged_campaign
from tests.bench.judging import bench_judging
from tests.bench.readers import OURS, READERS
from tests.bench.reading import bench_reading
from tests.bench.report import Figure
from tests.bench.scoring import PEER, bench_scoring
from tests.bench.setting import Bench


def bench_evaluation(bench: Bench) -> Iterator[Figure]:
    peers = [name for name in READERS if name != OURS and find_spec(name)]
    if absent := [name for name in READERS if name not in (OURS, *peers)]:
        yield Figure(f"not installed, and not compared with: {', '.join(absent)}", len(absent), "programs")
    yield from bench_reading(bench, peers)
    campaign = judged_campaign(bench.campaign)
    yield from bench_scoring(bench, campaign, compared=PEER in peers)
    yield from bench_judging(bench, campaign, compared=PEER in peers)
