"""The list of topics, as a page that stays open asks for it again."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from campaigns.models import Campaign, Membership
from campaigns.setup import campaigns
from campaigns.topic_order import releases
from tests.campaigns.factories import Api, make_campaign, signed_in

pytestmark = pytest.mark.django_db
PATH = "/judge/small/"
AGAIN = re.compile(r'hx-get="/judge/small/\?seen=([0-9a-f]{16})"')


@pytest.fixture
def campaign() -> Campaign:
    campaign = make_campaign("Small")
    releases.set_order(campaign=campaign, method="hand", ahead=0)
    releases.release(campaign=campaign, number="1")
    return campaign


@pytest.fixture
def grace(campaign: Campaign) -> Client:
    return signed_in("Small-grace")


def asked_again(client: Client, seen: str) -> Any:
    return client.get(PATH, {"seen": seen}, headers={"HX-Request": "true"})


def seen_in(page: Any) -> str:
    found = AGAIN.search(page.content.decode())
    assert found
    return found[1]


def test_a_released_topic_comes_with_the_next_answer(campaign: Campaign, grace: Client) -> None:
    seen = seen_in(grace.get(PATH))
    assert asked_again(grace, seen).status_code == 204
    releases.release(campaign=campaign, number="2")
    reply = asked_again(grace, seen)
    part = reply.content.decode()
    assert "title 2" in part
    assert "<html" not in part
    assert "no-store" in reply.headers["Cache-Control"]
    assert asked_again(grace, seen_in(reply)).status_code == 204


def test_a_judgment_of_others_changes_the_list(campaign: Campaign, grace: Client) -> None:
    seen = seen_in(grace.get(PATH))
    assert Api(campaign, "Small-alan").judge("1", "a", 1).status_code == 201
    assert "others are judging it too" in asked_again(grace, seen).content.decode()


@pytest.mark.parametrize("seen", ["", "0", "<script>", "f" * 5000])
def test_any_other_version_gets_the_list(grace: Client, seen: str) -> None:
    reply = asked_again(grace, seen)
    assert reply.status_code == 200
    assert "<script>" not in reply.content.decode()
    assert seen_in(reply) == seen_in(grace.get(PATH))


def test_a_page_that_nothing_is_offered_on_is_loaded_once_more_and_asks_no_more(
    campaign: Campaign, grace: Client
) -> None:
    seen = seen_in(grace.get(PATH))
    members = Membership.objects.filter(campaign=campaign, user__username="Small-grace")
    members.update(paused_at=timezone.now())
    assert asked_again(grace, seen).headers["HX-Refresh"] == "true"
    assert not AGAIN.search(grace.get(PATH).content.decode())
    members.update(paused_at=None)
    campaigns.pause(campaign=campaign)
    assert asked_again(grace, seen).headers["HX-Refresh"] == "true"
    assert not AGAIN.search(grace.get(PATH).content.decode())


def test_strangers_and_other_methods_are_refused(campaign: Campaign, grace: Client) -> None:
    make_campaign("Other")
    assert asked_again(signed_in("Other-grace"), "0").status_code == 404
    assert asked_again(Client(), "0").status_code == 302
    assert grace.post(PATH, headers={"HX-Request": "true"}).status_code == 405
