"""The leaderboard and a team's scores by the primary measure: what is shown for each kind of measure."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from django.contrib.auth.models import User
from django.test import Client

from campaigns.computing import worker
from campaigns.computing.live import LiveCampaign
from campaigns.measurement.measure_computation import write_measured
from campaigns.models import Campaign
from campaigns.participants.admission import admit, first_priorities
from campaigns.participants.leaderboard import leaderboard_of
from campaigns.participants.publication import publish_leaderboard, release_scores
from campaigns.setup.campaigns import change_settings
from tests.campaigns.exchange.test_prels import judge_all, wide_lists
from tests.campaigns.factories import Api, make_campaign
from tests.campaigns.measurement.test_measured_scores import judged_campaign
from tests.campaigns.participants.team_campaigns import end, handed_in, team_campaign, team_of

pytestmark = pytest.mark.django_db

LISTS = wide_lists(topics=4, runs=5, documents=40)


def board(campaign: Campaign) -> Any:
    return Api(campaign, f"{campaign.name}-ada").get("leaderboard/").json()


def measured(campaign: Campaign) -> Any:
    write_measured(campaign)
    return Api(campaign, f"{campaign.name}-ada").get("measures/").json()["measures"][0]


def page(campaign: Campaign) -> str:
    publish_leaderboard(campaign=campaign, audience="public")
    shown = Client().get(f"/campaigns/{campaign.slug}/leaderboard/")
    return str(shown.content.decode())


def test_a_model_expects_scores_and_ranks_by_its_pairs() -> None:
    campaign = judged_campaign(LISTS, "AP nDCG@10")
    first, found = measured(campaign), board(campaign)
    assert (found["measure"], found["estimate"], found["topics"]) == ("AP", "expected", 4)
    expected = {run["run"]: run["estimates"][0]["score"] for run in first["runs"]}
    assert {row["run"]: row["expected"] for row in found["runs"]} == expected
    assert [row["run"] for row in found["runs"]] == sorted(expected, key=lambda run: -expected[run])
    for row in found["runs"]:
        assert {row[name] for name in ("base", "residual", "top", "low", "high")} == {None}
        assert 1 <= row["first"] <= row["last"] <= 5
    shown = page(campaign)
    assert "AP, mean over 4 of 4 topics." in shown
    assert "expected by a model" in shown
    assert "Certain bounds" not in shown


def test_a_sample_estimates_scores_with_intervals() -> None:
    options = {"size": 12}
    campaign = make_campaign("Measured", LISTS, measures="AP", method="statap", options=options)
    worker.bring_up_to_date(LiveCampaign.from_rows(campaign))
    judge_all(campaign, np.random.default_rng(5))
    first, found = measured(campaign), board(campaign)
    assert found["estimate"] == "sampled"
    ends = {run["run"]: (run["estimates"][0]["low"], run["estimates"][0]["high"]) for run in first["runs"]}
    assert {row["run"]: (row["low"], row["high"]) for row in found["runs"]} == ends
    shown = page(campaign)
    assert "estimates from a random sample" in shown
    assert "95% interval" in shown


def test_bounds_without_an_estimate_rank_what_they_separate() -> None:
    campaign = judged_campaign(LISTS, "P@5")
    first, found = measured(campaign), board(campaign)
    assert found["estimate"] == ""
    bounds = {run["run"]: (run["score"], run["base"], run["top"]) for run in first["runs"]}
    assert {row["run"]: (row["score"], row["base"], row["top"]) for row in found["runs"]} == bounds
    for row in found["runs"]:
        better = sum(base > row["top"] for _, base, _ in bounds.values())
        assert row["first"] == 1 + better
        assert row["expected"] is None
    assert "Certain bounds" in page(campaign)


def test_a_measure_without_statements_has_only_the_score_so_far() -> None:
    campaign = judged_campaign(LISTS, "RR")
    found = board(campaign)
    assert (found["as_of"], len(found["runs"])) == (0, 5)
    assert "No run has a score yet." in page(campaign)
    first, found = measured(campaign), board(campaign)
    assert {row["run"]: row["score"] for row in found["runs"]} == {
        run["run"]: run["score"] for run in first["runs"]
    }
    for row in found["runs"]:
        assert {row[name] for name in ("expected", "low", "base", "top", "first", "last")} == {None}
    shown = page(campaign)
    assert "They have no interval." in shown
    assert "Score so far" in shown


def test_labels_stand_for_names_by_any_measure() -> None:
    campaign = judged_campaign(LISTS, "AP")
    measured(campaign)
    publish_leaderboard(campaign=campaign, audience="public", anonymous=True)
    assert {row.run for row in leaderboard_of(campaign).rows} == {f"System {n}" for n in range(1, 6)}


def test_rbp_at_p_is_shown_as_predicted() -> None:
    campaign = judged_campaign(LISTS, "")
    worker.bring_up_to_date(LiveCampaign.from_rows(campaign))
    measured(campaign)
    found = board(campaign)
    assert (found["measure"], found["estimate"]) == ("RBP(p=0.8)", "predicted")
    for row in found["runs"]:
        assert row["top"] == pytest.approx(row["base"] + row["residual"])


def test_a_team_has_its_means_by_the_primary_measure() -> None:
    campaign = team_campaign()
    handed_in(team_of(campaign, "Delft"), "delft1")
    end(campaign)
    ada = User.objects.get(username="Small-ada")
    admit(campaign=campaign, submissions=first_priorities(campaign, 1), user=ada, contributes=True)
    release_scores(campaign=campaign, released=True)
    Api(campaign, "Small-grace").judge("1", "a", 2)
    carl = Api(campaign, "Small-carl")
    assert carl.get("team/scores/").json()["runs"][0]["primary"] is None
    change_settings(campaign=campaign, measures="AP P@5")
    write_measured(campaign)
    said = carl.get("team/scores/").json()
    assert (said["measure"], said["primary"]) == ("RBP(p=0.8)", "AP")
    organiser = Api(campaign, "Small-ada").get("measures/", measure="AP").json()["measures"][0]["runs"]
    (own,) = [run for run in organiser if run["run"] == "delft1"]
    primary = said["runs"][0]["primary"]
    assert (primary["score"], primary["expected"]) == (own["score"], own["estimates"][0]["score"])
    shown = carl.client.get("/campaigns/small/team/scores/").content.decode()
    assert "AP, estimate" in shown
