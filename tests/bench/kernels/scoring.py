"""All runs scored by some measures, beside pytrec_eval, and the values compared."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from campaigns.formats.grading import Grading
from campaigns.scoring.judged_collection import JudgedCollection
from campaigns.scoring.score_tables import ScoreTable, score_runs
from evaluation.names import parse_measure
from tests.bench.kernels.evaluation_data import qrels_dict, run_dict
from tests.bench.report import Figure, at_least, at_most, own_time
from tests.bench.setting import Bench

ROUNDS = 3
# Our name of a measure, and pytrec_eval's; RBP it does not have.
MEASURES = {"AP": "map", "nDCG": "ndcg", "P@10": "P_10", "RBP(p=0.8)": None}
THEIRS = [name for name in MEASURES.values() if name]
PEER = "pytrec_eval"
SAME = 1e-12

# By measure, run and topic.
Values = dict[tuple[str, str, str], float]


def bench_scoring(bench: Bench, campaign: JudgedCollection, *, compared: bool) -> Iterator[Figure]:
    measures = [parse_measure(name) for name in MEASURES]
    ours, theirs = [], []
    values: Values = {}
    with bench.bar("Scoring runs", ROUNDS) as advance:
        for _ in range(ROUNDS):
            seconds, outcome = own_time(lambda: score_runs(campaign, measures, Grading()))
            ours.append(seconds)
            if compared:
                seconds, values = _by_pytrec_eval(campaign)
                theirs.append(seconds)
            advance()
    what = f"{' + '.join(MEASURES)} of all runs"
    yield Figure(f"{what}, own time", float(np.median(ours)), "s")
    if compared:
        yield Figure(f"{' + '.join(THEIRS)}, {PEER}, own time", float(np.median(theirs)), "s")
        ratio = float(np.median(theirs)) / float(np.median(ours))
        yield at_least(f"{what}, times faster than {PEER}", ratio, "times", 2)
        furthest = _furthest(outcome, values)
        yield at_most(f"{what}, furthest from {PEER}'s value", furthest, "", SAME)


def _by_pytrec_eval(campaign: JudgedCollection) -> tuple[float, Values]:
    import pytrec_eval

    evaluator = pytrec_eval.RelevanceEvaluator(qrels_dict(campaign), THEIRS)
    spent = 0.0
    values: Values = {}
    for run, name in enumerate(campaign.runs):
        # One run's dicts at a time: all of them together are most of a gigabyte.
        seconds, found = own_time(partial(evaluator.evaluate, run_dict(campaign, run)))
        spent += seconds
        for topic, by_measure in found.items():
            values |= {(measure, name, topic): value for measure, value in by_measure.items()}
    return spent, values


def _furthest(outcome: ScoreTable, values: Values) -> float:
    return max(
        abs(row.scored.score - values[theirs, row.run, row.topic])
        for row in outcome.by_topic
        if row.topic is not None and (theirs := MEASURES[row.measure])
    )
