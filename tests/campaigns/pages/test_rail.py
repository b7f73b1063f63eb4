"""The badges of the rail, and the state of the campaign in a page's header."""

from __future__ import annotations

import re

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.urls import reverse
from django.utils import timezone

from campaigns.collection.assignments import assign_evenly
from campaigns.models import Campaign, Membership
from campaigns.pages.rail import SECTIONS
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


def test_labels_are_the_titles_of_the_pages(campaign: Campaign) -> None:
    for section in SECTIONS:
        for one in section.pages:
            shown = signed_in("Small-ada").get(reverse(one.address, args=["small"])).content.decode()
            [title] = re.findall(r"<h1[^>]*>(.*?)</h1>", shown, re.DOTALL)
            assert title.strip() == one.label
            assert f"<title>{one.label} · Small</title>" in shown
            [current] = re.findall(
                r'aria-current="(?:page|true)"\s*><svg.*?</svg>(.*?)[<\n]', shown, re.DOTALL
            )
            assert current.strip() == section.home.label


def test_every_section_has_an_icon() -> None:
    icons = settings.BASE_DIR / "static/campaigns/icons.svg"
    drawn = re.findall(r'<symbol id="([^"]*)"', icons.read_text())
    assert set(drawn) == {*(section.home.view for section in SECTIONS), "lab", "change", "search"}
    assert "static/campaigns/icons.svg" in (settings.BASE_DIR / "NOTICE").read_text()


def test_the_menu_of_campaigns_holds_other_own_ones_alone(campaign: Campaign) -> None:
    for name in ("Mine", "Gone", "Other"):
        make_campaign(name, LISTS)
    ada = User.objects.get(username="Small-ada")
    for slug in ("mine", "gone"):
        Membership.objects.create(campaign=Campaign.objects.get(slug=slug), user=ada, role="organiser")
    Campaign.objects.filter(slug="gone").update(archived_at=timezone.now())
    menu = page().split('id="campaigns-menu"')[1].split("</div>")[0]
    assert re.findall(r'href="([^"]*)"', menu) == ["/campaigns/mine/", "/campaigns/"]


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
