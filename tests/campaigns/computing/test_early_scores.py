"""Scores are published before pools and queues are made: the same to the last bit, and nothing else moves."""

from __future__ import annotations

import pytest

from campaigns.computing import phases, worker
from campaigns.computing.arrays import OutdatedArrays
from campaigns.computing.live import LiveCampaign
from campaigns.computing.scores import CampaignScores, score
from campaigns.computing.tasks import recompute
from campaigns.computing.worker import campaigns_behind
from campaigns.computing.written import Written
from campaigns.models import Campaign, Computed, Event, Interval, LogHead, Priority
from campaigns.models.campaign import Policy
from campaigns.models.packed import unpack_runs
from campaigns.results.score_ranges import RunScoreRange, score_ranges_of
from campaigns.setup import campaigns as services
from tests.campaigns.computing.test_fold import judge_at_random
from tests.campaigns.factories import Api, add_run, make_campaign
from tests.campaigns.log.test_aggregation_policies import judged_by_three

pytestmark = pytest.mark.django_db

LATE = {"1": ["j", "new", "a", "b"], "2": ["m", "k"]}


def seen(scores: CampaignScores) -> list[object]:
    bounds = scores.bounds
    parts = [bounds.base, bounds.residual, *bounds.means()]
    return [scores.applied, scores.judged, scores.relevant, *(part.tobytes() for part in parts)]


def copy_of(campaign: Campaign) -> LiveCampaign:
    campaign.refresh_from_db()
    return LiveCampaign.from_rows(campaign)


def late_of(campaign: Campaign) -> RunScoreRange:
    [late] = [row for row in score_ranges_of(campaign=campaign) if row.run == "late"]
    return late


def rows(campaign: Campaign) -> list[tuple[object, ...]]:
    cells = Interval.objects.filter(run__campaign=campaign).order_by("run", "topic")
    return list(cells.values_list("run", "topic", "base", "residual"))


@pytest.fixture
def judged() -> Campaign:
    """With a late run of which nothing was computed yet."""
    campaign = make_campaign()
    judge_at_random(campaign, 25, seed=8)
    recompute(campaign.id)
    add_run(campaign, "late", LATE)
    campaign.refresh_from_db()
    return campaign


def test_scores_are_those_of_a_copy_that_catches_up() -> None:
    campaign = judged_by_three(3)
    length = LogHead.objects.get(campaign=campaign).length
    for policy in Policy.values:
        services.change_settings(campaign=campaign, policy=policy, p=0.7)
        for applied in (1, length // 3, length - 1, length):
            live = copy_of(campaign)
            live.catch_up(known=0, until=applied)
            found = score(campaign, live.arrays, applied=applied)
            assert seen(found) == seen(live.scores)
        assert found.judged > 0


def test_a_late_run_is_scored_before_queues_are_made(judged: Campaign) -> None:
    queues = list(Priority.objects.order_by("topic").values_list("topic", "as_of", "configuration"))
    assert late_of(judged).residual == 1
    live = copy_of(judged)
    length = LogHead.objects.get(campaign=judged).length
    assert phases.first_scores(live, Written()).scores == length
    first, cells = score_ranges_of(campaign=judged), rows(judged)
    assert 0 < late_of(judged).residual < 1
    assert late_of(judged).as_of == length
    assert Interval.objects.filter(run__tag="late").count() == 2
    published = Event.objects.filter(campaign=judged).order_by("id").last()
    assert published is not None
    assert published.kind == "intervals"
    assert [run for run, *_ in published.data["runs"]] == [row.id for row in first]
    # All else is left to the next task.
    assert list(Priority.objects.order_by("topic").values_list("topic", "as_of", "configuration")) == queues
    assert live.applied == 0
    assert campaigns_behind() == [judged.id]
    worker.bring_up_to_date(live)
    assert campaigns_behind() == []
    assert (score_ranges_of(campaign=judged), rows(judged)) == (first, cells)
    assert set(Priority.objects.values_list("configuration", flat=True)) == {judged.configuration}
    assert phases.first_scores(live, Written()).scores == 0


def test_judgments_that_come_in_between_are_not_lost(judged: Campaign) -> None:
    live = copy_of(judged)
    written = phases.first_scores(live, Written())
    judge_at_random(judged, 6, seed=9)
    worker.bring_up_to_date(live, written)
    length = LogHead.objects.get(campaign=judged).length
    assert live.applied == length == Computed.objects.get(campaign=judged).applied
    kept = rows(judged)
    Interval.objects.all().delete()
    Computed.objects.all().delete()
    worker.bring_up_to_date(copy_of(judged))
    assert rows(judged) == kept


def test_before_the_first_judgment_there_is_nothing_to_tell() -> None:
    campaign = make_campaign()
    assert phases.first_scores(copy_of(campaign), Written()).scores == 0
    assert not Computed.objects.filter(campaign=campaign).exists()
    Api(campaign, "Small-grace").judge("1", "a", 2)
    assert phases.first_scores(copy_of(campaign), Written()).scores == 1
    computed = Computed.objects.get(campaign=campaign)
    assert computed.configuration != campaign.configuration
    assert len(unpack_runs(computed.runs)) == 3


def test_a_copy_of_older_settings_tells_nothing(judged: Campaign) -> None:
    live = copy_of(judged)
    services.change_settings(campaign=judged, p=0.5)
    before = Computed.objects.get(campaign=judged).updated
    with pytest.raises(OutdatedArrays):
        phases.first_scores(live, Written())
    assert Computed.objects.get(campaign=judged).updated == before
