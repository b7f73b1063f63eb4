"""The next document of an assessor: the best free one, one at hand in the browser, or one asked for again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext

from campaigns.computing.samples import inclusion_probability
from campaigns.core.errors import Refusal
from campaigns.core.jobs import request_recompute
from campaigns.judging import admission, claims
from campaigns.judging.admission import not_open
from campaigns.judging.overlap_and_repeats import overlap_and_repeat_queue
from campaigns.judging.progress import latest_standing_act
from campaigns.judging.queues import ServedDocument, ServingQueue, stored_queue
from campaigns.log.judgments import length_of
from campaigns.models import Campaign, Claim, Document, Judgment, Postponement, Topic
from campaigns.models.campaign import Scope, Status
from selection.registry import method_entry


def next_document(*, campaign: Campaign, topic: Topic, assessor: int) -> ServedDocument | None:
    """What the assessor has open in the topic, or else the best free document, claimed for them."""
    if campaign.status != Status.OPEN:
        raise not_open(campaign)
    if not admission.may_be_served(topic=topic.id, assessor=assessor):
        return None
    served = claims.open_claim(topic=topic.id, assessor=assessor)
    if served is not None:
        return served
    length = length_of(campaign=campaign)
    needed = needed_as_of(campaign, topic.id, topic.method, before=length + 1)
    with transaction.atomic():
        served = claim_overlap_or_repeat(
            campaign, topic.id, topic.method, assessor=assessor
        ) or claims.claim_best(
            topic=topic.id,
            assessor=assessor,
            configuration=campaign.configuration,
            needed_as_of=needed,
        )
        request_recompute(campaign.id)
    return served


def claim_overlap_or_repeat(
    campaign: Campaign, topic: int, own_method: str, *, assessor: int, shown: int | None = None
) -> ServedDocument | None:
    """Claim the first free document of those that come before the queue, or just the one that the
    assessor's browser shows already. Once it is claimed nobody can judge it any more: then it is looked at
    again whether it is still owed."""
    for _ in range(claims.CLAIM_ATTEMPTS):
        queue = overlap_and_repeat_queue(campaign=campaign, topic=topic, method=own_method, assessor=assessor)
        if shown is not None:
            at = list(queue.documents).index(shown) if shown in queue.documents else len(queue.documents)
            queue = queue.only(at, exact=False)
        if not queue.documents:
            return None
        served = claims.claim_from(
            queue, topic=topic, assessor=assessor, needed_as_of=0, with_body=shown is None
        )
        if served is None:
            return None
        still = overlap_and_repeat_queue(campaign=campaign, topic=topic, method=own_method, assessor=assessor)
        if served.document_id in still.documents:
            return served
        claims.let_go(topic=topic, document=served.document_id, assessor=assessor)
    return None


def recall_document(*, campaign: Campaign, topic: Topic, docno: str, assessor: int) -> ServedDocument:
    """A document from the assessor's history, or one they set aside, on their screen again."""
    if campaign.status != Status.OPEN:
        raise not_open(campaign)
    if not admission.may_be_served(topic=topic.id, assessor=assessor):
        raise admission.topic_closed()
    known = Judgment.objects.filter(topic=topic, assessor_id=assessor, document__docno=docno)
    latest = known.order_by("-sequence").first()
    aside = Postponement.objects.filter(topic=topic, assessor_id=assessor, document__docno=docno).first()
    held = topic.claims.filter(assessor_id=assessor, document__docno=docno).first()
    found = latest or aside or held
    if found is None:
        raise Refusal(
            "not_yours",
            gettext("%(docno)s is not among the documents you have seen here") % {"docno": docno},
            field="docno",
            status=404,
        )
    # As it came to the assessor, which the sample alone does not tell: MTC may have come to it, too.
    as_served = None if latest else aside if aside and aside.method else held
    served_by = latest or as_served
    again = aside is not None and aside.purpose == Claim.Purpose.REPEAT
    said = (
        None if again else latest_standing_act(topic=topic.id, document=found.document_id, assessor=assessor)
    )
    with transaction.atomic():
        served = claims.claim_this(
            topic=topic.id,
            document=found.document_id,
            assessor=assessor,
            method=served_by.method if served_by else topic.method or campaign.method,
            inclusion_probability=(
                as_served.inclusion_probability
                if as_served
                else inclusion_probability(topic.id, found.document_id)
            ),
            revising=said.grade if said else None,
            revision=said is not None,
            exact=as_served.exact if as_served else None,
            purpose=aside.purpose if aside and again else as_served.purpose if as_served else "",
        )
        request_recompute(campaign.id)
    if served is None and said is not None:
        # That others read it, too, is not for the assessor to know; a revision needs no claim.
        return claims.serve_unclaimed(document=found.document_id, revising=said.grade)
    if served is None:
        raise Refusal(
            "claimed", gettext("%(docno)s is open on somebody else's screen") % {"docno": docno}, status=409
        )
    return served


