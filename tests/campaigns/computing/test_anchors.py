"""Anchors from the setting to the draw, the judgment, the pages, a copy and a bundle."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from campaigns.collection.topics import set_method
from campaigns.computing import worker
from campaigns.computing.tasks import recompute
from campaigns.core.errors import Refusal
from campaigns.judging.topic_closure import close_for_all, reopen_topic
from campaigns.log.current import current_qrels
from campaigns.models import Anchor, Campaign, Computed, Judgment, Priority
from campaigns.models.campaign import RANDOM_METHODS
from campaigns.results.anchors import AnchorProgress, anchor_progress, may_offer_anchors
from campaigns.results.queues import queue_view
from campaigns.setup import campaigns as services
from campaigns.setup.copies import copy_settings
from tests.campaigns.exchange.bundles.bundle_copies import computed, copied, packed
from tests.campaigns.factories import Api, make_campaign, signed_in
from tests.campaigns.stopping.stopping_look import predict_scores

pytestmark = pytest.mark.django_db

TOPICS = [str(number) for number in range(1, 7)]
LISTS = {
    "x": {topic: [f"d{topic}-{n:02}" for n in range(20)] for topic in TOPICS},
    "y": {topic: [f"d{topic}-{n:02}" for n in range(29, 9, -1)] for topic in TOPICS},
}


def made(**settings: Any) -> Campaign:
    campaign = make_campaign(lists=LISTS, **{"anchors": 12, **settings})
    recompute(campaign.id)
    return campaign


@pytest.fixture
def campaign() -> Campaign:
    return made()


def drawn(campaign: Campaign) -> list[tuple[str, str]]:
    rows = Anchor.objects.filter(topic__campaign=campaign).order_by("place")
    return list(rows.values_list("topic__number", "document__docno"))


def queued(campaign: Campaign, topic: str) -> list[tuple[str, str]]:
    view = queue_view(campaign=campaign, topic=campaign.topics.get(number=topic), limit=50)
    return [(row.docno, row.method) for row in view.rows]


def anchors_in_queues(campaign: Campaign) -> set[tuple[str, str]]:
    return {
        (topic, docno) for topic in TOPICS for docno, method in queued(campaign, topic) if method == "anchor"
    }


def judge_anchors(campaign: Campaign, topic: str, assessor: str = "Small-grace") -> int:
    """As the assessor is served, until the method's own choice comes."""
    api, count = Api(campaign, assessor), 0
    docno = api.get("next/", topic=topic).json()["docno"]
    while (topic, docno) in drawn(campaign):
        # What follows the open document is foreseen.
        recompute(campaign.id)
        reply = api.judge(topic, docno, count % 2)
        assert reply.status_code == 201
        docno, count = reply.json()["next"]["docno"], count + 1
    recompute(campaign.id)
    return count


def test_anchors_are_drawn_once_over_all_topics(campaign: Campaign) -> None:
    first = drawn(campaign)
    assert len(first) == len(set(first)) == 12
    assert len({topic for topic, _ in first}) > 2
    assert anchors_in_queues(campaign) == set(first)
    assert set(Anchor.objects.values_list("seed", "as_of")) == {(campaign.seed, 0)}
    Api(campaign, "Small-grace").judge("1", "d1-05", 1)
    services.change_settings(campaign=campaign, p=0.9)
    recompute(campaign.id)
    assert drawn(campaign) == first


def test_each_topic_serves_its_anchors_first_and_exactly() -> None:
    campaign = made(method="A")
    of_topic = {topic: [docno for of, docno in drawn(campaign) if of == topic] for topic in TOPICS}
    for topic, docnos in of_topic.items():
        rows = queued(campaign, topic)
        assert [docno for docno, _ in rows[: len(docnos)]] == docnos
        assert {method for _, method in rows[len(docnos) :]} == {"A"}
        assert judge_anchors(campaign, topic) == len(docnos)
    by_anchor = Judgment.objects.filter(method="anchor")
    assert set(by_anchor.values_list("topic__number", "document__docno")) == set(drawn(campaign))
    assert all(by_anchor.values_list("served_exactly", flat=True))
    assert {(topic, docno) for topic, docno, _ in current_qrels(campaign=campaign)} == set(drawn(campaign))
    assert anchors_in_queues(campaign) == set()
    assert anchor_progress(campaign) == AnchorProgress(12, 12, 12, 0, True)


