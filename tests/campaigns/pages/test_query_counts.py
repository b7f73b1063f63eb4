"""List pages ask the database as often for three things as for one."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from campaigns.computing.tasks import recompute
from campaigns.models import Campaign, Membership
from campaigns.people import members
from tests.campaigns.factories import Api, Lists, make_campaign, make_user, signed_in

pytestmark = pytest.mark.django_db

ONE: Lists = {"x": {"1": ["a", "b", "c"]}}
THREE: Lists = {tag: {number: ["a", "b", tag] for number in ("1", "2", "3")} for tag in ("x", "y", "z")}


def queries(act: Callable[[], Any]) -> int:
    with CaptureQueriesContext(
        connection,
    ) as captured:
        assert act().status_code == 200
    return len(captured)


def judged(campaign: Campaign) -> None:
    for topic in campaign.topics.values_list("number", flat=True):
        for name in ("grace", "alan"):
            assert Api(campaign, f"{campaign.name}-{name}").judge(topic, "a", 1).status_code == 201


@pytest.mark.parametrize(
    ("path", "pinned"),
    [
        ("", 51),
        ("topics/", 35),
        ("people/", 37),
        ("invitations/", 17),
        ("training/", 17),
        ("examples/", 15),
        ("setup/", 56),
        ("setup/states/", 10),
        ("setup/runs/", 10),
        ("exports/", 29),
        ("overview/", 42),
        ("documents/", 18),
        ("people/NAME-grace/", 34),
    ],
)
def test_pages_of_a_campaign(path: str, pinned: int) -> None:
    counts = []
    for name, lists in (("one", ONE), ("three", THREE)):
        campaign = make_campaign(name, lists)
        judged(campaign)
        client = signed_in(f"{name}-ada")
        address = f"/campaigns/{name}/{path.replace('NAME', name)}"
        counts.append(queries(lambda c=client, a=address: c.get(a)))  # type: ignore[misc]
    assert counts == [pinned, pinned]


def test_the_list_of_campaigns() -> None:
    make_user("ada")
    client = signed_in("ada")
    counts = []
    for names in (["one"], ["two", "three"]):
        for name in names:
            campaign = make_campaign(name, ONE)
            judged(campaign)
            recompute(campaign.id)
            members.add_member(campaign=campaign, username="ada", role="organiser")
        # The first view after a judgment stores the counts of its campaign.
        assert client.get("/campaigns/").status_code == 200
        counts.append(queries(lambda: client.get("/campaigns/")))
    assert counts == [18, 18]
    assert Membership.objects.filter(user__username="ada").count() == 3


@pytest.mark.parametrize("path", ["topics/1/", "topics/1/why/?docno=b"])
def test_pages_of_a_topic(path: str) -> None:
    counts = []
    for name, lists in (("one", ONE), ("three", THREE)):
        campaign = make_campaign(name, lists)
        judged(campaign)
        recompute(campaign.id)
        client = signed_in(f"{name}-ada")
        counts.append(queries(lambda c=client, n=name: c.get(f"/campaigns/{n}/{path}")))  # type: ignore[misc]
    assert counts[0] == counts[1]
