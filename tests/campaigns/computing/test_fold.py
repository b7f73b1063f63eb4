"""The worker's fold against a slow computation from nothing but the files and the exported qrels."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

import pytest

from campaigns.collection.runs import remove_run
from campaigns.computing import worker
from campaigns.computing.tasks import recompute
from campaigns.computing.worker import campaigns_behind
from campaigns.log.current import current_qrels
from campaigns.models import Campaign, Computed, Document, Interval, Priority
from campaigns.models.packed import unpack_ids, unpack_weights
from campaigns.results.score_ranges import score_ranges_of
from campaigns.setup import campaigns as campaign_services
from tests.campaigns.factories import THREE_RUNS, Api, Lists, add_run, make_campaign

pytestmark = pytest.mark.django_db

Gains = Mapping[tuple[str, str], float]
TOPICS = ("1", "2")
OUTCOMES: list[dict[str, Any]] = [
    {"grade": 0},
    {"grade": 1},
    {"grade": 2},
    {"undo": True},
    {"reason": "other"},
]


def gains_of(campaign: Campaign) -> dict[tuple[str, str], float]:
    gain = {row["grade"]: row["gain"] for row in campaign.grades}
    return {(topic, docno): gain[grade] for topic, docno, grade in current_qrels(campaign=campaign)}


def slow_bounds(ranking: list[str], topic: str, gains: Gains, p: float) -> tuple[float, float]:
    base, residual = 0.0, p ** len(ranking)
    for place, docno in enumerate(ranking):
        weight = (1 - p) * p**place
        if (topic, docno) in gains:
            base += weight * gains[topic, docno]
        else:
            residual += weight
    return base, residual


def slow_weights(lists: Lists, topic: str, gains: Gains, p: float, scope: str) -> dict[str, float]:
    """Method C from its definition: c · r · (base + r/2)³ summed over the runs."""
    weights: dict[str, float] = {}
    for by_topic in lists.values():
        topics = TOPICS if scope == "campaign" else (topic,)
        bounds = [slow_bounds(list(by_topic.get(name, [])), name, gains, p) for name in topics]
        base = sum(bound[0] for bound in bounds) / len(topics)
        residual = sum(bound[1] for bound in bounds) / len(topics)
        for place, docno in enumerate(by_topic.get(topic, [])):
            if (topic, docno) not in gains:
                value = (1 - p) * p**place * residual * (base + residual / 2) ** 3
                weights[docno] = weights.get(docno, 0.0) + value
    return weights


def assert_right(campaign: Campaign, lists: Lists) -> None:
    gains = gains_of(campaign)
    for tag, by_topic in lists.items():
        for topic in TOPICS:
            cell = Interval.objects.get(run__tag=tag, run__campaign=campaign, topic__number=topic)
            expected = slow_bounds(list(by_topic.get(topic, [])), topic, gains, campaign.p)
            assert (cell.base, cell.residual) == pytest.approx(expected, abs=1e-12)
    for row in score_ranges_of(campaign=campaign):
        of_run = [slow_bounds(list(lists[row.run].get(t, [])), t, gains, campaign.p) for t in TOPICS]
        base, residual = (sum(column) / len(TOPICS) for column in zip(*of_run, strict=True))
        assert (row.base, row.residual) == pytest.approx((base, residual), abs=1e-12)
    for topic in TOPICS:
        queue = Priority.objects.get(topic__campaign=campaign, topic__number=topic)
        docnos = Document.objects.in_bulk(unpack_ids(queue.documents).tolist())
        served = [docnos[document].docno for document in unpack_ids(queue.documents).tolist()]
        weights = slow_weights(lists, topic, gains, campaign.p, campaign.scope)
        assert set(served) == set(weights)
        assert unpack_weights(queue.weights).tolist() == pytest.approx([weights[d] for d in served], rel=1e-9)
        assert sorted(weights.values(), reverse=True) == pytest.approx([weights[d] for d in served], rel=1e-9)


def judge_at_random(campaign: Campaign, acts: int, seed: int) -> None:
    """Judgments, revisions, undos and refusals to judge by two people, in no order."""
    dice = random.Random(seed)
    people = [Api(campaign, f"{campaign.name}-{name}") for name in ("grace", "alan")]
    pool = [
        (t, d) for t in TOPICS for d in sorted({d for run in THREE_RUNS.values() for d in run.get(t, [])})
    ]
    for _ in range(acts):
        topic, docno = dice.choice(pool)
        outcome: dict[str, Any] = dice.choice(
            [{"grade": 0}, {"grade": 1}, {"grade": 2}, {"undo": True}, {"reason": "other"}]
        )
        dice.choice(people).judge(topic, docno, **outcome)


@pytest.mark.parametrize("scope", ["campaign", "topic"])
@pytest.mark.parametrize("seed", range(3))
def test_the_fold_equals_a_computation_from_scratch(scope: str, seed: int) -> None:
    campaign = make_campaign(scope=scope)
    recompute(campaign.id)
    for step in range(4):
        judge_at_random(campaign, 9, seed * 100 + step)
        recompute(campaign.id)
        assert_right(campaign, THREE_RUNS)


def test_a_lost_process_costs_one_rebuild_and_nothing_else() -> None:
    campaign = make_campaign()
    judge_at_random(campaign, 30, seed=5)
    recompute(campaign.id)
    kept = list(Priority.objects.order_by("topic").values_list("documents", "weights"))
    worker.forget_copies()
    Computed.objects.all().delete()
    Priority.objects.all().delete()
    Interval.objects.all().delete()
    recompute(campaign.id)
    assert [
        tuple(map(bytes, row))
        for row in Priority.objects.order_by("topic").values_list("documents", "weights")
    ] == [tuple(map(bytes, row)) for row in kept]
    assert_right(campaign, THREE_RUNS)


def test_a_late_run_is_scored_at_once_and_moves_no_other() -> None:
    campaign = make_campaign()
    judge_at_random(campaign, 12, seed=6)
    recompute(campaign.id)
    before = {row.run: (row.base, row.residual) for row in score_ranges_of(campaign=campaign)}
    late = {"1": ["j", "new", "a"], "2": ["m"]}
    add_run(campaign, "late", late, contributes=False)
    recompute(campaign.id)
    after = {row.run: (row.base, row.residual) for row in score_ranges_of(campaign=campaign)}
    assert {run: after[run] for run in before} == before
    gains = gains_of(campaign)
    expected = [slow_bounds(late[topic], topic, gains, campaign.p) for topic in TOPICS]
    assert after["late"] == pytest.approx(
        [sum(column) / 2 for column in zip(*expected, strict=True)], abs=1e-12
    )
    row = Priority.objects.get(topic__campaign=campaign, topic__number="1")
    new = Document.objects.get(docno="new", collection=campaign.collection)
    assert new.id not in unpack_ids(row.documents).tolist()


def test_new_settings_and_a_removed_run_are_computed_anew() -> None:
    campaign = make_campaign()
    judge_at_random(campaign, 12, seed=7)
    recompute(campaign.id)
    campaign_services.change_settings(campaign=campaign, p=0.5)
    assert campaigns_behind() == [campaign.id]
    recompute(campaign.id)
    assert campaigns_behind() == []
    assert_right(campaign, THREE_RUNS)
    add_run(campaign, "mistake", {"1": ["a", "new"], "2": ["new"]})
    recompute(campaign.id)
    remove_run(run=campaign.runs.get(tag="mistake"))
    recompute(campaign.id)
    campaign.refresh_from_db()
    assert_right(campaign, THREE_RUNS)


def test_catching_up_finds_what_no_task_told_of() -> None:
    campaign = make_campaign()
    recompute(campaign.id)
    assert campaigns_behind() == []
    Api(campaign, "Small-grace").judge("1", "a", 1)
    assert campaigns_behind() == [campaign.id]
    recompute(campaign.id)
    assert Computed.objects.get(campaign=campaign).applied == 1
