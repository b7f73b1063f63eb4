"""The phases in which a process brings its copy of a campaign, and the rows, up to date: PHASES names each
with its condition, in the order of urgency; the first whose condition holds comes next."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from dataclasses import replace

from django.db import connection, transaction
from django.utils import timezone

from campaigns.computing import foresight, snapshots, stored_queues
from campaigns.computing.anchor_draw import fix_anchors, learn_anchors
from campaigns.computing.arrays import OutdatedArrays
from campaigns.computing.live import LiveCampaign
from campaigns.computing.scores import score
from campaigns.computing.stored_queues import write_queues
from campaigns.computing.written import Written
from campaigns.core.database import Space, commit_without_waiting, try_lock_until_commit
from campaigns.core.recompute_queue import CampaignBusy
from campaigns.models import Campaign, Computed, LogHead
from campaigns.models.campaign import Scope

QUEUES_WITH_LOOKAHEADS = 2
# Seconds. A judgment that comes in meanwhile waits as long, and one queue more.
IDLE_SLICE = 0.03
# Seconds. Rows of scores and queues, which dashboards show, come no further apart while judgments stream in.
ROWS_APART = 0.25
# Seconds. Look-aheads are computed no more often, times the judgments that came since the last ones: where
# more come than people make, each computation takes many of them, and leaves the processor to recording.
LOOKAHEADS_APART, LOOKAHEADS_FURTHEST_APART = 0.03, 0.2

Condition = Callable[[LiveCampaign, Written], bool]
Phase = Callable[[LiveCampaign, Written], Written]


def next_phase(live: LiveCampaign, written: Written) -> Phase | None:
    """None if there is nothing left to do. OutdatedArrays if the campaign has other runs or settings now."""
    return next((phase for is_due, phase in PHASES if is_due(live, written)), None)


def lacks_first_queues(live: LiveCampaign, written: Written) -> bool:
    """A new copy serves a few of many topics before it reads the log and the rankings of all, which takes
    minutes: once before scores are published and once after. Not in campaign scope, where each queue depends
    on the whole log."""
    if not _is_new(live, written) or live.scope == Scope.CAMPAIGN:
        return False
    is_early = written.first_queues < _round_of_first_queues(written)
    return (
        is_early
        and len(live.arrays.topics) > stored_queues.ALL_KEPT_FRESH
        and bool(stored_queues.missing_queues(live))
    )


def first_queues(live: LiveCampaign, written: Written) -> Written:
    """Serve topics that have no queue from the log of each alone, those on a screen first."""
    topics = stored_queues.missing_queues(live)
    with transaction.atomic():
        campaign = lock_current(live)
        early = LiveCampaign(campaign, live.plan, live.arrays, live.order)
        length = LogHead.objects.values_list("length", flat=True).get(campaign=campaign)
        acts = [act for topic in topics for act in early.read_log(until=length, topic=topic)]
        early.fold(acts, known=length)
        early.applied = length
        write_queues(early, stored_queues.places_of(live, topics))
    return replace(written, first_queues=_round_of_first_queues(written))


def _round_of_first_queues(written: Written) -> int:
    return 1 if written.scores is None else 2


def lacks_first_scores(live: LiveCampaign, written: Written) -> bool:
    return _is_new(live, written) and written.scores is None


def first_scores(live: LiveCampaign, written: Written) -> Written:
    """If no scores are stored for these runs and settings, publish them: the sender of a run waits for them,
    and pools and queues take several times as long. The rows still count as of another configuration."""
    with transaction.atomic():
        campaign = lock_current(live)
        length = LogHead.objects.values_list("length", flat=True).get(campaign=campaign)
        if not length or written_up_to(live) is not None:
            return replace(written, scores=0)
        scores = score(campaign, live.arrays, applied=length)
        snapshots.write_score_ranges(scores, None)
        snapshots.note_means(scores)
        snapshots.announce_scores(scores)
    return replace(written, scores=scores.applied)


def lacks_log(live: LiveCampaign, written: Written) -> bool:
    return _is_new(live, written) and not written.is_read and written_up_to(live) is not None


def read_log(live: LiveCampaign, written: Written) -> Written:
    """Beside rows that others wrote, read the log and the pools of open documents before the lock is taken: a
    process that has a copy goes on meanwhile."""
    written = written.folded(live.catch_up(known=written_up_to(live) or 0))
    foresight.look_ahead(live)
    return replace(written, is_read=True)


def lacks_look_aheads(live: LiveCampaign, written: Written) -> bool:
    """Look-aheads come first while judgments stream in, for as long as dashboards can wait. A new copy has
    rows to write first."""
    if written.applied is None or (written.rows_due is not None and time.monotonic() >= written.rows_due):
        return False
    return is_behind(live, written)


def look_aheads(live: LiveCampaign, written: Written) -> Written:
    """Write what follows each open document, and a few queues with it, so that their time is not spent in one
    stretch."""
    begun, before = time.monotonic(), live.applied
    with transaction.atomic():
        # Claims are locked until the commit, and judgments wait for theirs with the log locked.
        commit_without_waiting()
        lock_current(live)
        learn_anchors(live)
        written = foresight.catch_up(live, written, known=before)
        some = sorted(written.unwritten.topics)[:QUEUES_WITH_LOOKAHEADS]
        write_queues(live, some)
        foreseen = foresight.look_ahead(live)
        foresight.write_lookaheads(live, foreseen, written.given_up)
    written = written.with_queues(some).with_lookaheads(live.applied, any_open=bool(foreseen))
    if not (foreseen or some):
        return written.with_rows_due(begun)
    apart = min(LOOKAHEADS_APART * max(live.applied - before, 1), LOOKAHEADS_FURTHEST_APART)
    time.sleep(max(begun + apart - time.monotonic(), 0))
    return written.with_rows_due(begun + ROWS_APART)


def lacks_rows(live: LiveCampaign, written: Written) -> bool:
    return not written.is_complete


def all_rows(live: LiveCampaign, written: Written) -> Written:
    """Write all that is not written yet in one transaction. Another process may have written part of it: how
    far the rows are is a row, not a memory."""
    with transaction.atomic():
        lock_current(live)
        known = written_up_to(live)
        if known is None:
            snapshots.rebuild_snapshots(live)
        written = foresight.catch_up(live, written, known=known or 0)
        drawn = fix_anchors(live)
        # Else the process that wrote so far has announced all of it.
        if written.applied is None or known != live.applied or drawn:
            _write_rows(live, written, known, drawn)
        if written.applied is None:
            # Last: it locks claims until the commit, and assessors wait for theirs with the log locked.
            foreseen = foresight.look_ahead(live)
            foresight.write_lookaheads(live, foreseen, written.given_up)
            written = written.with_lookaheads(live.applied, any_open=bool(foreseen))
    return written.with_all_rows(live.applied)


def _write_rows(live: LiveCampaign, written: Written, known: int | None, drawn: set[int]) -> None:
    change = written.unwritten.after(known or 0)
    everything = known is None and (written.scores or None) != live.applied
    snapshots.write_score_ranges(live.scores, None if everything else change.cells)
    write_queues(
        live, sorted(drawn | (stored_queues.queues_of_new_rows(live) if known is None else change.topics))
    )
    if known is None or change.acts:
        snapshots.note_means(live.scores, configuration=live.configuration)
        snapshots.take_snapshot(live, len(change.acts))
        snapshots.announce(live, change, everything=known is None)


def lacks_queues(live: LiveCampaign, written: Written) -> bool:
    return written.queues != live.applied


def idle_queues(live: LiveCampaign, written: Written) -> Written:
    """Bring a few more queues up to date, so that an assessor who opens a topic is served exactly. In
    campaign scope a judgment moves the weights of every topic."""
    with transaction.atomic():
        commit_without_waiting()
        lock_current(live)
        some = [*stored_queues.missing_queues(live), *stored_queues.queues_behind(live)][
            : stored_queues.QUEUES_AT_ONCE
        ]
        places = stored_queues.places_of(live, some)
        # One at least; further ones only while no judgment would have to wait for it.
        until = time.monotonic() + IDLE_SLICE
        write_queues(
            live, itertools.takewhile(lambda place: place == places[0] or time.monotonic() < until, places)
        )
    return written if places else replace(written, queues=live.applied)


# Phases of a new copy, then what is urgent, then the rest.
PHASES: tuple[tuple[Condition, Phase], ...] = (
    (lacks_first_queues, first_queues),
    (lacks_first_scores, first_scores),
    (lacks_log, read_log),
    (lacks_look_aheads, look_aheads),
    (lacks_rows, all_rows),
    (lacks_queues, idle_queues),
)


def _is_new(live: LiveCampaign, written: Written) -> bool:
    return written.applied is None and not live.applied


# Asked after every phase: to put the query together would take longer than Postgres takes for it.
_HEAD = """
SELECT head.length, campaign.configuration, EXISTS (
  SELECT FROM campaigns_claim claim JOIN campaigns_topic topic ON topic.id = claim.topic_id
  WHERE topic.campaign_id = campaign.id AND NOT claim.reserved AND claim.lookahead IS NULL
    AND claim.expires_at > %s)
