"""Examples of the guidelines: documents of the collection that show assessors what a grade means."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db import transaction
from django.db.models import F, Max, Q, QuerySet
from django.utils.translation import gettext

from campaigns.collection.assignments import offered_topics
from campaigns.collection.document_revisions import current_revisions
from campaigns.collection.documents import ids_by_docno
from campaigns.core.errors import Refusal
from campaigns.core.phrases import group_digits
from campaigns.log import audit
from campaigns.models import Campaign, GuidelineExample, Topic

LONGEST_REASON = 2000
# The panel lists all of them.
MOST_EXAMPLES = 200


def add_examples(
    *, campaign: Campaign, docnos: Sequence[str], grade: int, reason: str, topic: str | None = None
) -> list[GuidelineExample]:
    """Add documents behind the other examples, all with this grade for this reason; with one wrong, none.
    Without a topic, they are shown in every topic."""
    wanted, reason = list(dict.fromkeys(docnos)), reason.strip()
    if not wanted:
        raise _refusal("docno", gettext("select a document or enter a docno"))
    with transaction.atomic():
        held = _hold(campaign)
        _check_grade(held, grade)
        _check_reason(reason)
        found = _topic(held, topic)
        ids = ids_by_docno(collection=campaign.collection, docnos=wanted)
        for docno in wanted:
            if docno not in ids:
                words = gettext("the collection has no document %(docno)s") % {"docno": docno}
                raise _refusal("docno", words)
            _check_new(held, found, ids[docno], docno)
        revisions = current_revisions(ids.values())
        begin = _room_for(held, len(wanted))
        rows = [
            GuidelineExample(
                campaign=campaign,
                position=begin + place,
                topic=found,
                document_id=ids[docno],
                document_revision=revisions[ids[docno]],
                grade=grade,
                reason=reason,
            )
            for place, docno in enumerate(wanted)
        ]
        audit.note(campaign=campaign, kind="example added", docnos=wanted, grade=grade, **_about(found))
        return GuidelineExample.objects.bulk_create(rows)


def change_example(*, campaign: Campaign, example: int, **changes: Any) -> GuidelineExample:
    """Change `grade`, `reason` or `topic` (a number; None for every topic) of an example."""
    with transaction.atomic():
        held = _hold(campaign)
        row = _example(held, example)
        before = {"grade": row.grade, "reason": row.reason, "topic": row.topic and row.topic.number}
        if "grade" in changes:
            _check_grade(held, changes["grade"])
            row.grade = changes["grade"]
        if "reason" in changes:
            row.reason = changes["reason"].strip()
            _check_reason(row.reason)
        if "topic" in changes and changes["topic"] != (row.topic and row.topic.number):
            row.topic = _topic(held, changes["topic"])
            _check_new(held, row.topic, row.document_id, row.document.docno)
        after = {"grade": row.grade, "reason": row.reason, "topic": row.topic and row.topic.number}
        if changed := {name: [before[name], after[name]] for name in before if before[name] != after[name]}:
            row.save(update_fields=list(changed))
            _note(campaign, "example changed", row, changes=changed)
    return row


def move_example(*, campaign: Campaign, example: int, by: int) -> GuidelineExample:
    """Put an example so many places further down, or up if negative; not beyond the ends."""
    with transaction.atomic():
        row = _example(_hold(campaign), example)
        order = list(campaign.guideline_examples.exclude(id=row.id).values_list("id", flat=True))
        before = campaign.guideline_examples.filter(position__lt=row.position).count()
        order.insert(min(max(before + by, 0), len(order)), row.id)
        for position, each in enumerate(order):
            campaign.guideline_examples.filter(id=each).exclude(position=position).update(position=position)
        _note(campaign, "example moved", row, by=by)
    return _example(campaign, example)


def remove_example(*, campaign: Campaign, example: int) -> None:
    """Delete an example; those behind it move up."""
    with transaction.atomic():
        row = _example(_hold(campaign), example)
        row.delete()
        behind = campaign.guideline_examples.filter(position__gt=row.position)
        behind.update(position=F("position") - 1)
        _note(campaign, "example removed", row)


def copy_examples(*, source: Campaign, copy: Campaign) -> int:
    """Give a copy on the same documents the examples of every topic, and of those topics that it has.
    Returns how many are left out."""
    topics = dict(copy.topics.values_list("number", "id"))
    rows = list(source.guideline_examples.select_related("topic"))
    kept = [row for row in rows if row.topic is None or row.topic.number in topics]
    GuidelineExample.objects.bulk_create(
        GuidelineExample(
            campaign=copy,
            position=position,
            topic_id=topics[row.topic.number] if row.topic else None,
            document_id=row.document_id,
            document_revision=row.document_revision,
            grade=row.grade,
            reason=row.reason,
        )
        for position, row in enumerate(kept)
    )
    return len(rows) - len(kept)


def examples_of(campaign: Campaign) -> QuerySet[GuidelineExample]:
    """All examples in their order, without the documents' texts."""
    rows = campaign.guideline_examples.select_related("topic", "document")
    return rows.defer("document__body", "document__html")


