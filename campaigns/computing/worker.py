"""What the worker writes, and in which order: scores, queues, look-aheads."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterable

from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, Subquery
from django.utils import timezone

from campaigns.computing import foresight, snapshots
from campaigns.computing.anchors import fix_anchors, learn_anchors
from campaigns.computing.arrays import OutdatedArrays
from campaigns.computing.live import LiveCampaign, LiveChange
from campaigns.computing.samples import fix_sample
from campaigns.computing.scores import score
from campaigns.computing.snapshots import announce, announce_scores, write_score_ranges
from campaigns.core.database import Space, commit_without_waiting, try_lock_until_commit
from campaigns.core.recompute_queue import CampaignBusy
from campaigns.models import Campaign, Claim, Computed, LogHead, Priority, Topic
from campaigns.models.campaign import Scope
from campaigns.models.packed import DOCUMENT_IDS, WEIGHTS, pack
from selection.registry import METHODS

QUEUE_DEPTH = 256
QUEUES_AT_ONCE = 12
QUEUES_AT_FIRST = 100
QUEUES_WITH_LOOKAHEADS = 2
# Seconds. A judgment that comes in meanwhile waits as long, and one queue more.
IDLE_SLICE = 0.03
# Seconds. Rows of scores and queues, which dashboards show, come no further apart while judgments stream in.
ROWS_APART = 0.25
# Seconds. Look-aheads are computed no more often, times the judgments that came since the last ones: where
# more come than people make, each computation takes many of them, and leaves the processor to recording.
LOOKAHEADS_APART, LOOKAHEADS_FURTHEST_APART = 0.03, 0.2
# Of more topics than that, only those on an assessor's screen are kept up to date in idle moments.
ALL_KEPT_FRESH = 300


# Of these, a judgment moves the weights of every topic in campaign scope.
ACROSS_TOPICS = [name for name, method in METHODS.items() if method.across_topics]


def bring_up_to_date(live: LiveCampaign) -> None:
    """Fold in what was committed, and write what is not written yet: look-aheads first, and all else in one
    transaction but for scores that are published before. Another process may have written part of it: how
    far the rows are is a row, not a memory."""
    learn_anchors(live)
    write_first_queues(live)
    published = publish_scores(live)
    write_first_queues(live)
    _read_ahead(live)
    _foresee_meanwhile(live)
    with transaction.atomic():
        lock(live.campaign_id)
        written = written_up_to(live)
        if written is None:
            snapshots.rebuild_snapshots(live)
        live.unwritten.add(foresight.catch_up(live, known=written or 0))
        drawn = fix_anchors(live)
        if live.has_written and written == live.applied and not drawn:
            # The process that wrote so far has announced all of it.
            live.unwritten = LiveChange()
            return
        change = live.unwritten.after(written or 0)
        # The rest of a large campaign's queues are written while nothing is more urgent.
        topics = sorted(drawn | (_first_topics(live) if written is None else change.topics))
        everything = written is None and published != live.applied
        write_score_ranges(live.scores, None if everything else change.cells)
        write_queues(live, topics)
        if written is None or change.acts:
            snapshots.note_means(live.scores, configuration=live.configuration)
            snapshots.take_snapshot(live, len(change.acts))
            announce(live, change, everything=written is None)
        if not live.has_written:
            # Last: it locks claims until the commit, and assessors wait for theirs with the log locked.
            foresight.write_lookaheads(live, foresight.look_ahead(live))
    live.unwritten, live.has_written = LiveChange(), True


def write_first_queues(live: LiveCampaign) -> None:
    """Of many topics, serve a few that have no queue from the log of each alone, those on a screen first: the
    log and the rankings of all topics take minutes to read. In topic scope this changes no weight."""
    if live.applied or live.has_written or live.scope == Scope.CAMPAIGN:
        return
    if len(live.arrays.topics) <= ALL_KEPT_FRESH or not (topics := _missing(live)):
        return
    campaign = Campaign.objects.get(id=live.campaign_id)
    if campaign.configuration != live.configuration:
        raise OutdatedArrays
    early = LiveCampaign(campaign, live.plan, live.arrays, live.order)
    with transaction.atomic():
        lock(campaign.id)
        length = LogHead.objects.values_list("length", flat=True).get(campaign=campaign)
        acts = [act for topic in topics for act in early.read_log(until=length, topic=topic)]
        early.fold(acts, known=length)
        early.applied = length
        places = [place for topic in topics if (place := live.topic_index(topic)) is not None]
        write_queues(early, places)


def _first_topics(live: LiveCampaign) -> set[int]:
    """Of a new configuration: the first ones, and those written before that were judged in since."""
    early = Priority.objects.filter(topic__campaign=live.campaign_id, configuration=live.configuration)
    behind = early.filter(as_of__lt=live.applied).values_list("topic", flat=True)
    places = {place for topic in behind if (place := live.topic_index(topic)) is not None}
    return places | set(range(len(live.arrays.topics))[:QUEUES_AT_FIRST])


def _read_ahead(live: LiveCampaign) -> None:
    """Of a copy that is new beside written rows, read the log and the pools of open documents before the
    lock is taken: a process that has a copy goes on meanwhile."""
    if live.has_written or live.applied or (written := written_up_to(live)) is None:
        return
    live.unwritten.add(live.catch_up(known=written))
    foresight.look_ahead(live)


def _foresee_meanwhile(live: LiveCampaign) -> None:
    """While judgments come in, keep what follows each open document up to date before any other row, for
    as long as dashboards can wait; a few queues with it, so that their time is not spent in one stretch. A
    copy that has written nothing has rows to write first."""
    until = time.monotonic() + ROWS_APART
    while live.has_written and time.monotonic() < until and is_behind(live):
        begun = time.monotonic()
        with transaction.atomic():
            # Claims are locked until the commit, and judgments wait for theirs with the log locked.
            commit_without_waiting()
            lock(live.campaign_id)
            change = foresight.catch_up(live, known=live.applied)
            live.unwritten.add(change)
            some = sorted(live.unwritten.topics)[:QUEUES_WITH_LOOKAHEADS]
            write_queues(live, some)
            foreseen = foresight.look_ahead(live)
            foresight.write_lookaheads(live, foreseen)
        live.unwritten.topics -= set(some)
        if not (foreseen or some):
            return
        apart = min(LOOKAHEADS_APART * max(len(change.acts), 1), LOOKAHEADS_FURTHEST_APART)
        time.sleep(max(begun + apart - time.monotonic(), 0))


def publish_scores(live: LiveCampaign) -> int | None:
    """Of a copy that is new, the scores first: the sender of a run waits for them, and pools and queues take
    several times as long. The rows still count as of another configuration. Returns the act up to which all
    are written; None if there was nothing to publish."""
    if live.applied:
        return None
    with transaction.atomic():
        lock(live.campaign_id)
        head = LogHead.objects.select_related("campaign").get(campaign=live.campaign_id)
        if not head.length or written_up_to(live) is not None:
            return None
        if head.campaign.configuration != live.configuration:
            raise OutdatedArrays
        scores = score(head.campaign, live.arrays, applied=head.length)
        write_score_ranges(scores, None)
        snapshots.note_means(scores)
        announce_scores(scores)
    return scores.applied


def written_up_to(live: LiveCampaign) -> int | None:
    """The last act that the stored rows reflect, None if they are of another configuration."""
    rows = Computed.objects.filter(campaign_id=live.campaign_id, configuration=live.configuration)
    return rows.values_list("applied", flat=True).first()


def refresh_some_queues(live: LiveCampaign) -> bool:
    """When nothing is more urgent, bring a few more queues up to date, so that an assessor who opens a topic
    is served exactly; False if all are. In campaign scope a judgment moves the weights of every topic."""
    with transaction.atomic():
        commit_without_waiting()
        lock(live.campaign_id)
        some = [topic for find in (_missing, _behind) for topic in find(live)][:QUEUES_AT_ONCE]
        places = [place for topic in some if (place := live.topic_index(topic)) is not None]
        # One at least; further ones only while no judgment would have to wait for it.
        until = time.monotonic() + IDLE_SLICE
        write_queues(
            live, itertools.takewhile(lambda place: place == places[0] or time.monotonic() < until, places)
        )
    return bool(places)


def _missing(live: LiveCampaign) -> list[int]:
    """Topics whose queue was never written for these runs and settings, those that an assessor has open
    first."""
    topics = Topic.objects.filter(campaign=live.campaign_id)
    missing = topics.exclude(priority__configuration=live.configuration)
    open_ = Claim.objects.filter(topic=OuterRef("pk"), reserved=False, expires_at__gt=timezone.now())
    rows = missing.annotate(open=Exists(open_)).order_by("-open", "position")
    known = set(live.arrays.topics)
    return [topic for topic in rows.values_list("id", flat=True)[:QUEUES_AT_ONCE] if topic in known]


def _behind(live: LiveCampaign) -> list[int]:
    if live.scope != Scope.CAMPAIGN:
        return []
    rows = Priority.objects.filter(topic__campaign=live.campaign_id, configuration=live.configuration)
    rows = rows.filter(as_of__lt=live.applied, method__in=ACROSS_TOPICS)
    if len(live.arrays.topics) > ALL_KEPT_FRESH:
        rows = rows.filter(topic__claims__expires_at__gt=timezone.now()).distinct()
    return list(rows.order_by("as_of", "topic").values_list("topic", flat=True)[:QUEUES_AT_ONCE])


def is_behind(live: LiveCampaign) -> bool:
    """Whether something urgent came in meanwhile: a judgment, other settings, a document opened."""
    if live.foreseen != live.applied:
        return True
    heads = LogHead.objects.values_list("length", "campaign__configuration")
    if heads.get(campaign_id=live.campaign_id) != (live.applied, live.configuration):
        return True
    opened = Claim.objects.filter(topic__campaign=live.campaign_id, reserved=False)
    return opened.filter(lookahead__isnull=True, expires_at__gt=timezone.now()).exists()


def lock(campaign: int) -> None:
    if not try_lock_until_commit(Space.COMPUTING, campaign):
        raise CampaignBusy


def write_queues(live: LiveCampaign, topics: Iterable[int]) -> None:
    rows = [_priority(live, topic) for topic in topics]
    Priority.objects.bulk_create(
        rows,
        update_conflicts=True,
        unique_fields=["topic"],
        update_fields=[
            "documents",
            "weights",
            "inclusion",
            "sources",
            "method",
            "remaining",
            "pool_size",
            "best_weight",
            "as_of",
            "configuration",
        ],
    )


def _priority(live: LiveCampaign, topic: int) -> Priority:
    fix_sample(live, topic)
    queue = live.state.queue(topic, QUEUE_DEPTH)
    return Priority(
        topic_id=live.arrays.topics[topic],
        documents=pack(live.arrays.pools[topic].documents[queue.documents], DOCUMENT_IDS),
        weights=pack(queue.weights, WEIGHTS),
        inclusion=None if queue.inclusion is None else pack(queue.inclusion, WEIGHTS),
        sources=None if queue.sources is None else list(queue.sources),
        method=live.plan.method(topic),
        remaining=live.state.remaining(topic),
        pool_size=live.state.pool_size(topic),
        best_weight=float(queue.weights[0]) if len(queue.weights) else 0.0,
        as_of=live.applied,
        configuration=live.configuration,
    )


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
