"""Which phase comes next: one case for each row of the table, and the whole way of a new copy."""

from __future__ import annotations

import time
from dataclasses import FrozenInstanceError, replace

import pytest

from campaigns.computing import phases, stored_queues
from campaigns.computing.arrays import OutdatedArrays
from campaigns.computing.live import LiveCampaign
from campaigns.computing.phases import Phase, next_phase
from campaigns.computing.tasks import recompute
from campaigns.computing.written import Written
from campaigns.models import Campaign, Computed, Interval, Priority
from campaigns.operations.campaign_deletion import delete_campaign
from campaigns.setup import campaigns as services
from tests.campaigns.factories import Api, make_campaign

pytestmark = pytest.mark.django_db


def copy_of(campaign: Campaign) -> LiveCampaign:
    campaign.refresh_from_db()
    return LiveCampaign.from_rows(campaign)


@pytest.fixture
def computed() -> tuple[LiveCampaign, Written]:
    """A copy whose rows are all written."""
    campaign = make_campaign(method="C")
    live, written = copy_of(campaign), Written()
    while phase := next_phase(live, written):
        written = phase(live, written)
    return live, written


def judge(live: LiveCampaign, docno: str) -> None:
    assert (
        Api(Campaign.objects.get(id=live.campaign_id), "Small-grace").judge("1", docno, 1).status_code == 201
    )


def later() -> float:
    return time.monotonic() + 3600


def test_first_queues_come_once_before_scores_and_once_after(monkeypatch: pytest.MonkeyPatch) -> None:
    # Two topics are many.
    monkeypatch.setattr(stored_queues, "ALL_KEPT_FRESH", 1)
    live = copy_of(make_campaign(scope="topic"))
    assert next_phase(live, Written()) is phases.first_queues
    assert next_phase(live, Written(first_queues=1)) is phases.first_scores
    assert next_phase(live, Written(first_queues=1, scores=0)) is phases.first_queues
    assert next_phase(live, Written(first_queues=2, scores=0)) is phases.all_rows


def test_first_queues_come_once_after_scores_if_none_was_missing_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(stored_queues, "ALL_KEPT_FRESH", 1)
    monkeypatch.setattr(stored_queues, "QUEUES_AT_ONCE", 1)
    live = copy_of(make_campaign(scope="topic"))
    assert next_phase(live, Written(scores=0)) is phases.first_queues
    written = phases.first_queues(live, Written(scores=0))
    assert stored_queues.missing_queues(live)
    assert next_phase(live, written) is phases.all_rows


def test_first_scores_come_next_for_a_copy_of_few_topics() -> None:
    live = copy_of(make_campaign(scope="topic"))
    assert next_phase(live, Written()) is phases.first_scores
    assert next_phase(live, Written(scores=0)) is phases.all_rows


def test_the_log_is_read_beside_rows_that_others_wrote() -> None:
    campaign = make_campaign()
    Api(campaign, "Small-grace").judge("1", "a", 1)
    recompute(campaign.id)
    live = copy_of(campaign)
    assert next_phase(live, Written(scores=0)) is phases.read_log
    written = phases.read_log(live, Written(scores=0))
    assert (live.applied, written.unwritten.acts) == (1, ())
    assert next_phase(live, written) is phases.all_rows
    # Before the first judgment there is nothing to read again.
    assert next_phase(copy_of(campaign), Written(scores=0, is_read=True)) is phases.all_rows


def test_look_aheads_come_next_while_rows_can_wait(computed: tuple[LiveCampaign, Written]) -> None:
    live, written = computed
    judge(live, "a")
    assert next_phase(live, written) is phases.look_aheads
    assert next_phase(live, replace(written, rows_due=later())) is phases.look_aheads


def test_look_aheads_come_next_for_a_document_that_was_opened(computed: tuple[LiveCampaign, Written]) -> None:
    live, written = computed
    Api(Campaign.objects.get(id=live.campaign_id), "Small-grace").get("next/", topic="1")
    assert next_phase(live, written) is phases.look_aheads
    assert next_phase(live, phases.look_aheads(live, written)) is phases.all_rows


