"""Celery tasks that keep each campaign's copy, queues and scores up to date."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from celery import shared_task
from django.utils import timezone

from campaigns.computing import worker
from campaigns.computing.arrays import OutdatedArrays
from campaigns.computing.live import LiveCampaign
from campaigns.computing.worker import campaigns_behind
from campaigns.core.jobs import request_count
from campaigns.core.recompute_queue import CampaignBusy, CampaignInHand, request_recompute, send_recompute
from campaigns.models import Campaign, Heartbeat

logger = logging.getLogger(__name__)

# Seconds after which a campaign gives way to others. Each computes what came meanwhile at once.
TURN_SECONDS = 0.25
# A process keeps so many copies however large they are, and more while they take no more bytes together.
KEPT_CAMPAIGNS, ROOM_FOR_COPIES = 4, 500_000_000

# This process's copies, the most recently used last.
_copies: dict[int, LiveCampaign] = {}


def forget_copies(**_: object) -> None:
    """Receives Django's signal that a connection was made. The database may have crashed, and some rows that
    a copy takes to be written need not have reached the disk."""
    _copies.clear()


@shared_task(name="campaigns.recompute")
def recompute(campaign: int, configuration: int | None = None) -> None:
    """Fold in every committed judgment. A task that finds the campaign busy may go: the busy one looks
    at the log again after it has let go."""
    if configuration is not None:
        if _is_outdated(campaign, configuration):
            return
        # By another process meanwhile.
        request_count(campaign)
    with _taken_up(campaign, announced=configuration is None) as hand:
        # Who calls this without a worker waits for all of it.
        _follow(campaign, hand, in_turns=not recompute.request.called_directly)


def _follow(campaign: int, hand: CampaignInHand, *, in_turns: bool) -> None:
    """Until nothing is left to do, or until the turn is over and others wait for a process."""
    live = _copy_of(campaign)
    # From now on: to read the copy from rows may have taken longer than a turn.
    until = time.monotonic() + TURN_SECONDS
    while live is not None:
        worker.bring_up_to_date(live)
        while not worker.is_behind(live):
            if not worker.refresh_some_queues(live):
                return
            hand.keep()
            if in_turns and time.monotonic() > until and hand.give_way():
                return
        if in_turns and time.monotonic() > until and hand.give_way():
            return
        hand.keep()
        live = _copy_of(campaign)


def caught_up_copy(campaign: int) -> LiveCampaign | None:
    """This process's copy, with the rows beside it, for work that is not urgent; None if there is nothing
    to keep or another process is at it. What came in meanwhile is left to a recompute."""
    with _taken_up(campaign):
        live = _copy_of(campaign)
        if live is not None:
            worker.bring_up_to_date(live)
        return live
    return None


@contextmanager
def _taken_up(campaign: int, *, announced: bool = False) -> Iterator[CampaignInHand]:
    """Have the campaign in hand. What came in just before it was let go sent no message: one is sent here."""
    behind = True
    with suppress(OutdatedArrays):
        with CampaignInHand(campaign, announced=announced) as hand, _trusted_copy(campaign):
            yield hand
        behind = hand.is_free and campaign in _copies and worker.is_behind(_copies[campaign])
    if behind:
        request_recompute(campaign)


@contextmanager
def _trusted_copy(campaign: int) -> Iterator[None]:
    """A fold that broke in the middle cannot be trusted: the next task rebuilds it from rows."""
    try:
        yield
    except CampaignBusy:
        raise
    except Exception:
        _copies.pop(campaign, None)
        raise


def _is_outdated(campaign: int, configuration: int) -> bool:
    return Campaign.objects.filter(id=campaign, configuration__gt=configuration).exists()


def _copy_of(campaign_id: int) -> LiveCampaign | None:
    campaign = Campaign.objects.filter(id=campaign_id).first()
    if campaign is None or campaign.archived_at is not None or not campaign.runs.exists():
        _copies.pop(campaign_id, None)
        return None
    live = _copies.pop(campaign_id, None)
    if live is None or live.configuration != campaign.configuration:
        logger.info("building campaign %s from rows", campaign.slug)
        live = LiveCampaign.from_rows(campaign)
    _copies[campaign_id] = live
    while len(_copies) > KEPT_CAMPAIGNS and sum(copy.size for copy in _copies.values()) > ROOM_FOR_COPIES:
        _copies.pop(next(iter(_copies)))
    return live


@shared_task(name="campaigns.heartbeat")
def heartbeat() -> None:
    """Beat sent it, the broker carried it, a worker runs it, the database keeps it: all are up."""
    Heartbeat.objects.update_or_create(name="worker", defaults={"at": timezone.now()})


@shared_task(name="campaigns.catch_up")
def catch_up() -> None:
    """Find what no task announced: judgments committed while the broker was away, changed settings,
    claims without a look-ahead. The log, not the broker, says what there is to do."""
    for campaign in campaigns_behind():
        send_recompute(campaign)
