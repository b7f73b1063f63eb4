"""Adjudication: a third person decides between grades; a decision is one more act of the judgment log."""

from __future__ import annotations

from uuid import UUID

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from campaigns.collection.document_revisions import current_revisions
from campaigns.core.errors import Refusal
from campaigns.core.recompute_queue import request_recompute
from campaigns.duplicates.judgment_copies import propagate
from campaigns.log.annotations import append_annotation
from campaigns.models import Campaign, Judgment, LogHead
from campaigns.models.campaign import Status
from campaigns.quality.disputes import Dispute, dispute_of, document_place_of


def decide(
    *,
    campaign: Campaign,
    adjudicator: User,
    id: UUID,
    topic: str,
    docno: str,
    grade: int,
    seen: str = "",
    note: str = "",
    document_revision: int | None = None,
) -> Judgment:
    """Append a decision, and a note that says why. `seen`: the decision that stood when this one was made,
    empty if none did. Refused where `document_revision`, the text that was read, is not the present one.
    Also where judging is paused or over, for that is when most is decided. The same id again changes
    nothing."""
    if grade not in {row["grade"] for row in campaign.grades}:
        scale = ", ".join(str(row["grade"]) for row in campaign.grades)
        detail = _("%(grade)s is not a grade here: %(scale)s") % {"grade": grade, "scale": scale}
        raise Refusal("grade_outside_scale", detail, field="grade")
    with transaction.atomic():
        head = LogHead.objects.select_for_update(no_key=True).get(campaign=campaign)
        if earlier := Judgment.objects.filter(id=id).first():
            return _again(earlier, campaign, adjudicator)
        dispute = _dispute(campaign, adjudicator, topic, docno)
        if dispute.own:
            detail = _("you judged %(docno)s yourself; another organiser must decide") % {"docno": docno}
            raise Refusal("own_judgment", detail, field="docno", status=409)
        if str(dispute.decision or "") != seen:
            detail = _("%(docno)s has since been decided differently") % {"docno": docno}
            raise Refusal("decided_meanwhile", detail, status=409)
        document = dispute.place[1]
        present = current_revisions([document])[document]
        if document_revision not in (None, present):
            detail = _("the text of %(docno)s was replaced while you had it open; read the new one")
            raise Refusal("text_replaced", detail % {"docno": docno}, field="document_revision", status=409)
        decision = _append(campaign, head, adjudicator, dispute, id=id, grade=grade)
        if note.strip():
            append_annotation(
                id=id,
                assessor=adjudicator.id,
                place=dispute.place,
                note=note,
                passages=[],
                document_revision=decision.document_revision,
            )
        return decision


def undo_decision(*, campaign: Campaign, adjudicator: User, id: UUID, topic: str, docno: str) -> Judgment:
    """Withdraw one's own decision: what others said holds again."""
    with transaction.atomic():
        head = LogHead.objects.select_for_update(no_key=True).get(campaign=campaign)
        if earlier := Judgment.objects.filter(id=id).first():
            return _again(earlier, campaign, adjudicator)
        dispute = _dispute(campaign, adjudicator, topic, docno)
        if _own_decision(campaign, adjudicator, dispute) is None:
            detail = _("you have not decided %(docno)s") % {"docno": docno}
            raise Refusal("nothing_to_undo", detail, field="docno", status=409)
        return _append(campaign, head, adjudicator, dispute, id=id, grade=None)


def _again(earlier: Judgment, campaign: Campaign, adjudicator: User) -> Judgment:
    if (earlier.campaign_id, earlier.assessor_id) != (campaign.id, adjudicator.id):
        raise Refusal("id_taken", _("this id belongs to another judgment"), field="id", status=409)
    return earlier


def _dispute(campaign: Campaign, adjudicator: User, topic: str, docno: str) -> Dispute:
    if campaign.status == Status.DRAFT:
        detail = _("“%(name)s” was never open") % {"name": campaign.name}
        raise Refusal("campaign_not_open", detail, status=409)
    place = document_place_of(campaign=campaign, topic=topic, docno=docno)
    dispute = place and dispute_of(campaign=campaign, place=place, reader=adjudicator.id)
    if not dispute:
        detail = _("there is no disagreement on %(docno)s in topic %(topic)s") % {
            "docno": docno,
            "topic": topic,
        }
        raise Refusal("no_dispute", detail, field="docno", status=409)
    return dispute


def _own_decision(campaign: Campaign, adjudicator: User, dispute: Dispute) -> Judgment | None:
    topic, document = dispute.place
    acts = Judgment.objects.filter(campaign=campaign, topic_id=topic, document_id=document)
    latest = acts.filter(assessor=adjudicator).order_by("-sequence").first()
    return latest if latest and latest.adjudication and not latest.undo else None


def _append(
    campaign: Campaign, head: LogHead, adjudicator: User, dispute: Dispute, *, id: UUID, grade: int | None
) -> Judgment:
    topic, document = dispute.place
    head.length += 1
    head.save(update_fields=["length"])
    decision = Judgment.objects.create(
        id=id,
        campaign=campaign,
        sequence=head.length,
        topic_id=topic,
        document_id=document,
        assessor=adjudicator,
        grade=grade,
        undo=grade is None,
        adjudication=True,
        topic_revision=campaign.topics.values_list("revision", flat=True).get(id=topic),
        document_revision=current_revisions([document])[document],
        supersedes=_own_decision(campaign, adjudicator, dispute),
        created=timezone.now(),
    )
    propagate(campaign=campaign.id, places=[dispute.place])
    request_recompute(campaign.id)
    return decision
