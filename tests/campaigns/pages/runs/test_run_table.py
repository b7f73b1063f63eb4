"""The table of runs: sorted and filtered by its address, and one act for all selected runs."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest
from django.test import Client

from campaigns.computing.tasks import recompute
from campaigns.models import Campaign, Deed
from tests.campaigns.factories import make_campaign, signed_in

pytestmark = pytest.mark.django_db

PAGE = "/campaigns/small/runs/"


@pytest.fixture
def campaign() -> Campaign:
    campaign = make_campaign("Small")
    recompute(campaign.id)
    return campaign


@pytest.fixture
def client(campaign: Campaign) -> Client:
    return signed_in("Small-ada")


def tags(client: Client, **asked: str) -> list[str]:
    page = client.get(PAGE, asked).content.decode()
    return re.findall(r'<th scope="row"><a href="[^"]+">([^<]+)<', page)


def act(client: Client, campaign: Campaign, act: str, *names: str) -> str:
    ids = list(campaign.runs.filter(tag__in=names).values_list("id", flat=True))
    reply = client.post(PAGE, {"act": act, "run": ids}, follow=True)
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", reply.content.decode())).split())


def test_sorted_and_filtered(client: Client, campaign: Campaign) -> None:
    campaign.runs.filter(tag="y").update(group="Readware")
    assert tags(client, sort="run") == ["x", "y", "z"]
    assert tags(client, sort="-run") == ["z", "y", "x"]
    assert tags(client, sort="group")[0] == tags(client, sort="-group")[0] == "y"
    assert tags(client, words="readw") == ["y"]
    assert tags(client, words="nothing") == []


def test_selected_runs_are_withdrawn_and_brought_back(client: Client, campaign: Campaign) -> None:
    page = act(client, campaign, "withdraw", "x", "y")
    assert "2 runs are withdrawn." in page
    assert "2 withdrawn runs" in page
    assert set(campaign.runs.exclude(withdrawn_at=None).values_list("tag", flat=True)) == {"x", "y"}
    assert sorted(tags(client)) == ["x", "y", "z"]
    assert "2 runs take part again." in act(client, campaign, "bring_back", "x", "y", "z")
    assert not campaign.runs.exclude(withdrawn_at=None).exists()
    assert Deed.objects.filter(kind="run withdrawn").count() == 2


def test_selected_runs_contribute_or_not(client: Client, campaign: Campaign) -> None:
    assert "One run is now non-contributing." in act(client, campaign, "only_score", "x")
    assert "One run is now contributing." in act(client, campaign, "propose", "x", "y")


def test_last_contributing_run_stays_and_so_do_the_others(client: Client, campaign: Campaign) -> None:
    assert "is the last contributing run" in act(client, campaign, "withdraw", "x", "y", "z")
    assert not campaign.runs.exclude(withdrawn_at=None).exists()


@pytest.mark.parametrize(
    ("wish", "says"),
    [
        ({"act": "withdraw"}, "Select at least one run"),
        ({"act": "withdraw", "run": "x"}, "Select at least one run"),
        ({"act": "explode"}, "Select at least one run"),
    ],
)
def test_wrong_acts_change_nothing(client: Client, wish: dict[str, Any], says: str) -> None:
    assert says in client.post(PAGE, wish, follow=True).content.decode()


def test_unknown_act_is_refused(client: Client, campaign: Campaign) -> None:
    assert "There is no action “explode” here" in act(client, campaign, "explode", "x")


def test_only_organisers_act(client: Client, campaign: Campaign) -> None:
    run = campaign.runs.get(tag="x").id
    wish = {"act": "withdraw", "run": run}
    assert signed_in("Small-grace").post(PAGE, wish).status_code == 403
    make_campaign("Other")
    assert signed_in("Other-ada").post(PAGE, wish).status_code == 404
    # Another campaign's runs are none of this one's.
    other = signed_in("Other-ada").post("/campaigns/other/runs/", wish, follow=True)
    assert "Select at least one run" in other.content.decode()
    assert client.put(PAGE).status_code == 405
    assert not campaign.runs.exclude(withdrawn_at=None).exists()
