"""Qrels from elsewhere, appended to the log."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from pathlib import PurePath

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from campaigns.collection.documents import ensure_ids_by_docno
from campaigns.core.jobs import request_recompute
from campaigns.formats.errors import MOST_LISTED_ERRORS, FormatError, LineError
from campaigns.formats.qrels import ParsedQrels
from campaigns.log import audit
from campaigns.log.current import current_qrels
from campaigns.models import Campaign, Judgment, LogHead


@dataclass(frozen=True)
class StoredQrels:
    added: int
    unchanged: int


def store_qrels(
    *, campaign: Campaign, user: User, parsed: ParsedQrels, file: str, dataset: bool = False
) -> StoredQrels:
    """Append a file's judgments to the log as this user's. What says nothing new is left out. `file` may be
    the name of a data set."""
    numbers = {(topic, docno): grade for topic, row in parsed.grades.items() for docno, grade in row.items()}
    with transaction.atomic():
        head = LogHead.objects.select_for_update().get(campaign=campaign)
        topics = dict(campaign.topics.values_list("number", "id"))
        revisions = dict(campaign.topics.values_list("number", "revision"))
        docnos = list(dict.fromkeys(docno for _, docno in numbers))
        ids = ensure_ids_by_docno(collection=campaign.collection, docnos=docnos)
        _refuse_unknown(campaign, parsed, topics, ids, file)
        known = {(topic, docno): grade for topic, docno, grade in current_qrels(campaign=campaign)}
        new = [(key, grade) for key, grade in numbers.items() if known.get(key) != grade]
        now = timezone.now()
        rows = [
            Judgment(
                id=uuid.uuid4(),
                campaign=campaign,
                sequence=head.length + place,
                topic_id=topics[topic],
                document_id=ids[docno],
                assessor=user,
                grade=grade,
                topic_revision=revisions[topic],
                created=now,
            )
            for place, ((topic, docno), grade) in enumerate(new, start=1)
        ]
        Judgment.objects.bulk_create(rows, batch_size=2000)
        head.length += len(rows)
        head.save(update_fields=["length"])
        said = {"judgments": len(rows), "unchanged": len(numbers) - len(rows)}
        name = file if dataset else PurePath(file).name
        audit.note(campaign=campaign, kind="qrels", file=name, **said)
        request_recompute(campaign.id)
    return StoredQrels(len(rows), len(numbers) - len(rows))


def _refuse_unknown(
    campaign: Campaign, parsed: ParsedQrels, topics: dict[str, int], ids: dict[str, int], file: str
) -> None:
    errors = []
    for topic, row in parsed.grades.items():
        if topic not in topics:
            line = parsed.line_of(topic, next(iter(parsed.lines[topic])))
            errors.append(
                LineError(line, gettext("the campaign has no topic %(topic)s") % {"topic": topic}, "topic")
            )
        for docno, grade in row.items():
            if docno not in ids:
                line = parsed.line_of(topic, docno)
                errors.append(
                    LineError(
                        line, gettext("the collection has no document %(docno)s") % {"docno": docno}, "docno"
                    )
                )
            # Fractions are read for commands on files alone.
            if campaign.gain_of(int(grade)) is None:
                line = parsed.line_of(topic, docno)
                errors.append(
                    LineError(
                        line, gettext("%(grade)s is not a grade of this campaign") % {"grade": grade}, "grade"
                    )
                )
    if errors:
        raise FormatError(file, errors[:MOST_LISTED_ERRORS], total=len(errors))
