"""What is drawn estimates what judging everything would give, and says how well."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pytest

from campaigns.formats.compressed_files import find_files
from campaigns.formats.qrels import read_qrels
from campaigns.formats.runs.files import read_run_files
from evaluation.arrays import FloatArray, IntArray
from evaluation.estimation.statap import JudgedSample, stat_ap
from evaluation.estimation.statap_interval import SamplingError, sampling_error, stat_map_interval
from evaluation.measures.precision import average_precision
from selection.methods.statap import document_prior, stevens
from selection.pool import build_topic_pool
from tests.campaigns.formats.sample_files import TREC_DATA, needs_data


@dataclass(frozen=True)
class Estimates:
    """truth (runs,); estimates, covered (draws, runs); relevant (draws,): of R, whose truth is `in_all`."""

    truth: FloatArray
    estimates: FloatArray
    covered: FloatArray
    relevant: FloatArray
    in_all: int

    @property
    def mean_error(self) -> float:
        """Of the mean over samples, over all runs, in parts of the truth."""
        return float(abs(self.estimates.mean() / self.truth.mean() - 1))


def draw_often(rankings: Sequence[IntArray], relevant: set[int], size: int, draws: int) -> Estimates:
    everybody = np.ones(len(rankings), dtype=np.bool_)
    pool = build_topic_pool(rankings, 0.8, everybody)
    place = {document: k for k, document in enumerate(pool.documents.tolist())}
    # The last index is that of no document.
    ranked = np.full((len(rankings), max(map(len, rankings))), len(pool))
    for run, ranking in enumerate(rankings):
        ranked[run, : len(ranking)] = [place[document] for document in ranking.tolist()]
    gains = np.append(np.isin(pool.documents, list(relevant)).astype(np.float64), np.nan)
    in_all = int(np.nansum(gains))
    truth = average_precision(gains[ranked], in_all)
    buckets, generator = stevens(document_prior(pool, everybody), size), np.random.default_rng(1)
    chances = np.full(len(pool) + 1, np.nan)
    chances[buckets.order] = buckets.inclusion()
    made = []
    for _ in range(draws):
        drawn = buckets.order[buckets.draw(generator)]
        known = np.full((2, len(pool) + 1), np.nan)
        known[:, drawn] = gains[drawn], chances[drawn]
        sample = JudgedSample(gains[drawn], chances[drawn])
        estimate = stat_ap(known[0][ranked], known[1][ranked], sample)
        error = sampling_error(known[0][ranked], known[1][ranked], sample)
        found = stat_map_interval(estimate[None], SamplingError.of_topics([error]))
        made.append((estimate, (found.low <= truth) & (truth <= found.high), sample.relevant))
    estimates, covered, counts = (np.array(column, dtype=np.float64) for column in zip(*made, strict=True))
    return Estimates(truth, estimates, covered, counts, in_all)


def test_ten_runs_that_agree_in_part() -> None:
    """600 documents, a tenth of them relevant and ranked higher by every run, each with its own noise."""
    rng = np.random.default_rng(3)
    relevant = rng.permutation(600)[:60]
    scores = rng.normal(size=600)
    scores[relevant] += 2.5
    rankings: list[IntArray] = [
        np.argsort(-scores - rng.normal(size=600))[:100].astype(np.int32) for _ in range(10)
    ]
    found = draw_often(rankings, set(relevant.tolist()), size=80, draws=1000)
    assert found.mean_error < 0.02
    assert 0.9 < found.covered.mean() < 0.97
    # How many documents are relevant is estimated without any bias.
    error = found.relevant.std() / np.sqrt(len(found.relevant))
    assert found.relevant.mean() == pytest.approx(found.in_all, abs=4 * error)


@needs_data
def test_the_runs_of_a_real_topic() -> None:
    """Topic 10 of TREC-COVID round 1 by all 143 runs: 200 documents of 4,255."""
    folder, topic = TREC_DATA / "trec-covid-r1", "10"
    runs = read_run_files(find_files([folder / "runs"]))
    ranked = [run.rankings[topic].docnos for run in runs if topic in run.rankings]
    ids = {docno: number for number, docno in enumerate(sorted(set().union(*ranked)))}
    rankings = [np.array([ids[docno] for docno in ranking], dtype=np.int32) for ranking in ranked]
    grades = read_qrels(folder / "qrels.txt", "qrels.txt").grades[topic]
    relevant = {ids[docno] for docno, grade in grades.items() if grade > 0 and docno in ids}
    found = draw_often(rankings, relevant, size=200, draws=800)
    assert found.mean_error < 0.02
    assert 0.9 < found.covered.mean() < 0.97
