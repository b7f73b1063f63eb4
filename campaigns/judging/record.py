"""The judging path. The row is committed first; everything else can be made again."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext

from campaigns.collection.rankings import is_ranked
from campaigns.core.errors import Refused
from campaigns.core.jobs import request_recompute
from campaigns.judging import admission, claims, queues
from campaigns.judging.acts import Act
from campaigns.judging.admission import not_open
from campaigns.judging.append import append, row_of
from campaigns.judging.lookup import find
from campaigns.judging.places import Place, place_of
from campaigns.judging.queues import Queue, Served
from campaigns.judging.services_progress import Progress, progress_of
from campaigns.judging.serving import claim_owed, claim_shown, document_called, needed_as_of, next_document
from campaigns.judging.taken import Taken, taken_before
from campaigns.log.judgments import length_of
from campaigns.models import Campaign, Claim, Judgment
from campaigns.models.campaign import Status
from campaigns.models.judgment import REASONS


@dataclass(frozen=True)
class Recorded(Taken):
    progress: Progress
    next: Served | None


def record(*, campaign: Campaign, assessor: int, act: Act) -> Recorded:
    """Append the act to the log and claim the assessor's next document, in one transaction. The same
    id again changes nothing and gets the same answer."""
    try:
        check(campaign, act)
        [found] = find(campaign, assessor, [act])
        place = place_of(campaign, act, found, is_ranked)
    except Refused:
        # What was accepted once stays accepted, whatever has changed since.
        if taken_before(campaign=campaign, assessor=assessor, ids=[act.id]):
            return _again(campaign, assessor, act)
        raise
    if found is not None and found.known:
        return _again(campaign, assessor, act)
    row = row_of(campaign, assessor, act, place, timezone.now())
    shown = document_called(campaign, act.shown)
    try:
        with transaction.atomic():
            let_go = [] if act.undo or place.claim is None else [place.claim]
            append(campaign=campaign, assessor=assessor, rows=[row], claims=let_go)
            # Behind the log's lock: a topic cannot close between this look and the commit.
            goes_on = admission.check_act(topic=place.topic, assessor=assessor, act=act.id)
            length = row.sequence if isinstance(row, Judgment) else length_of(campaign=campaign)
            served = _next_after(campaign, assessor, act, place, shown, length) if goes_on else None
            request_recompute(campaign.id)
    except IntegrityError:
        return _again(campaign, assessor, act)
    # Others may go on meanwhile.
    progress = progress_of(campaign=campaign, topic=place.topic, assessor=assessor)
    return Recorded(row, act.topic, act.docno, True, place.revises, progress, served)


def check(campaign: Campaign, act: Act) -> None:
    """Refused where the campaign takes no such act from anybody."""
    if campaign.status != Status.OPEN:
        raise not_open(campaign)
    if act.grade is not None and act.grade not in {row["grade"] for row in campaign.grades}:
        scale = ", ".join(str(row["grade"]) for row in campaign.grades)
        raise Refused(
            "grade_outside_scale",
            gettext("%(grade)s is not a grade here: %(scale)s") % {"grade": act.grade, "scale": scale},
            field="grade",
        )
    if act.reason and act.reason not in REASONS:
        raise Refused(
            "unknown_reason",
            gettext("the reason is one of: %(reasons)s") % {"reasons": ", ".join(REASONS)},
            field="reason",
        )


def _next_after(
    campaign: Campaign, assessor: int, act: Act, place: Place, shown: int | None, length: int
) -> Served | None:
    """What comes next; the log is locked, its length is that of this moment."""
    if act.undo:
        served = claims.claim_this(
            topic=place.topic,
            document=place.document,
            assessor=assessor,
            method=place.method,
            inclusion_probability=place.inclusion_probability,
            revising=None,
            purpose=Claim.Purpose.REPEAT if place.repeats else Claim.Purpose.FIRST,
        )
        # While somebody else has it open, the work goes on with what there is.
        served = served or claims.open_claim(topic=place.topic, assessor=assessor)
        if served is not None:
            return served
    own_act = 0 if place.repeats else 1
    needed = needed_as_of(campaign, place.topic, place.topic_method, before=length + 1 - own_act)
    needed_of_stored = length if own_act else needed
    foreseen = _foreseen(campaign, act, place)
    if shown is not None:
        served = claim_shown(
            campaign,
            place.topic,
            place.topic_method,
            shown,
            assessor=assessor,
            foreseen=[] if foreseen is None else [(foreseen, needed)],
            needed_as_of=needed_of_stored,
        )
        if served is not None:
            return served
    served = claim_owed(campaign, place.topic, place.topic_method, assessor=assessor)
    if served is not None:
        return served
    if foreseen is not None and foreseen.as_of >= needed:
        served = claims.claim_from(foreseen, topic=place.topic, assessor=assessor, needed_as_of=needed)
        if served is not None:
            return served
    return claims.claim_best(
        topic=place.topic,
        assessor=assessor,
        configuration=campaign.configuration,
        needed_as_of=needed_of_stored,
    )


def _foreseen(campaign: Campaign, act: Act, place: Place) -> Queue | None:
    """What the worker worked out while the document was on screen, for just this grade."""
    if place.lookahead_configuration != campaign.configuration or place.repeats or act.undo:
        return None
    if act.grade is None and (place.recalled or place.purpose):
        # Without this grade, another assessor's may stand: "no grade" was not what was foreseen.
        return None
    return queues.foreseen_queue(
        place.lookahead,
        "" if act.grade is None else str(act.grade),
        method=place.topic_method or campaign.method,
        as_of=place.lookahead_as_of,
    )


def _again(campaign: Campaign, assessor: int, act: Act) -> Recorded:
    taken = taken_before(campaign=campaign, assessor=assessor, ids=[act.id]).get(act.id)
    if taken is None:
        raise id_taken()
    row = taken.judgment
    progress = progress_of(campaign=campaign, topic=row.topic_id, assessor=assessor)
    is_open = campaign.status == Status.OPEN and admission.goes_on(topic=row.topic_id, assessor=assessor)
    served = next_document(campaign=campaign, topic=row.topic, assessor=assessor) if is_open else None
    return Recorded(row, taken.topic, taken.docno, False, taken.revision, progress, served)


def id_taken() -> Refused:
    return Refused("id_taken", gettext("this id belongs to another judgment"), field="id", status=409)
