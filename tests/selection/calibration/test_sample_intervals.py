"""Trials of statAP's intervals, on past campaigns that were made up."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from campaigns.formats.compressed_files import find_files
from campaigns.formats.grading import Grading
from campaigns.management.offline.calibration.statements import Collection
from campaigns.management.offline.files import read_files
from evaluation.estimation.statap_interval import stat_map_interval
from selection.calibration.coverage import Trial
from selection.calibration.past_campaigns import PastTopic
from selection.calibration.sample_intervals import (
    LIST_DEPTHS,
    SAMPLE_SIZES,
    SampledCampaign,
    sample_interval_coverage,
    sampled_campaigns,
)
from tests.campaigns.formats.sample_files import TREC_DATA, needs_data

RUNS, TOPICS, DOCUMENTS = 6, 12, 150


@pytest.fixture(scope="module")
def topics() -> list[PastTopic]:
    rng = np.random.default_rng(3)
    made = []
    for _ in range(TOPICS):
        relevant = rng.random(DOCUMENTS) < 0.2
        noise = [rng.normal(size=DOCUMENTS) for _ in range(RUNS)]
        rankings = [np.argsort(spread - 1.5 * relevant)[:80].astype(np.int32) for spread in noise]
        # Half of what is not relevant was never judged.
        gains = np.where(relevant, 1.0, np.where(rng.random(DOCUMENTS) < 0.5, 0.0, np.nan))
        made.append(PastTopic([*rankings[:-1], None], gains))
    return made


def drawn(topics: list[PastTopic], campaigns: int, seed: int = 1) -> list[list[SampledCampaign]]:
    among = np.arange(RUNS), np.arange(TOPICS)
    return list(sampled_campaigns(topics, among, campaigns=campaigns, seed=seed))


def slow_ap(ranking: np.ndarray | None, gains: np.ndarray, relevant: int) -> float:
    hits = [] if ranking is None else [rank for rank, d in enumerate(ranking.tolist(), 1) if gains[d] == 1]
    return sum(n / rank for n, rank in enumerate(hits, 1)) / relevant


def test_each_campaign_is_sampled_at_every_size_and_depth(topics: list[PastTopic]) -> None:
    (made,) = drawn(topics, 1)
    assert [(one.depth, one.size) for one in made] == [(d, s) for d in LIST_DEPTHS for s in SAMPLE_SIZES]
    again, other = drawn(topics, 1), drawn(topics, 1, seed=2)
    np.testing.assert_array_equal(made[0].estimates, again[0][0].estimates)
    assert made[0].estimates.shape != other[0][0].estimates.shape or not np.array_equal(
        made[0].estimates, other[0][0].estimates, equal_nan=True
    )


def test_the_truth_is_that_of_full_judgment() -> None:
    """One topic, two runs of three documents; a relevant one is ranked by neither, another by the third."""
    first, second = np.array([0, 1, 2], dtype=np.int32), np.array([2, 3, 0], dtype=np.int32)
    gains = np.array([1.0, np.nan, 0.0, 1.0, 1.0])
    topic = PastTopic([first, second], gains)
    among = np.arange(2), np.arange(1)
    (made,) = sampled_campaigns([topic], among, campaigns=1, seed=1, relevant=np.array([4]))
    sampled = [slow_ap(ranking, gains, 2) for ranking in (first, second)]
    for one in made:
        assert one.sampled_ap[0] == pytest.approx(sampled)
        assert one.full_ap[0] == pytest.approx([slow_ap(ranking, gains, 4) for ranking in (first, second)])
        # Fewer documents than draws: all are certain, and the interval is the truth itself.
        assert one.estimates[0] == pytest.approx(sampled)
        assert one.topics_covered().all()
    (made,) = sampled_campaigns([topic], among, campaigns=1, seed=1)
    assert made[0].full_ap[0] == pytest.approx([slow_ap(ranking, gains, 3) for ranking in (first, second)])


def test_cases_are_those_with_an_interval(topics: list[PastTopic]) -> None:
    (made,) = drawn(topics, 1)
    one = made[0]
    found = stat_map_interval(one.estimates, one.error)
    valued = ~np.isnan(one.estimates)
    truth = np.where(valued, one.sampled_ap, 0).sum(axis=0) / valued.sum(axis=0)
    inside = (found.low <= truth) & (truth <= found.high)
    assert one.mean_covered().tolist() == inside.tolist()
    assert one.topics_covered().size == (~np.isnan(one.error.variance)).sum()
    nothing = replace(one, estimates=np.full_like(one.estimates, np.nan))
    nothing = replace(nothing, error=replace(one.error, variance=nothing.estimates))
    assert nothing.mean_covered().size == nothing.topics_covered().size == 0


def test_rows_count_what_their_regime_names(topics: list[PastTopic]) -> None:
    campaigns = drawn(topics, 3)
    rows = sample_interval_coverage(campaigns, Trial(collection="made up", family="", seen=False))
    by_name = {(row.statement, row.regime): row for row in rows}
    assert {row.collection for row in rows} == {"made up"}
    means = [row for row in rows if row.statement == "statMAP 95% interval"]
    whole = by_name["statMAP 95% interval", "any"]
    sizes = [by_name["statMAP 95% interval", f"{size} judgments a topic"] for size in SAMPLE_SIZES]
    assert whole.cases == sum(row.cases for row in sizes) <= sum(len(one) for one in campaigns) * RUNS
    assert whole.covered * whole.cases == pytest.approx(sum(row.covered * row.cases for row in sizes))
    assert {row.regime for row in means} >= {"lists of 50 documents", "lists of 20 documents", "5 runs"}
    assert not any(row.regime == "40 runs" for row in rows)
    topic = by_name["statAP 95% interval of a topic", "any"]
    assert (topic.tolerance, topic.at_least, topic.campaigns) == (0.05, True, 3)
    assert whole.covered > 0.8
    assert topic.covered > 0.85


@needs_data
@pytest.mark.slow
@pytest.mark.parametrize("name", ["cranfield", "trec-covid-r1"])
def test_intervals_cover_on_topics_they_were_not_chosen_on(name: str) -> None:
    """A small part of the study in docs/measures.md, with room for the error of so few campaigns."""
    folder = TREC_DATA / name
    campaign = read_files(find_files([folder / "runs"]), folder / "qrels.txt", Grading())
    known = Collection.of(name, campaign, Grading())
    made = list(sampled_campaigns(known.topics, known.among, campaigns=12, seed=2))
    rows = sample_interval_coverage(made, Trial(collection=name, family=name, seen=True))
    share = {(row.statement, row.regime): row.covered for row in rows}
    assert share["statMAP 95% interval", "any"] > 0.88
    assert share["statAP 95% interval of a topic", "any"] > 0.9