def test_no_anchor_goes_to_two_assessors_or_was_judged_before() -> None:
    campaign = made(anchors=0)
    grace, alan = Api(campaign, "Small-grace"), Api(campaign, "Small-alan")
    before = [("1", "d1-00"), ("2", "d2-00")]
    for topic, docno in before:
        grace.judge(topic, docno, 1)
    services.change_settings(campaign=campaign, anchors=48)
    recompute(campaign.id)
    assert not set(before) & set(drawn(campaign))
    assert set(Anchor.objects.values_list("as_of", flat=True)) == {2}
    for topic in TOPICS:
        served = [api.get("next/", topic=topic).json()["docno"] for api in (grace, alan)]
        assert len(set(served)) == 2


def test_another_process_and_a_rebuilt_copy_serve_the_same_anchors(campaign: Campaign) -> None:
    kept = [queued(campaign, topic) for topic in TOPICS]
    worker.forget_copies()
    Computed.objects.all().delete()
    Priority.objects.all().delete()
    recompute(campaign.id)
    assert [queued(campaign, topic) for topic in TOPICS] == kept


def test_a_draft_has_no_anchors_until_it_opens() -> None:
    campaign = make_campaign(lists=LISTS, anchors=12, opened=False)
    recompute(campaign.id)
    assert drawn(campaign) == []
    services.open_campaign(campaign=campaign)
    recompute(campaign.id)
    assert len(drawn(campaign)) == 12
    assert anchors_in_queues(campaign) == set(drawn(campaign))


def test_a_closed_topic_keeps_its_anchors_open(campaign: Campaign) -> None:
    ada = User.objects.get(username="Small-ada")
    topic = campaign.topics.get(number=drawn(campaign)[0][0])
    inside = sum(of == topic.number for of, _ in drawn(campaign))
    close_for_all(campaign=campaign, topic=topic, organiser=ada)
    for number in TOPICS:
        if number != topic.number:
            judge_anchors(campaign, number)
    assert anchor_progress(campaign) == AnchorProgress(12, 12, 12 - inside, inside, True)
    page = signed_in("Small-ada").get("/campaigns/small/").content.decode()
    assert f"{12 - inside} of 12 anchors judged." in page
    assert "closed topic" in page
    topic.refresh_from_db()
    reopen_topic(campaign=campaign, topic=topic)
    assert judge_anchors(campaign, topic.number) == inside
    assert anchor_progress(campaign).done


def test_samples_and_closed_topics_are_left_out_of_the_draw() -> None:
    campaign = made(anchors=0)
    for number, method in (("1", "statap"), ("2", "random"), ("3", "mtc+statap")):
        set_method(campaign=campaign, topics=[campaign.topics.get(number=number)], method=method)
    ada = User.objects.get(username="Small-ada")
    close_for_all(campaign=campaign, topic=campaign.topics.get(number="4"), organiser=ada)
    services.change_settings(campaign=campaign, anchors=48)
    recompute(campaign.id)
    assert {topic for topic, _ in drawn(campaign)} == {"5", "6"}
    assert not anchor_progress(campaign).everywhere
    set_method(campaign=campaign, topics=[campaign.topics.get(number="5")], method="random")
    recompute(campaign.id)
    assert {topic for topic, _ in anchors_in_queues(campaign)} == {"6"}
    assert not may_offer_anchors(make_campaign("Sampled", LISTS, method="statap"))


def test_the_count_stays_once_the_anchors_are_drawn(campaign: Campaign) -> None:
    with pytest.raises(Refusal, match="the anchors are drawn") as refused:
        services.change_settings(campaign=campaign, anchors=0)
    assert (refused.value.code, refused.value.status) == ("anchors_drawn", 409)
    with pytest.raises(Refusal, match="there are 0, 12, 24, 48 anchors, not 7"):
        services.change_settings(campaign=campaign, anchors=7)
    services.change_settings(campaign=campaign, anchors=12, budget=500)


@pytest.mark.parametrize("method", RANDOM_METHODS)
def test_random_samples_take_no_anchors_and_without_runs_none_are_offered(method: str) -> None:
    refused = pytest.raises(Refusal, match="which anchors would disturb: choose 0 anchors")
    with refused as at_once:
        make_campaign(lists=LISTS, method=method, anchors=24)
    assert (at_once.value.code, at_once.value.field) == ("bad_anchors", "anchors")
    campaign = make_campaign("Later", LISTS, method="C", anchors=24, opened=False)
    with refused as by_method:
        services.change_settings(campaign=campaign, method=method)
    assert (by_method.value.code, by_method.value.field) == ("bad_anchors", "method")
    services.change_settings(campaign=campaign, method=method, anchors=0)
    with refused as by_anchors:
        services.change_settings(campaign=campaign, anchors=12)
    assert by_anchors.value.field == "anchors"
    # As earlier versions let it be.
    Campaign.objects.filter(id=campaign.id).update(anchors=24)
    campaign.refresh_from_db()
    assert anchor_progress(campaign).count == 0
    services.change_settings(campaign=campaign, budget=500)
    copied = copy_settings(campaign=campaign, organiser=User.objects.get(username="Later-ada"), name="Copy")
    assert (copied.method, copied.anchors) == (method, 0)
    free = made(anchors=0, name="Free")
    assert may_offer_anchors(free)
    free.runs.update(withdrawn_at=timezone.now())
    assert not may_offer_anchors(free)


