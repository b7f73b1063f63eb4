import re

import pytest
from django.contrib.auth.models import User
from django.test import Client

from campaigns.models import Campaign, Membership
from tests.campaigns.factories import Api, make_campaign, make_user, signed_in

pytestmark = pytest.mark.django_db

PAGE = "/campaigns/small/people/"


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign("Small")


@pytest.fixture
def client(campaign: Campaign) -> Client:
    return signed_in("Small-ada")


def roles(campaign: Campaign) -> dict[str, str]:
    return dict(Membership.objects.filter(campaign=campaign).values_list("user__username", "role"))


def test_an_account_gets_a_role(client: Client, campaign: Campaign) -> None:
    make_user("edsger")
    page = client.post(PAGE, {"act": "add", "username": " edsger ", "role": "assessor"}).content.decode()
    assert "edsger is now an assessor" in page
    assert roles(campaign)["edsger"] == "assessor"


def test_a_new_account_and_its_password_shown_once(client: Client, campaign: Campaign) -> None:
    page = client.post(PAGE, {"act": "create", "username": "barbara", "role": "assessor"}).content.decode()
    shown = re.search(r"<dt>password</dt><dd[^>]*>([^<]+)</dd>", page)
    assert shown is not None
    assert User.objects.get(username="barbara").check_password(shown[1])
    assert roles(campaign)["barbara"] == "assessor"
    assert shown[1] not in client.get(PAGE).content.decode()


@pytest.mark.parametrize(
    ("wish", "says"),
    [
        ({"act": "add", "username": "nobody", "role": "assessor"}, "no account named “nobody”"),
        ({"act": "add", "username": "Small-grace", "role": "king"}, "not a role"),
        (
            {"act": "create", "username": "Small-grace", "role": "assessor"},
            "cannot be the name of a new account",
        ),
        ({"act": "create", "username": "has spaces <b>", "role": "assessor"}, "account name"),
        ({"act": "create", "username": "", "role": "assessor"}, "account name"),
        ({"act": "remove", "username": "Small-ada"}, "at least one organiser"),
        ({"act": "remove", "username": "nobody"}, "no role here"),
        ({"act": "promote"}, "no act"),
        ({}, "no act"),
    ],
)
def test_refusals_are_said_and_change_nothing(
    client: Client, campaign: Campaign, wish: dict[str, str], says: str
) -> None:
    before = roles(campaign)
    reply = client.post(PAGE, wish)
    assert reply.status_code in (400, 404, 409)
    assert says in reply.content.decode()
    assert roles(campaign) == before


def test_a_removed_assessor_leaves_the_judgments(client: Client, campaign: Campaign) -> None:
    Api(campaign, "Small-grace").judge("1", "a", 1)
    page = client.post(PAGE, {"act": "remove", "username": "Small-grace"}).content.decode()
    assert "Small-grace" not in roles(campaign)
    assert "What they judged stays" in page
    assert campaign.judgments.count() == 1


def test_htmx_gets_the_part_alone(client: Client) -> None:
    reply = client.post(PAGE, {"act": "remove", "username": "nobody"}, headers={"HX-Request": "true"})
    assert reply.status_code == 200
    assert reply.content.decode().strip().startswith('<div id="people-part">')


def test_who_gives_up_the_role_is_led_away(client: Client, campaign: Campaign) -> None:
    client.post(PAGE, {"act": "add", "username": "Small-grace", "role": "organiser"})
    reply = client.post(PAGE, {"act": "remove", "username": "Small-ada"})
    assert (reply.status_code, reply.headers["Location"]) == (302, "/")


def test_judged_counts_what_still_holds(client: Client, campaign: Campaign) -> None:
    grace = Api(campaign, "Small-grace")
    for docno, grade in (("a", 1), ("b", 0), ("b", 2)):
        grace.judge("1", docno, grade)
    grace.judge("1", "a", undo=True)
    row = re.search(r"Small-grace.*?</tr>", client.get(PAGE).content.decode(), re.DOTALL)
    assert row is not None
    assert re.search(
        r'data-label="Judgments"><span data-counted="judgments" data-of="Small-grace">1</span>', row[0]
    )


def test_deactivated_accounts_are_marked(client: Client, campaign: Campaign) -> None:
    chip = '<span class="chip warn">deactivated</span>'
    assert chip not in client.get(PAGE).content.decode()
    User.objects.filter(username="Small-grace").update(is_active=False)
    assert client.get(PAGE).content.decode().count(chip) == 1
    assert chip in client.get(f"{PAGE}Small-grace/").content.decode()
