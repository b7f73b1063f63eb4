"""The order as the worker computes it: the kernel's, with what it suffers from, and recomputed when due."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from campaigns.collection import run_changes
from campaigns.core.database import ALL_CAMPAIGNS, Space
from campaigns.models import Campaign, TopicOrder
from campaigns.models.topics import Release
from campaigns.setup.campaigns import change_settings
from campaigns.setup.copies import copy_settings
from campaigns.topic_order import releases
from campaigns.topic_order.method_input import order_setting
from campaigns.topic_order.order_content import StoredOrder, stored_order
from campaigns.topic_order.tasks import campaigns_to_order, order_topics
from campaigns.topic_order.view import topic_order_view
from config.embedded.processes import Child
from selection.topics.methods import explain, make_topic_method
from selection.topics.performance import estimate
from tests.campaigns.factories import Api, Lists, add_run
from tests.campaigns.stopping.stopping_look import look
from tests.campaigns.topic_order.ordered_campaigns import judge, many_topics, ordered, released, work
from tests.plumbing.idle import wait_for, wait_until_idle
from tests.plumbing.locks import held_elsewhere

pytestmark = pytest.mark.django_db


def stored(campaign: Campaign) -> StoredOrder:
    found = stored_order(campaign.id)
    assert found is not None
    return found


def notes(campaign: Campaign) -> list[str]:
    campaign.refresh_from_db()
    return topic_order_view(campaign).notes


@pytest.mark.parametrize("method", ["adaptive", "adaptive+", "adaptive*", "iqp"])
def test_the_order_is_the_kernels(method: str) -> None:
    campaign = ordered(method)
    work(campaign)
    for number in released(campaign)[:2]:
        judge(campaign, number)
    work(campaign)
    found = stored(campaign).content
    given = order_setting(campaign, look(campaign))
    at = {number: place for place, number in enumerate(given.setting.numbers)}
    chosen = [at[one.topic] for one in found.topics if one.how == "released"]
    direct = make_topic_method(method, given.setting, {}).choose(chosen, given.judged, 8)
    assert [at[one.topic] for one in found.following] == [choice.topic for choice in direct]
    assert [one.votes for one in found.following] == [choice.votes for choice in direct]
    [matrix, *_] = estimate(given.setting, given.judged)
    reasons = explain(matrix, [at[one.topic] for one in found.topics])
    for one, reason in zip(found.topics, reasons, strict=True):
        assert (one.correlation, one.uncertainty, one.gamma, one.expected) == pytest.approx(
            (reason.correlation, reason.uncertainty, reason.gamma, reason.expected)
        )
    assert sum(one.adds or 0 for one in found.topics) == pytest.approx(found.topics[-1].expected)


@pytest.mark.parametrize("variance", ["published", "delta"])
def test_orders_name_the_variance_of_average_precision(variance: str) -> None:
    """Of AP only Adaptive* reads a campaign's runs; an order of an older version names no variance."""
    campaign = ordered("adaptive*")
    assert campaign.topic_options == {"variance": "published"}
    if variance == "delta":
        Campaign.objects.filter(id=campaign.id).update(topic_options={})
        campaign.refresh_from_db()
    assert topic_order_view(campaign).options == {"variance": variance}
    work(campaign)
    judge(campaign, released(campaign)[0])
    work(campaign)
    found = stored(campaign).content
    given = order_setting(campaign, look(campaign))
    at = {number: place for place, number in enumerate(given.setting.numbers)}
    chosen = [at[one.topic] for one in found.topics if one.how == "released"]
    method = make_topic_method("adaptive*", given.setting, {"variance": variance})
    direct = method.choose(chosen, given.judged, 8)
    assert [at[one.topic] for one in found.following] == [choice.topic for choice in direct]
    copy = copy_settings(campaign=campaign, organiser=User.objects.get(username="Order-ada"), name="Next")
    assert copy.topic_options == {"variance": variance}
    api = Api(campaign, "Order-ada")
    api.client.patch(f"{api.root}topics/order/", {"ahead": 3}, content_type="application/json")
    campaign.refresh_from_db()
    assert (campaign.topic_options, campaign.topics_ahead) == ({"variance": variance}, 3)


