"""Two organisers with the settings open at once: what one saved is not undone by the other unknowingly."""

from __future__ import annotations

import json
import re
from html import unescape
from typing import Any

import pytest
from django.test import Client

from campaigns.models import Campaign, Deed, Event
from campaigns.people import members
from campaigns.setup import campaigns as services
from tests.campaigns.factories import make_campaign, make_user, signed_in
from tests.campaigns.pages.setup.test_settings import FILLED, SETTINGS, save_settings

pytestmark = pytest.mark.django_db

# As the page shows a new campaign, and sends it back if nothing was touched.
AS_IT_WAS = FILLED | {
    "name": "Small",
    "p": "0.8",
    "method": "C",
    "scope": "campaign",
    "batch": "1",
    "min_judgments": "40",
    "guidelines": "Read\r\nall of it.",
    "scale": "three",
    "topic_choice": "free",
    "overlap_share": "0.0",
    "overlap_assessors": "2",
    "repeat_share": "0.0",
    "policy": "adjudicated",
}


@pytest.fixture
def campaign() -> Campaign:
    campaign = make_campaign("Small", guidelines="Read\nall of it.")
    make_user("bob")
    members.add_member(campaign=campaign, username="bob", role="organiser")
    return campaign


def seen_by(client: Client, path: str = SETTINGS) -> str:
    found = re.search(r'name="seen" value="([^"]*)"', client.get(path).content.decode())
    assert found is not None
    return unescape(found[1])


def post(client: Client, seen: str, **filled: Any) -> Any:
    return save_settings(client, {**AS_IT_WAS, "seen": seen, **filled})


def test_what_one_did_not_touch_stays_as_the_other_saved_it(campaign: Campaign) -> None:
    ada, bob = signed_in("Small-ada"), signed_in("bob")
    seen = seen_by(ada)
    assert post(bob, seen_by(bob), p="0.9", method="B").status_code == 302
    assert post(ada, seen, budget="500").status_code == 302
    campaign.refresh_from_db()
    assert (campaign.p, campaign.method, campaign.budget) == (0.9, "B", 500)
    changes = list(
        Deed.objects.filter(kind="settings").order_by("id").values_list("actor_name", "detail__changes")
    )
    assert changes[0][0] == "bob"
    assert set(changes[0][1]) == {"p", "method", "options"}
    assert changes[1] == ("Small-ada", {"budget": [None, 500]})


def test_what_both_changed_is_asked_about_first(campaign: Campaign) -> None:
    ada, bob = signed_in("Small-ada"), signed_in("bob")
    seen = seen_by(ada)
    post(bob, seen_by(bob), p="0.9", batch="7")
    reply = post(ada, seen, p="0.7", budget="500")
    assert reply.status_code == 400
    page = unescape(reply.content.decode())
    assert "bob has since changed “persistence p” to: 0.9" in page
    assert re.search(r'<input(?=[^>]* id="p")[^>]* value="0.7"', page)
    campaign.refresh_from_db()
    assert (campaign.p, campaign.batch, campaign.budget) == (0.9, 7, None)
    again = re.search(r'name="seen" value="([^"]*)"', reply.content.decode())
    assert again is not None
    assert post(ada, unescape(again[1]), p="0.7", budget="500").status_code == 302
    campaign.refresh_from_db()
    # What bob changed beside it is still his.
    assert (campaign.p, campaign.batch, campaign.budget) == (0.7, 7, 500)


def test_the_same_change_twice_is_no_quarrel(campaign: Campaign) -> None:
    ada, bob = signed_in("Small-ada"), signed_in("bob")
    seen = seen_by(ada)
    post(bob, seen_by(bob), p="0.9")
    assert post(ada, seen, p="0.9").status_code == 302
    assert Deed.objects.filter(kind="settings").count() == 1


def test_an_option_is_not_given_to_another_method(campaign: Campaign) -> None:
    services.change_settings(campaign=campaign, method="hedge", options={"beta": 0.2})
    ada, bob = signed_in("Small-ada"), signed_in("bob")
    seen = seen_by(ada)
    post(bob, seen_by(bob), **{"method": "mm-ns", "mm-ns.rho": "0.5"})
    reply = post(ada, seen, **{"method": "hedge", "hedge.beta": "0.3"})
    assert reply.status_code == 400
    assert "bob has since changed “options of the method”" in unescape(reply.content.decode())
    # Untouched, method and options stay the other's.
    assert post(ada, seen, **{"method": "hedge", "hedge.beta": "0.2", "budget": "9"}).status_code == 302
    campaign.refresh_from_db()
    assert (campaign.method, campaign.options["rho"], campaign.budget) == ("mm-ns", 0.5, 9)


def test_a_step_of_the_set_up_asks_as_well(campaign: Campaign) -> None:
    ada, bob = signed_in("Small-ada"), signed_in("bob")
    seen = seen_by(ada, "/campaigns/small/setup/")
    post(bob, seen_by(bob), p="0.9", scope="topic")
    step = {"p": "0.8", "method": "C", "scope": "campaign", "batch": "3", "seen": seen}
    save = "/campaigns/small/setup/save/measure/"
    assert ada.post(save, step).status_code == 302
    campaign.refresh_from_db()
    assert (campaign.p, campaign.scope, campaign.batch) == (0.9, "topic", 3)
    reply = ada.post(save, step | {"p": "0.6"})
    assert reply.status_code == 400
    assert "bob has since changed" in reply.content.decode()


@pytest.mark.parametrize("wrong", ["no JSON", "[1]", "3"])
def test_a_form_that_lost_what_it_showed(campaign: Campaign, wrong: str) -> None:
    reply = post(signed_in("Small-ada"), wrong, p="0.9")
    assert reply.status_code == 400
    assert "his page is out of date" in reply.content.decode()
    campaign.refresh_from_db()
    assert campaign.p == 0.8


def test_pages_that_are_open_are_told_who_and_what(campaign: Campaign) -> None:
    bob = signed_in("bob")
    post(bob, seen_by(bob), p="0.9", batch="7")
    post(bob, seen_by(bob), p="0.9", batch="7")
    published = Event.objects.filter(campaign=campaign, kind="settings").values_list("data", flat=True)
    assert list(published) == [{"by": "bob", "names": ["batch", "p"]}]


def test_options_are_called_in_the_history_as_in_the_form(campaign: Campaign) -> None:
    bob = signed_in("bob")
    post(bob, seen_by(bob), **{"method": "mtc", "mtc.aggregate": "sum", "mtc.measure": "AP"})
    page = unescape(bob.get("/campaigns/small/history/").content.decode())
    assert "Weight of a document: the sum of the differences" in page
    assert "aggregate" not in page
    whole = bob.get("/campaigns/small/history/jsonl/").getvalue()
    details = [json.loads(line)["detail"] for line in whole.splitlines()]
    assert [one["changes"]["options"][1]["aggregate"] for one in details if "changes" in one] == ["sum"]


def test_an_option_newer_than_the_campaign_is_no_change(campaign: Campaign) -> None:
    older = {name: value for name, value in campaign.options.items() if name != "power"}
    assert older != campaign.options
    Campaign.objects.update(options=older)
    bob = signed_in("bob")
    assert post(bob, seen_by(bob), budget="500").status_code == 302
    [deed] = Deed.objects.filter(campaign=campaign, kind="settings")
    assert list(deed.detail["changes"]) == ["budget"]
    assert post(bob, seen_by(bob), **{"C.power": "2"}).status_code == 302
    campaign.refresh_from_db()
    assert campaign.options["power"] == 2
