"""Finished campaigns teach the predictions of others."""

from __future__ import annotations

import pytest

from campaigns.models import Campaign, Prediction
from campaigns.predictions import experience
from campaigns.predictions.experience import campaigns_to_learn_from, site_experience
from campaigns.setup import campaigns as services
from campaigns.stopping.tasks import learn_from
from selection.simulation.relevance.prior import NO_EXPERIENCE
from tests.campaigns.factories import Api, make_campaign
from tests.campaigns.stopping.stopping_look import predict_scores

ACTS = [("1", "a", 2), ("1", "b", 0), ("1", "g", 1), ("1", "h", 2), ("2", "k", 2), ("2", "l", 1)]


@pytest.fixture(autouse=True)
def few_judgments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(experience, "LEAST_JUDGED", len(ACTS))


def judged(name: str) -> Campaign:
    campaign = make_campaign(name)
    assessor = Api(campaign, f"{name}-grace")
    for topic, docno, grade in ACTS:
        assert assessor.judge(topic, docno, grade).status_code == 201
    predict_scores(campaign)
    return campaign


def close(campaign: Campaign) -> None:
    services.close(campaign=Campaign.objects.get(id=campaign.id))


def predicted(campaign: Campaign) -> dict[str, object]:
    return dict(Api(campaign, f"{campaign.name}-ada").get("predictions/").json())


@pytest.mark.django_db
def test_a_closed_campaign_corrects_the_predictions_of_others() -> None:
    past, present = judged("Past"), judged("Present")
    before = predicted(present)
    assert before["learned_from"] == 0
    assert campaigns_to_learn_from() == []
    close(past)
    assert campaigns_to_learn_from() == [past.id]
    learn_from(past.id)
    assert campaigns_to_learn_from() == []
    taught = Prediction.objects.get(campaign=past).experience
    assert taught is not None
    assert taught["as_of"] == len(ACTS)
    found, teachers = site_experience(other_than=present.id)
    assert teachers == 1
    assert found.level == pytest.approx(taught["level"] / 3)
    assert found.level != 0
    assert site_experience(other_than=past.id) == (NO_EXPERIENCE, 0)
    Prediction.objects.filter(campaign=present).update(as_of=0)
    predict_scores(present)
    after = predicted(present)
    assert after["learned_from"] == 1
    assert after["runs"] != before["runs"]


@pytest.mark.django_db
def test_a_reopened_campaign_teaches_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    past = judged("Past")
    close(past)
    learn_from(past.id)
    assert site_experience(other_than=0)[1] == 1
    services.open_campaign(campaign=Campaign.objects.get(id=past.id))
    assert site_experience(other_than=0)[1] == 0
    monkeypatch.setattr(experience, "LEAST_JUDGED", len(ACTS) + 1)
    close(past)
    Prediction.objects.filter(campaign=past).update(experience=None)
    assert campaigns_to_learn_from() == []