def test_what_is_judged_is_known_and_grades_count_by_their_gains() -> None:
    campaign = ordered("hand")
    work(campaign)
    judge(campaign, "1", "20")
    given = order_setting(campaign, look(campaign))
    assert sorted(given.judged) == [0]
    known = given.judged[0]
    assert sorted(known[~np.isnan(known)].tolist()) == [0.0, 1.0]


def test_it_is_computed_again_when_inputs_change_and_not_otherwise() -> None:
    campaign = ordered()
    work(campaign)
    assert campaigns_to_order() == []
    first = TopicOrder.objects.get().updated
    work(campaign)
    assert TopicOrder.objects.get().updated == first
    judge(campaign, released(campaign)[0], "2")
    look(campaign)
    # Judgments alone wait until the order has rested, however slow this machine is.
    TopicOrder.objects.update(updated=timezone.now() + timedelta(hours=1))
    assert campaigns_to_order() == []
    TopicOrder.objects.update(updated=timezone.now() - timedelta(minutes=1))
    assert campaigns_to_order() == [campaign.id]
    work(campaign)
    assert (TopicOrder.objects.get().as_of, campaigns_to_order()) == (1, [])
    changes: list[Callable[[], object]] = [
        lambda: releases.set_order(campaign=campaign, method="adaptive", ahead=2),
        lambda: releases.set_order(campaign=campaign, method="iqp"),
        lambda: releases.hold(campaign=campaign, number=releases.waiting_order(campaign)[0]),
        lambda: add_run(campaign, "late", many_topics()["r3"]),
        lambda: run_changes.withdraw(run=campaign.runs.get(tag="r6")),
    ]
    for change in changes:
        change()
        campaign.refresh_from_db()
        assert campaigns_to_order() == [campaign.id]
        work(campaign)
        assert campaigns_to_order() == []


def test_it_waits_for_another_background_computation() -> None:
    campaign = ordered()
    with held_elsewhere(Space.PREDICTIONS, ALL_CAMPAIGNS):
        work(campaign)
        assert not TopicOrder.objects.exists()
    work(campaign)
    assert TopicOrder.objects.exists()


def test_what_a_killed_worker_had_found_is_continued() -> None:
    campaign = ordered(ahead=0)
    releases.release(campaign=campaign, number="1")
    releases.release(campaign=campaign, number="2")
    for number in "12":
        judge(campaign, number)
    releases.release(campaign=campaign, number="3")
    releases.release(campaign=campaign, number="4")
    work(campaign)
    row = TopicOrder.objects.get()
    order = [one["topic"] for one in row.content["topics"] if one["how"] != "released"]
    # The places that were stored before are kept, here in another order than the method's.
    swapped = [order[1], order[0]]
    rows = [one for one in row.content["topics"] if one["topic"] in swapped]
    row.content["topics"] = sorted(rows, key=lambda one: swapped.index(one["topic"]))
    row.done = 2
    row.save()
    assert campaigns_to_order() == [campaign.id]
    work(campaign)
    found = stored(campaign)
    assert list(found.numbers)[:2] == swapped
    assert (found.done, found.total, sorted(found.numbers)) == (4, 4, sorted(order))


@pytest.mark.parametrize("runs", [1, 2])
def test_fewer_than_three_runs(runs: int) -> None:
    campaign = ordered(lists=dict(list(many_topics().items())[:runs]), first=["5"])
    work(campaign)
    assert released(campaign) == ["5", "1", "2"]
    assert any("topics are chosen with three or more" in note for note in notes(campaign))


@pytest.mark.parametrize(
    ("method", "measures", "used"),
    [
        ("adaptive", "", ("RBP(p=0.8)",)),
        ("adaptive", "AP nDCG@10", ("AP",)),
        ("adaptive", "P@5", ("P@5",)),
        ("adaptive*", "AP", ("AP", "P@10")),
        ("adaptive*", "RBP(p=0.5)", ("RBP(p=0.5)", "AP", "P@10")),
        ("adaptive", "nDCG@10 AP", ("RBP(p=0.8)",)),
    ],
)
def test_topics_are_ordered_by_the_primary_measure_or_by_rbp(
    method: str, measures: str, used: tuple[str, ...]
) -> None:
    campaign = ordered(method)
    change_settings(campaign=campaign, measures=measures)
    work(campaign)
    assert stored(campaign).content.measures == used
    told = [
        note for note in notes(campaign) if note.startswith("Topics are ordered by RBP(p=0.8): no variance")
    ]
    assert bool(told) == measures.startswith("nDCG")


