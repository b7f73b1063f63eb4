"""Predicted final scores: the kernel's numbers as they are stored, and every place that shows them."""

from __future__ import annotations

import csv
import html
import re
from datetime import timedelta
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from campaigns.collection import run_changes
from campaigns.collection.runs import remove_run
from campaigns.computing import worker
from campaigns.computing.live import LiveCampaign
from campaigns.core.database import ALL_CAMPAIGNS, Space
from campaigns.core.recompute_queue import request_recompute
from campaigns.models import Advice, Campaign, Prediction
from campaigns.predictions import decided_pairs
from campaigns.predictions.prediction import percent_of, prediction_of
from campaigns.setup import campaigns as services
from campaigns.stopping import tasks
from campaigns.stopping.tasks import campaigns_to_advise, campaigns_to_predict, predict
from selection.simulation import prediction as kernel
from tests.campaigns.factories import Api, Lists, add_run, make_campaign, signed_in
from tests.campaigns.stopping.stopping_look import NEARLY_EQUAL, look, panel, predict_scores
from tests.plumbing.idle import wait_for, wait_until_idle
from tests.plumbing.locks import held_elsewhere

ACTS = [("1", "a", 2), ("1", "h", 0), ("1", "g", 0), ("1", "b", 1)]
NOTHING = {
    "topic_count": 0,
    "sampled_topics": 0,
    "as_of": 0,
    "early": False,
    "learned_from": 0,
    "runs": [],
    "results": [],
    "next": None,
}


@pytest.fixture
def campaign() -> Campaign:
    """Enough judgments in one of two topics."""
    campaign = make_campaign("Small")
    judge(campaign, ACTS)
    return campaign


def judge(campaign: Campaign, acts: list[tuple[str, str, int]]) -> None:
    grace = Api(campaign, f"{campaign.name}-grace")
    for topic, docno, grade in acts:
        assert grace.judge(topic, docno, grade).status_code == 201


def predictions(campaign: Campaign, **query: Any) -> Any:
    return Api(campaign, f"{campaign.name}-ada").get("predictions/", **query).json()


def confidences(reply: Any) -> dict[tuple[str, str], float | None]:
    return {(pair["run"], pair["other"]): pair["confidence"] for pair in reply["results"]}


def pair_page(campaign: Campaign, one: str, other: str) -> str:
    page = signed_in(f"{campaign.name}-ada").get(f"/campaigns/{campaign.slug}/pair/?run={one}&run={other}")
    return " ".join(html.unescape(re.sub(r"<[^>]+>", "", page.content.decode())).split())


@pytest.mark.django_db
@pytest.mark.parametrize(("topics", "scope"), [("all", [0, 1]), ("judged", [0])])
def test_the_api_returns_the_kernels_prediction(campaign: Campaign, topics: str, scope: list[int]) -> None:
    live = predict_scores(campaign)
    [direct] = kernel.predict(live.state, seed=campaign.seed, scopes=[scope])
    names = {name: place for place, name in enumerate("xyz")}
    reply = predictions(campaign, topics=topics)
    assert (reply["topics"], reply["topic_count"], reply["as_of"]) == (topics, len(scope), 4)
    assert reply["early"] is False
    assert [run["expected"] for run in reply["runs"]] == sorted(direct.expected.tolist(), reverse=True)
    for run in reply["runs"]:
        place = names[run["run"]]
        assert run["id"] == live.arrays.runs[place]
        for name in ("expected", "low", "high", "best"):
            assert run[name] == getattr(direct, name)[place]
        base = live.state.base[scope, place].mean()
        top = base + live.state.residual[scope, place].mean()
        assert base <= run["low"] <= run["expected"] <= run["high"] <= top
    order = [run["run"] for run in reply["runs"]]
    pairs = confidences(reply)
    assert list(pairs) == [(order[0], order[1]), (order[0], order[2]), (order[1], order[2])]
    for (run, other), confidence in pairs.items():
        better = direct.better[names[run], names[other]]
        assert confidence == pytest.approx(np.clip(better, 1 / 798, 797 / 798), abs=1e-4)


