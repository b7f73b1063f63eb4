"""Choice of the next document: one situation, one ordered stream of queues, one claim of the first free
document."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext

from campaigns.computing.samples import inclusion_probability
from campaigns.core.errors import Refusal
from campaigns.core.recompute_queue import request_recompute
from campaigns.judging import claims
from campaigns.judging.claims import CLAIM_ATTEMPTS, ClaimRequest, ServedDocument, claim, claim_together
from campaigns.judging.overlap_and_repeats import overlap_and_repeat_queue
from campaigns.judging.progress import latest_standing_act
from campaigns.judging.situation import (
    ServingQueue,
    Situation,
    check_is_theirs,
    fallback_queue,
    not_open,
    situation_of,
)
from campaigns.log.current import made_by_assessors
from campaigns.models import Campaign, Claim, Document, Judgment, Postponement, Topic
from campaigns.models.campaign import Status
from campaigns.models.judgment import SEARCHED

# Asks for one claim after another, and is sent the document of each, or None; what it returns is served.
Serving = Generator[ClaimRequest, ServedDocument | None, ServedDocument | None]
# Candidates that are looked at first: one of them is nearly always free.
FIRST_CANDIDATES = 16


def serve_together(servings: Sequence[tuple[int, Serving]]) -> list[ServedDocument | None]:
    """Results of the servings, in their order: those of one topic run one after the other, those of different
    topics side by side, so that one statement claims for all of them."""
    served: list[ServedDocument | None] = [None] * len(servings)
    by_topic: dict[int, list[tuple[int, Serving]]] = {}
    for place, (topic, serving) in enumerate(servings):
        by_topic.setdefault(topic, []).append((place, serving))
    asking: dict[Serving, ClaimRequest] = {}

    def go_on(line: Serving, document: ServedDocument | None) -> None:
        try:
            asking[line] = line.send(document)
        except StopIteration:
            asking.pop(line, None)

    def one_after_the_other(of_topic: Sequence[tuple[int, Serving]]) -> Serving:
        for place, serving in of_topic:
            served[place] = yield from serving
        return None

    for of_topic in by_topic.values():
        go_on(one_after_the_other(of_topic), None)
    while asking:
        lines = list(asking)
        for line, document in zip(lines, claim_together(list(asking.values())), strict=True):
            go_on(line, document)
    return served


def serve(situation: Situation, *, foreseen: ServingQueue | None = None, shown: int | None = None) -> Serving:
    """Claim the assessor's next document. `foreseen`: what the worker computed for just this moment. `shown`:
    the document that the assessor's browser, which had it at hand, has put on the screen by itself; claimed
    if it can be theirs."""
    served = None if shown is None else (yield from _serve_shown(situation, shown, foreseen=foreseen))
    served = served or (yield from _claim_due(situation))
    if served is not None:
        return served
    for queue, needed in _queues(situation, foreseen):
        for part in (queue.part(0, FIRST_CANDIDATES), queue.part(FIRST_CANDIDATES, None)):
            if part.documents:
                served = yield _request(part, needed, situation)
            if served is not None:
                return served
    return None


# A queue, and the log entry up to which it must be right to be up to date.
QueueNeeding = tuple[ServingQueue, int]


def _queues(situation: Situation, foreseen: ServingQueue | None) -> Iterator[QueueNeeding]:
    """Queues that the next document may come from, the best first: the queue that lacks the fewest
    judgments."""
    stored = situation.stored_queue()
    needed = situation.needed_of_stored
    # What was foreseen for the act knows the act.
    if foreseen is not None and situation.needed - foreseen.as_of <= max(needed - stored.as_of, 0):
        yield foreseen, situation.needed
    yield stored, needed
    if not (stored.complete and stored.as_of >= needed):
        yield fallback_queue(situation.topic), needed


def _request(
    queue: ServingQueue, needed: int, situation: Situation, *, target: int | None = None
) -> ClaimRequest:
    return ClaimRequest(
        queue,
        topic=situation.topic,
        assessor=situation.assessor,
        exact=queue.as_of >= needed,
        queue_age=situation.age_of(queue, needed),
        served_at=situation.length,
        target=target,
    )


def _serve_shown(situation: Situation, document: int, *, foreseen: ServingQueue | None = None) -> Serving:
    """Claim what the browser shows already, under the first of the queues that holds it."""
    served = yield from _claim_due(situation, document)
    if served is not None:
        return served
    for queue, needed in _queues_of_shown(situation, foreseen, document):
        if document in queue.documents:
            target = list(queue.documents).index(document)
            return (yield _request(queue.part(0, target + 1), needed, situation, target=target))
    return None


def _queues_of_shown(
    situation: Situation, foreseen: ServingQueue | None, document: int
) -> Iterator[QueueNeeding]:
    if foreseen is not None:
        yield foreseen, situation.needed
    yield situation.stored_queue(), situation.needed_of_stored
    held = Claim.objects.filter(
        topic_id=situation.topic, document_id=document, assessor_id=situation.assessor
    ).first()
    if held is not None:
        # As it was handed to the assessor: the queue that held it may be gone.
        queue = ServingQueue([document], held.method, inclusion=[held.inclusion_probability])
        yield queue, situation.needed_of_stored


def _claim_due(situation: Situation, shown: int | None = None) -> Serving:
    """Claim the first free document that comes before the queue, or just the one that is shown. Once it is
    claimed no other assessor can judge it: then whether it is still due is checked again."""
    topic, assessor = situation.topic, situation.assessor
    for _ in range(CLAIM_ATTEMPTS):
        queue = _due(situation)
        if shown is not None:
            queue = queue.only(shown)
        if not queue.documents:
            return None
        served = yield ClaimRequest(queue, topic, assessor, target=None if shown is None else 0)
        if served is None or served.document_id in _due(situation).documents:
            return served
        Claim.objects.filter(topic=topic, document=served.document_id, assessor=assessor).delete()
    return None


def _due(situation: Situation) -> ServingQueue:
    return overlap_and_repeat_queue(
        campaign=situation.campaign,
        topic=situation.topic,
        method=situation.method,
        assessor=situation.assessor,
    )


def next_document(*, campaign: Campaign, topic: Topic, assessor: int) -> ServedDocument | None:
    """Document that the assessor has open in the topic, or else the best free document, claimed for them."""
    if campaign.status != Status.OPEN:
        raise not_open(campaign)
    situation = situation_of(campaign=campaign, topic=topic.id, assessor=assessor)
    if situation.admission.refusal is not None:
        raise situation.admission.refusal
    if situation.admission.over is not None:
        return None
    served = open_document(topic=topic.id, assessor=assessor)
    if served is not None:
        return served
    with transaction.atomic():
        [served] = serve_together([(topic.id, serve(situation))])
        request_recompute(campaign.id)
    return served


def open_document(*, topic: int, assessor: int) -> ServedDocument | None:
    """Document that this assessor already has open in the topic: a reload shows it again, and renews the
    claim."""
    reopened = claims.reopen(topic=topic, assessor=assessor)
    if reopened is None:
        return None
    served, recalled = reopened
    return _with_own_grade(served, topic=topic, assessor=assessor) if recalled else served


def _with_own_grade(served: ServedDocument, *, topic: int, assessor: int) -> ServedDocument:
    act = latest_standing_act(topic=topic, document=served.document_id, assessor=assessor)
    return served if act is None else served.revised(act.grade)


def recall(
    queue: ServingQueue, *, topic: int, assessor: int, as_served: Claim | Postponement | None = None
) -> ServedDocument | None:
    """Bring the queue's one document back to its assessor; None while another assessor has it open. It keeps
    the method that served it first, and what was measured when it was served. What they are to judge again
    unannounced comes as from the queue."""
    if as_served is None:
        return claim(ClaimRequest(queue, topic, assessor, None), recalled=True)
    measured = ClaimRequest(queue, topic, assessor, as_served.exact, as_served.queue_age)
    served = claim(measured, recalled=True)
    if served is not None and as_served.weight_given_up is not None:
        mine = Claim.objects.filter(topic=topic, document=served.document_id, assessor=assessor)
        mine.update(weight_given_up=as_served.weight_given_up)
    return served


def recall_document(*, campaign: Campaign, topic: Topic, docno: str, assessor: int) -> ServedDocument:
    """A document from the assessor's history, or one to be judged later, on their screen again."""
    if campaign.status != Status.OPEN:
        raise not_open(campaign)
    admission = check_is_theirs(topic=topic.id, assessor=assessor)
    if admission.over is not None:
        raise admission.over
    own = Judgment.objects.filter(topic=topic, assessor_id=assessor, document__docno=docno)
    latest = made_by_assessors(own).order_by("-sequence").first()
    aside = Postponement.objects.filter(topic=topic, assessor_id=assessor, document__docno=docno).first()
    held = topic.claims.filter(assessor_id=assessor, document__docno=docno).first()
    seen = latest or aside or held
    if seen is None:
        raise Refusal(
            "not_yours",
            gettext("%(docno)s is not among the documents you have seen here") % {"docno": docno},
            field="docno",
            status=404,
        )
    # As it came to the assessor, which the sample alone does not tell: MTC may have come to it, too.
    as_served = None if latest else aside if aside and aside.method else held
    first = latest or as_served
    again = aside is not None and aside.purpose == Claim.Purpose.REPEAT
    standing = (
        None if again else latest_standing_act(topic=topic.id, document=seen.document_id, assessor=assessor)
    )
    method = first.method if first else topic.method or campaign.method
    queue = ServingQueue(
        [seen.document_id],
        method,
        inclusion=[_chance_of(topic, seen.document_id, method, as_served)],
        purposes=[aside.purpose if aside and again else as_served.purpose if as_served else ""],
    )
    with transaction.atomic():
        served = recall(queue, topic=topic.id, assessor=assessor, as_served=as_served)
        request_recompute(campaign.id)
    if served is None and standing is not None:
        # That others read it, too, is not for the assessor to know; a revision needs no claim.
        served = claims.unclaimed(seen.document_id)
    if served is None:
        raise Refusal(
            "claimed", gettext("another assessor has %(docno)s open") % {"docno": docno}, status=409
        )
    return served if standing is None else served.revised(standing.grade)