@pytest.mark.parametrize(
    ("grades", "words"), [("00", "No relevant document so far"), ("22", "judged documents are relevant")]
)
def test_judgments_of_one_class(grades: str, words: str) -> None:
    campaign = ordered()
    work(campaign)
    for number in released(campaign)[:2]:
        judge(campaign, number, grades)
    work(campaign)
    assert any(words in note for note in notes(campaign))
    found = stored(campaign)
    assert (found.done, len(found.numbers)) == (found.total, found.total)
    assert len(released(campaign)) == 5


def test_scores_that_are_all_equal() -> None:
    lists = many_topics()
    campaign = ordered(lists=lists)
    ranking = campaign.runs.get(tag="r2").rankings.first()
    assert ranking is not None
    for row in campaign.runs.get(tag="r2").rankings.all():
        row.scores = np.full(8, 3.5, dtype="<f4").tobytes()
        row.save()
    for row in campaign.runs.get(tag="r3").rankings.all():
        row.scores = np.full(8, np.nan, dtype="<f4").tobytes()
        row.save()
    work(campaign)
    judge(campaign, released(campaign)[0])
    work(campaign)
    assert any("Runs r2, r3 give every document the same score" in note for note in notes(campaign))
    assert stored(campaign).done == stored(campaign).total


def test_topics_that_no_run_answers_come_last() -> None:
    lists: Lists = {
        run: {number: docs for number, docs in by.items() if number != "3"}
        for run, by in many_topics().items()
    }
    campaign = ordered(lists=lists)
    campaign.topics.create(number="3", title="unanswered", position=50, release=Release.WAITING)
    Campaign.objects.filter(id=campaign.id).update(configuration=campaign.configuration + 1)
    work(campaign)
    assert any("No run answers topic 3: it comes last." in note for note in notes(campaign))
    assert stored(campaign).numbers[-1] == "3"


def test_a_topic_that_went_meanwhile_is_passed_over() -> None:
    campaign = ordered("hand", ahead=0, first=["8", "7", "6"])
    work(campaign)
    assert released(campaign) == ["8", "7"]
    row = TopicOrder.objects.get()
    campaign.topics.get(number="6").delete()
    judge(campaign, "8")
    found = stored_order(campaign.id)
    assert found is not None
    assert "6" in found.numbers
    assert releases.release_due(campaign=campaign, order=found.content.following) == ["1"]
    assert TopicOrder.objects.get().updated == row.updated


@pytest.mark.django_db(transaction=True)
def test_what_a_killed_worker_had_found_is_continued_by_another(celery_worker: Child) -> None:
    campaign = ordered("adaptive+", lists=many_topics(40, 12), options={"groups": 400}, ahead=0)
    for number in ("1", "2"):
        releases.release(campaign=campaign, number=number)
        judge(campaign, number)

    def finished() -> bool:
        order_topics.delay(campaign.id)
        wait_until_idle()
        found = stored_order(campaign.id)
        return found is not None and found.as_of == 4 and not found.running

    wait_for(finished)
    content = stored(campaign).content
    # As a worker leaves it that was killed with 30 topics to go; two are exchanged, which no other would do.
    *first, one, other = content.topics[:-30]
    left = replace(content, topics=(*first, other, one))
    TopicOrder.objects.filter(campaign=campaign).update(content=left.to_json(), done=len(left.following))
    order_topics.delay(campaign.id)
    for child in children_of(celery_worker.pid):
        os.kill(child, signal.SIGKILL)
    wait_for(finished)
    # Nothing that was stored is computed again.
    found = [place.topic for place in stored(campaign).content.topics]
    assert found[:-30] == [place.topic for place in left.topics]
    assert sorted(found) == sorted(place.topic for place in content.topics)
    assert Api(campaign, "Order-ada").get("topics/order/").json()["done"] == stored(campaign).total


def children_of(process: int) -> list[int]:
    listed = subprocess.run(["pgrep", "-P", str(process)], capture_output=True, text=True, check=True).stdout
    return [int(line) for line in listed.split()]
