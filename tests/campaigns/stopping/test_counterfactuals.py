"""A campaign under another method: asked for, replayed, read by its organisers alone."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from campaigns.collection.run_changes import withdraw
from campaigns.computing.tasks import recompute
from campaigns.core.database import ALL_CAMPAIGNS, Space, try_campaign_lock
from campaigns.core.errors import Refusal
from campaigns.models import Campaign, Counterfactual
from campaigns.results.score_ranges import score_ranges_of
from campaigns.stopping import counterfactuals
from campaigns.stopping.tasks import plan_where_due, replay_counterfactual
from tests.campaigns.factories import Api, make_campaign, make_user, signed_in
from tests.campaigns.stopping.test_planner import words

pytestmark = pytest.mark.django_db

PAGE = "/campaigns/small/counterfactual/"


@pytest.fixture
def campaign() -> Campaign:
    """Judged down the list of run x, as no method would; the last document is judged by two."""
    campaign = make_campaign("Small")
    grace, alan = Api(campaign, "Small-grace"), Api(campaign, "Small-alan")
    for docno, grade in (("e", 0), ("d", 0), ("c", 2), ("b", 1)):
        assert grace.judge("1", docno, grade).status_code == 201
    assert alan.judge("1", "b", 2).status_code == 201
    return campaign


def computed(campaign: Campaign, method: str) -> Counterfactual:
    counterfactuals.request(campaign=campaign, method=method)
    replay_counterfactual(campaign.id)
    return Counterfactual.objects.get(campaign=campaign)


def test_documents_asked_for_are_counted_by_whether_they_were_judged(campaign: Campaign) -> None:
    found = computed(campaign, "pooling")
    assert (found.state, found.as_of) == ("done", 5)
    # By pooling first ranks come first: a, b and h of topic 1, k or l of topic 2; of these b was judged.
    content = found.content
    assert (content["asked"], content["judged"], content["unjudged"]) == (4, 1, 3)
    sent = json.loads(found.other)
    bases = {run: sum(sent["base"][at]) / sent["unit"] for at, run in enumerate(sent["runs"])}
    # b is at rank 2 of x and rank 1 of y; two topics.
    assert bases["x"] == pytest.approx(0.16 / 2, abs=1e-4)
    assert bases["y"] == pytest.approx(0.2 / 2, abs=1e-4)


def test_the_whole_replay_ends_at_the_campaigns_own_score_ranges(campaign: Campaign) -> None:
    recompute(campaign.id)
    found = computed(campaign, "A")
    sent = json.loads(found.actual)
    assert sent["judged"] == [0, 1, 2, 3, 4]
    assert sent["runs"] == ["x", "y", "z"]
    for row in score_ranges_of(campaign=campaign):
        place = sent["runs"].index(row.run)
        assert sum(sent["base"][place]) / sent["unit"] == pytest.approx(row.base, abs=1e-4)
        assert sum(sent["top"][place]) / sent["unit"] == pytest.approx(row.base + row.residual, abs=1e-4)


def test_withdrawn_runs_are_not_shown(campaign: Campaign) -> None:
    withdraw(run=campaign.runs.get(tag="z"))
    found = computed(campaign, "C")
    assert json.loads(found.other)["runs"] == ["x", "y"]


def test_what_cannot_be_asked_for(campaign: Campaign) -> None:
    for method in ("cal", "no-method"):
        with pytest.raises(Refusal) as refused:
            counterfactuals.request(campaign=campaign, method=method)
        assert refused.value.field == "method"
    with pytest.raises(Refusal) as refused:
        counterfactuals.request(campaign=make_campaign("Fresh"), method="A")
    assert refused.value.code == "not_judged"
    assert not Counterfactual.objects.exists()


def test_failures_are_stored_with_their_reason(campaign: Campaign, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counterfactuals, "is_large", lambda live: True)
    found = computed(campaign, "A")
    assert (found.state, found.actual) == ("failed", "")
    assert "too large to be replayed" in words(signed_in("Small-ada").get(PAGE))


def test_a_lost_replay_is_taken_up_again(campaign: Campaign) -> None:
    counterfactuals.request(campaign=campaign, method="A")
    assert counterfactuals.unfinished_counterfactuals() == []
    Counterfactual.objects.update(updated=timezone.now() - timedelta(minutes=1), state="running")
    assert counterfactuals.unfinished_counterfactuals() == [campaign.id]
    with try_campaign_lock(Space.ADVICE, ALL_CAMPAIGNS) as alone:
        assert alone
    replay_counterfactual(campaign.id)
    assert Counterfactual.objects.get().state == "done"
    replay_counterfactual(campaign.id)
    plan_where_due()


def test_the_page_shows_what_was_found(campaign: Campaign) -> None:
    ada = signed_in("Small-ada")
    assert "asks for as many documents" in words(ada.get(PAGE))
    assert ada.post(PAGE, {"method": "cal"}).status_code == 400
    asked = ada.post(PAGE, {"method": "pooling"})
    assert (asked.status_code, asked["Location"]) == (302, PAGE)
    assert "Replaying by Pooling" in words(ada.get(PAGE))
    assert "HX-Refresh" not in ada.get(PAGE + "found/").headers
    assert ada.get(PAGE + "other.json").status_code == 404
    replay_counterfactual(campaign.id)
    assert ada.get(PAGE + "found/").headers["HX-Refresh"] == "true"
    shown = words(ada.get(PAGE))
    assert "Pooling asks for 4 documents: 1 judged, 3 never judged." in shown
    assert "So the comparison is biased" in shown
    labels = [ada.get(f"{PAGE}{which}.json").json()["label"] for which in ("actual", "other")]
    assert labels == ["As it was judged", "Pooling"]
    assert ada.get(PAGE + "third.json").status_code == 404
    Campaign.objects.update(configuration=campaign.configuration + 1)
    assert "have changed since" in words(ada.get(PAGE))


@pytest.mark.parametrize("path", ["", "found/", "actual.json", "other.json"])
def test_others_do_not_get_it(campaign: Campaign, path: str) -> None:
    computed(campaign, "A")
    make_user("eve")
    for who, status in (("Small-grace", 403), ("eve", 404)):
        client: Any = signed_in(who)
        assert client.get(PAGE + path).status_code == status
        assert client.post(PAGE + path, {"method": "A"}).status_code in (status, 405)
    assert Counterfactual.objects.get().state == "done"
    if path:
        assert signed_in("Small-ada").post(PAGE + path).status_code == 405


def test_a_campaign_without_judgments_has_nothing_to_replay() -> None:
    make_campaign("Small")
    ada = signed_in("Small-ada")
    assert "Nothing judged yet" in words(ada.get(PAGE))
    reply = ada.post(PAGE, {"method": "A"})
    assert reply.status_code == 400
    assert not Counterfactual.objects.exists()
