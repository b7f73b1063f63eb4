from typing import Any

import pytest
from django.test import Client

from campaigns.models import Campaign, Collection, Deed
from tests.campaigns.building import make_campaign, make_user, signed_in

pytestmark = pytest.mark.django_db

FILLED: dict[str, Any] = {
    "name": "News track 2026",
    "p": "0.9",
    "method": "B",
    "scope": "topic",
    "batch": "5",
    "min_judgments": "20",
    "budget": "",
    "guidelines": "Read all of it.",
    "scale": "two",
}
OWN_SCALE = {
    "scale": "custom",
    "grade": ["0", "1", "3", ""],
    "label": ["no", "somewhat", "fully", ""],
    "gain": ["0", "0.25", "1", ""],
    "key": ["n", "s", "f", ""],
}


@pytest.fixture
def client() -> Client:
    make_user("ada")
    return signed_in("ada")


def test_a_new_campaign_goes_on_to_its_setup(client: Client) -> None:
    reply = client.post("/campaigns/new/", FILLED)
    assert (reply.status_code, reply.headers["Location"]) == (302, "/campaigns/news-track-2026/setup/")
    campaign = Campaign.objects.get()
    assert (campaign.p, campaign.method, campaign.scope, campaign.batch) == (0.9, "B", "topic", 5)
    assert (campaign.min_judgments, campaign.budget, campaign.guidelines) == (20, None, "Read all of it.")
    assert [row["gain"] for row in campaign.grades] == [0.0, 1.0]
    assert campaign.status == "draft"


def test_a_scale_of_ones_own(client: Client) -> None:
    client.post("/campaigns/new/", {**FILLED, **OWN_SCALE})
    assert Campaign.objects.get().grades == [
        {"grade": 0, "label": "no", "gain": 0.0, "key": "n"},
        {"grade": 1, "label": "somewhat", "gain": 0.25, "key": "s"},
        {"grade": 3, "label": "fully", "gain": 1.0, "key": "f"},
    ]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"name": ""}, "required"),
        ({"name": "???"}, "letter or a digit"),
        ({"name": "new"}, "address of the pages"),
        ({"slug": "with space"}, "slug"),
        ({"p": "1"}, "less than or equal to 0.99"),
        ({"p": "often"}, "number"),
        ({"p": "nan"}, "number"),
        ({"method": "D"}, "not one of the available choices"),
        ({"scope": "world"}, "not one of the available choices"),
        ({"batch": "0"}, "greater than or equal to 1"),
        ({"min_judgments": "-1"}, "greater than or equal to 0"),
        ({"budget": "0"}, "greater than or equal to 1"),
        ({"collection": "12345"}, "not one of the available choices"),
        ({"overlap_share": "1.1"}, "less than or equal to 1"),
        ({"overlap_share": "nan"}, "number"),
        ({"overlap_assessors": "1"}, "greater than or equal to 2"),
        ({"repeat_share": "0.6"}, "less than or equal to 0.5"),
        ({**OWN_SCALE, "gain": ["0", "much", "1", ""]}, "much"),
        ({**OWN_SCALE, "key": ["n", "n", "f", ""]}, "a key of its own"),
        ({"scale": "custom"}, "at least two grades"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_made(client: Client, change: Any, says: str) -> None:
    reply = client.post("/campaigns/new/", {**FILLED, **change})
    assert reply.status_code == 400
    assert says in reply.content.decode()
    assert not Campaign.objects.exists()


def test_what_was_typed_stays_typed(client: Client) -> None:
    page = client.post("/campaigns/new/", {**FILLED, **OWN_SCALE, "p": "2", "name": "Kept"}).content.decode()
    for text in ('value="Kept"', 'value="2"', 'value="somewhat"', "Read all of it."):
        assert text in page


def test_an_address_is_taken_once(client: Client) -> None:
    client.post("/campaigns/new/", FILLED)
    reply = client.post("/campaigns/new/", FILLED)
    assert reply.status_code == 400
    assert "news-track-2026" in reply.content.decode()


def test_only_collections_of_ones_own_are_offered(client: Client) -> None:
    theirs = make_campaign("Theirs").collection
    assert theirs.name not in client.get("/campaigns/new/").content.decode()
    assert client.post("/campaigns/new/", {**FILLED, "collection": theirs.id}).status_code == 400
    client.post("/campaigns/new/", FILLED)
    mine = Collection.objects.get(owner__username="ada")
    reply = client.post("/campaigns/new/", {**FILLED, "name": "Second", "collection": mine.id})
    assert reply.status_code == 302
    assert Campaign.objects.get(slug="second").collection == mine


def test_settings_change_later() -> None:
    campaign = make_campaign("Small")
    before = campaign.configuration
    client = signed_in("Small-ada")
    assert 'value="0.8"' in client.get("/campaigns/small/settings/").content.decode()
    assert client.post("/campaigns/small/settings/", {**FILLED, "budget": "500"}).status_code == 302
    campaign.refresh_from_db()
    assert (campaign.name, campaign.slug) == ("News track 2026", "small")
    assert (campaign.p, campaign.budget) == (0.9, 500)
    assert campaign.configuration == before + 1


def test_how_much_is_judged_twice_is_set_and_changed_later(client: Client) -> None:
    client.post("/campaigns/new/", {**FILLED, "overlap_share": "0.2", "overlap_assessors": "3"})
    campaign = Campaign.objects.get()
    assert (campaign.overlap_share, campaign.overlap_assessors, campaign.repeat_share) == (0.2, 3, 0.0)
    Campaign.objects.update(status="open")
    page = f"/campaigns/{campaign.slug}/settings/"
    assert 'value="0.2"' in client.get(page).content.decode()
    client.post(page, {**FILLED, "overlap_share": "0.1", "overlap_assessors": "", "repeat_share": "0.05"})
    campaign.refresh_from_db()
    assert (campaign.overlap_share, campaign.overlap_assessors, campaign.repeat_share) == (0.1, 3, 0.05)
    changes = Deed.objects.filter(campaign=campaign, kind="settings").latest("id").detail["changes"]
    assert changes == {"overlap_share": [0.2, 0.1], "repeat_share": [0.0, 0.05]}