@pytest.mark.django_db
@pytest.mark.parametrize("topics", ["all", "judged"])
def test_the_exported_scores_hold_what_the_overview_shows(campaign: Campaign, topics: str) -> None:
    predict_scores(campaign)
    reply = predictions(campaign, topics=topics)
    rows = exported_scores(campaign, topics)
    means = {row["run"]: row for row in rows if row["topic"] == topics}
    assert len(means) == len(reply["runs"]) == 3
    for run in reply["runs"]:
        row = means[run["run"]]
        assert float(row["expected"]) == run["expected"]
        assert row["predicted_as_of"] == str(reply["as_of"])
        shown = [row[name] for name in ("low", "high", "best")]
        assert shown == ["" if run["too_early"] else str(run[name]) for name in ("low", "high", "best")]
    places = sorted(means.values(), key=lambda row: -float(row["expected"]))
    assert [row["place"] for row in places] == ["1", "2", "3"]
    assert all(row["expected"] == row["place"] == "" for row in rows if row["topic"] != topics)


@pytest.mark.django_db
def test_nothing_predicted_is_exported_as_nothing(campaign: Campaign) -> None:
    for row in exported_scores(campaign, "all"):
        assert [row[name] for name in ("place", "expected", "low", "high", "best", "predicted_as_of")] == [
            ""
        ] * 6


def exported_scores(campaign: Campaign, topics: str) -> list[dict[str, str]]:
    reply = Api(campaign, f"{campaign.name}-ada").get("exports/scores/", topics=topics)
    return list(csv.DictReader(b"".join(reply.streaming_content).decode().splitlines()))


@pytest.mark.django_db
def test_confidence_is_that_of_the_pair_in_either_order() -> None:
    lists: Lists = {f"r{run}": {"1": ["a", f"b{run}", "c", f"d{run}"]} for run in range(5)}
    campaign = make_campaign("Small", lists)
    judge(campaign, [("1", "b3", 2), ("1", "b0", 0), ("1", "a", 1)])
    live = predict_scores(campaign)
    found = prediction_of(campaign=campaign)
    assert found is not None
    [direct] = kernel.predict(live.state, seed=campaign.seed)
    ids = live.arrays.runs
    for one, other in combinations(range(5), 2):
        there, back = found.confidence(ids[one], ids[other]), found.confidence(ids[other], ids[one])
        assert there is not None
        assert back is not None
        assert there + back == pytest.approx(1)
        assert there == pytest.approx(np.clip(direct.better[one, other], 1 / 798, 797 / 798), abs=1e-4)
    assert found.confidence(ids[0], ids[0]) is None


@pytest.mark.django_db
def test_page_stop_card_pairs_and_predictions_show_one_number(campaign: Campaign) -> None:
    predict_scores(campaign)
    look(campaign)
    by_pairs = confidences(Api(campaign, "Small-ada").get("pairs/").json())
    by_predictions = confidences(predictions(campaign))
    stop = panel(campaign)
    assert len(by_pairs) == 3
    for (run, other), confidence in by_pairs.items():
        assert confidence is not None
        turned = by_predictions.get((other, run))
        assert confidence == (by_predictions[run, other] if turned is None else round(1 - turned, 4))
        percent = percent_of(confidence)
        assert percent is not None
        said = pair_page(campaign, other, run)
        likelier, sure = (run, percent) if percent >= 50 else (other, 100 - percent)
        assert f"{likelier} has the higher final score with a probability of {sure}%." in said
        assert (
            "Predicted as of the latest judgment. A score is final once every ranked document is judged."
            in said
        )
        assert "Expected, if this collection is like the ten that the model knows." in said
        assert sure >= 95 or f">{sure}</a>" in stop or f">{100 - sure}</a>" in stop
    judge(campaign, [("2", "k", 1)])
    for said in (pair_page(campaign, "x", "y"), panel(campaign)):
        assert "Predicted as of 1 log entry ago. A score is final" in said


