"""Topics whose numbers are words of addresses."""

from __future__ import annotations

import re

import pytest
from django.urls import resolve, reverse

from campaigns.pages.urls import urlpatterns as pages
from tests.campaigns.api.addresses import API_ADDRESSES as api
from tests.campaigns.factories import Api, make_campaign, signed_in

BESIDE = re.compile(r"topics/(?:<topic:number>/)?([a-z-]+)/$")


def words_beside_numbers() -> list[str]:
    """Of the addresses below `topics/`, those that a number could be mistaken for."""
    found = set()
    for pattern in (*pages, *api):
        if match := BESIDE.search(str(pattern.pattern)):
            found.add(match[0].removeprefix("topics/").removesuffix("/").replace("<topic:number>", "7"))
    return sorted(found)


NUMBERS = [
    *words_beside_numbers(),
    *("401", "a/b", "order/order", "7/order", "Order", "order.", "why", "close", "7/why/why", "100%/close"),
]


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("name", ["campaigns:topic", "campaigns:why", "api:topic", "api:close-topic"])
def test_the_address_of_a_number_leads_to_its_topic(name: str, number: str) -> None:
    found = resolve(reverse(name, args=["news", number]).replace("%20", " ").replace("%25", "%"))
    assert (found.view_name, found.kwargs) == (name, {"slug": "news", "number": number})


def test_words_beside_numbers_are_all_known() -> None:
    assert words_beside_numbers() == [
        *("7/assignments", "7/close", "7/done", "7/reopen", "7/revisions", "7/why", "order"),
    ]


@pytest.mark.django_db
def test_a_topic_numbered_order_has_its_page_beside_the_order_of_topics() -> None:
    lists = {run: {number: ["a", "b", "c"] for number in ("order", "7/close")} for run in ("x", "y", "z")}
    campaign = make_campaign("Words", lists)
    ada = signed_in("Words-ada")
    listed = ada.get("/campaigns/words/topics/").content.decode()
    for number in ("order", "7/close"):
        address = f"/campaigns/words/topics/{number}%20/"
        assert f'href="{address}"' in listed
        assert f"title {number}" in ada.get(address).content.decode()
        rest = Api(campaign, "Words-ada").get(f"topics/{number}%20/")
        assert rest.json()["number"] == number
    assert ada.get("/campaigns/words/topics/order/").resolver_match.view_name == "campaigns:topic-order"
    assert "ahead" in Api(campaign, "Words-ada").get("topics/order/").json()
