"""Whether to stop, as the overview and the API say it."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from campaigns.models import Campaign
from tests.campaigns.factories import Api, make_campaign, signed_in
from tests.campaigns.stopping.stopping_look import NEARLY_EQUAL, look, panel, predict_scores


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign("Small")


@pytest.mark.django_db
@pytest.mark.parametrize("versus", ["base", "top", "projected"])
def test_pairs_by_the_api(campaign: Campaign, versus: str) -> None:
    Api(campaign, "Small-grace").judge("1", "a", 2)
    look(campaign)
    ada = Api(campaign, "Small-ada")
    reply = ada.get("pairs/", versus=versus).json()
    assert {key: reply[key] for key in ("versus", "as_of", "k")} == {"versus": versus, "as_of": 1, "k": 3}
    runs = {row["run"]: row for row in ada.get("intervals/").json()["runs"]}
    assert [(pair["run"], pair["other"]) for pair in reply["results"]] == [("x", "y"), ("x", "z"), ("y", "z")]
    for pair in reply["results"]:
        assert set(pair) == {
            *("run", "other", "decided", "by", "difference", "topic_count", "confidence", "forecast")
        }
        assert set(pair["forecast"]) == {
            *("median", "low", "high", "horizon", "never", "hours", "hours_low", "hours_high")
        }
        assert pair["forecast"]["hours"] is None
        expected = runs[pair["run"]]["base"] - runs[pair["other"]][versus]
        if versus != "projected":
            assert (pair["difference"], pair["topic_count"]) == (pytest.approx(expected, abs=1e-12), 2)
        assert not pair["decided"]
        assert pair["by"] == ""


@pytest.mark.django_db
def test_projections_leave_out_topics_that_are_not_begun(campaign: Campaign) -> None:
    """x and y rank c in topic 1; of z, and of topic 2, nothing is judged."""
    Api(campaign, "Small-grace").judge("1", "c", 2)
    look(campaign)
    ada = Api(campaign, "Small-ada")
    cells = {row["run"]: row for row in ada.get("intervals/", topic="1").json()["runs"]}
    for scope, count in (("all", 2), ("judged", 1)):
        reply = ada.get("pairs/", versus="projected", topics=scope).json()
        assert reply["topic_count"] == count
        found = {row["other"]: (row["difference"], row["topic_count"]) for row in reply["results"]}
        x, y = cells["x"], cells["y"]
        gap = x["base"] - y["base"] / (1 - y["residual"])
        assert reply["results"][0]["run"] == "x"
        assert found == {"y": (pytest.approx(gap, abs=1e-12), 1), "z": (None, 0)}


@pytest.mark.django_db
def test_who_may_ask_for_pairs_and_how(campaign: Campaign) -> None:
    make_campaign("Other")
    assert Api(campaign, "Small-grace").get("pairs/").status_code == 403
    assert Api(campaign, "Other-ada").get("pairs/").status_code == 404
    assert Api(campaign, "Small-ada").post("pairs/", {}).status_code == 405
    wrong = Api(campaign, "Small-ada").get("pairs/", versus="bottom")
    assert wrong.status_code == 400
    assert wrong.json()["errors"][0]["field"] == "versus"
    nothing = {
        "versus": "base",
        "topics": "all",
        "topic_count": 2,
        "as_of": 0,
        "k": 0,
        "forecast_as_of": None,
        "no_forecast": "",
        "next_pair": None,
        "one_best": None,
        "results": [],
        "next": None,
        "previous": None,
    }
    assert Api(campaign, "Small-ada").get("pairs/").json() == nothing


@pytest.mark.django_db
def test_the_panel_is_for_the_campaigns_organisers(campaign: Campaign) -> None:
    make_campaign("Other")
    path = "/campaigns/small/overview/"
    assert signed_in("Small-grace").get(path).status_code == 403
    assert signed_in("Other-ada").get(path).status_code == 404
    assert signed_in("Small-ada").post(path).status_code == 405


@pytest.mark.django_db
def test_nothing_is_said_before_the_first_judgment(campaign: Campaign) -> None:
    assert "Nothing is judged yet" in panel(campaign)
    grace = Api(campaign, "Small-grace")
    grace.judge("1", "a", 2)
    look(campaign)
    said = panel(campaign)
    assert "is being computed." in said
    assert "Nothing is judged yet" not in said
    grace.judge("1", "a", undo=True)
    predict_scores(campaign)
    assert "Nothing is judged yet" in panel(campaign)


@pytest.mark.django_db
def test_no_page_calls_judgments_missing_that_the_worker_has_yet_to_read(campaign: Campaign) -> None:
    Api(campaign, "Small-grace").judge("1", "a", 2)
    ada, run = signed_in("Small-ada"), campaign.runs.get(tag="x").id
    for address in ("", "runs/", "pair/", f"runs/{run}/"):
        page = ada.get(f"/campaigns/small/{address}").content.decode().casefold()
        assert "nothing is judged yet" not in page, address
        assert "being computed" in page, address


@pytest.mark.django_db
def test_a_settled_campaign() -> None:
    campaign = make_campaign("Small", NEARLY_EQUAL, p=0.2)
    grace = Api(campaign, "Small-grace")
    for docno, grade in (("a", 2), ("b", 0), ("f", 0), ("c", 0)):
        grace.judge("1", docno, grade)
    predict_scores(campaign)
    look(campaign)
    said = panel(campaign)
    assert "<strong>x</strong> is certainly best: no unjudged document can change that." in said
    assert "2 certain · 0 at ≥ 95% · 1 open" in said


@pytest.mark.django_db
def test_one_run_has_no_pairs() -> None:
    campaign = make_campaign("Small", {"x": {"1": ["a", "b"]}})
    Api(campaign, "Small-grace").judge("1", "a", 2)
    look(campaign)
    assert "There is no other run to compare <strong>x</strong> with." in panel(campaign)
    run = campaign.runs.get(tag="x").id
    page = signed_in("Small-ada").get(f"/campaigns/small/runs/{run}/").content.decode()
    assert "nothing is judged yet" not in page
    assert Api(campaign, "Small-ada").get("pairs/").json()["results"] == []


@pytest.mark.django_db
def test_as_many_queries_for_many_runs_as_for_few() -> None:
    counts = []
    for name, runs in (("few", 2), ("many", 12)):
        lists = {f"r{run}": {"1": ["a", f"b{run}", "c"]} for run in range(runs)}
        campaign = make_campaign(name, lists)
        Api(campaign, f"{name}-grace").judge("1", "a", 2)
        look(campaign)
        client = signed_in(f"{name}-ada")
        for path in (f"/campaigns/{name}/overview/", f"/api/v1/campaigns/{name}/pairs/"):
            with CaptureQueriesContext(connection) as captured:
                assert client.get(path).status_code == 200
            counts.append(len(captured))
    assert counts[:2] == counts[2:]
