"""Search-and-judge: an assessor searches a topic's collection, opens what they find, and judges it as usual.

A document found so has the method `search` and no inclusion probability: no queue served it.
"""

from __future__ import annotations

from dataclasses import dataclass

from django.db import transaction
from django.utils.translation import gettext

from campaigns.collection.search import SearchPage, search_documents
from campaigns.core.errors import Refusal
from campaigns.core.recompute_queue import request_recompute
from campaigns.judging.claims import ServedDocument
from campaigns.judging.next_document import document_id_of, recall, recall_document
from campaigns.judging.progress import standing_repeats
from campaigns.judging.situation import ServingQueue, check_is_theirs, not_open
from campaigns.log.current import made_by_assessors
from campaigns.models import Campaign, Claim, Judgment, Postponement, Repeat, Topic
from campaigns.models.campaign import Status
from campaigns.models.judgment import SEARCHED


@dataclass(frozen=True)
class OwnAct:
    """Assessor's own act on the document; a reason where they could not judge it."""

    grade: int | None
    reason: str


@dataclass(frozen=True)
class TopicSearch:
    """`own`: by docno, of the page's documents that the assessor has judged in the topic."""

    page: SearchPage
    own: dict[str, OwnAct]


def check_search(*, campaign: Campaign, topic: Topic, assessor: int) -> None:
    """Refusal where the assessor may not search for documents of the topic now."""
    if not campaign.search_judging:
        words = gettext("this campaign does not let assessors search its collection")
        raise Refusal("search_off", words, status=409)
    if campaign.status != Status.OPEN:
        raise not_open(campaign)
    admission = check_is_theirs(topic=topic.id, assessor=assessor)
    if admission.over is not None:
        raise admission.over


def search_topic(
    *, campaign: Campaign, topic: Topic, assessor: int, query: str, page: int = 1, limit: int = 20
) -> TopicSearch:
    """Best matching documents of the collection, with this assessor's own acts. Other assessors' acts are
    never included."""
    check_search(campaign=campaign, topic=topic, assessor=assessor)
    results = search_documents(collection=campaign.collection, query=query, page=page, limit=limit)
    return TopicSearch(results, _own_acts(topic, assessor, [row.docno for row in results.rows]))


def _own_acts(topic: Topic, assessor: int, docnos: list[str]) -> dict[str, OwnAct]:
    acts = Judgment.objects.filter(topic=topic, assessor_id=assessor, document__docno__in=docnos)
    latest = made_by_assessors(acts).select_related("document").defer("document__body", "document__html")
    by_docno: dict[str, Judgment | Repeat] = {
        act.document.docno: act
        for act in latest.order_by("document_id", "-sequence").distinct("document_id")
        if not act.undo
    }
    for answer in standing_repeats(topic=topic.id, assessor=assessor).values():
        docno = answer.document.docno
        if docno in docnos and (docno not in by_docno or by_docno[docno].created < answer.created):
            by_docno[docno] = answer
    return {docno: OwnAct(act.grade, act.reason) for docno, act in by_docno.items()}


def open_found(*, campaign: Campaign, topic: Topic, docno: str, assessor: int) -> ServedDocument:
    """Put a found document on the assessor's screen, claimed for them. What they have seen in the topic
    before comes as it did then: what a method served stays that method's."""
    check_search(campaign=campaign, topic=topic, assessor=assessor)
    document = document_id_of(campaign, docno)
    if document is None:
        words = gettext("the collection has no document %(docno)s") % {"docno": docno}
        raise Refusal("unknown_document", words, field="docno", status=404)
    if _has_seen(topic, document, assessor):
        return recall_document(campaign=campaign, topic=topic, docno=docno, assessor=assessor)
    with transaction.atomic():
        served = recall(ServingQueue([document], SEARCHED), topic=topic.id, assessor=assessor)
        request_recompute(campaign.id)
    if served is None:
        words = gettext("another assessor has %(docno)s open") % {"docno": docno}
        raise Refusal("claimed", words, status=409)
    return served


def _has_seen(topic: Topic, document: int, assessor: int) -> bool:
    here = {"topic": topic, "document_id": document, "assessor_id": assessor}
    return any(
        rows.filter(**here).exists()
        for rows in (made_by_assessors(Judgment.objects.all()), Postponement.objects, Claim.objects)
    )
