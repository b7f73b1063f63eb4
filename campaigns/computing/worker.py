"""A process's copies of campaigns, and how it follows what is judged in one."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace

from django.db.models import F, OuterRef, Q, Subquery
from django.utils import timezone

from campaigns.computing.arrays import OutdatedArrays
from campaigns.computing.live import LiveCampaign
from campaigns.computing.phases import ROWS_APART, is_behind, next_phase
from campaigns.computing.written import Written
from campaigns.core.recompute_queue import CampaignBusy, CampaignInHand, request_recompute
from campaigns.duplicates.judgment_copies import propagate
from campaigns.models import Campaign, Claim, Computed
from campaigns.models.campaign import JudgmentCopies

logger = logging.getLogger(__name__)

# Seconds after which a campaign gives way to others. Each computes what came meanwhile at once.
TURN_SECONDS = 0.25
# A process keeps so many copies however large they are, and more while they take no more bytes together.
KEPT_CAMPAIGNS, ROOM_FOR_COPIES = 4, 500_000_000


@dataclass
class Copy:
    """A campaign in this process's memory, and how far this process has written its rows."""

    live: LiveCampaign
    written: Written


# The most recently used last.
_copies: dict[int, Copy] = {}


def forget_copies(**_: object) -> None:
    """Receives Django's signal that a connection was made. The database may have crashed, and some rows that
    a copy takes to be written need not have reached the disk."""
    _copies.clear()


def follow(campaign: int, *, announced: bool, in_turns: bool) -> None:
    """Do phase after phase until none is due, or until the turn is over and others wait for a process.
    `announced`: the message that was under way is the reason."""
    with _taken_up(campaign, announced=announced) as hand:
        copy = copy_of(campaign)
        if copy is None:
            return
        # From now on: to read the copy from rows may have taken longer than a turn.
        until = time.monotonic() + TURN_SECONDS
        copy.written = _asked(copy.written)
        while phase := next_phase(copy.live, copy.written):
            if in_turns and copy.written.is_complete and time.monotonic() > until and hand.give_way():
                return
            copy.written = phase(copy.live, copy.written)
            hand.keep()


def caught_up_copy(campaign: int) -> LiveCampaign | None:
    """This process's copy, with the rows beside it, for work that is not urgent; None if there is nothing
    to keep or another process is at it. What came in meanwhile is left to a recompute."""
    with _taken_up(campaign):
        copy = copy_of(campaign)
        if copy is None:
            return None
        copy.written = bring_up_to_date(copy.live, copy.written)
        return copy.live
    return None


def bring_up_to_date(live: LiveCampaign, written: Written | None = None) -> Written:
    """Until all rows are written, but for queues that wait for idle moments."""
    written = _asked(written or Written())
    while not written.is_complete and (phase := next_phase(live, written)):
        written = phase(live, written)
    return written


def _asked(written: Written) -> Written:
    """Have rows written soon, whatever this process knows of them; look-aheads come before."""
    return replace(written, rows_due=time.monotonic() + ROWS_APART)


@contextmanager
def _taken_up(campaign: int, *, announced: bool = False) -> Iterator[CampaignInHand]:
    """Have the campaign in hand. What came in just before it was let go sent no message: one is sent here."""
    behind = True
    with suppress(OutdatedArrays):
        with CampaignInHand(campaign, announced=announced) as hand, _trusted_copy(campaign):
            yield hand
        copy = _copies.get(campaign)
        behind = hand.is_free and copy is not None and is_behind(copy.live, copy.written)
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


def copy_of(campaign_id: int) -> Copy | None:
    """Read from rows if this process has none; None of a campaign that is archived or has no runs."""
    campaign = Campaign.objects.filter(id=campaign_id).first()
    if campaign is None or campaign.archived_at is not None or not campaign.runs.exists():
        _copies.pop(campaign_id, None)
        return None
    copy = _copies.pop(campaign_id, None)
    if copy is None or copy.live.configuration != campaign.configuration:
        if campaign.judgment_copies != JudgmentCopies.OFF:
            # Runs that came since may rank further duplicates.
            propagate(campaign=campaign.id)
        logger.info("building campaign %s from rows", campaign.slug)
        copy = Copy(LiveCampaign.from_rows(campaign), Written())
    _copies[campaign_id] = copy
    while (
        len(_copies) > KEPT_CAMPAIGNS and sum(copy.live.size for copy in _copies.values()) > ROOM_FOR_COPIES
    ):
        _copies.pop(next(iter(_copies)))
    return copy


def campaigns_behind() -> list[int]:
    computed = Computed.objects.filter(campaign=OuterRef("pk"))
    open_ = Claim.objects.filter(reserved=False, expires_at__gt=timezone.now())
    lonely = open_.filter(lookahead__isnull=True)
    rows = Campaign.objects.filter(runs__isnull=False, archived_at=None).annotate(
        applied=Subquery(computed.values("applied")[:1]),
        computed_configuration=Subquery(computed.values("configuration")[:1]),
    )
    stale = (
        Q(applied__isnull=True)
        | ~Q(applied=F("log_head__length"))
        | ~Q(computed_configuration=F("configuration"))
        | Q(topics__claims__in=lonely)
    )
    return list(rows.filter(stale).distinct().values_list("id", flat=True))
