"""The badges of the rail, and the state of the campaign in a page's header."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import User

from campaigns.collection.assignments import assign_evenly
from campaigns.models import Campaign
from campaigns.people.invitations import create, revoke_invitation
from campaigns.setup.campaigns import change_settings, close, pause
from tests.campaigns.factories import Lists, make_campaign, signed_in

pytestmark = pytest.mark.django_db

LISTS: Lists = {"x": {number: ["a", "b"] for number in ("1", "2", "3")}}
BADGE = re.compile(r'<span class="badge( calls)?" title="([^"]*)"><span aria-hidden="true">([^<]*)<')


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign("Small", LISTS)


def page(path: str = "runs/") -> str:
    return signed_in("Small-ada").get(f"/campaigns/small/{path}").content.decode()


def badges() -> dict[str, tuple[str, bool]]:
    """By what each counts: its figure, and whether it asks for work."""
    return {said: (figure, bool(calls)) for calls, said, figure in BADGE.findall(page())}


def test_topics_without_an_assessor_call_where_only_assigned_ones_are_judged(campaign: Campaign) -> None:
    assert badges()["0 of 3 topics begun"] == ("0 / 3", False)
    change_settings(campaign=campaign, topic_choice="assigned")
    assert badges()["3 topics have no assessor"] == ("3", True)
    assign_evenly(campaign=campaign, organiser=User.objects.get(username="Small-ada"))
    assert badges()["0 of 3 topics begun"] == ("0 / 3", False)


def test_a_closed_campaign_calls_for_no_assessors(campaign: Campaign) -> None:
    change_settings(campaign=campaign, topic_choice="assigned")
    close(campaign=campaign)
    assert not any(calls for _, calls in badges().values())


def test_open_invitations_are_counted(campaign: Campaign) -> None:
    ada = User.objects.get(username="Small-ada")
    made = [create(campaign=campaign, inviter=ada, role="assessor", link_of=str) for _ in range(2)]
    assert badges()["2 open invitations"] == ("2", False)
    revoke_invitation(campaign=campaign, invitation=made[0][0].id)
    assert badges()["1 open invitation"] == ("1", False)


@pytest.mark.parametrize(
    "path",
    [
        "",
        "runs/",
        "topics/",
        "people/",
        "invitations/",
        "planner/",
        "setup/",
        "documents/",
        "counterfactual/",
    ],
)
def test_a_header_shows_the_state(campaign: Campaign, path: str) -> None:
    head = page(path).split('class="page-head"')[1].split("</div>")[0]
    assert '<span class="chip good">open</span>' in head
    pause(campaign=campaign)
    assert '<span class="chip warn">paused</span>' in page(path)
