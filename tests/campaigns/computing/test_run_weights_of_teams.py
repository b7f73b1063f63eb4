"""Weights of runs by their groups, as a campaign's queues follow them."""

from __future__ import annotations

from typing import Any

import pytest

from campaigns.collection.run_changes import set_group
from campaigns.computing.arrays import team_numbers
from campaigns.computing.live import LiveCampaign
from campaigns.models import Campaign, Run
from campaigns.setup import campaigns as services
from tests.campaigns.factories import Api, Lists, make_campaign

pytestmark = pytest.mark.django_db

LISTS: Lists = {
    "a1": {"1": ["a", "b", "c"]},
    "a2": {"1": ["a", "b", "c"]},
    "a3": {"1": ["a", "b", "c"]},
    "x": {"1": ["x", "y", "z"]},
    "y": {"1": ["x", "z", "y"]},
}


def queue_of(campaign: Campaign) -> list[int]:
    live = LiveCampaign.from_rows(Campaign.objects.get(id=campaign.id))
    return live.documents(0, live.state.queue(0, 2))


def weighed(campaign: Campaign, kind: str, method: str = "A") -> None:
    services.change_settings(campaign=campaign, method=method, options={"run_weights": kind})


def patch(campaign: Campaign, path: str, body: dict[str, Any]) -> Any:
    api = Api(campaign, "Small-ada")
    return api.client.patch(api.root + path, body, content_type="application/json")


def test_groups_of_runs_are_teams() -> None:
    runs = [Run(id=3, group="us"), Run(id=4), Run(id=5), Run(id=9, group="us"), Run(id=10, group="3")]
    assert team_numbers(runs).tolist() == [0, 1, 2, 0, 3]


@pytest.mark.parametrize("method", ["A", "B", "C"])
def test_queues_follow_the_groups(method: str) -> None:
    campaign = make_campaign(lists=LISTS, method=method)
    docnos = dict(campaign.collection.documents.values_list("docno", "id"))
    assert queue_of(campaign)[0] == docnos["a"]
    weighed(campaign, "team", method)
    campaign.refresh_from_db()
    before = campaign.configuration
    assert queue_of(campaign)[0] == docnos["a"]
    for run in campaign.runs.filter(tag__startswith="a"):
        set_group(run=run, group="team a")
    campaign.refresh_from_db()
    assert campaign.configuration > before
    assert queue_of(campaign)[0] == docnos["x"]
    weighed(campaign, "similarity", method)
    assert queue_of(campaign)[0] == docnos["x"]


def test_a_group_changes_nothing_where_runs_weigh_the_same() -> None:
    campaign = make_campaign(lists=LISTS, method="A")
    set_group(run=campaign.runs.get(tag="x"), group="us")
    before = campaign.configuration
    campaign.refresh_from_db()
    assert campaign.configuration == before
    topic = campaign.topics.get()
    body: dict[str, Any] = {"method": "C", "options": {"run_weights": "team"}}
    assert patch(campaign, f"topics/{topic.number}/", body).status_code == 200
    campaign.refresh_from_db()
    before = campaign.configuration
    set_group(run=campaign.runs.get(tag="y"), group="us")
    campaign.refresh_from_db()
    assert campaign.configuration > before


def test_weights_are_refused_by_name() -> None:
    campaign = make_campaign(lists=LISTS, method="A")
    reply = patch(campaign, "", {"options": {"run_weights": "by size"}})
    assert reply.status_code == 400
    assert reply.json()["errors"][0]["field"] == "options.run_weights"
