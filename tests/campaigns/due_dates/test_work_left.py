"""What is left for each assessor: the same for all at once as on each one's own pages; and the pace."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from campaigns.collection import assignments
from campaigns.computing.tasks import recompute
from campaigns.due_dates.work_left import WorkLeft, due_work, work_left
from campaigns.models import Campaign, Claim, Postponement, TopicCompletion
from campaigns.setup.campaigns import change_settings
from campaigns.topic_offers.offers import offers, standings
from campaigns.topic_order import releases
from tests.campaigns.factories import Api, make_campaign

pytestmark = pytest.mark.django_db

DOCNOS = [f"d{number}" for number in range(6)]
LISTS = {tag: {str(number): DOCNOS for number in range(1, 9)} for tag in ("x", "y")}
DUE = datetime(2026, 11, 27, 18, 0, tzinfo=UTC)


def assign(campaign: Campaign, who: str, *numbers: str) -> None:
    topics = list(campaign.topics.filter(number__in=numbers))
    ada = User.objects.get(username="Small-ada")
    assignments.assign(campaign=campaign, topics=topics, username=f"Small-{who}", organiser=ada)


def on_own_pages(campaign: Campaign) -> dict[int, int]:
    found = {}
    for person in campaign.memberships.values_list("user", flat=True):
        own = standings(user=person, campaigns=[campaign])
        found[person] = offers(own, seed="", choice=campaign.topic_choice).left
    return {person: left for person, left in found.items() if left}


def at_once(campaign: Campaign) -> dict[int, int]:
    return {person: left.judgments for person, left in work_left(campaign=campaign).items()}


def test_assigned_and_begun_topics_are_left_up_to_the_minimum() -> None:
    campaign = make_campaign("Small", LISTS, min_judgments=3)
    grace, alan = (User.objects.get(username=f"Small-{who}").id for who in ("grace", "alan"))
    assert work_left(campaign=campaign) == {}
    assign(campaign, "grace", "1", "2")
    for docno in DOCNOS[:2]:
        Api(campaign, "Small-alan").judge("3", docno, 1)
    assert work_left(campaign=campaign) == {grace: WorkLeft(6, 2), alan: WorkLeft(1, 1)}
    Api(campaign, "Small-alan").judge("3", DOCNOS[2], 1)
    assert work_left(campaign=campaign) == {grace: WorkLeft(6, 2)}


def random_act(campaign: Campaign, rng: Random) -> Any:
    who, topic = rng.choice(["grace", "alan"]), str(rng.randint(1, 8))
    api = Api(campaign, f"Small-{who}")
    match rng.randrange(7):
        case 0:
            return assign(campaign, who, topic)
        case 1:
            return api.post(f"topics/{topic}/done/")
        case 2:
            return api.get("next/", topic=topic)
        case 3:
            return api.judge(topic, rng.choice(DOCNOS), undo=True)
        case _:
            return api.judge(topic, rng.choice(DOCNOS), rng.randint(0, 2))


@pytest.mark.parametrize("choice", ["free", "assigned"])
@pytest.mark.parametrize("seed", range(4))
def test_all_at_once_equals_own_pages(choice: str, seed: int) -> None:
    settings: dict[str, Any] = {"overlap_share": 0.5, "repeat_share": 0.4, "topic_choice": choice}
    campaign = make_campaign("Small", LISTS, min_judgments=3, seed=seed, **settings)
    if seed == 3:
        releases.set_order(campaign=campaign, method="hand")
    rng, differed = Random(seed), set()
    assign(campaign, "grace", "1", "2", "3")
    for place in range(60):
        random_act(campaign, rng)
        if place % 20 == 10:
            recompute(campaign.id)
        if place % 15 == 0:
            topic = campaign.topics.get(number=str(rng.randint(1, 8)))
            person = User.objects.get(username="Small-grace")
            document = campaign.collection.documents.get(docno="d5")
            Postponement.objects.get_or_create(assessor=person, topic=topic, document=document)
        if place == 40:
            campaign.topics.filter(number="2").update(closed_at=timezone.now())
        found = at_once(campaign)
        assert found == on_own_pages(campaign)
        differed.add(tuple(sorted(found.items())))
    assert len(differed) > 5
    assert Claim.objects.exists() or choice == "assigned"


def test_a_topic_that_is_done_or_used_up_is_not_left() -> None:
    campaign = make_campaign("Small", LISTS, min_judgments=40)
    grace = User.objects.get(username="Small-grace")
    for docno in DOCNOS:
        Api(campaign, "Small-grace").judge("1", docno, 1)
    assert at_once(campaign) == {grace.id: 34}
    recompute(campaign.id)
    assert at_once(campaign) == on_own_pages(campaign) == {}
    Api(campaign, "Small-grace").judge("2", "d0", 1)
    assert at_once(campaign) == {grace.id: 5}
    TopicCompletion.objects.create(topic=campaign.topics.get(number="2"), assessor=grace)
    assert at_once(campaign) == {}


@pytest.mark.parametrize(
    ("hours", "per_day", "over"),
    [(96, 3, False), (97, 3, False), (25, 6, False), (24, None, False), (1, None, False), (0, None, True)],
)
def test_pace_counts_the_days_left(hours: int, per_day: int | None, over: bool) -> None:
    campaign = Campaign(due_at=DUE, status="open")
    found = due_work(campaign=campaign, left=12, now=DUE - timedelta(hours=hours))
    assert found is not None
    assert (found.left, found.per_day, found.over) == (12, per_day, over)


@pytest.mark.parametrize("change", [{"due_at": None}, {"status": "closed"}, {"archived_at": DUE}])
def test_no_due_date_matters_where_nothing_is_to_do(change: dict[str, Any]) -> None:
    campaign = Campaign(**{"due_at": DUE, "status": "open", **change})
    assert due_work(campaign=campaign, left=12, now=DUE) is None


def test_change_of_the_minimum_changes_what_is_left() -> None:
    campaign = make_campaign("Small", LISTS, min_judgments=3)
    assign(campaign, "grace", "1")
    change_settings(campaign=campaign, min_judgments=5)
    assert list(at_once(campaign).values()) == [5]
