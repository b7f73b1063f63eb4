"""Predictions of the library are those of a site for the same runs, judgments and seed."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest

import judged
from campaigns.models import Run
from campaigns.predictions.prediction import prediction_of
from tests.campaigns.factories import Api, Lists, make_campaign
from tests.campaigns.stopping.stopping_look import predict_scores
from tests.library.surface.sample_sources import QRELS, RUNS

pytestmark = pytest.mark.filterwarnings("ignore::judged.Notice")

LISTS: Lists = {
    f"r{run}": {
        topic: [f"{topic}-{(run * step + place * (run + 1)) % 11}" for place in range(9)]
        for step, topic in enumerate(("1", "2", "3"), 1)
        if (run + 1) % 11
    }
    for run in range(4)
} | {"twin": {topic: [f"{topic}-{place % 11}" for place in range(9)] for topic in ("1", "2", "3")}}
GRADES = {topic: {f"{topic}-{n}": int(n * n % 5 < 2) for n in range(8)} for topic in ("1", "2")}


def scored(lists: Lists) -> dict[str, dict[str, dict[str, float]]]:
    return {
        run: {
            topic: {docno: float(-place) for place, docno in enumerate(docnos)}
            for topic, docnos in of.items()
        }
        for run, of in lists.items()
    }


@pytest.mark.django_db
@pytest.mark.parametrize("topics", ["all", "judged"])
def test_predictions_are_those_of_a_site(topics: Any) -> None:
    campaign = make_campaign("Small", LISTS)
    grace = Api(campaign, "Small-grace")
    for topic, grades in GRADES.items():
        grace.judge_all(topic, grades)
    predict_scores(campaign)
    site = prediction_of(campaign=campaign, topics=topics)
    assert site is not None
    names = {run.id: run.tag for run in Run.objects.filter(campaign=campaign)}
    gains = {int(row["grade"]): float(row["gain"]) for row in campaign.grades}
    settings: dict[str, Any] = {"p": campaign.p, "seed": campaign.seed, "gains": gains, "topics": topics}
    found = judged.predict(scored(LISTS), GRADES, **settings)
    assert found.early is site.early
    assert [row.run for row in found] == [names[run.id] for run in site.order]
    for run in site.runs:
        row = found[names[run.id]]
        assert (row.expected, row.low, row.high) == pytest.approx(
            (run.expected, run.low, run.high), abs=1e-12
        )
        assert row.best == pytest.approx(run.best, abs=1e-12)
        assert row.base <= row.low <= row.expected <= row.high <= row.top
    for one, other in permutations(site.runs, 2):
        confidence = site.confidence(one.id, other.id)
        assert found.better(names[one.id], names[other.id]) == pytest.approx(confidence, abs=1e-4)


def test_the_same_seed_gives_the_same_prediction() -> None:
    first, again, other = (judged.predict(scored(LISTS), GRADES, seed=seed) for seed in (1, 1, 2))
    assert first.rows == again.rows
    assert first.rows != other.rows


def test_probabilities_are_left_out_while_it_is_early() -> None:
    early = judged.predict(RUNS, {"1": {"a": 1, "b": 0}})
    assert early.early
    assert early["alpha"].best is None
    assert early.better("alpha", "beta") is None


def test_judgments_of_one_kind_are_refused() -> None:
    qrels = {"1": {"a": 1, "b": 1, "c": 1, "e": 1, "zz": 1, "d": 1}}
    with pytest.raises(ValueError, match="all 6 judged documents that runs rank are relevant"):
        judged.predict(RUNS, qrels)
    with pytest.raises(ValueError, match="two runs or more"):
        judged.predict({"alpha": RUNS["alpha"]}, QRELS)
