"""Places of a campaign that some letters lead to."""

from __future__ import annotations

import re
from html import unescape

import pytest
from django.contrib.auth.models import User

from campaigns.models import Campaign, Membership
from campaigns.pages.places import LONGEST_QUERY, MOST_PLACES, Place, places_of
from tests.campaigns.factories import Lists, make_campaign, signed_in

pytestmark = pytest.mark.django_db

TOPICS = ["1", "10", "2", "21"]
LISTS: Lists = {tag: {number: ["a", "b"] for number in TOPICS} for tag in ("bm25", "my-bm25", "dense")}
HOME = "/campaigns/small/"


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign("Small", LISTS)


def found(campaign: Campaign, query: str) -> dict[str, list[Place]]:
    return dict(places_of(campaign, query))


def test_the_nearest_name_comes_first(campaign: Campaign) -> None:
    assert [place.label for place in found(campaign, "bm25")["Runs"]] == ["bm25", "my-bm25"]
    assert [place.label for place in found(campaign, "1")["Topics"]] == ["1", "10", "21"]
    assert [place.label for place in found(campaign, "GRACE")["People"]] == ["Small-grace"]


def test_topics_are_found_by_their_words(campaign: Campaign) -> None:
    campaign.topics.filter(number="2").update(title="Wings in a slipstream")
    [place] = found(campaign, "SLIP")["Topics"]
    assert place == Place("2", f"{HOME}topics/2/", "Wings in a slipstream")


def test_pages_are_found_in_the_readers_language(campaign: Campaign) -> None:
    assert [place.label for place in found(campaign, "adjud")["Pages"]] == ["Adjudication"]
    assert list(found(campaign, "")) == ["Pages", "Actions"]
    assert "Actions" not in found(campaign, "adjud")


def test_every_place_answers(campaign: Campaign) -> None:
    User.objects.filter(username="Small-grace").update(username="grace@home+1")
    ada = signed_in("Small-ada")
    for query in ("", "a", "1", "@"):
        shown = ada.get(f"{HOME}places/", {"q": query}).content.decode()
        addresses = re.findall(r'<li>\s*<a\s[^>]*?href="([^"]*)"', shown.split('id="places"')[1])
        assert addresses
        for address in addresses:
            assert ada.get(unescape(address)).status_code == 200, address


def test_no_kind_lists_more_than_its_first_places(campaign: Campaign) -> None:
    several = make_campaign("Several", {f"run{n}": {str(t): ["a"] for t in range(20)} for n in range(12)})
    assert len(found(several, "run")["Runs"]) == MOST_PLACES
    assert len(found(several, "1")["Topics"]) == MOST_PLACES


@pytest.mark.parametrize("query", ["%", "_", "\\", "<b>", "x" * (LONGEST_QUERY + 1), "{{k}}"])
def test_letters_stand_for_themselves(campaign: Campaign, query: str) -> None:
    reply = signed_in("Small-ada").get(f"{HOME}places/", {"q": query}, headers={"HX-Request": "true"})
    assert reply.status_code == 200
    shown = reply.content.decode()
    assert "<b>" not in shown
    assert "<html" not in shown
    assert "No page, run, topic or person matches" in shown


def test_only_organisers_see_them_and_nothing_is_posted(campaign: Campaign) -> None:
    make_campaign("Other", LISTS)
    assert signed_in("Other-ada").get(f"{HOME}places/").status_code == 404
    assert signed_in("Small-grace").get(f"{HOME}places/").status_code == 403
    assert signed_in("Small-ada").post(f"{HOME}places/").status_code == 405


def test_places_of_other_campaigns_are_not_found(campaign: Campaign) -> None:
    other = make_campaign("Other", {"secret": {"77": ["a"]}})
    person = User.objects.create_user("secretary")
    Membership.objects.create(campaign=other, user=person, role="assessor")
    assert found(campaign, "secret") == {}
    assert found(campaign, "77") == {}