@pytest.mark.django_db
def test_what_another_version_of_the_model_computed_is_computed_again() -> None:
    campaign = make_campaign("Small", NEARLY_EQUAL, p=0.5)
    judge(campaign, [("1", "a", 2), ("1", "b", 0), ("1", "c", 1)])
    predict_scores(campaign)
    look(campaign)
    # Long enough ago to have rested.
    rested = timezone.now() - timedelta(days=1)
    for rows in (Prediction.objects.all(), Advice.objects.all()):
        rows.update(updated=rested)
    assert prediction_of(campaign=campaign) is not None
    assert (campaigns_to_predict(), campaigns_to_advise()) == ([], [])
    for older in ({}, {"model": 1}):
        for rows in (Prediction.objects.all(), Advice.objects.all()):
            content = {name: value for name, value in rows.get().content.items() if name != "model"}
            rows.update(content=content | older, updated=rested)
        assert prediction_of(campaign=campaign) is None
        assert "is being computed" in panel(campaign)
        assert (campaigns_to_predict(), campaigns_to_advise()) == ([campaign.id], [campaign.id])


@pytest.mark.django_db
def test_too_few_judgments_give_intervals_and_no_probabilities() -> None:
    campaign = make_campaign("Small", NEARLY_EQUAL, p=0.5)
    judge(campaign, [("1", "a", 2), ("1", "b", 0)])
    predict_scores(campaign)
    look(campaign)
    reply = predictions(campaign)
    assert reply["early"] is True
    assert {run["best"] for run in reply["runs"]} == {None}
    assert all(run["low"] <= run["expected"] <= run["high"] for run in reply["runs"])
    # What is certain needs no prediction: x stays above y.
    pairs = Api(campaign, "Small-ada").get("pairs/").json()
    for by_confidence in (confidences(reply), confidences(pairs)):
        assert by_confidence["x", "y"] == 1
        assert len(by_confidence) == 3
        assert [by_confidence[pair] for pair in by_confidence if pair != ("x", "y")] == [None, None]
    assert "It is too early for a probability." in pair_page(campaign, "x", "z")
    said = panel(campaign)
    assert "Too early to say which run is best: there are too few judgments." in said
    assert 'class="band"' not in said.split('class="run-rows"')[1]


@pytest.mark.django_db
def test_a_certain_verdict_outweighs_the_prediction() -> None:
    campaign = make_campaign("Small", NEARLY_EQUAL, p=0.5)
    judge(campaign, [("1", "b", 0), ("1", "c", 1), ("1", "d", 0)])
    predict_scores(campaign)
    judge(campaign, [("1", "a", 2)])
    look(campaign)
    before = predictions(campaign, run=["x", "y"])
    assert 0 < before["results"][0]["confidence"] < 1
    assert confidences(Api(campaign, "Small-ada").get("pairs/").json())["x", "y"] == 1
    assert "probability" not in pair_page(campaign, "x", "y")
    predict_scores(campaign)
    assert confidences(predictions(campaign, run=["x", "y"])) == {("x", "y"): 1}


@pytest.mark.django_db
def test_percentages_of_open_pairs_are_never_0_or_100() -> None:
    assert [percent_of(c) for c in (0.0, 0.0013, 0.5, 0.831, 0.9987, 1.0)] == [1, 1, 50, 83, 99, 99]
    # What is shown as 95% is at least that.
    assert [percent_of(c) for c in (0.9499, 0.95, 0.0501, 0.71)] == [94, 95, 6, 71]
    assert percent_of(None) is None


@pytest.mark.django_db
def test_other_runs_or_settings_void_the_prediction(campaign: Campaign) -> None:
    predict_scores(campaign)
    look(campaign)
    assert predictions(campaign)["as_of"] == 4
    services.change_settings(campaign=campaign, p=0.5)
    assert predictions(campaign).items() >= NOTHING.items()
    assert set(confidences(Api(campaign, "Small-ada").get("pairs/").json()).values()) == {None}
    assert "probability" not in pair_page(campaign, "x", "y")
    assert predictions(campaign)["reason"] == "computing"
    computing = "The prediction for the present runs, judgments and settings is being computed."
    assert computing in panel(campaign)
    assert computing in pair_page(campaign, "x", "z")
    predict_scores(campaign)
    assert (predictions(campaign)["as_of"], predictions(campaign)["reason"]) == (4, "")


