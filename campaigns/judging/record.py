"""The judging path. The row is committed first; everything else can be made again.

Many acts of one assessor at once, each decided as if it had come by itself, in the order given. Nothing is
served after them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from uuid import UUID

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext

from campaigns.collection.rankings import is_ranked, ranked_of
from campaigns.core.errors import Refusal
from campaigns.core.jobs import request_recompute
from campaigns.judging import admission, claims, queues
from campaigns.judging.admission import Admission, admissions_of, not_open, refusal_of_act
from campaigns.judging.log_writer import append_acts, row_of
from campaigns.judging.lookup import (
    ActLookup,
    ActPlace,
    ActRequest,
    RecordedJudgment,
    act_place_of,
    look_up_acts,
    recorded_judgments,
)
from campaigns.judging.next_document import (
    claim_overlap_or_repeat,
    claim_prefetched,
    document_called,
    needed_as_of,
    next_document,
)
from campaigns.judging.progress import AssessorProgress, progress_of
from campaigns.judging.queues import ServedDocument, ServingQueue
from campaigns.log.judgments import length_of
from campaigns.models import Campaign, Claim, Judgment, LogHead, Repeat
from campaigns.models.campaign import Status
from campaigns.models.judgment import REASONS


@dataclass(frozen=True)
class JudgmentOutcome(RecordedJudgment):
    progress: AssessorProgress
    next: ServedDocument | None


def record(*, campaign: Campaign, assessor: int, act: ActRequest) -> JudgmentOutcome:
    """Append the act to the log and claim the assessor's next document, in one transaction. The same
    id again changes nothing and gets the same answer."""
    try:
        check(campaign, act)
        [found] = look_up_acts(campaign, assessor, [act])
        place = act_place_of(campaign, act, found, is_ranked)
    except Refusal:
        # What was accepted once stays accepted, whatever has changed since.
        if recorded_judgments(campaign=campaign, assessor=assessor, ids=[act.id]):
            return _again(campaign, assessor, act)
        raise
    if found is not None and found.known:
        return _again(campaign, assessor, act)
    row = row_of(campaign, assessor, act, place, timezone.now())
    shown = document_called(campaign, act.shown)
    try:
        with transaction.atomic():
            let_go = [] if act.undo or place.claim is None else [place.claim]
            append_acts(campaign=campaign, assessor=assessor, rows=[row], claims=let_go)
            # Behind the log's lock: a topic cannot close between this look and the commit.
            goes_on = admission.check_act(topic=place.topic, assessor=assessor, act=act.id)
            length = row.sequence if isinstance(row, Judgment) else length_of(campaign=campaign)
            served = _next_after(campaign, assessor, act, place, shown, length) if goes_on else None
            request_recompute(campaign.id)
    except IntegrityError:
        return _again(campaign, assessor, act)
    # Others may go on meanwhile.
    progress = progress_of(campaign=campaign, topic=place.topic, assessor=assessor)
    return JudgmentOutcome(row, act.topic, act.docno, True, place.revises, progress, served)


def check(campaign: Campaign, act: ActRequest) -> None:
    """Refused where the campaign takes no such act from anybody."""
    if campaign.status != Status.OPEN:
        raise not_open(campaign)
    if act.grade is not None and act.grade not in {row["grade"] for row in campaign.grades}:
        scale = ", ".join(str(row["grade"]) for row in campaign.grades)
        raise Refusal(
            "grade_outside_scale",
            gettext("%(grade)s is not a grade here: %(scale)s") % {"grade": act.grade, "scale": scale},
            field="grade",
        )
    if act.reason and act.reason not in REASONS:
        raise Refusal(
            "unknown_reason",
            gettext("the reason is one of: %(reasons)s") % {"reasons": ", ".join(REASONS)},
            field="reason",
        )


def _next_after(
    campaign: Campaign, assessor: int, act: ActRequest, place: ActPlace, shown: int | None, length: int
) -> ServedDocument | None:
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
        served = claim_prefetched(
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
    served = claim_overlap_or_repeat(campaign, place.topic, place.topic_method, assessor=assessor)
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


def _foreseen(campaign: Campaign, act: ActRequest, place: ActPlace) -> ServingQueue | None:
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


def _again(campaign: Campaign, assessor: int, act: ActRequest) -> JudgmentOutcome:
    taken = recorded_judgments(campaign=campaign, assessor=assessor, ids=[act.id]).get(act.id)
    if taken is None:
        raise id_in_use()
    row = taken.judgment
    progress = progress_of(campaign=campaign, topic=row.topic_id, assessor=assessor)
    is_open = campaign.status == Status.OPEN and admission.has_next_document(
        topic=row.topic_id, assessor=assessor
    )
    served = next_document(campaign=campaign, topic=row.topic, assessor=assessor) if is_open else None
    return JudgmentOutcome(row, taken.topic, taken.docno, False, taken.revision, progress, served)


def id_in_use() -> Refusal:
    return Refusal("id_taken", gettext("this id belongs to another judgment"), field="id", status=409)


MOST_ACTS = 1000
BATCH_ATTEMPTS = 5
# Which of two acts came later is told by their times.
ACT_SPACING = timedelta(microseconds=1)


def record_all(
    *, campaign: Campaign, assessor: int, acts: Sequence[ActRequest]
) -> list[RecordedJudgment | Refusal]:
    """Append those of the acts that are taken, in one transaction; of each, in their order, what became of
    it. One that is refused does not stop the others."""
    for _ in range(BATCH_ATTEMPTS):
        batch = _batch_of(campaign, assessor, acts)
        outcomes = [batch.outcome(act, found) for act, found in zip(acts, batch.found, strict=True)]
        try:
            _append(batch)
        except (IntegrityError, _Overtaken):
            # The same acts came on another line, or something was closed: other answers are due.
            campaign.refresh_from_db(fields=["status"])
        else:
            return outcomes
    raise Refusal("busy", gettext("the campaign is changing; send them again"), status=409)


class _Overtaken(Exception):
    """What was found before the log was locked does not hold any more."""


def _append(batch: _Batch) -> None:
    if not batch.rows:
        return
    with transaction.atomic():
        heads = LogHead.objects.select_for_update().filter(campaign=batch.campaign, accepting=True)
        # Behind the log's lock: no topic closes between this look and the commit.
        if heads.first() is None or batch.admissions != batch.admissions_now():
            raise _Overtaken
        append_acts(campaign=batch.campaign, assessor=batch.assessor, rows=batch.rows, claims=batch.let_go)
        request_recompute(batch.campaign.id)


@dataclass
class _Batch:
    """What was found of the acts, and what came of those before the next one."""

    campaign: Campaign
    assessor: int
    found: list[ActLookup | None]
    # By topic and document, those that a run ranks.
    ranked: set[tuple[int, int]]
    taken: dict[UUID, RecordedJudgment]
    now: datetime
    admissions: dict[int, Admission] = field(init=False)
    rows: list[Judgment | Repeat] = field(default_factory=list)
    let_go: list[int] = field(default_factory=list)
    # By topic and document, as they stand after the acts so far.
    standing: dict[tuple[int, int | None], ActLookup] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.admissions = self.admissions_now()

    def admissions_now(self) -> dict[int, Admission]:
        topics = {found.topic for found in self.found if found is not None}
        return admissions_of(topics=sorted(topics), assessor=self.assessor)

    def outcome(self, act: ActRequest, found: ActLookup | None) -> RecordedJudgment | Refusal:
        if before := self.taken.get(act.id):
            return replace(before, created=False)
        try:
            check(self.campaign, act)
            here = found and self.standing.get((found.topic, found.document), found)
            place = act_place_of(self.campaign, act, here, lambda *pair: pair in self.ranked)
        except Refusal as refused:
            return refused
        if found is None or here is None or found.known:
            return id_in_use()
        return refusal_of_act(self.admissions[place.topic]) or self._take(act, here, place)

    def _take(self, act: ActRequest, here: ActLookup, place: ActPlace) -> RecordedJudgment:
        row = row_of(self.campaign, self.assessor, act, place, self.now + len(self.rows) * ACT_SPACING)
        self.rows.append(row)
        if place.claim is not None and not act.undo:
            self.let_go.append(place.claim)
        self.standing[place.topic, place.document] = here.after(row)
        self.taken[act.id] = RecordedJudgment(row, act.topic, act.docno, True, place.revises)
        return self.taken[act.id]


def _batch_of(campaign: Campaign, assessor: int, acts: Sequence[ActRequest]) -> _Batch:
    found = look_up_acts(campaign, assessor, acts)
    ids = [act.id for act, one in zip(acts, found, strict=True) if one is None or one.known]
    taken = recorded_judgments(campaign=campaign, assessor=assessor, ids=ids)
    unseen: dict[int, set[int]] = defaultdict(set)
    for one in found:
        if one is not None and one.document is not None and not one.handed_out:
            unseen[one.topic].add(one.document)
    ranked = {(topic, document) for topic in unseen for document in ranked_of(topic, unseen[topic])}
    return _Batch(campaign, assessor, found, ranked, taken, timezone.now())