def test_a_copy_draws_its_own_and_a_bundle_carries_them(campaign: Campaign) -> None:
    judge_anchors(campaign, drawn(campaign)[0][0])
    before = computed(campaign)
    copy = copied(packed(campaign))
    assert drawn(copy) == drawn(campaign)
    assert computed(copy) == before
    assert anchor_progress(copy) == anchor_progress(campaign)
    ada = User.objects.get(username="Small-ada")
    settings_alone = copy_settings(campaign=campaign, organiser=ada, name="again", topics=True)
    assert (settings_alone.anchors, drawn(settings_alone)) == (12, [])


def test_pages_tell_an_anchor_from_the_methods_own_choice(campaign: Campaign) -> None:
    ada = signed_in("Small-ada")
    topic, docno = drawn(campaign)[0]
    own = next(docno for docno, method in queued(campaign, topic) if method == "C")
    assert '<td data-label="For">Anchor</td>' in ada.get(f"/campaigns/small/topics/{topic}/").content.decode()

    def why(docno: str) -> str:
        return ada.get(f"/campaigns/small/topics/{topic}/why/?docno={docno}").content.decode()

    assert "An anchor: drawn at random over all topics" in why(docno)
    assert "An anchor" not in why(own)


def test_assessors_are_not_told_which_documents_are_anchors(campaign: Campaign) -> None:
    [topic, _] = drawn(campaign)[0]
    grace = Api(campaign, "Small-grace")
    served = grace.get("next/", topic=topic)
    judged = grace.judge(topic, served.json()["docno"], 1)
    ahead = grace.client.get(f"/judge/small/{topic}/")
    own = grace.get("judgments/", topic=topic)
    for reply in (served, judged, own):
        assert reply.status_code < 300
        assert "anchor" not in reply.content.decode()
    assert "anchor" not in ahead.content.decode().lower()
    assert grace.client.get(grace.root).json().get("anchors") is None


def test_the_overview_offers_anchors_until_they_are_drawn() -> None:
    campaign = made(anchors=0)
    grace = Api(campaign, "Small-grace")
    for topic in TOPICS:
        for place in range(4):
            assert grace.judge(topic, f"d{topic}-{place:02}", place % 2).status_code == 201
    predict_scores(campaign)
    ada = signed_in("Small-ada")
    page = ada.get("/campaigns/small/").content.decode()
    assert 'href="/campaigns/small/setup/?step=measure#anchors"' in page
    assert 'id="anchors"' in ada.get("/campaigns/small/setup/").content.decode()
    services.change_settings(campaign=campaign, anchors=24)
    recompute(campaign.id)
    page = ada.get("/campaigns/small/").content.decode()
    assert "setup/?step=measure#anchors" not in page
    assert "0 of 24 anchors judged." in page
    setup = ada.get("/campaigns/small/setup/?step=measure").content.decode()
    assert "Anchors: 24. They are drawn, and stay as they are." in setup


def test_the_overview_says_when_all_are_judged(campaign: Campaign) -> None:
    for topic in TOPICS:
        judge_anchors(campaign, topic)
    page = signed_in("Small-ada").get("/campaigns/small/").content.decode()
    assert "Anchored by 12 judgments drawn at random over all topics." in page


def test_the_api_sets_anchors_for_organisers(campaign: Campaign) -> None:
    ada = Api(campaign, "Small-ada")
    assert ada.client.get(ada.root).json()["anchors"] == 12
    for value, status in ((12, 200), (24, 409), (7, 400), ("many", 400), (None, 400)):
        body = json.dumps({"anchors": value})
        assert ada.client.patch(ada.root, body, content_type="application/json").status_code == status
    new = {"name": "By API", "anchors": 24}
    assert ada.client.post("/api/v1/campaigns/", new, content_type="application/json").json()["anchors"] == 24