@pytest.mark.django_db
def test_withdrawn_and_removed_runs_have_no_prediction(campaign: Campaign) -> None:
    add_run(campaign, "w", {"1": ["a", "q"], "2": ["k"]}, contributes=False)
    predict_scores(campaign)
    assert len(predictions(campaign)["results"]) == 6
    campaign.refresh_from_db()
    run_changes.withdraw(run=campaign.runs.get(tag="z"))
    predict_scores(campaign)
    look(campaign)
    reply = predictions(campaign)
    assert {run["run"] for run in reply["runs"]} == {"w", "x", "y"}
    assert sum(run["best"] for run in reply["runs"]) == pytest.approx(1)
    assert predictions(campaign, run="z")["results"] == []
    assert "probability" not in pair_page(campaign, "x", "z")
    assert "probability" in pair_page(campaign, "x", "w")
    remove_run(run=campaign.runs.get(tag="w"))
    assert predictions(campaign)["runs"] == []
    predict_scores(campaign)
    assert confidences(predictions(campaign)).keys() <= {("x", "y"), ("y", "x")}


@pytest.mark.django_db
def test_nothing_is_predicted_from_nothing() -> None:
    campaign = make_campaign("Small")
    assert predictions(campaign) == {**NOTHING, "reason": "empty", "topics": "all", "previous": None}
    predict_scores(campaign)
    assert predictions(campaign).items() >= NOTHING.items()
    grace = Api(campaign, "Small-grace")
    grace.judge("1", "a", 2)
    grace.judge("1", "h", 0)
    predict_scores(campaign)
    assert predictions(campaign)["as_of"] == 2
    grace.judge("1", "a", undo=True)
    grace.judge("1", "h", undo=True)
    assert predictions(campaign)["reason"] == ""
    predict_scores(campaign)
    assert predictions(campaign).items() >= {**NOTHING, "reason": "empty"}.items()
    lonely = make_campaign("Lonely", {"x": {"1": ["a", "b"]}})
    judge(lonely, [("1", "a", 2)])
    predict_scores(lonely)
    assert predictions(lonely).items() >= NOTHING.items()


@pytest.mark.django_db
def test_too_few_runs_are_named_as_the_reason(campaign: Campaign) -> None:
    predict_scores(campaign)
    campaign.runs.update(withdrawn_at=timezone.now())
    services.change_settings(campaign=campaign, p=0.5)
    predict_scores(campaign)
    assert predictions(campaign).items() >= {**NOTHING, "reason": "few_runs"}.items()
    for path in ("runs/", ""):
        page = signed_in("Small-ada").get(f"/campaigns/small/{path}").content.decode()
        assert "othing is judged yet" not in page, path


@pytest.mark.django_db
def test_large_campaigns_are_left_out(campaign: Campaign, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decided_pairs, "MOST_ADVICE_TOPICS", 1)
    predict_scores(campaign)
    assert predictions(campaign).items() >= {**NOTHING, "reason": "too_large"}.items()
    # Nor does it come up again and again.
    assert campaigns_to_predict() == []


@pytest.mark.django_db
def test_pairs_of_the_runs_asked_for(campaign: Campaign) -> None:
    add_run(campaign, "w", {"1": ["a", "q"], "2": ["k"]}, contributes=False)
    predict_scores(campaign)
    every = confidences(predictions(campaign))
    order = [run["run"] for run in predictions(campaign)["runs"]]
    assert list(every) == [(order[a], order[b]) for b in range(4) for a in range(b)]
    one = confidences(predictions(campaign, run="y"))
    assert one == {pair: sure for pair, sure in every.items() if "y" in pair}
    some = confidences(predictions(campaign, run=["w", "y", "x"]))
    assert some == {pair: sure for pair, sure in every.items() if "z" not in pair}
    wrong = Api(campaign, "Small-ada").get("predictions/", run=["x", "nobody"])
    assert (wrong.status_code, wrong.json()["code"]) == (400, "unknown_run")
    assert "nobody" in wrong.json()["detail"]
    near = Api(campaign, "Small-ada").get("predictions/", run="X", Topics="all")
    assert near.json()["errors"][0]["detail"].endswith("did you mean “topics”?")