def postpone(
    *, campaign: Campaign, topic: Topic, docno: str, assessor: int, shown: str = ""
) -> ServedDocument | None:
    """Set the document aside for this assessor, let go of it, and claim the next one."""
    if campaign.status != Status.OPEN:
        raise not_open(campaign)
    claim = topic.claims.filter(assessor_id=assessor, document__docno=docno).first()
    if claim is None:
        raise Refusal(
            "no_claim",
            gettext("%(docno)s is not open on your screen") % {"docno": docno},
            field="docno",
            status=404,
        )
    goes_on = admission.check_act(topic=topic.id, assessor=assessor)
    on_screen = document_called(campaign, shown)
    with transaction.atomic():
        Postponement.objects.update_or_create(
            topic=topic,
            assessor_id=assessor,
            document_id=claim.document_id,
            defaults={
                "method": claim.method,
                "exact": claim.exact,
                "inclusion_probability": claim.inclusion_probability,
                "purpose": claim.purpose,
            },
        )
        # By now it may have lapsed and be somebody else's.
        claims.let_go(topic=topic.id, document=claim.document_id, assessor=assessor)
        served = None
        if on_screen is not None and goes_on:
            length = length_of(campaign=campaign)
            needed = needed_as_of(campaign, topic.id, topic.method, before=length + 1)
            served = claim_prefetched(
                campaign, topic.id, topic.method, on_screen, assessor=assessor, needed_as_of=needed
            )
            request_recompute(campaign.id)
    if served is not None or not goes_on:
        return served
    return next_document(campaign=campaign, topic=topic, assessor=assessor)


def renew_claim(*, topic: Topic, docno: str, assessor: int) -> datetime:
    held = topic.claims.filter(assessor_id=assessor, document__docno=docno).first()
    until = held and claims.renew(topic=topic.id, document=held.document_id, assessor=assessor)
    if not until:
        raise Refusal(
            "no_claim",
            gettext("%(docno)s is not open on your screen") % {"docno": docno},
            field="docno",
            status=404,
        )
    return until


def document_called(campaign: Campaign, docno: str) -> int | None:
    """The document's id; None where there is none, as where no docno is given."""
    if not docno:
        return None
    named = Document.objects.filter(collection_id=campaign.collection_id, docno=docno)
    return named.values_list("id", flat=True).first()


def claim_prefetched(
    campaign: Campaign,
    topic: int,
    own_method: str,
    document: int,
    *,
    assessor: int,
    foreseen: Sequence[tuple[ServingQueue, int]] = (),
    needed_as_of: int,
) -> ServedDocument | None:
    """Claim what the assessor's browser, which had it at hand, has put on the screen by itself, if it can
    be theirs; `foreseen` is what the worker had worked out for just this moment."""
    served = claim_overlap_or_repeat(campaign, topic, own_method, assessor=assessor, shown=document)
    if served is not None:
        return served

    def queues() -> Iterator[tuple[ServingQueue, int]]:
        yield from foreseen
        yield stored_queue(topic, configuration=campaign.configuration), needed_as_of
        yield claims.claimed_queue(topic=topic, document=document, assessor=assessor), needed_as_of

    return claims.claim_shown(document, queues(), topic=topic, assessor=assessor)


def needed_as_of(campaign: Campaign, topic: int, own_method: str, *, before: int) -> int:
    """Up to which act the queue must be right to be exact: the topic's last, or the campaign's where the
    topic's method (empty: the campaign's) takes heed of other topics."""
    if campaign.scope == Scope.CAMPAIGN and method_entry(own_method or campaign.method).across_topics:
        return before - 1
    last = Judgment.objects.filter(topic_id=topic, sequence__lt=before).order_by("-sequence")
    return last.values_list("sequence", flat=True).first() or 0