def test_all_rows_come_next_when_they_are_due(computed: tuple[LiveCampaign, Written]) -> None:
    live, written = computed
    judge(live, "a")
    assert next_phase(live, replace(written, rows_due=time.monotonic())) is phases.all_rows
    folded = phases.look_aheads(live, written)
    assert not folded.is_complete
    assert folded.unwritten.acts
    assert next_phase(live, folded) is phases.all_rows


def test_rows_without_anything_to_foresee_are_due_at_once(
    computed: tuple[LiveCampaign, Written], monkeypatch: pytest.MonkeyPatch
) -> None:
    live, written = computed
    monkeypatch.setattr(phases, "QUEUES_WITH_LOOKAHEADS", 0)
    before = time.monotonic()
    folded = phases.look_aheads(live, written)
    assert folded.rows_due is not None
    assert before <= folded.rows_due <= time.monotonic()


def test_queues_come_in_idle_moments(computed: tuple[LiveCampaign, Written]) -> None:
    live, written = computed
    judge(live, "a")
    written = phases.all_rows(live, phases.look_aheads(live, written))
    assert next_phase(live, written) is phases.idle_queues
    assert set(Priority.objects.values_list("as_of", flat=True)) == {0, 1}
    while next_phase(live, written) is phases.idle_queues:
        written = phases.idle_queues(live, written)
    assert set(Priority.objects.values_list("as_of", flat=True)) == {1}
    assert written.queues == live.applied


def test_nothing_comes_next_when_all_is_written(computed: tuple[LiveCampaign, Written]) -> None:
    live, written = computed
    assert next_phase(live, written) is None
    assert Computed.objects.get(campaign=live.campaign_id).applied == live.applied


def test_rows_of_another_process_are_seen_when_somebody_asks(computed: tuple[LiveCampaign, Written]) -> None:
    live, written = computed
    Computed.objects.filter(campaign=live.campaign_id).delete()
    asked = written.with_rows_due(later())
    assert next_phase(live, asked) is phases.all_rows
    assert phases.all_rows(live, asked).is_complete
    assert Computed.objects.filter(campaign=live.campaign_id).exists()


def test_no_phase_comes_next_for_other_settings(computed: tuple[LiveCampaign, Written]) -> None:
    live, written = computed
    services.change_settings(campaign=Campaign.objects.get(id=live.campaign_id), p=0.5)
    with pytest.raises(OutdatedArrays):
        next_phase(live, written)


def stored_rows() -> list[object]:
    return [list(model._default_manager.order_by("pk").values()) for model in (Computed, Interval, Priority)]


@pytest.mark.parametrize(
    "phase",
    [phases.first_queues, phases.first_scores, phases.look_aheads, phases.all_rows, phases.idle_queues],
)
def test_a_copy_of_older_settings_overwrites_no_rows(
    phase: Phase, computed: tuple[LiveCampaign, Written]
) -> None:
    old, written = computed
    campaign = Campaign.objects.get(id=old.campaign_id)
    judge(old, "a")
    services.change_settings(campaign=campaign, p=0.5)
    recompute(campaign.id)
    before = stored_rows()
    with pytest.raises(OutdatedArrays):
        phase(old, replace(written, rows_due=0.0))
    assert stored_rows() == before


def test_no_phase_comes_next_for_a_deleted_campaign(computed: tuple[LiveCampaign, Written]) -> None:
    live, written = computed
    campaign = Campaign.objects.get(id=live.campaign_id)
    services.pause(campaign=campaign)
    delete_campaign(campaign=campaign, confirmation=campaign.slug)
    with pytest.raises(OutdatedArrays):
        next_phase(live, written)
    with pytest.raises(OutdatedArrays):
        phases.all_rows(live, written)


def test_a_phase_returns_another_value(computed: tuple[LiveCampaign, Written]) -> None:
    live, written = computed
    judge(live, "a")
    kept = written
    assert phases.look_aheads(live, written) != kept
    assert written == kept
    with pytest.raises(FrozenInstanceError):
        written.applied = 1  # type: ignore[misc]
