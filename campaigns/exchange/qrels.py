"""Qrels from elsewhere, appended to the log."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import PurePath
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from campaigns.collection.document_revisions import current_revisions
from campaigns.collection.documents import (
    ensure_ids_by_docno,
    hold,
    missing_document,
    missing_topic,
)
from campaigns.core.recompute_queue import request_recompute
from campaigns.duplicates.judgment_copies import propagate
from campaigns.exchange.grade_maps import AS_THEY_ARE, GradeChoice, chosen_grades
from campaigns.formats.errors import ErrorList
from campaigns.formats.qrels import Grade, ParsedQrels
from campaigns.log import audit
from campaigns.log.current import current_qrels
from campaigns.models import Campaign, Collection, Judgment, LogHead, QrelsImport

# Documents whose ids are looked up, and judgments that are made, at once.
STORED_AT_ONCE = 20_000


@dataclass(frozen=True)
class StoredQrels:
    """`map`: of the file's grades, where it was needed; `left_out`: judgments that it left out."""

    added: int
    unchanged: int
    map: str = ""
    left_out: int = 0


def store_qrels(
    *,
    campaign: Campaign,
    user: User,
    parsed: ParsedQrels,
    file: str,
    dataset: bool = False,
    choice: GradeChoice = AS_THEY_ARE,
) -> StoredQrels:
    """Append a file's judgments to the log, as imported by this user. What says nothing new is left out.
    `file` may be the name of a data set. `choice`: what becomes of its grades."""
    with transaction.atomic():
        name = file if dataset else PurePath(file).name
        parsed, used, left_out = chosen_grades(campaign=campaign, parsed=parsed, file=name, choice=choice)
        if not campaign.collection.complete:
            # As documents.hold has it: the collection before the log.
            hold(campaign.collection)
        # An archive that also changes texts holds all campaigns of the collection at its end.
        Campaign.objects.select_for_update(no_key=True).get(id=campaign.id)
        head = LogHead.objects.select_for_update(no_key=True).get(campaign=campaign)
        before = head.length
        topics = {topic.number: topic for topic in campaign.topics.only("campaign", "number", "revision")}
        unchanged = _unchanged(campaign, parsed)
        errors = ErrorList(file)
        for topic in parsed.grades:
            if topic not in topics:
                line = next(iter(parsed.lines.get(topic, ())), None)
                errors.add(line, missing_topic(topics, topic, errors=errors.total), "topic")
        now, rows, read = timezone.now(), parsed.rows(), 0
        while some := list(islice(rows, STORED_AT_ONCE)):
            read += len(some)
            docnos = list(dict.fromkeys(docno for _, _, docno, _ in some))
            ids = ensure_ids_by_docno(collection=campaign.collection, docnos=docnos)
            _note_unknown(campaign.collection, some, ids, errors)
            # With an error, the rest of the file is looked through and not stored.
            new = [] if errors.total else [row for row in some if row[1:3] not in unchanged]
            revisions = current_revisions(ids.values())
            judgments = [
                Judgment(
                    id=uuid.uuid4(),
                    campaign=campaign,
                    sequence=head.length + place,
                    topic_id=topics[topic].id,
                    document_id=ids[docno],
                    assessor=user,
                    grade=grade,
                    topic_revision=topics[topic].revision,
                    document_revision=revisions[ids[docno]],
                    created=now,
                )
                for place, (_, topic, docno, grade) in enumerate(new, start=1)
            ]
            Judgment.objects.bulk_create(judgments, batch_size=2000)
            head.length += len(judgments)
        errors.raise_if_any()
        head.save(update_fields=["length"])
        if head.length > before:
            QrelsImport.objects.create(
                campaign=campaign,
                first=before + 1,
                last=head.length,
                file=name,
                imported_by=user,
                created=now,
            )
        propagate(campaign=campaign.id)
        stored = StoredQrels(head.length - before, read - (head.length - before), used, left_out)
        said: dict[str, Any] = {"judgments": stored.added, "unchanged": stored.unchanged}
        if used:
            said |= {"map": used, "left_out": left_out}
        audit.note(campaign=campaign, kind="qrels", file=name, **said)
        request_recompute(campaign.id)
    return stored


def _unchanged(campaign: Campaign, parsed: ParsedQrels) -> set[tuple[str, str]]:
    """Topic and docno of the file's judgments that hold already."""
    current = current_qrels(campaign=campaign)
    return {
        (topic, docno) for topic, docno, grade in current if parsed.grades.get(topic, {}).get(docno) == grade
    }


def _note_unknown(
    collection: Collection,
    rows: Iterable[tuple[int | None, str, str, Grade]],
    ids: Mapping[str, int],
    errors: ErrorList,
) -> None:
    for line, _, docno, _ in rows:
        if docno not in ids:
            errors.add(line, missing_document(collection, docno, errors=errors.total), "docno")
