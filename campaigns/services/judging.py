"""The judging path. The row is committed first; everything else can be made again."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from django.db import IntegrityError, connection, transaction
from django.utils import timezone
from django.utils.translation import gettext

from campaigns.models import Campaign, Claim, Judgment, LogHead, Repeat
from campaigns.models.campaign import Status
from campaigns.services import admission, claims, repeats
from campaigns.services.acts import Act, Place, find
from campaigns.services.admission import not_open
from campaigns.services.claims import Queue, Served
from campaigns.services.errors import Refused
from campaigns.services.progress import Progress, progress_of
from campaigns.services.serving import claim_owed, claim_shown, needed_as_of, next_document
from campaigns.tasks.recomputing import request_recompute

REASONS = ("unreadable", "missing text", "wrong language", "conflict of interest", "other")


@dataclass(frozen=True)
class Recorded:
    # Of the log, or beside it; the assessor cannot tell.
    judgment: Judgment | Repeat
    topic: str
    docno: str
    created: bool
    progress: Progress
    next: Served | None

    @property
    def revision(self) -> bool:
        """Whether it took the place of what the assessor had said before."""
        act = self.judgment
        if not isinstance(act, Judgment) or act.undo or act.supersedes is None:
            return False
        return not act.supersedes.undo


def record(*, campaign: Campaign, assessor: int, act: Act) -> Recorded:
    """Append the act to the log and claim the assessor's next document, in one transaction. The same
    id again changes nothing and gets the same answer."""
    try:
        _check(campaign, act)
        place = find(campaign, assessor, act)
    except Refused:
        # What was accepted once stays accepted, whatever has changed since.
        if _known(campaign, assessor, act):
            return _again(campaign, assessor, act)
        raise
    if place.known:
        return _again(campaign, assessor, act)
    try:
        with transaction.atomic():
            if place.repeats is None:
                judgment: Judgment | Repeat = _append(campaign, assessor, act, place)
            else:
                judgment = _append_beside(campaign, assessor, act, place, place.repeats)
            # Behind the log's lock: a topic cannot close between this look and the commit.
            goes_on = admission.check_act(topic=place.topic, assessor=assessor, act=act.id)
            length = judgment.sequence if isinstance(judgment, Judgment) else _length(campaign)
            served = _next_after(campaign, assessor, act, place, length) if goes_on else None
            request_recompute(campaign.id)
    except IntegrityError:
        return _again(campaign, assessor, act)
    # Others may go on meanwhile.
    progress = progress_of(campaign=campaign, topic=place.topic, assessor=assessor)
    return Recorded(judgment, act.topic, act.docno, True, progress, served)


def _check(campaign: Campaign, act: Act) -> None:
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


# Taking the log's next place locks its head until the commit: places are committed in their own order. The
# claim may have lapsed and be somebody else's by now: then it stays. Who judges again what they adjudicated,
# adjudicates it again.
_APPEND = """
WITH head AS (
  UPDATE campaigns_loghead SET length = length + 1
  WHERE campaign_id = %(campaign)s AND accepting RETURNING length
), released AS (
  DELETE FROM campaigns_claim WHERE id = %(claim)s AND assessor_id = %(assessor)s
), taken_up AS (
  DELETE FROM campaigns_postponement
  WHERE topic_id = %(topic)s AND document_id = %(document)s AND assessor_id = %(assessor)s
)
INSERT INTO campaigns_judgment
  (id, campaign_id, sequence, topic_id, document_id, assessor_id, grade, reason, undo, milliseconds,
   method, served_exactly, inclusion_probability, stale_claim, topic_revision, supersedes_id,
   adjudication, created)
SELECT %(id)s, %(campaign)s, head.length, %(topic)s, %(document)s, %(assessor)s, %(grade)s, %(reason)s,
   %(undo)s, %(milliseconds)s, %(method)s, %(exact)s, %(inclusion)s,
   %(stale)s, %(revision)s, %(earlier)s,
   EXISTS (SELECT FROM campaigns_judgment WHERE id = %(earlier)s AND adjudication AND NOT undo), %(now)s
