"""A judgment and all runs' bounds after it, beside pytrec_eval called again on the topic."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

import numpy as np

from campaigns.scoring.judged_collection import JudgedCollection
from evaluation.arrays import FloatArray
from selection.specification import CampaignSpec
from selection.state import CampaignState
from tests.bench.kernels.evaluation_data import qrels_dict, run_dict
from tests.bench.kernels.scoring import PEER
from tests.bench.report import Figure, Timings, at_least, own_time
from tests.bench.setting import Bench

JUDGMENTS, CALLS = 500, 30


def bench_judging(bench: Bench, campaign: JudgedCollection, *, compared: bool) -> Iterator[Figure]:
    """Judgments in the order of method C, each followed by all runs' bounds."""
    everyone = np.ones(bench.size.runs, dtype=np.bool_)
    pools = bench.campaign.pools(0.8)
    state = CampaignState(
        pools,
        CampaignSpec(runs=bench.size.runs, p=0.8, method="C", scope="campaign", contributing=everyone),
    )
    gains = [gain[pool.documents] for gain, pool in zip(bench.campaign.gains, pools, strict=True)]
    timings = _judged(state, gains, min(JUDGMENTS, bench.judgments))
    what = "judged, all runs' RBP base and residual"
    yield timings.median_ms(what)
    yield timings.p99_ms(what)
    if compared:
        theirs = Timings(_one_topic(campaign))
        yield theirs.median_ms(f"one topic of all runs again, P@10 alone, {PEER}")
        ratio = float(np.median(theirs.seconds)) / float(np.median(timings.processor))
        yield at_least(f"{what}, times faster than {PEER}", ratio, "times", 500)


def _judged(state: CampaignState, gains: Sequence[FloatArray], judgments: int) -> Timings:
    seconds, processor = [], []
    for _ in range(judgments):
        choice = state.best()
        if choice is None:
            break
        gain = float(gains[choice.topic][choice.document])
        started, own = time.perf_counter(), time.process_time()
        state.judge(choice.topic, choice.document, gain)
        state.mean_bounds()
        processor.append(time.process_time() - own)
        seconds.append(time.perf_counter() - started)
    return Timings(seconds, processor)


def _one_topic(campaign: JudgedCollection) -> list[float]:
    """Own time, all judgments processed again each time. Of one measure: more would only take longer."""
    import pytrec_eval

    first = JudgedCollection(campaign.runs, campaign.topics[:1])
    qrels = qrels_dict(first)
    runs = [run_dict(first, run) for run in range(len(campaign.runs))]

    def again() -> None:
        evaluator = pytrec_eval.RelevanceEvaluator(qrels, ["P_10"])
        for run in runs:
            evaluator.evaluate(run)

    return [own_time(again)[0] for _ in range(CALLS)]
