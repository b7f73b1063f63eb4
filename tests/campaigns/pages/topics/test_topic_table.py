"""The table of topics: sorted and paged by its address, and one act for all selected topics, undone again."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from campaigns.computing.tasks import recompute
from campaigns.models import Campaign, Deed, Topic, TopicAssignment
from campaigns.pages import tables
from tests.campaigns.factories import Api, Lists, make_campaign, signed_in

pytestmark = pytest.mark.django_db

PAGE = "/campaigns/small/topics/"
ACT = "/campaigns/small/assign/"
LISTS: Lists = {"x": {str(number): ["a", "b", "c"][: number % 3 + 1] for number in (1, 2, 9, 10, 30)}}


@pytest.fixture
def campaign() -> Campaign:
    campaign = make_campaign("Small", LISTS, min_judgments=2)
    recompute(campaign.id)
    return campaign


@pytest.fixture
def client(campaign: Campaign) -> Client:
    return signed_in("Small-ada")


def numbers(client: Client, **asked: str) -> list[str]:
    page = client.get(PAGE, asked).content.decode()
    return re.findall(r'<td class="num mono soft">([^<]+)</td>', page)


def act(client: Client, **wish: Any) -> str:
    reply = client.post(ACT, wish, follow=True)
    assert reply.status_code == 200
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", reply.content.decode())).split())


def undo(client: Client, **wish: Any) -> str:
    """Do something, and press the button beside what the page says of it."""
    page = client.post(ACT, wish, follow=True).content.decode()
    sealed = re.search(r'name="undo" value="([^"]+)"', page)
    assert sealed
    return act(client, undo=sealed[1])


def given() -> set[tuple[str, str]]:
    return set(TopicAssignment.objects.values_list("topic__number", "assessor__username"))


def closed() -> set[str]:
    return set(Topic.objects.exclude(closed_at=None).values_list("number", flat=True))


def test_sorted_by_number_as_numbers(client: Client, campaign: Campaign) -> None:
    assert numbers(client, sort="number") == ["1", "2", "9", "10", "30"]
    assert numbers(client, sort="-number") == ["30", "10", "9", "2", "1"]


def test_sorted_by_each_column(client: Client, campaign: Campaign) -> None:
    grace = Api(campaign, "Small-grace")
    for docno in "ab":
        assert grace.judge("10", docno, 1).status_code == 201
    assert grace.judge("9", "a", 0).status_code == 201
    recompute(campaign.id)
    campaign.topics.filter(number="30").update(closed_at=timezone.now())
    assert numbers(client, sort="-judged")[:2] == ["10", "9"]
    assert numbers(client, sort="-relevant")[0] == "10"
    assert numbers(client, sort="-pool")[0] == "2"
    assert numbers(client, sort="-state")[0] == "30"
    assert numbers(client, sort="residual")[0] in ("9", "10")
    assert numbers(client, sort="-title")[0] == "9"


def test_topics_that_nobody_has_come_last_either_way(client: Client, campaign: Campaign) -> None:
    act(client, assign="yes", topic=["9"], username="Small-grace")
    assert numbers(client, sort="assigned")[0] == numbers(client, sort="-assigned")[0] == "9"


@pytest.mark.parametrize("sort", ["no-such", "share", "--number", ""])
def test_unknown_sort_keeps_the_usual_order(client: Client, sort: str) -> None:
    usual = numbers(client)
    assert numbers(client, sort=sort) == usual


def test_pages_keep_sort_and_filter(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "ROWS_A_PAGE", 2)
    asked = {"sort": "-number", "words": "title"}
    assert numbers(client, **asked) == ["30", "10"]
    page = client.get(PAGE, asked).content.decode()
    further = re.search(r'rel="next" href="([^"]+)"', page)
    assert further
    second = client.get(unescape(further[1])).content.decode()
    assert re.findall(r'<td class="num mono soft">([^<]+)</td>', second) == ["9", "2"]
    assert "3–4 of 5" in second
    assert 'rel="prev"' in second
    assert numbers(client, page="99", **asked) == ["1"]
    assert numbers(client, page="no", **asked) == ["30", "10"]


def test_headings_say_how_the_table_is_sorted(client: Client) -> None:
    page = client.get(PAGE, {"sort": "-judged", "state": "untouched"}).content.decode()
    assert page.count("aria-sort=") == 1
    assert re.search(r'aria-sort="descending"><a class="sort" href="[^"]*sort=judged[^"]*state=', page) or (
        re.search(r'aria-sort="descending"><a class="sort" href="[^"]*state=[^"]*sort=judged', page)
    )


def test_selected_topics_are_divided_among_several(client: Client) -> None:
    said = act(client, assign="yes", topic=["1", "2", "9"], username=["Small-grace", "Small-alan"])
    assert "3 topics are newly assigned to Small-grace, Small-alan." in said
    people = [name for _, name in given()]
    assert sorted(people.count(name) for name in set(people)) == [1, 2]
    assert {number for number, _ in given()} == {"1", "2", "9"}
    assert Deed.objects.filter(kind="dealt").count() == 1


def test_selected_topics_go_to_one_and_are_undone(client: Client) -> None:
    act(client, assign="yes", topic=["9"], username="Small-grace")
    said = undo(client, assign="yes", topic=["1", "2", "9"], username="Small-grace")
    assert "It is undone." in said
    # What they had before stays.
    assert given() == {("9", "Small-grace")}


def test_take_back_from_everybody_and_undo(client: Client) -> None:
    act(client, assign="yes", topic=["1", "2"], username="Small-grace")
    act(client, assign="yes", topic=["1"], username="Small-alan")
    before = given()
    said = act(client, unassign="yes", topic=["1", "2", "9"])
    assert "2 topics are unassigned." in said
    assert not given()
    assert "None of these topics is assigned" in act(client, unassign="yes", topic=["9"])
    act(client, assign="yes", topic=["1", "2"], username="Small-grace")
    act(client, assign="yes", topic=["1"], username="Small-alan")
    undo(client, unassign="yes", topic=["1", "2"])
    assert given() == before


def test_selected_topics_are_closed_and_reopened(client: Client) -> None:
    assert "2 topics are closed" in act(client, close="", topic=["1", "2"])
    assert closed() == {"1", "2"}
    # Those that are open stay as they are.
    assert "2 topics are open again." in act(client, reopen="", topic=["1", "2", "9"])
    assert closed() == set()
    undo(client, close="", topic=["1", "9"])
    assert closed() == set()
    act(client, close="", topic=["1", "9"])
    undo(client, reopen="", topic=["1", "9"])
    assert closed() == {"1", "9"}
    assert "None of these topics is closed" in act(client, reopen="", topic=["2", "10"])


def test_undo_gives_back_only_what_was_closed_then(client: Client) -> None:
    act(client, close="", topic=["1"])
    undo(client, close="", topic=["1", "2"])
    assert closed() == {"1"}


def test_method_of_several_is_undone(client: Client, campaign: Campaign) -> None:
    client.post(PAGE, {"topic": ["1"], "method": "hedge", "hedge.beta": "0.25"})
    page = client.post(PAGE, {"topic": ["1", "2"], "method": "mtf"}, follow=True).content.decode()
    assert set(campaign.topics.filter(number__in="12").values_list("method", flat=True)) == {"mtf"}
    sealed = re.search(r'name="undo" value="([^"]+)"', page)
    assert sealed
    act(client, undo=sealed[1])
    one, two = (campaign.topics.get(number=number) for number in "12")
    assert (one.method, one.options["beta"], two.method) == ("hedge", 0.25, "")


def test_act_returns_to_the_table_as_it_was(client: Client) -> None:
    table = f"{PAGE}?sort=-number&state=left"
    wish = {"close": "", "topic": ["1"]}
    assert client.post(ACT, {**wish, "table": table}).headers["Location"] == table
    for elsewhere in ("https://example.org/", "//example.org/campaigns/small/topics/?", "/campaigns/"):
        reply = client.post(ACT, {**wish, "table": elsewhere})
        assert reply.headers["Location"] == PAGE


@pytest.mark.parametrize("forged", ["", "nonsense", "WzEsIltdIl0:1abc:def"])
def test_forged_undo_changes_nothing(client: Client, forged: str) -> None:
    act(client, assign="yes", topic=["9"], username="Small-grace")
    assert "There is nothing to undo" in act(client, undo=forged)
    assert given() == {("9", "Small-grace")}


def test_undo_of_another_campaign_is_refused(client: Client, campaign: Campaign) -> None:
    make_campaign("Other", LISTS)
    page = client.post(ACT, {"close": "", "topic": ["1"]}, follow=True).content.decode()
    sealed = re.search(r'name="undo" value="([^"]+)"', page)
    assert sealed
    other = signed_in("Other-ada")
    reply = other.post("/campaigns/other/assign/", {"undo": sealed[1]}, follow=True)
    assert "There is nothing to undo" in reply.content.decode()
    assert closed() == {"1"}


def test_nobody_chosen_is_refused(client: Client) -> None:
    assert "Choose at least one assessor" in act(client, assign="yes", topic=["1"])
    assert not given()


def test_one_refused_act_changes_nothing(client: Client) -> None:
    said = act(client, assign="yes", topic=["1", "2"], username=["Small-grace", "nobody"])
    assert "has no role here" in said
    assert not given()


def test_undo_is_offered_once(client: Client) -> None:
    page = client.post(ACT, {"close": "", "topic": ["1"]}, follow=True).content.decode()
    assert 'name="undo"' in page
    assert 'name="undo"' not in client.get(PAGE).content.decode()


def test_table_needs_no_script(client: Client) -> None:
    """The boxes belong to the form of the bar, which is shown; a script hides it."""
    page = client.get(PAGE).content.decode()
    assert page.count('form="topic-acts" data-row') == 5
    bar = re.search(r"<form[^>]*data-selection[^>]*>", page)
    assert bar
    assert "hidden" not in bar[0]


def test_paused_assessors_are_marked(client: Client) -> None:
    Campaign.objects.get().memberships.filter(user=User.objects.get(username="Small-alan")).update(
        paused_at=timezone.now()
    )
    page = client.get(PAGE).content.decode()
    assert page.count('<span class="chip warn">paused</span>') == 1
