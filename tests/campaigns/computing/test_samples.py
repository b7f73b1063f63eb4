"""A topic's sample is what the campaign was opened with, and nothing else is served as a sample."""

from __future__ import annotations

import pytest

from campaigns.computing.tasks import recompute
from campaigns.judging.situation import situation_of
from campaigns.measurement.prels import current_prels
from campaigns.models import Campaign, Judgment, Priority, Sample, Topic
from campaigns.models.packed import unpack_ids
from campaigns.setup import campaigns as services
from tests.campaigns.factories import Api, add_run, make_campaign

pytestmark = pytest.mark.django_db

LISTS = {
    "one": {"1": [f"d{n:02}" for n in range(20)], "2": [f"d{n:02}" for n in range(20)]},
    "two": {"1": [f"d{n:02}" for n in range(19, -1, -1)], "2": [f"e{n:02}" for n in range(20)]},
}


def drawn(campaign: Campaign) -> dict[str, list[int]]:
    rows = Sample.objects.filter(topic__campaign=campaign).select_related("topic")
    return {row.topic.number: unpack_ids(row.documents).tolist() for row in rows}


def assessor(campaign: Campaign) -> Api:
    return Api(campaign, f"{campaign.name}-grace")


def sampled_draft() -> Campaign:
    return make_campaign(lists=LISTS, opened=False, method="statap", options={"size": 4})


def test_the_sample_is_fixed_by_the_opening_not_by_the_draft() -> None:
    campaign = sampled_draft()
    recompute(campaign.id)
    add_run(campaign, "three", {"1": [f"z{n:02}" for n in range(20)]})
    recompute(campaign.id)
    before = drawn(campaign)
    services.open_campaign(campaign=campaign)
    recompute(campaign.id)
    assert drawn(campaign) == before
    add_run(campaign, "four", {"1": [f"y{n:02}" for n in range(20)], "2": [f"y{n:02}" for n in range(20)]})
    recompute(campaign.id)
    assert drawn(campaign) == before
    for row in Priority.objects.filter(topic__campaign=campaign).select_related("topic"):
        assert unpack_ids(row.documents).tolist() == before[row.topic.number]


def test_what_was_drawn_for_other_runs_is_not_served() -> None:
    campaign = sampled_draft()
    recompute(campaign.id)
    # The worker has not seen this run when the campaign opens.
    add_run(campaign, "three", {"1": [f"z{n:02}" for n in range(20)]})
    services.open_campaign(campaign=campaign)
    topic = Topic.objects.get(campaign=campaign, number="1")
    assert drawn(campaign) == {}
    assert situation_of(campaign=campaign, topic=topic.id, assessor=0).stored_queue().documents == []
    assert assessor(campaign).get("next/", topic="1").status_code == 204
    recompute(campaign.id)
    assert set(drawn(campaign)) == {"1", "2"}
    assert assessor(campaign).get("next/", topic="1").status_code == 200


def test_every_judgment_of_a_sample_is_in_its_prels() -> None:
    campaign = sampled_draft()
    recompute(campaign.id)
    services.open_campaign(campaign=campaign)
    api = assessor(campaign)
    for _ in range(4):
        served = api.get("next/", topic="1").json()["document"]["docno"]
        api.judge("1", served, grade=1)
        recompute(campaign.id)
    assert api.get("next/", topic="1").status_code == 204
    of_sample = {row.docno: row.inclusion for row in current_prels(campaign=campaign) if row.topic == "1"}
    recorded = Judgment.objects.filter(campaign=campaign)
    assert of_sample == dict(recorded.values_list("document__docno", "inclusion_probability"))
    assert len(of_sample) == 4


def test_random_with_a_depth_ends_when_its_documents_are_judged() -> None:
    campaign = make_campaign(lists=LISTS, method="random", options={"depth": 2})
    recompute(campaign.id)
    api, served = assessor(campaign), []
    while (reply := api.get("next/", topic="1")).status_code == 200:
        served.append(reply.json()["document"]["docno"])
        api.judge("1", served[-1], grade=0)
        recompute(campaign.id)
    assert sorted(served) == ["d00", "d01", "d18", "d19"]