FROM campaigns_loghead head JOIN campaigns_campaign campaign ON campaign.id = head.campaign_id
WHERE head.campaign_id = %s
"""


def is_behind(live: LiveCampaign, written: Written) -> bool:
    """Return whether something urgent came in meanwhile: a judgment, or a document opened."""
    if written.foreseen != live.applied:
        return True
    with connection.cursor() as cursor:
        cursor.execute(_HEAD, [timezone.now(), live.campaign_id])
        row = cursor.fetchone()
    # No row: the campaign is deleted.
    if row is None or row[1] != live.configuration:
        raise OutdatedArrays
    length, _, is_opened = row
    return bool(length != live.applied or is_opened)


def written_up_to(live: LiveCampaign) -> int | None:
    """The last act that the stored rows reflect, None if they are of another configuration."""
    rows = Computed.objects.filter(campaign_id=live.campaign_id, configuration=live.configuration)
    return rows.values_list("applied", flat=True).first()


def lock_current(live: LiveCampaign) -> Campaign:
    """Lock the campaign's rows until the commit. OutdatedArrays if it has other runs or settings now, or is
    deleted: another process may have written rows of these already, which no older copy may overwrite."""
    lock(live.campaign_id)
    campaign = Campaign.objects.filter(id=live.campaign_id, configuration=live.configuration).first()
    if campaign is None:
        raise OutdatedArrays
    return campaign


def lock(campaign: int) -> None:
    if not try_lock_until_commit(Space.COMPUTING, campaign):
        raise CampaignBusy
