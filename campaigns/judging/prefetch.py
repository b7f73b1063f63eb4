"""Documents handed out ahead of need, so that the next one is in the browser before the key is pressed:
for each possible grade the document that would follow it, and a few more for when the network is away."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import accumulate, chain
from typing import Any

from django.db import OperationalError, connection, transaction
from django.db.models.functions import Length
from django.utils import timezone
from django.utils.translation import gettext

from campaigns.core.errors import Refusal
from campaigns.judging.claims import ServedDocument, free_documents
from campaigns.judging.overlap_and_repeats import overlap_and_repeat_queue
from campaigns.judging.situation import (
    ServingQueue,
    Situation,
    foreseen_queue,
    not_open,
    situation_of,
)
from campaigns.models import Campaign, Claim, Document, Topic
from campaigns.models.campaign import Status

RESERVE = 12
# Shorter than a claim: no assessor is looking at these yet.
RESERVE_LEASE = timedelta(minutes=15)
# Characters of text in one answer; the rest comes with the next.
MOST_PREFETCH_TEXT = 2_000_000
NO_GRADE = ""


@dataclass(frozen=True)
class Prefetch:
    """Next document after each outcome (None: not at hand), the reserve in serving order, and the texts that
    the browser lacks; `more` if some did not fit in."""

    next: dict[str, str | None]
    exact: bool
    reserve: list[str]
    documents: list[ServedDocument]
    more: bool
    expires_at: datetime


def look_ahead(
    *, campaign: Campaign, topic: Topic, docno: str, assessor: int, have: Collection[str]
) -> Prefetch:
    """Reserve for this assessor what may follow the document on their screen, and let go of what they hold
    in reserve beyond that."""
    if campaign.status != Status.OPEN:
        raise not_open(campaign)
    situation = situation_of(campaign=campaign, topic=topic.id, assessor=assessor)
    if situation.admission.refusal is not None:
        raise situation.admission.refusal
    if situation.admission.over is not None:
        raise situation.admission.over
    outcomes, stored, exact = _queues(situation, topic, docno)
    document = Document.objects.filter(collection_id=campaign.collection_id, docno=docno)
    shown = list(document.values_list("id", flat=True))
    due = overlap_and_repeat_queue(campaign=campaign, topic=topic.id, method=topic.method, assessor=assessor)
    before = [each for each in free_documents(due, topic=topic.id, assessor=assessor) if each not in shown]
    free = _free(topic.id, assessor, [*outcomes.values(), stored], without=[*shown, *before])
    in_order = [*before, *(each for each in stored.documents if each in free)]
    first = {
        outcome: next(chain(before, (each for each in queue.documents if each in free)), None)
        for outcome, queue in outcomes.items()
    }
    candidates = list(dict.fromkeys([*filter(None, first.values()), *in_order[:RESERVE]]))
    candidates = candidates[: _share(topic.id, assessor, len(before) + len(free))]
    until = timezone.now() + RESERVE_LEASE
    held = _reserve(topic.id, assessor, candidates, [due, stored, *outcomes.values()], shown, until)
    held -= _lapsed(campaign, topic, assessor, held & set(before))
    docnos = dict(Document.objects.filter(id__in=held).values_list("id", "docno"))
    reserved = [document for document in candidates if document in held]
    chosen, more = _texts(reserved, have, docnos)
    return Prefetch(
        {outcome: docnos.get(document or 0) for outcome, document in first.items()},
        exact,
        [docnos[document] for document in in_order if document in held],
        _served(chosen, until),
        more,
        until,
    )


def _queues(
    situation: Situation, topic: Topic, docno: str
) -> tuple[dict[str, ServingQueue], ServingQueue, bool]:
    """The queue that would follow each outcome, the stored one, and whether the former are exact now."""
    campaign = situation.campaign
    claim = topic.claims.filter(assessor_id=situation.assessor, document__docno=docno).first()
    stored = situation.stored_queue()
    names = [*(str(row["grade"]) for row in campaign.grades), NO_GRADE]
    if claim is None or claim.lookahead_configuration != campaign.configuration:
        return dict.fromkeys(names, stored), stored, False
    as_of = claim.lookahead_as_of
    queues = {
        name: foreseen_queue(claim.lookahead, name, method=situation.method, as_of=as_of) for name in names
    }
    exact = all(queue is not None and queue.as_of >= situation.needed for queue in queues.values())
    after = {
        name: stored if queue is None or _changes_nothing(claim, name) else queue
        for name, queue in queues.items()
    }
    return after, stored, exact


def _changes_nothing(claim: Claim, outcome: str) -> bool:
    """True if the document's grade stays whatever the assessor does: the result computed for the outcome, as
    if it were the document's, is void then."""
    again = claim.purpose == Claim.Purpose.REPEAT
    return again or (outcome == NO_GRADE and (claim.recalled or claim.purpose == Claim.Purpose.OVERLAP))


def _free(topic: int, assessor: int, queues: Iterable[ServingQueue], *, without: Sequence[int]) -> set[int]:
    candidates = {document for queue in queues for document in queue.documents} - set(without)
    return set(free_documents(ServingQueue(sorted(candidates), ""), topic=topic, assessor=assessor))


