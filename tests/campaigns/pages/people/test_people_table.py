"""The table of people: sorted, filtered, and several paused at once."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from campaigns.models import Campaign, Deed
from tests.campaigns.factories import Api, make_campaign, signed_in

pytestmark = pytest.mark.django_db

PAGE = "/campaigns/small/people/"


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign("Small")


@pytest.fixture
def client(campaign: Campaign) -> Client:
    return signed_in("Small-ada")


def names(client: Client, **asked: str) -> list[str]:
    page = client.get(PAGE, asked).content.decode()
    return [
        name.removeprefix("Small-") for name in re.findall(r'form="people-acts"[^>]*Select ([^"]+)"', page)
    ]


def paused(campaign: Campaign) -> set[str]:
    return set(campaign.memberships.exclude(paused_at=None).values_list("user__username", flat=True))


def test_sorted_and_filtered(client: Client, campaign: Campaign) -> None:
    assert Api(campaign, "Small-grace").judge("1", "a", 1).status_code == 201
    assert names(client, sort="name") == ["ada", "alan", "grace"]
    assert names(client, sort="-judged")[0] == "grace"
    assert names(client, sort="-last")[0] == "grace"
    assert names(client, words="ALAN") == ["alan"]


def test_selected_people_are_paused_and_go_on(client: Client, campaign: Campaign) -> None:
    both = ["Small-grace", "Small-alan"]
    page = client.post(PAGE, {"act": "pause_selected", "person": both}).content.decode()
    assert "2 people are paused." in page
    assert paused(campaign) == set(both)
    assert Deed.objects.filter(kind="person paused").count() == 2
    # Those who are paused already stay so.
    assert (
        "0 people are paused."
        in client.post(PAGE, {"act": "pause_selected", "person": both}).content.decode()
    )
    page = client.post(PAGE, {"act": "resume_selected", "person": both}).content.decode()
    assert "2 people can judge again." in page
    assert not paused(campaign)


def test_nobody_selected_is_refused(client: Client, campaign: Campaign) -> None:
    for wish in ({}, {"person": "nobody"}, {"person": "Small-\0"}):
        reply = client.post(PAGE, {"act": "pause_selected", **wish})
        assert reply.status_code == 400
        assert "Select at least one person." in reply.content.decode()


def test_only_organisers_pause(client: Client, campaign: Campaign) -> None:
    wish = {"act": "pause_selected", "person": "Small-alan"}
    assert signed_in("Small-grace").post(PAGE, wish).status_code == 403
    make_campaign("Other")
    assert signed_in("Other-ada").post(PAGE, wish).status_code == 404
    assert not paused(campaign)


def test_step_of_the_setup_has_no_bar(client: Client) -> None:
    assert "people-acts" not in client.get("/campaigns/small/setup/").content.decode()
