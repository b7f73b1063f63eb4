"""Training items: documents whose grade the organiser knows. The answers to them reach no qrels."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import transaction
from django.db.models import F, Max
from django.utils.translation import gettext

from campaigns.collection.document_revisions import current_revisions
from campaigns.collection.documents import ids_by_docno, missing_document, missing_topic
from campaigns.core.errors import Refusal
from campaigns.core.phrases import group_digits
from campaigns.formats.errors import MOST_LISTED_ERRORS, FormatError, LineError
from campaigns.formats.training import TrainingRecord
from campaigns.log import audit
from campaigns.models import Campaign, TrainingItem
from campaigns.models.campaign import Status
from campaigns.models.judgment import LEAST_TRAINING

LONGEST_REASON = 2000


def add_item(*, campaign: Campaign, topic: str, docno: str, grade: int, reason: str) -> TrainingItem:
    """One more item, behind the others."""
    return add_documents(campaign=campaign, topic=topic, docnos=[docno], grade=grade, reason=reason)[0]


def add_documents(
    *, campaign: Campaign, topic: str, docnos: Sequence[str], grade: int, reason: str
) -> list[TrainingItem]:
    """Items of one topic, all with this grade for this reason; with one wrong, none."""
    if not docnos:
        raise Refusal("bad_item", gettext("select a document or enter a docno"), field="docno")
    records = [
        TrainingRecord(topic, docno, grade, reason.strip(), line=line)
        for line, docno in enumerate(dict.fromkeys(docnos), start=1)
    ]
    try:
        return add_items(campaign=campaign, records=records, file="")
    except FormatError as error:
        wrong = error.errors[0]
        raise Refusal("bad_item", wrong.detail, field=wrong.field) from None


def add_items(*, campaign: Campaign, records: Sequence[TrainingRecord], file: str) -> list[TrainingItem]:
    """All items of a file, in its order behind those that are there; with one wrong, none."""
    with transaction.atomic():
        # Two who add at once come one after the other.
        Campaign.objects.select_for_update(no_key=True).get(id=campaign.id)
        topics = dict(campaign.topics.values_list("number", "id"))
        docnos = [record.docno for record in records]
        documents = ids_by_docno(collection=campaign.collection, docnos=docnos)
        revisions = current_revisions(documents.values())
        known = set(campaign.training_items.values_list("topic__number", "document__docno"))
        wrong: list[LineError] = []
        for record in records:
            wrong += _wrong(record, campaign, topics, documents, known, errors=len(wrong))
        if wrong:
            raise FormatError(file, wrong[:MOST_LISTED_ERRORS], total=len(wrong))
        last = campaign.training_items.aggregate(last=Max("position"))["last"]
        begin = 0 if last is None else last + 1
        items = [
            TrainingItem(
                campaign=campaign,
                position=begin + place,
                topic_id=topics[record.topic],
                document_id=documents[record.docno],
                document_revision=revisions[documents[record.docno]],
                grade=record.grade,
                reason=record.reason,
            )
            for place, record in enumerate(records)
        ]
        detail = {
            "items": [[record.topic, record.docno, record.grade] for record in records],
            "topics": sorted({record.topic for record in records}),
        }
        audit.note(campaign=campaign, kind="training added", file=file, **detail)
        return TrainingItem.objects.bulk_create(items)


def _wrong(
    record: TrainingRecord,
    campaign: Campaign,
    topics: dict[str, int],
    documents: dict[str, int],
    known: set[tuple[str, str]],
    *,
    errors: int,
) -> list[LineError]:
    scale = [row["grade"] for row in campaign.grades]
    if record.topic not in topics:
        return [LineError(record.line, missing_topic(topics, record.topic, errors=errors), "topic")]
    if record.docno not in documents:
        return [
            LineError(
                record.line,
                missing_document(campaign.collection, record.docno, errors=errors),
                "docno",
            )
        ]
    if record.grade not in scale:
        there = ", ".join(map(str, scale))
        return [
            LineError(
                record.line,
                gettext("%(grade)s is not a grade here: %(there)s") % {"grade": record.grade, "there": there},
                "grade",
            )
        ]
    if not 0 < len(record.reason) <= LONGEST_REASON:
        detail = gettext("say in at most %(longest_reason)s characters why this grade is expected") % {
            "longest_reason": group_digits(LONGEST_REASON)
        }
        return [LineError(record.line, detail, "reason")]
    if (record.topic, record.docno) in known:
        detail = gettext("%(docno)s is a training item of topic %(topic)s already") % {
            "docno": record.docno,
            "topic": record.topic,
        }
        return [LineError(record.line, detail, "docno")]
    return []


def remove_item(*, campaign: Campaign, item: int) -> None:
    """Take an item out, with the answers to it; those behind it move up."""
    with transaction.atomic():
        Campaign.objects.select_for_update(no_key=True).get(id=campaign.id)
        row = _item(campaign, item)
        left = campaign.training_items.count() - 1
        if campaign.training_required and campaign.status != Status.DRAFT and left < LEAST_TRAINING:
            detail = gettext(
                "training is required, and takes at least %(least_training)s items: add another first"
            ) % {"least_training": LEAST_TRAINING}
            raise Refusal("too_few_items", detail, status=409)
        row.delete()
        behind = campaign.training_items.filter(position__gt=row.position)
        behind.update(position=F("position") - 1)
        _note(campaign, "training removed", row)


def move_item(*, campaign: Campaign, item: int, by: int) -> None:
    """Put an item so many places further down, or up if negative; not beyond the ends."""
    with transaction.atomic():
        Campaign.objects.select_for_update(no_key=True).get(id=campaign.id)
        row = _item(campaign, item)
        order = list(campaign.training_items.exclude(id=row.id).values_list("id", flat=True))
        before = campaign.training_items.filter(position__lt=row.position).count()
        order.insert(min(max(before + by, 0), len(order)), row.id)
        for position, each in enumerate(order):
            campaign.training_items.filter(id=each).exclude(position=position).update(position=position)
        _note(campaign, "training moved", row, by=by)


def _note(campaign: Campaign, kind: str, item: TrainingItem, **detail: int) -> None:
    place = {"topic": item.topic.number, "docno": item.document.docno}
    audit.note(campaign=campaign, kind=kind, **place, **detail)


def missing_items(campaign: Campaign) -> int:
    """Number of items that training still lacks."""
    return max(0, LEAST_TRAINING - campaign.training_items.count())


def _item(campaign: Campaign, item: int) -> TrainingItem:
    rows = campaign.training_items.select_related("topic", "document").defer(
        "document__body", "document__html"
    )
    row = rows.filter(id=item).first()
    if row is None:
        raise Refusal("unknown_item", gettext("there is no such training item"), field="item", status=404)
    return row
