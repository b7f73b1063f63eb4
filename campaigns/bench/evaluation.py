"""Reading and scoring runs beside the field's own programs, in turns within one bench run.

Ratios are of processor time, which other programs on the machine do not lengthen.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec

from campaigns.bench.evaluation_data import judged_campaign
from campaigns.bench.judging import bench_judging
from campaigns.bench.readers import OURS, READERS
from campaigns.bench.reading import bench_reading
from campaigns.bench.report import Figure
from campaigns.bench.scoring import PEER, bench_scoring
from campaigns.bench.setting import Bench


def bench_evaluation(bench: Bench) -> Iterator[Figure]:
    peers = [name for name in READERS if name != OURS and find_spec(name)]
    if absent := [name for name in READERS if name not in (OURS, *peers)]:
        yield Figure(f"not installed, and not compared with: {', '.join(absent)}", len(absent), "programs")
    yield from bench_reading(bench, peers)
    campaign = judged_campaign(bench.campaign)
    yield from bench_scoring(bench, campaign, compared=PEER in peers)
    yield from bench_judging(bench, campaign, compared=PEER in peers)