def examples_for(*, campaign: Campaign, assessor: int) -> QuerySet[GuidelineExample]:
    """Filter the examples that an assessor may see: those of topics that are not offered to them stay out."""
    offered = offered_topics(campaign=campaign, assessor=assessor)
    return examples_of(campaign).filter(Q(topic=None) | Q(topic__in=offered))


def _hold(campaign: Campaign) -> Campaign:
    """The campaign as it is now. Two who change examples or the scale come one after the other."""
    return Campaign.objects.select_for_update(no_key=True).get(id=campaign.id)


def _topic(campaign: Campaign, number: str | None) -> Topic | None:
    if number is None:
        return None
    topic = campaign.topics.filter(number=number).first()
    if topic is None:
        raise _refusal("topic", gettext("the campaign has no topic %(topic)s") % {"topic": number})
    return topic


def _check_grade(campaign: Campaign, grade: int) -> None:
    scale = [row["grade"] for row in campaign.grades]
    if grade not in scale:
        values = {"grade": grade, "there": ", ".join(map(str, scale))}
        raise _refusal("grade", gettext("%(grade)s is not a grade here: %(there)s") % values)


def _check_reason(reason: str) -> None:
    if not 0 < len(reason) <= LONGEST_REASON:
        words = gettext("give a reason for the grade, in at most %(most)s characters")
        raise _refusal("reason", words % {"most": group_digits(LONGEST_REASON)})


def _check_new(campaign: Campaign, topic: Topic | None, document: int, docno: str) -> None:
    if campaign.guideline_examples.filter(topic=topic, document=document).exists():
        if topic is None:
            words = gettext("%(docno)s is an example of every topic already") % {"docno": docno}
        else:
            values = {"docno": docno, "topic": topic.number}
            words = gettext("%(docno)s is an example of topic %(topic)s already") % values
        raise _refusal("docno", words)


def _room_for(campaign: Campaign, many: int) -> int:
    """The first free position."""
    if campaign.guideline_examples.count() + many > MOST_EXAMPLES:
        words = gettext("a campaign has at most %(most)s examples; delete some first")
        raise Refusal("too_many_examples", words % {"most": MOST_EXAMPLES}, field="docno", status=409)
    last = campaign.guideline_examples.aggregate(last=Max("position"))["last"]
    return 0 if last is None else int(last) + 1


def _example(campaign: Campaign, example: int) -> GuidelineExample:
    row = examples_of(campaign).filter(id=example).first()
    if row is None:
        raise Refusal("unknown_example", gettext("there is no such example"), field="example", status=404)
    return row


def _refusal(field: str, detail: str) -> Refusal:
    return Refusal("bad_example", detail, field=field)


def _about(topic: Topic | None) -> dict[str, str]:
    return {"topic": topic.number} if topic else {}


def _note(campaign: Campaign, kind: str, row: GuidelineExample, **detail: Any) -> None:
    audit.note(campaign=campaign, kind=kind, docno=row.document.docno, **_about(row.topic), **detail)
