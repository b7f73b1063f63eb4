"""How old queues were when they served, and what that gave up, against a slow computation for each moment."""

from __future__ import annotations

import random

import pytest

from campaigns.computing import foresight, worker
from campaigns.computing.health import ServingFigures, serving_figures
from campaigns.computing.live import LiveCampaign
from campaigns.computing.phases import look_aheads, next_phase
from campaigns.computing.tasks import recompute
from campaigns.models import Claim, Computed, Judgment, Priority, Topic
from campaigns.results.score_ranges import score_ranges_of
from tests.campaigns.computing.test_fold import gains_of, slow_weights
from tests.campaigns.factories import Api, Lists, make_campaign

pytestmark = pytest.mark.django_db

DOCNOS = [f"D{number:02}" for number in range(40)]
# Who judges which topic.
PLACES = {"Small-grace": "1", "Small-alan": "2"}


def lists_of(seed: int) -> Lists:
    chance = random.Random(seed)
    return {f"run{run}": {topic: chance.sample(DOCNOS, 30) for topic in ("1", "2")} for run in range(5)}


@pytest.mark.parametrize("scope", ["campaign", "topic"])
def test_figures_are_those_of_the_moment_of_serving(scope: str) -> None:
    lists = lists_of(7)
    campaign = make_campaign(lists=lists, scope=scope, method="C")
    recompute(campaign.id)
    people = {name: Api(campaign, name) for name in PLACES}
    served = {
        name: api.get("next/", topic=PLACES[name]).json()["document"]["docno"] for name, api in people.items()
    }
    recompute(campaign.id)
    chance = random.Random(8)
    applied, opened, expected = 0, dict.fromkeys(PLACES, 0), {}
    for length in range(1, 25):
        name = chance.choice(list(PLACES))
        topic = PLACES[name]
        answer = people[name].judge(topic, served[name], chance.choice([0, 0, 1, 2])).json()
        served[name] = answer["next"]["docno"]
        weights = slow_weights(lists, topic, gains_of(campaign), campaign.p, scope)
        acts = Judgment.objects.filter(sequence__gt=applied)
        if scope == "topic":
            acts = acts.filter(topic__number=topic)
        # What was foreseen for the act, before the worker was away, knows the act.
        age = acts.count() - (opened[name] <= applied)
        expected[topic, served[name]] = age, 1 - weights[served[name]] / max(weights.values())
        opened[name] = length
        if chance.random() < 0.4:
            recompute(campaign.id)
            applied = length
            opened = {who: min(at, applied) for who, at in opened.items()}
    rows = Judgment.objects.filter(weight_given_up__isnull=False, sequence__gt=2)
    found = {(row.topic.number, row.document.docno): row for row in rows}
    foreseen_rows = {place: row for place, row in found.items() if place in expected}
    assert len(foreseen_rows) > 5
    for place, row in foreseen_rows.items():
        assert row.queue_age == expected[place][0], place
        assert row.weight_given_up == pytest.approx(expected[place][1], abs=1e-9), place
    assert any(row.weight_given_up for row in foreseen_rows.values()) or scope == "topic"


def test_look_aheads_come_before_rows_and_rows_follow() -> None:
    campaign = make_campaign(lists=lists_of(3), method="C")
    recompute(campaign.id)
    api = Api(campaign, "Small-grace")
    docno = api.get("next/", topic="1").json()["document"]["docno"]
    recompute(campaign.id)
    copy = worker._copies[campaign.id]
    api.judge("1", docno, 2)
    assert next_phase(copy.live, copy.written) is look_aheads
    copy.written = look_aheads(copy.live, copy.written)
    assert Claim.objects.get().lookahead_as_of == 1
    assert Computed.objects.get(campaign=campaign).applied == 0
    worker.bring_up_to_date(copy.live, copy.written)
    assert Computed.objects.get(campaign=campaign).applied == 1
    assert Priority.objects.get(topic__number="1").as_of == 1
    assert max(row.base for row in score_ranges_of(campaign=campaign)) > 0
    # A copy that knows nothing of it writes the same.
    before = list(Priority.objects.order_by("topic").values_list("documents", "as_of"))
    worker.bring_up_to_date(LiveCampaign.from_rows(campaign))
    assert list(Priority.objects.order_by("topic").values_list("documents", "as_of")) == before


def test_what_was_folded_by_a_lost_process_is_written_by_another() -> None:
    campaign = make_campaign(lists=lists_of(4), method="C", scope="topic")
    recompute(campaign.id)
    api = Api(campaign, "Small-grace")
    docno = api.get("next/", topic="1").json()["document"]["docno"]
    lost = LiveCampaign.from_rows(campaign)
    written = worker.bring_up_to_date(lost)
    api.judge("1", docno, 2)
    look_aheads(lost, written)
    assert worker.campaigns_behind() == [campaign.id]
    recompute(campaign.id)
    assert worker.campaigns_behind() == []
    assert Priority.objects.get(topic__number="1").as_of == 1
    assert Judgment.objects.get().weight_given_up == 0.0


def test_free_documents_alone_count_as_given_up() -> None:
    """The best is on another assessor's screen: the second best gives up nothing."""
    campaign = make_campaign(lists=lists_of(5), method="C")
    recompute(campaign.id)
    for name in PLACES:
        Api(campaign, name).get("next/", topic="1")
    live = LiveCampaign.from_rows(campaign)
    worker.bring_up_to_date(live)
    topic = Topic.objects.get(number="1")
    head = live.documents(0, live.state.queue(0, 2))
    for claim in Claim.objects.filter(topic=topic):
        assert head.index(claim.document_id) in (0, 1)
        assert foresight.weight_given_up(live, claim, set()) == 0.0


def test_campaign_without_judgments_has_no_serving_figures() -> None:
    assert serving_figures(make_campaign()) == ServingFigures(None, None, None, 0, 0, 0)
