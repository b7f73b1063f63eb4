"""Predictions of campaigns that are too large to predict every topic."""

from __future__ import annotations

import html
import re
from typing import Any

import numpy as np
import pytest

from campaigns.computing import worker
from campaigns.computing.live import LiveCampaign
from campaigns.models import Advice, Campaign
from campaigns.predictions import decided_pairs, predicted_topics
from campaigns.predictions.differences import differences_of, run_scores_in
from campaigns.predictions.prediction import prediction_of
from campaigns.stopping.advice import stopping_advice_of
from campaigns.stopping.advice_computation import MOST_AHEAD, write_advice
from campaigns.stopping.advice_content import AdviceContent
from tests.campaigns.factories import Api, make_campaign, signed_in
from tests.campaigns.stopping.stopping_look import look, predict_scores

TOPICS, RUNS, DEPTH, MOST = 80, 3, 8, 60
BEGUN = 45


@pytest.fixture
def campaign(monkeypatch: pytest.MonkeyPatch) -> Campaign:
    """Just above the limit; run 0 is good, run 2 is not, and `BEGUN` topics have four judgments."""
    rng = np.random.default_rng(5)
    lists: dict[str, dict[str, list[str]]] = {f"r{run}": {} for run in range(RUNS)}
    relevant = {}
    for topic in map(str, range(1, TOPICS + 1)):
        score = rng.random(20)
        relevant[topic] = {f"d{document}" for document in np.argsort(-score)[:6]}
        for run in range(RUNS):
            order = np.argsort(-score + rng.normal(0, 0.1 + 0.3 * (run > 0), 20))[:DEPTH]
            lists[f"r{run}"][topic] = [f"d{document}" for document in order]
        *first, seventh, eighth = lists["r1"][topic]
        lists["r2"][topic] = [*first, eighth, seventh]
    campaign = make_campaign("Large", lists)
    grace = Api(campaign, "Large-grace")
    for topic in sorted(relevant, key=int)[:BEGUN]:
        for docno in dict.fromkeys([lists[f"r{run}"][topic][rank] for rank in (0, 1) for run in range(RUNS)]):
            assert grace.judge(topic, docno, int(docno in relevant[topic])).status_code == 201
    monkeypatch.setattr(decided_pairs, "MOST_ADVICE_TOPICS", MOST)
    return campaign


def predictions(campaign: Campaign, **query: Any) -> Any:
    return Api(campaign, "Large-ada").get("predictions/", **query).json()


def copy_of(campaign: Campaign) -> LiveCampaign:
    live = LiveCampaign.from_rows(Campaign.objects.get(id=campaign.id))
    worker.bring_up_to_date(live)
    return live