def _chance_of(
    topic: Topic, document: int, method: str, as_served: Claim | Postponement | None
) -> float | None:
    """With which probability the document came to its assessor by the sample, None if by something else."""
    if as_served is not None:
        return as_served.inclusion_probability
    return None if method == SEARCHED else inclusion_probability(topic.id, document)


def postpone(
    *, campaign: Campaign, topic: Topic, docno: str, assessor: int, shown: str = ""
) -> ServedDocument | None:
    """Leave the document for later, release it, and claim the assessor's next one."""
    if campaign.status != Status.OPEN:
        raise not_open(campaign)
    held = _held(topic, docno, assessor)
    situation = situation_of(campaign=campaign, topic=topic.id, assessor=assessor)
    if situation.admission.refusal_of_act is not None:
        raise situation.admission.refusal_of_act
    goes_on = situation.admission.over is None and not situation.admission.paused
    on_screen = document_id_of(campaign, shown) if shown else None
    with transaction.atomic():
        Postponement.objects.update_or_create(
            topic=topic,
            assessor_id=assessor,
            document_id=held.document_id,
            defaults={
                "method": held.method,
                "exact": held.exact,
                "queue_age": held.queue_age,
                "weight_given_up": held.weight_given_up,
                "inclusion_probability": held.inclusion_probability,
                "purpose": held.purpose,
            },
        )
        # By now it may have lapsed and be another assessor's.
        Claim.objects.filter(topic=topic, document=held.document_id, assessor=assessor).delete()
        served = None
        if on_screen is not None and goes_on:
            [served] = serve_together([(topic.id, _serve_shown(situation, on_screen))])
            request_recompute(campaign.id)
    if served is not None or not goes_on:
        return served
    return next_document(campaign=campaign, topic=topic, assessor=assessor)


def renew(*, topic: Topic, docno: str, assessor: int) -> datetime:
    """Keep an open document for another lease."""
    held = _held(topic, docno, assessor)
    until = claims.renew(topic=topic.id, document=held.document_id, assessor=assessor)
    if until is None:
        raise _no_claim(docno)
    return until


def _held(topic: Topic, docno: str, assessor: int) -> Claim:
    held = topic.claims.filter(assessor_id=assessor, document__docno=docno).first()
    if held is None:
        raise _no_claim(docno)
    return held


def _no_claim(docno: str) -> Refusal:
    return Refusal(
        "no_claim",
        gettext("%(docno)s is not open on your screen") % {"docno": docno},
        field="docno",
        status=404,
    )


def document_id_of(campaign: Campaign, docno: str) -> int | None:
    named = Document.objects.filter(collection_id=campaign.collection_id, docno=docno)
    return named.values_list("id", flat=True).first()
