from __future__ import annotations

from typing import Any

import pytest

from campaigns.computing.tasks import recompute
from campaigns.models import Campaign, Topic
from campaigns.topic_offers.offers import turns
from tests.campaigns.factories import Api, make_campaign

pytestmark = pytest.mark.django_db

NUMBERS = ("1", "2", "3")
LISTS = {
    "x": {number: [f"{number}{letter}" for letter in "abcdef"] for number in NUMBERS},
    "y": {number: [f"{number}{letter}" for letter in "fedcba"] for number in NUMBERS},
}


def offered(campaign: Campaign, name: str) -> str | None:
    reply = Api(campaign, f"{campaign.name}-{name}").client.get(f"/judge/{campaign.slug}/")
    found = reply.context["offers"].next_in_order
    return None if found is None else str(found.number)


@pytest.mark.parametrize(
    "other", [{"method": "statap", "options": {"size": 3}}, {"method": "mtc", "options": {}}]
)
def test_under_several_methods_the_least_judged_topic_is_next(other: dict[str, Any]) -> None:
    campaign = make_campaign("Mixed", LISTS)
    Topic.objects.filter(campaign=campaign, number="2").update(**other)
    recompute(campaign.id)
    # Grace begins every topic but the third; alan is then offered the least judged of all.
    assert offered(campaign, "alan") == "1"
    grace = Api(campaign, "Mixed-grace")
    for topic, docnos in (("1", ["1a", "1b"]), ("2", ["2a"])):
        for docno in docnos:
            assert grace.judge(topic, docno, 1).status_code == 201
    recompute(campaign.id)
    assert offered(campaign, "alan") == "3"
    grace.judge("3", "3a", 1)
    grace.judge("3", "3b", 1)
    recompute(campaign.id)
    assert offered(campaign, "alan") == "2"
    assert sorted((turns(campaign) or {}).values()) == [1, 2, 2]


def test_the_same_method_told_otherwise_does_not_compare() -> None:
    campaign = make_campaign(lists=LISTS, method="mtc")
    assert turns(campaign) is None
    Topic.objects.filter(campaign=campaign, number="3").update(method="mtc", options=campaign.options)
    assert turns(campaign) is None
    Topic.objects.filter(campaign=campaign, number="3").update(
        options={**campaign.options, "prior": "uniform"}
    )
    assert turns(campaign) == dict.fromkeys(Topic.objects.values_list("id", flat=True), 0)
