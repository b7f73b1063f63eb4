"""Look-aheads: the documents that would follow each open one; and the weight that each served one gave up.

A judgment in campaign scope moves the weights of every topic, so the look-aheads of all open documents are
computed again before any row of scores or queues.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from django.db import connection
from django.utils import timezone

from campaigns.computing.live import LiveCampaign
from campaigns.computing.lookahead import Successors
from campaigns.computing.written import Written
from campaigns.models import Claim, LogHead, Postponement

LOOKAHEAD_DEPTH = 24
# Of documents served longer ago it is too late to compute what they gave up: the copy was made since.
LATEST_ACTS = 1000


# A claim, and the successors of its document by grade, as JSON.
Foreseen = tuple[Claim, str]


def catch_up(live: LiveCampaign, written: Written, *, known: int) -> Written:
    """Fold in what was committed; the acts after `known` are unwritten then. Where a document was served in
    between, it is compared with the best of just that moment."""
    # Every claim served up to here is seen below.
    length = LogHead.objects.values_list("length", flat=True).get(campaign_id=live.campaign_id)
    earliest = max(live.applied, length - LATEST_ACTS)
    open_ = Claim.objects.filter(topic__campaign=live.campaign_id, reserved=False, weight_given_up=None)
    served = open_.filter(served_at__gte=earliest, served_at__lte=length).exclude(id__in=written.given_up)
    claims = list(served.defer("lookahead").order_by("served_at"))
    change = live.catch_up(known=known, until=claims[0].served_at if claims else length)
    rest = list(live.read_log(until=length)) if claims else []
    given_up = dict(written.given_up)
    for claim in claims:
        now = [act for act in rest if live.applied < act.sequence <= (claim.served_at or 0)]
        change.add(live.fold(now, known=known))
        later = {(act.topic, act.document) for act in rest if act.sequence > live.applied}
        weight = weight_given_up(live, claim, later)
        if weight is not None:
            given_up[claim.id] = weight
    change.add(live.fold([act for act in rest if act.sequence > live.applied], known=known))
    return replace(written.folded(change), given_up=given_up)


def look_ahead(live: LiveCampaign) -> list[Foreseen]:
    """For every open document of the campaign, what would follow each grade."""
    claims = Claim.objects.filter(
        topic__campaign=live.campaign_id, reserved=False, expires_at__gt=timezone.now()
    ).defer("lookahead")
    now = live.applied, live.configuration
    return [
        (claim, _successors(live, claim))
        for claim in claims
        if (claim.lookahead_as_of, claim.lookahead_configuration) != now
    ]


def _successors(live: LiveCampaign, claim: Claim) -> str:
    topic = live.topic_index(claim.topic_id)
    document = live.place(claim.topic_id, claim.document_id)
    # A document that no run ranks (from imported qrels) has no successors of its own.
    after: dict[str, Successors] = {}
    if topic is not None and document is not None:
        after = live.lookahead(topic, document, LOOKAHEAD_DEPTH, assessor=claim.assessor_id)
    return json.dumps({grade: successors.to_json() for grade, successors in after.items()})


def weight_given_up(live: LiveCampaign, claim: Claim, later: set[tuple[int, int]]) -> float | None:
    """1 - weight / best weight, in [0, 1], the best being that of the documents that were free for the
    assessor. `later`: (topic, document) pairs judged after this state: they were on a screen. None where no
    weight orders the documents: in samples, and where several methods take turns."""
    topic = live.topic_index(claim.topic_id)
    document = live.place(claim.topic_id, claim.document_id)
    if topic is None or document is None:
        return None
    queue = live.state.queue(topic, LOOKAHEAD_DEPTH)
    if queue.inclusion is not None or queue.sources is not None or not len(queue.documents):
        return None
    if queue.documents[0] == document:
        return 0.0
    best = next(_free_weights(live, claim, live.documents(topic, queue), queue.weights.tolist(), later), 0.0)
    weight = live.state.explain(topic, document).weight
    return max(1.0 - weight / best, 0.0) if best > 0 else 0.0


def _free_weights(
    live: LiveCampaign,
    claim: Claim,
    documents: Sequence[int],
    weights: Sequence[float],
    later: set[tuple[int, int]],
) -> Iterator[float]:
    """Yield the weights of documents that the assessor could have been served, in the queue's order."""
    topic, assessor = claim.topic_id, claim.assessor_id
    others = Claim.objects.filter(topic=topic, document__in=documents, expires_at__gt=timezone.now())
    taken = set(
        others.exclude(assessor=assessor)
        .filter(created__lte=claim.created)
        .values_list("document", flat=True)
    )
    aside = Postponement.objects.filter(topic=topic, assessor=assessor, document__in=documents)
    taken |= set(aside.values_list("document", flat=True))
    for document, weight in zip(documents, weights, strict=True):
        own = document == claim.document_id
        if own or not (document in taken or (topic, document) in later or live.has_opinion(topic, document)):
            yield weight


# Claims that have gone to others meanwhile, or are being changed at this moment, are left out: the process
# that has them asks again.
_FORESEE = """
WITH foreseen AS (
  SELECT k.id, new.value, new.given_up FROM campaigns_claim k
  JOIN unnest(%s::bigint[], %s::int[], %s::timestamptz[], %s::text[], %s::float8[])
    AS new (id, assessor, created, value, given_up)
    ON new.id = k.id AND new.assessor = k.assessor_id AND new.created = k.created
  FOR UPDATE OF k SKIP LOCKED)
UPDATE campaigns_claim SET lookahead = foreseen.value::jsonb, lookahead_as_of = %s,
  lookahead_configuration = %s, weight_given_up = coalesce(campaigns_claim.weight_given_up, foreseen.given_up)
FROM foreseen WHERE campaigns_claim.id = foreseen.id
"""


def write_lookaheads(live: LiveCampaign, foreseen: Sequence[Foreseen], given_up: Mapping[int, float]) -> None:
    """`given_up`: by claim, what its document gave up, where that is known."""
    if not foreseen:
        return
    rows = [
        (claim.id, claim.assessor_id, claim.created, successors, given_up.get(claim.id))
        for claim, successors in foreseen
    ]
    columns = map(list, zip(*rows, strict=True))
    with connection.cursor() as cursor:
        cursor.execute(_FORESEE, [*columns, live.applied, live.configuration])