def _share(topic: int, assessor: int, free: int) -> int:
    """Number of documents that one assessor may have in reserve: half of an equal share of the rest."""
    live = Claim.objects.filter(topic_id=topic, expires_at__gt=timezone.now()).exclude(assessor_id=assessor)
    assessors = 1 + live.values("assessor").distinct().count()
    return -(-free // (2 * assessors))


# In the order of their ids, so that two who reserve at once wait for each other, not in a circle. What the
# assessor has on a screen of theirs stays as it is.
_RESERVE = """
INSERT INTO campaigns_claim AS k
  (topic_id, document_id, assessor_id, created, expires_at, method, exact, recalled, reserved,
   inclusion_probability, purpose)
SELECT %(topic)s, document, %(assessor)s, now(), %(until)s, method, NULL, false, true, inclusion, purpose
FROM unnest(%(documents)s::int[], %(methods)s::text[], %(inclusion)s::float8[], %(purposes)s::text[])
     AS candidate (document, method, inclusion, purpose)
ORDER BY document
ON CONFLICT (topic_id, document_id) DO UPDATE
  SET assessor_id = excluded.assessor_id, created = excluded.created, expires_at = excluded.expires_at,
      method = excluded.method, exact = NULL, queue_age = NULL, served_at = NULL, weight_given_up = NULL,
      recalled = false, reserved = true,
      inclusion_probability = excluded.inclusion_probability, purpose = excluded.purpose,
      lookahead = NULL, lookahead_as_of = NULL
  WHERE k.expires_at <= now() OR (k.assessor_id = excluded.assessor_id AND k.reserved)
RETURNING document_id
"""


def _reserve(
    topic: int,
    assessor: int,
    candidates: list[int],
    sources: Sequence[ServingQueue],
    shown: list[int],
    until: datetime,
) -> set[int]:
    """Reserve the candidates; returns those that are the assessor's now."""
    mine = Claim.objects.filter(topic_id=topic, assessor_id=assessor)
    on_screen = mine.filter(reserved=False, expires_at__gt=timezone.now())
    held = set(on_screen.filter(document__in=candidates).values_list("document", flat=True))
    rows = [(document, *_served_by(document, sources)) for document in candidates if document not in held]
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            # A judgment on its way may have locked one of them: it must never wait for this in turn.
            cursor.execute("SET LOCAL lock_timeout = '200ms'")
            names = ("documents", "methods", "inclusion", "purposes")
            columns = zip(*rows, strict=True) if rows else [()] * len(names)
            arrays: dict[str, Any] = dict(zip(names, map(list, columns), strict=True))
            cursor.execute(_RESERVE, {"topic": topic, "assessor": assessor, "until": until, **arrays})
            held |= {row[0] for row in cursor}
            mine.filter(reserved=True).exclude(document__in=[*held, *shown]).delete()
    except OperationalError as error:
        raise Refusal("busy", gettext("the topic is busy; try again"), status=409) from error
    return held


def _lapsed(campaign: Campaign, topic: Topic, assessor: int, held: set[int]) -> set[int]:
    """Release held documents that others have judged often enough by now, and return them."""
    if not held:
        return held
    still = overlap_and_repeat_queue(
        campaign=campaign, topic=topic.id, method=topic.method, assessor=assessor
    )
    lapsed = held - set(still.documents)
    mine = Claim.objects.filter(topic=topic, assessor_id=assessor, reserved=True)
    mine.filter(document__in=lapsed).delete()
    return lapsed


def _served_by(document: int, sources: Sequence[ServingQueue]) -> tuple[str, float | None, str]:
    """The method that would serve the document, how likely it was to be drawn, and why it comes."""
    for queue in sources:
        if document in queue.documents:
            one = queue.only(document)
            method, inclusion = next(iter(one.sources), one.method), next(iter(one.inclusion), None)
            return method, inclusion, next(iter(one.purposes), "")
    raise AssertionError(f"document {document} is in no queue")


def _texts(wanted: Sequence[int], have: Collection[str], docnos: Mapping[int, str]) -> tuple[list[int], bool]:
    """Texts for this response, and true if others are left for the next: at least one, and no more characters
    than there is room for."""
    missing = [document for document in wanted if docnos[document] not in have]
    rows = Document.objects.filter(id__in=missing).annotate(length=Length("body"))
    lengths = dict(rows.values_list("id", "length"))
    within = [total <= MOST_PREFETCH_TEXT for total in accumulate(lengths[document] for document in missing)]
    chosen = missing[: max(sum(within), 1)]
    return chosen, len(chosen) < len(missing)


def _served(chosen: Sequence[int], until: datetime) -> list[ServedDocument]:
    rows = Document.objects.select_related("collection").in_bulk(chosen)
    return [
        ServedDocument(
            *(row.id, row.docno, row.title, row.body, row.content_type, until),
            url_template=row.collection.url_template,
            html=row.html,
            document_revision=row.revision,
            metadata=row.metadata,
        )
        for row in (rows[document] for document in chosen)
    ]