FROM head
RETURNING sequence
"""


def _append(campaign: Campaign, assessor: int, act: Act, place: Place) -> Judgment:
    judgment = Judgment(
        id=act.id,
        campaign=campaign,
        topic_id=place.topic,
        document_id=place.document,
        assessor_id=assessor,
        grade=act.grade,
        reason=act.reason,
        undo=act.undo,
        milliseconds=act.milliseconds,
        method=place.method,
        served_exactly=place.exact,
        inclusion_probability=place.inclusion_probability,
        stale_claim=not place.claim_live and not act.undo,
        topic_revision=place.topic_revision,
        supersedes_id=place.earlier,
        created=timezone.now(),
    )
    with connection.cursor() as cursor:
        cursor.execute(
            _APPEND,
            {
                "id": judgment.id,
                "campaign": campaign.id,
                "topic": place.topic,
                "document": place.document,
                "assessor": assessor,
                "grade": act.grade,
                "reason": act.reason,
                "undo": act.undo,
                "milliseconds": act.milliseconds,
                "method": judgment.method,
                "exact": judgment.served_exactly,
                "inclusion": judgment.inclusion_probability,
                "stale": judgment.stale_claim,
                "revision": judgment.topic_revision,
                "earlier": place.earlier,
                "now": judgment.created,
                "claim": None if act.undo else place.claim,
            },
        )
        row = cursor.fetchone()
    if row is None:
        # Closed between the look at its status and this moment.
        campaign.refresh_from_db(fields=["status"])
        raise not_open(campaign)
    judgment.sequence = row[0]
    return judgment


def _append_beside(campaign: Campaign, assessor: int, act: Act, place: Place, first: UUID) -> Repeat:
    repeat = Repeat(
        id=act.id,
        first_id=first,
        campaign=campaign,
        topic_id=place.topic,
        document_id=place.document,
        assessor_id=assessor,
        grade=act.grade,
        reason=act.reason,
        undo=act.undo,
        milliseconds=act.milliseconds,
    )
    if not repeats.append(repeat=repeat, claim=place.claim):
        campaign.refresh_from_db(fields=["status"])
        raise not_open(campaign)
    return repeat


def _length(campaign: Campaign) -> int:
    return LogHead.objects.values_list("length", flat=True).get(campaign=campaign)


def _next_after(campaign: Campaign, assessor: int, act: Act, place: Place, length: int) -> Served | None:
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
    if act.shown:
        served = claim_shown(
            campaign,
            place.topic,
            place.topic_method,
            act.shown,
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
    return claims.foreseen_queue(
        place.lookahead,
        "" if act.grade is None else str(act.grade),
        method=place.topic_method or campaign.method,
        as_of=place.lookahead_as_of,
    )


def _known(campaign: Campaign, assessor: int, act: Act) -> Judgment | Repeat | None:
    """The act as it was recorded when it came first."""
    mine = {"id": act.id, "campaign": campaign, "assessor_id": assessor}
    judgment = Judgment.objects.select_related("document", "topic").filter(**mine).first()
    return judgment or Repeat.objects.select_related("document", "topic").filter(**mine).first()


def _again(campaign: Campaign, assessor: int, act: Act) -> Recorded:
    judgment = _known(campaign, assessor, act)
    if judgment is None:
        raise Refused("id_taken", gettext("this id belongs to another judgment"), field="id", status=409)
    progress = progress_of(campaign=campaign, topic=judgment.topic_id, assessor=assessor)
    is_open = campaign.status == Status.OPEN and admission.goes_on(topic=judgment.topic_id, assessor=assessor)
    served = next_document(campaign=campaign, topic=judgment.topic, assessor=assessor) if is_open else None
    return Recorded(judgment, judgment.topic.number, judgment.document.docno, False, progress, served)