@pytest.mark.django_db
def test_who_may_read_predictions_and_how(campaign: Campaign) -> None:
    make_campaign("Other")
    assert Api(campaign, "Small-grace").get("predictions/").status_code == 403
    assert Api(campaign, "Other-ada").get("predictions/").status_code == 404
    assert Api(campaign, "Small-ada").post("predictions/", {}).status_code == 405
    wrong = Api(campaign, "Small-ada").get("predictions/", topics="some")
    assert (wrong.status_code, wrong.json()["errors"][0]["field"]) == (400, "topics")


@pytest.mark.django_db
def test_as_many_queries_for_many_runs_as_for_few() -> None:
    counts = []
    for name, runs in (("few", 2), ("many", 12)):
        lists = {f"r{run}": {"1": ["a", f"b{run}", "c"]} for run in range(runs)}
        campaign = make_campaign(name, lists)
        judge(campaign, [("1", "a", 2)])
        predict_scores(campaign)
        client = signed_in(f"{name}-ada")
        with CaptureQueriesContext(connection) as captured:
            assert client.get(f"/api/v1/campaigns/{name}/predictions/").status_code == 200
        counts.append(len(captured))
    assert counts[0] == counts[1]


@pytest.mark.django_db
def test_when_a_prediction_is_due(campaign: Campaign, monkeypatch: pytest.MonkeyPatch) -> None:
    draft = make_campaign("Draft", opened=False)
    worker.bring_up_to_date(LiveCampaign.from_rows(draft))
    assert campaigns_to_predict() == []
    predict(campaign.id)
    assert Prediction.objects.get().as_of == 4
    assert campaigns_to_predict() == []
    judge(campaign, [("2", "k", 1)])
    # It is due once the figures have moved, not while they are behind.
    assert campaigns_to_predict() == []
    worker.bring_up_to_date(LiveCampaign.from_rows(campaign))
    monkeypatch.setattr(tasks, "PREDICTION_REST", 1e9)
    assert campaigns_to_predict() == []
    monkeypatch.setattr(tasks, "PREDICTION_REST", 0)
    assert campaigns_to_predict() == [campaign.id]
    predict(campaign.id)
    assert Prediction.objects.get().as_of == 5
    assert campaigns_to_predict() == []
    add_run(campaign, "w", {"1": ["a"]}, contributes=False)
    worker.bring_up_to_date(LiveCampaign.from_rows(Campaign.objects.get(id=campaign.id)))
    assert campaigns_to_predict() == [campaign.id]
    # It waits longer while another process forecasts, and not for ever.
    assert campaigns_to_predict(least_rest=60) == []
    Prediction.objects.update(updated=timezone.now() - timedelta(seconds=61))
    assert campaigns_to_predict(least_rest=60) == [campaign.id]


@pytest.mark.django_db
def test_what_is_stored_is_not_predicted_again(campaign: Campaign) -> None:
    predict(campaign.id)
    before = Prediction.objects.get().updated
    predict(campaign.id)
    assert Prediction.objects.get().updated == before


@pytest.mark.django_db
def test_one_prediction_at_a_time_beside_any_forecast(campaign: Campaign) -> None:
    with held_elsewhere(Space.PREDICTIONS, ALL_CAMPAIGNS):
        predict(campaign.id)
        assert not Prediction.objects.exists()
    with held_elsewhere(Space.ADVICE, ALL_CAMPAIGNS):
        predict(campaign.id)
    assert Prediction.objects.get().as_of == 4


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("celery_worker")
def test_the_real_worker_predicts() -> None:
    campaign = make_campaign("Small")
    request_recompute(campaign.id)
    judge(campaign, ACTS)

    def there() -> bool:
        if Prediction.objects.filter(campaign=campaign, as_of=4).exists():
            return True
        # As the beat does, but sooner.
        tasks.predict_where_due.delay()
        wait_until_idle()
        return False

    wait_for(there)
    [direct] = kernel.predict(look(campaign).state, seed=campaign.seed)
    found = prediction_of(campaign=campaign)
    assert found is not None
    assert [run.expected for run in found.runs] == direct.expected.tolist()