@pytest.mark.django_db
def test_sampled_interval_covers_the_whole_prediction(
    campaign: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    live = predict_scores(campaign)
    sampled = {topics: predictions(campaign, topics=topics) for topics in ("all", "judged")}
    assert [(one["topic_count"], one["sampled_topics"]) for one in sampled.values()] == [(80, 36), (45, 45)]
    assert [(one["reason"], one["early"]) for one in sampled.values()] == [("", False)] * 2
    predict_scores(campaign)
    assert predictions(campaign) == sampled["all"]
    # Other figures: the stored prediction is of the same judgments.
    Campaign.objects.get(id=campaign.id).prediction.delete()
    monkeypatch.setattr(decided_pairs, "MOST_ADVICE_TOPICS", 500)
    predict_scores(campaign)
    for topics, part in sampled.items():
        whole = predictions(campaign, topics=topics)
        assert whole["sampled_topics"] == whole["topic_count"] == part["topic_count"]
        scores = {run["run"]: run for run in whole["runs"]}
        for run in part["runs"]:
            full = scores[run["run"]]
            assert run["low"] <= full["expected"] <= run["high"]
            if topics == "all":
                assert run["high"] - run["low"] > full["high"] - full["low"]
                place = [f"r{one}" for one in range(RUNS)].index(run["run"])
                base, residual = (bound[place] for bound in live.state.mean_bounds())
                assert base <= run["low"] <= run["high"] <= base + residual


@pytest.mark.django_db
def test_only_sampled_topics_have_predictions(campaign: Campaign) -> None:
    live = predict_scores(campaign)
    part = predicted_topics.predicted_topics(live)
    assert part is not None
    chosen = {live.arrays.topics[topic] for topic in part.topics}
    assert BEGUN < len(chosen) <= MOST
    one, other, _ = live.arrays.runs
    assert differences_of(campaign=campaign, run=one, other=other).topics.keys() == chosen
    for topic in live.arrays.topics:
        assert bool(run_scores_in(campaign=campaign, topic=topic)) == (topic in chosen)


@pytest.mark.django_db
def test_sample_is_fixed_by_the_seed_and_begun_topics_are_a_sample_of_theirs(
    campaign: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    live = copy_of(campaign)
    first, again = predicted_topics.predicted_topics(live), predicted_topics.predicted_topics(live)
    assert first is not None
    assert again is not None
    assert first.topics == again.topics
    live.seed += 1
    moved = predicted_topics.predicted_topics(live)
    assert moved is not None
    assert moved.topics != first.topics
    monkeypatch.setattr(decided_pairs, "MOST_ADVICE_TOPICS", 50)
    fewer = predicted_topics.predicted_topics(live)
    assert fewer is not None
    assert (len(fewer.scopes[0]), len(fewer.topics)) == (30, 50)
    all_, begun = fewer.counts(0), fewer.counts(1)
    assert (all_, begun[0]) == ((80, 30), BEGUN)
    assert 20 <= begun[1] < BEGUN
    base, residual = fewer.bounds(1)
    judged = [topic for topic in range(TOPICS) if live.state.setting.judgments.judged_in(topic)]
    assert base == pytest.approx(live.state.base[judged].mean(axis=0))
    assert residual == pytest.approx(live.state.residual[judged].mean(axis=0))


@pytest.mark.django_db
def test_sampled_topics_forecast_the_judgments_of_all(campaign: Campaign) -> None:
    live = predict_scores(campaign)
    write_advice(live)
    content = AdviceContent.from_json(Advice.objects.get(campaign=campaign).content)
    assert content.left_out == ("difference", "certainty")
    # Runs so alike that their pair is open, whatever the draws are.
    alike = {run.id for run in campaign.runs.filter(tag__in=("r1", "r2"))}
    forecasts = [one for pair, one in content.separating.items() if set(pair) == alike]
    part = predicted_topics.predicted_topics(live)
    assert part is not None
    sampled = [part.topics[at] for at in part.scopes[0]]
    left = sum(map(live.state.setting.judgments.open_in, sampled))
    assert [one.horizon for one in forecasts] == [int(min(MOST_AHEAD, left) * TOPICS / len(sampled))]
    found = stopping_advice_of(campaign=campaign)
    assert found is not None
    assert found.next_pair is not None
    assert found.no_forecast == "too_long"


@pytest.mark.django_db
def test_too_little_room_predicts_nothing(campaign: Campaign, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(predicted_topics, "POOL_CACHE_SIZE", 2)
    predict_scores(campaign)
    assert predictions(campaign)["reason"] == "too_large"
    assert prediction_of(campaign=campaign) is None


@pytest.mark.django_db
def test_unjudged_documents_may_count_as_not_relevant(campaign: Campaign) -> None:
    Campaign.objects.filter(id=campaign.id).update(unjudged_not_relevant=True)
    live = copy_of(campaign)
    part = predicted_topics.predicted_topics(live)
    assert part is not None
    assert not part.bounds(1)[1].any()
    assert part.bounds(0)[1] == pytest.approx(live.scores.bounds.means()[1])


@pytest.mark.django_db
def test_pages_name_the_sample(campaign: Campaign) -> None:
    predict_scores(campaign)
    look(campaign)
    ada = signed_in("Large-ada")
    for path in ("overview/", "pair/?run=r0&run=r1"):
        page = ada.get(f"/campaigns/large/{path}").content.decode()
        text = " ".join(html.unescape(re.sub(r"<[^>]+>", "", page)).split())
        assert "random sample of 36 of 80 topics" in text, path
        if path == "overview/":
            assert "how sure open pairs are" not in text
