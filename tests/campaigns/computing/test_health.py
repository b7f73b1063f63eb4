"""A worker that computes nothing while judgments wait is named on the pages whose figures it makes."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from campaigns.computing.health import serving_figures, stalled_by
from campaigns.computing.tasks import recompute
from campaigns.judging.next_document import recall_document
from campaigns.models import Campaign, Claim, Computed, Heartbeat, Judgment
from campaigns.setup.campaigns import close
from tests.campaigns.factories import Api, make_campaign, signed_in

pytestmark = pytest.mark.django_db

LONG_AGO = timedelta(minutes=5)
PAGES = ("", "runs/", "topics/", "exports/", "planner/")


@pytest.fixture
def campaign() -> Campaign:
    """Three judgments, of which one is computed; all was long ago but for a worker's heartbeat."""
    campaign = make_campaign("Small")
    for number, docno in enumerate(("a", "b", "c"), start=1):
        assert Api(campaign, "Small-grace").judge("1", docno, 1).status_code == 201
        if number == 1:
            recompute(campaign.id)
    Judgment.objects.filter(campaign=campaign).update(created=timezone.now() - LONG_AGO)
    Computed.objects.filter(campaign=campaign).update(updated=timezone.now() - LONG_AGO)
    Heartbeat.objects.update_or_create(name="worker", defaults={"at": timezone.now()})
    return campaign


def status(campaign: Campaign) -> dict[str, object]:
    found = Api(campaign, "Small-ada").get("status/").json()
    return {name: found[name] for name in ("worker", "stalled", "head", "applied")}


def said(path: str) -> str:
    page = signed_in("Small-ada").get(f"/campaigns/small/{path}")
    assert page.status_code == 200
    return page.content.decode()


def test_a_frozen_worker_is_named_though_its_heartbeat_goes_on(campaign: Campaign) -> None:
    assert status(campaign) == {"worker": "up", "stalled": True, "head": 3, "applied": 1}
    for path in PAGES:
        assert "The figures lack the latest 2 log entries" in said(path)
    recompute(campaign.id)
    assert status(campaign) == {"worker": "up", "stalled": False, "head": 3, "applied": 3}
    for path in PAGES:
        assert "The figures lack" not in said(path)


def test_a_worker_that_computes_or_has_just_begun_is_not_stalled(campaign: Campaign) -> None:
    Computed.objects.filter(campaign=campaign).update(updated=timezone.now())
    assert stalled_by(campaign=campaign) == 0
    Computed.objects.filter(campaign=campaign).update(updated=timezone.now() - LONG_AGO)
    assert stalled_by(campaign=campaign) == 2
    Judgment.objects.filter(campaign=campaign).update(created=timezone.now())
    assert stalled_by(campaign=campaign) == 0


def test_figures_of_a_campaign_that_no_worker_computes_are_not_late(campaign: Campaign) -> None:
    close(campaign=campaign)
    assert stalled_by(campaign=campaign) == 2
    campaign.archived_at = timezone.now()
    campaign.save(update_fields=["archived_at"])
    assert stalled_by(campaign=campaign) == 0


def test_weights_that_were_not_measured_are_counted_and_have_no_mean(campaign: Campaign) -> None:
    Judgment.objects.filter(campaign=campaign).update(
        served_exactly=False, queue_age=649, weight_given_up=None
    )
    Judgment.objects.filter(campaign=campaign, sequence=1).update(weight_given_up=0.0)
    serving = Api(campaign, "Small-ada").get("status/").json()["serving"]
    assert serving == {
        "queue_age_median": 649,
        "queue_age_high": 649,
        "weight_given_up": None,
        "served": 3,
        "aged": 3,
        "weighed": 1,
    }


def test_ages_that_no_queue_could_have_are_not_missed(campaign: Campaign) -> None:
    rows = Judgment.objects.filter(campaign=campaign)
    rows.update(served_exactly=False, queue_age=None, weight_given_up=0.1)
    rows.filter(sequence=1).update(served_exactly=True, queue_age=2)
    found = serving_figures(campaign)
    assert (found.queue_age_median, found.served, found.aged) == (2, 3, 1)
    rows.filter(sequence=2).update(weight_given_up=None)
    assert serving_figures(campaign).queue_age_median is None


def test_a_document_recalled_from_the_screen_keeps_its_age(campaign: Campaign) -> None:
    docno = Api(campaign, "Small-alan").get("next/", topic="1").json()["document"]["docno"]
    open_ = Claim.objects.filter(topic__campaign=campaign, document__docno=docno)
    open_.update(queue_age=3, served_at=2, weight_given_up=0.1)
    topic, assessor = campaign.topics.get(number="1"), open_.get().assessor_id
    recall_document(campaign=campaign, topic=topic, docno=docno, assessor=assessor)
    claim = open_.get()
    assert (claim.recalled, claim.queue_age, claim.served_at, claim.weight_given_up) == (True, 3, 2, 0.1)
