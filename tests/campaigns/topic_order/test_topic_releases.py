"""Topics are released in an order, a few ahead of the assessors, and by hand at any moment."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User

from campaigns.collection import topics
from campaigns.core.errors import Refusal
from campaigns.formats.topics import TopicRecord
from campaigns.judging import topic_closure
from campaigns.log.audit import AUDIT_GROUPS
from campaigns.models import Campaign, Deed, Delivery, Event, Membership, TopicOrder
from campaigns.models.topics import Release
from campaigns.notifications import webhooks
from campaigns.setup import campaigns as services
from campaigns.topic_offers.offers import offers, standings
from campaigns.topic_order import releases
from campaigns.topic_order.order_content import stored_order
from campaigns.topic_order.tasks import campaigns_to_order
from tests.campaigns.factories import Api, make_campaign
from tests.campaigns.topic_order.ordered_campaigns import judge, ordered, released, topic, work

pytestmark = pytest.mark.django_db


def offered(campaign: Campaign, who: str = "grace") -> list[str]:
    user = User.objects.get(username=f"{campaign.name}-{who}")
    found = offers(standings(user=user.id, campaigns=[campaign]), seed="1")
    return [one.number for one in [*found.assigned, *found.drawn]]


def refusal(act: Callable[[], object]) -> Refusal:
    with pytest.raises(Refusal) as refused:
        act()
    return refused.value


def test_without_an_order_every_topic_is_offered_and_nothing_is_computed() -> None:
    campaign = make_campaign()
    assert offered(campaign) == ["1", "2"]
    work(campaign)
    assert campaigns_to_order() == []
    assert not TopicOrder.objects.exists()
    assert set(campaign.topics.values_list("release", flat=True)) == {Release.RELEASED}


def test_one_topic_for_each_assessor_and_one_ahead_are_released() -> None:
    campaign = ordered()
    assert offered(campaign) == []
    work(campaign)
    assert len(released(campaign)) == 3
    assert sorted(offered(campaign)) == sorted(released(campaign))
    assert Api(campaign, "Order-grace").get("topics/").json()["results"] != []
    found = {row["number"] for row in Api(campaign, "Order-grace").get("topics/").json()["results"]}
    assert found == set(released(campaign))


def test_the_next_is_released_when_one_reaches_its_minimum_or_is_closed() -> None:
    campaign = ordered()
    work(campaign)
    first, second, third = released(campaign)
    judge(campaign, first, "2")
    work(campaign)
    assert len(released(campaign)) == 3
    grace = Api(campaign, "Order-grace")
    assert grace.judge(first, f"t{first}d1", 0).status_code == 201
    work(campaign)
    assert len(released(campaign)) == 4
    ada = User.objects.get(username="Order-ada")
    topic_closure.close_for_all(campaign=campaign, topic=topic(campaign, second), organiser=ada)
    work(campaign)
    assert len(released(campaign)) == 5
    assert released(campaign)[:3] == [first, second, third]


def test_next_in_order_is_the_topic_that_was_released_first() -> None:
    campaign = ordered("hand", first=["5", "3", "7"])
    work(campaign)
    assert released(campaign) == ["5", "3", "7"]
    user = User.objects.get(username="Order-grace")
    found = offers(standings(user=user.id, campaigns=[campaign]), seed="1")
    assert found.next_in_order is not None
    assert found.next_in_order.number == "5"
    # Alan gets another topic than the one that Grace has begun.
    judge(campaign, "5", "2")
    alan = User.objects.get(username="Order-alan")
    found = offers(standings(user=alan.id, campaigns=[campaign]), seed="1")
    assert found.next_in_order is not None
    assert found.next_in_order.number == "3"


def test_a_topic_that_is_not_released_is_neither_served_nor_prefetched() -> None:
    campaign = ordered("hand")
    work(campaign)
    grace = Api(campaign, "Order-grace")
    refused = grace.get("next/", topic="8")
    assert (refused.status_code, refused.json()["code"]) == (409, "not_released")
    assert grace.client.get(f"/judge/{campaign.slug}/8/").status_code == 409
    assert b"not released yet" in grace.client.get(f"/judge/{campaign.slug}/8/").content
    assert grace.get("next/", topic="1").status_code == 200


def test_whoever_has_begun_a_topic_goes_on_when_it_is_held_back() -> None:
    campaign = ordered("hand")
    work(campaign)
    judge(campaign, "1", "2")
    releases.hold(campaign=campaign, number="1")
    assert Api(campaign, "Order-grace").get("next/", topic="1").status_code == 200
    assert Api(campaign, "Order-alan").get("next/", topic="1").status_code == 409
    assert "1" not in offered(campaign, "alan")
    work(campaign)
    assert topic(campaign, "1").release == Release.HELD
    assert released(campaign)[-1] == "4"


def test_a_judgment_made_before_the_topic_was_held_back_is_recorded() -> None:
    campaign = ordered("hand")
    work(campaign)
    grace = Api(campaign, "Order-grace")
    assert grace.get("next/", topic="2").status_code == 200
    releases.hold(campaign=campaign, number="2")
    assert grace.judge("2", "t2d0", 1).status_code == 201


def test_paused_assessors_need_no_topic() -> None:
    campaign = ordered("hand", ahead=0)
    Membership.objects.filter(user__username="Order-alan").update(paused_at="2026-01-01T00:00Z")
    work(campaign)
    assert released(campaign) == ["1"]


def test_more_topics_wanted_than_there_are_releases_all() -> None:
    campaign = ordered(ahead=1000)
    work(campaign)
    assert sorted(released(campaign)) == [str(n) for n in range(1, 9)]
    work(campaign)
    assert campaigns_to_order() == []


def test_release_hold_requeue_and_move_by_hand() -> None:
    campaign = ordered("hand")
    work(campaign)
    releases.release(campaign=campaign, number="8")
    assert released(campaign)[-1] == "8"
    assert topic(campaign, "8").release_reason == {"how": "hand"}
    releases.move(campaign=campaign, number="7", place=1)
    assert releases.waiting_order(campaign) == ["7", "4", "5", "6"]
    releases.move(campaign=campaign, number="5", place=2)
    assert campaign.topics_first == ["7", "5"]
    releases.hold(campaign=campaign, number="7")
    assert releases.waiting_order(campaign) == ["5", "4", "6"]
    releases.requeue(campaign=campaign, number="7")
    assert releases.waiting_order(campaign) == ["7", "5", "4", "6"]
    kinds = set(Deed.objects.values_list("kind", flat=True))
    assert {"topic order", "topic released", "topic moved", "topic held", "topic requeued"} <= kinds
    assert {"topic order", "topic released", "topic moved", "topic held"} <= set(AUDIT_GROUPS["topics"])


@pytest.mark.parametrize(
    ("act", "code", "status"),
    [
        (lambda c: releases.release(campaign=c, number="1"), "released", 409),
        (lambda c: releases.release(campaign=c, number="99"), "unknown_topic", 404),
        (lambda c: releases.release(campaign=c, number="\0"), "unknown_topic", 404),
        (lambda c: releases.requeue(campaign=c, number="1"), "not_held", 409),
        (lambda c: releases.move(campaign=c, number="1", place=1), "not_waiting", 409),
        (lambda c: releases.move(campaign=c, number="8", place=6), "bad_place", 400),
        (lambda c: releases.move(campaign=c, number="8", place=0), "bad_place", 400),
        (lambda c: releases.set_order(campaign=c, method="oracle"), "unknown_method", 400),
        (lambda c: releases.set_order(campaign=c, method="hand", options={"first": 2}), "bad_options", 400),
        (
            lambda c: releases.set_order(campaign=c, method="adaptive", options={"last": 2}),
            "bad_options",
            400,
        ),
        (lambda c: releases.set_order(campaign=c, method="hand", ahead=1001), "bad_ahead", 400),
        (lambda c: releases.set_order(campaign=c, method="hand", first=["9"]), "unknown_topic", 400),
    ],
)
def test_what_cannot_be_done_is_refused(act: Callable[[Campaign], None], code: str, status: int) -> None:
    campaign = ordered("hand")
    work(campaign)
    refused = refusal(lambda: act(campaign))
    assert (refused.code, refused.status) == (code, status)


def test_without_an_order_nothing_is_released_by_hand() -> None:
    assert refusal(lambda: releases.release(campaign=make_campaign(), number="1")).code == "no_order"


def test_begun_topics_stay_released_and_taking_the_order_away_releases_all() -> None:
    campaign = make_campaign("Order", min_judgments=2)
    assert Api(campaign, "Order-grace").judge("2", "k", 1).status_code == 201
    releases.set_order(campaign=campaign, method="adaptive")
    assert [topic(campaign, n).release for n in "12"] == [Release.WAITING, Release.RELEASED]
    releases.set_order(campaign=campaign, method="")
    assert [topic(campaign, n).release for n in "12"] == [Release.RELEASED, Release.RELEASED]


def test_new_topics_wait_and_removed_ones_are_forgotten() -> None:
    campaign = ordered("hand", ahead=0, first=["8", "4"])
    work(campaign)
    ada = User.objects.get(username="Order-ada")
    topics.store_topics(campaign=campaign, user=ada, records=[TopicRecord("9", "new", "", "")])
    assert topic(campaign, "9").release == Release.WAITING
    topics.remove_topics(campaign=campaign, numbers=["4"])
    releases.move(campaign=campaign, number="9", place=1)
    judge(campaign, "8")
    work(campaign)
    # No run answers topic 9: it is released at its place, and occupies no assessor.
    assert released(campaign) == ["8", "9", "1", "2"]


def test_a_topic_that_is_opened_again_counts_as_open() -> None:
    campaign = ordered("hand", ahead=0)
    work(campaign)
    ada = User.objects.get(username="Order-ada")
    topic_closure.close_for_all(campaign=campaign, topic=topic(campaign, "1"), organiser=ada)
    work(campaign)
    assert released(campaign) == ["1", "2", "3"]
    topic_closure.reopen_topic(campaign=campaign, topic=topic(campaign, "1"))
    judge(campaign, "2")
    work(campaign)
    assert released(campaign) == ["1", "2", "3"]


def test_a_release_is_told_with_its_reason(django_capture_on_commit_callbacks: Callable[..., object]) -> None:
    campaign = ordered()
    ada = User.objects.get(username="Order-ada")
    webhooks.add(campaign=campaign, user=ada, url="https://hooks.example.org/x", events=["topic.released"])
    with django_capture_on_commit_callbacks(execute=True):  # type: ignore[attr-defined]
        work(campaign)
    assert Delivery.objects.filter(kind="topic.released").count() == 3
    assert Event.objects.filter(kind="release").count() == 3
    deed = Deed.objects.filter(kind="topic released").first()
    assert deed is not None
    assert (deed.actor_name, deed.detail["method"], deed.detail["how"]) == ("the system", "adaptive", "drawn")
    judge(campaign, released(campaign)[0])
    work(campaign)
    reason = topic(campaign, released(campaign)[-1]).release_reason
    assert reason["how"] == "method"
    assert {"correlation", "uncertainty", "expected", "adds"} <= set(reason)


def test_nothing_is_released_in_a_paused_campaign() -> None:
    campaign = ordered()
    services.pause(campaign=campaign)
    work(campaign)
    assert released(campaign) == []
    assert stored_order(campaign.id) is None
