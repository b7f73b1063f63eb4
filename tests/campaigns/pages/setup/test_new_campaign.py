from __future__ import annotations

import pytest
from django.test import Client

from campaigns.models import Campaign, Collection
from tests.campaigns.factories import make_campaign, make_user, signed_in

pytestmark = pytest.mark.django_db

NEW = "/campaigns/new/"


@pytest.fixture
def client() -> Client:
    make_user("ada")
    return signed_in("ada")


def test_a_name_is_enough_and_the_set_up_comes_next(client: Client) -> None:
    reply = client.post(NEW, {"name": "News track 2026"})
    assert (reply.status_code, reply.headers["Location"]) == (302, "/campaigns/news-track-2026/setup/")
    campaign = Campaign.objects.get()
    assert (campaign.p, campaign.method, campaign.min_judgments, campaign.status) == (0.8, "C", 40, "draft")
    assert len(campaign.grades) == 3


@pytest.mark.parametrize(
    ("filled", "says"),
    [
        ({}, "required"),
        ({"name": ""}, "required"),
        ({"name": "???"}, "letter or a digit"),
        ({"name": "new"}, "address of the pages"),
        ({"name": "News", "slug": "with space"}, "slug"),
        ({"name": "News", "collection": "12345"}, "not one of the available choices"),
        ({"name": "x" * 201}, "at most 200"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_made(client: Client, filled: dict[str, str], says: str) -> None:
    reply = client.post(NEW, {"csrfmiddlewaretoken": "x", **filled})
    assert reply.status_code == 400
    assert says in reply.content.decode()
    assert not Campaign.objects.exists()


def test_an_address_is_taken_once_and_the_name_stays_typed(client: Client) -> None:
    client.post(NEW, {"name": "News"})
    reply = client.post(NEW, {"name": "Later news", "slug": "news"})
    page = reply.content.decode()
    assert reply.status_code == 400
    assert "there is a campaign with the address “news” already" in page
    assert 'value="Later news"' in page


def test_only_collections_of_ones_own_are_offered(client: Client) -> None:
    theirs = make_campaign("Theirs").collection
    assert "select" not in client.get(NEW).content.decode()
    assert client.post(NEW, {"name": "First", "collection": theirs.id}).status_code == 400
    client.post(NEW, {"name": "First"})
    mine = Collection.objects.get(owner__username="ada")
    page = client.get(NEW).content.decode()
    assert mine.name in page
    assert theirs.name not in page
    assert client.post(NEW, {"name": "Second", "collection": mine.id}).status_code == 302
    assert Campaign.objects.get(slug="second").collection == mine


def test_the_page_is_for_those_who_signed_in() -> None:
    assert Client().get(NEW).status_code == 302
    make_user("eve")
    assert signed_in("eve").delete(NEW).status_code == 405
