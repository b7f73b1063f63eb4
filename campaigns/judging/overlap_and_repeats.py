"""Queue before the queue: documents that others have judged and the assessor is to judge, too, and now and
then one of their own once more. Everything that serves documents asks here.

Which documents those are is drawn by lot (`selection.randomness`), so neither grades nor order matter."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from django.db import connection

from campaigns.judging.situation import ServingQueue
from campaigns.log.current import OWN_IN_TOPIC, by_assessors, excluded, latest_acts, latest_repeats
from campaigns.log.tallies import TallyKind, own_work, tally_counts_of
from campaigns.models import Campaign, Claim, Topic
from selection.randomness import LOT_BYTES, lot

OVERLAP, REPEAT = Claim.Purpose.OVERLAP, Claim.Purpose.REPEAT
# So many judgments lie between a document and its coming back.
JUDGED_BETWEEN = 10
# A share may be smaller than any number of documents can be parted by.
FURTHEST = 10**9


def _lot_of(*names: str) -> str:
    """`selection.randomness.lot` in SQL, of the same names."""
    lines = " || chr(10) || ".join(names)
    head = f"substring(sha256(convert_to({lines}, 'UTF8')) FROM 1 FOR {LOT_BYTES})"
    return f"(('x' || encode({head}, 'hex'))::bit({8 * LOT_BYTES})::bigint / {float(256**LOT_BYTES)}::float8)"


OVERLAP_LOT = _lot_of("'overlap'", "c.seed", "t.number", "d.docno")
REPEAT_LOT = _lot_of("'repeat'", "c.seed", "t.number", "d.docno", "u.username")

_COLUMNS = "sequence, undo, method, inclusion_probability, adjudication"


# Documents with some assessors' judgments and not yet all that are wanted, by these acts. Those of excluded
# assessors do not count, and they are not asked for the documents again.
def _begun(campaign: Campaign, which: str) -> str:
    left_out = excluded() if campaign.exclusion_changes else "false"
    return f"""
WITH {latest_acts(by_assessors(which), columns=f"{_COLUMNS}, {left_out} AS excluded")},
judged AS (
  SELECT topic_id, document_id, min(sequence) AS place,
    count(*) FILTER (WHERE NOT adjudication AND NOT excluded) AS people,
    array_agg(assessor_id) AS judges,
    (array_agg(method ORDER BY sequence))[1] AS method,
    (array_agg(inclusion_probability ORDER BY sequence))[1] AS inclusion
  FROM latest WHERE NOT undo GROUP BY topic_id, document_id),
begun AS (
  SELECT judged.* FROM judged
  JOIN campaigns_topic t ON t.id = judged.topic_id JOIN campaigns_campaign c ON c.id = t.campaign_id
  JOIN campaigns_document d ON d.id = judged.document_id
  WHERE people > 0 AND people < c.overlap_assessors AND {OVERLAP_LOT} < c.overlap_share)
"""  # noqa: S608


# The first that was begun comes first.
_OVERLAP = """
SELECT document_id, method, inclusion FROM begun WHERE %(assessor)s <> ALL (judges) AND NOT EXISTS (
  SELECT FROM campaigns_postponement p WHERE p.topic_id = begun.topic_id
  AND p.document_id = begun.document_id AND p.assessor_id = %(assessor)s)
ORDER BY place
"""

# One at a time, the oldest, once the assessor has judged enough others since, and some since the last one
# that came back. Another text would measure nothing.
_REPEAT = f"""
WITH {latest_acts(by_assessors(OWN_IN_TOPIC), columns=f"{_COLUMNS}, grade, created, document_revision")},
{latest_repeats(OWN_IN_TOPIC, columns="undo, created")},
standing AS (
  SELECT *, row_number() OVER (ORDER BY sequence DESC) AS place FROM latest
  WHERE NOT undo AND NOT adjudication),
answered AS (SELECT * FROM again WHERE NOT undo)
SELECT s.document_id, s.method, s.inclusion_probability FROM standing s
JOIN campaigns_topic t ON t.id = s.topic_id JOIN campaigns_campaign c ON c.id = t.campaign_id
JOIN campaigns_document d ON d.id = s.document_id JOIN auth_user u ON u.id = s.assessor_id
WHERE s.grade IS NOT NULL AND s.place > {JUDGED_BETWEEN} AND s.document_revision = d.revision
  AND NOT EXISTS (SELECT FROM answered a WHERE a.document_id = s.document_id)
  AND (SELECT count(*) FROM standing later WHERE later.created > (SELECT max(created) FROM answered))
    >= (CASE WHEN EXISTS (SELECT FROM answered) THEN %(apart)s ELSE 0 END)
  AND NOT EXISTS (
    SELECT FROM campaigns_claim k WHERE k.topic_id = s.topic_id AND k.expires_at > now()
    AND (k.document_id = s.document_id AND k.assessor_id <> s.assessor_id
      OR k.document_id <> s.document_id AND k.assessor_id = s.assessor_id
        AND k.purpose = '{REPEAT}' AND NOT k.reserved))
  AND NOT EXISTS (
    SELECT FROM campaigns_postponement p WHERE p.topic_id = s.topic_id
    AND p.document_id = s.document_id AND p.assessor_id = s.assessor_id)
  AND {REPEAT_LOT} < c.repeat_share
ORDER BY s.sequence LIMIT 1
"""  # noqa: S608


def overlap_and_repeat_queue(*, campaign: Campaign, topic: int, method: str, assessor: int) -> ServingQueue:
    """Documents to serve before the queue in this topic, each with its purpose and as it was first served, or
    else by the topic's method (empty: the campaign's). Claiming respects the documents that others have
    open."""
    rows: list[tuple[str, int, str, float | None]] = []
    with connection.cursor() as cursor:
        if campaign.repeat_share > 0:
            # Backlogs are let go of slowly: a row of known documents would be noticed.
            apart = max(1, int(min(0.5 / campaign.repeat_share, FURTHEST)))
            cursor.execute(_REPEAT, {"topic": topic, "assessor": assessor, "apart": apart})
            rows += [(REPEAT, *row) for row in cursor]
        if campaign.overlap_share > 0:
            begun = _begun(campaign, "topic_id = %(topic)s")
            cursor.execute(f"{begun}{_OVERLAP}", {"topic": topic, "assessor": assessor})
            rows += [(OVERLAP, *row) for row in cursor]
    method = method or campaign.method
    return ServingQueue(
        [document for _, document, _, _ in rows],
        method,
        sources=[source or method for _, _, source, _ in rows],
        inclusion=[inclusion for *_, inclusion in rows],
        purposes=[purpose for purpose, *_ in rows],
    )


def is_repeat_check(*, campaign: Campaign, topic: str, docno: str, username: str) -> bool:
    return lot("repeat", campaign.seed, topic, docno, username) < campaign.repeat_share


_COUNTS = """
SELECT topic_id::text, count(*), 0 FROM begun GROUP BY topic_id
UNION ALL
SELECT topic_id || ' ' || judge, count(*), 0 FROM begun, unnest(judges) AS judge GROUP BY topic_id, judge
"""


def _by_topic(campaign: Campaign, which: str) -> str:
    return _begun(campaign, which) + _COUNTS


def _rule(campaign: Campaign) -> str:
    drawn = [campaign.overlap_share, campaign.overlap_assessors, campaign.seed]
    return json.dumps([*drawn, campaign.exclusion_changes, own_work(campaign)])


# Of each topic, and of those the ones that each assessor has judged.
WAITING_TALLY = TallyKind("waiting", _by_topic, _rule)


def _waiting_in(campaign: Campaign, assessor: int | None = None) -> dict[int, int]:
    """Number of documents, by topic, that lack assessors and that this one could judge."""
    if campaign.overlap_share == 0:
        return {}
    counts = tally_counts_of(campaign, WAITING_TALLY)
    topics = ((key, count) for key, (count, _) in counts.items() if " " not in key)
    return {int(topic): count - counts.get(f"{topic} {assessor}", [0])[0] for topic, count in topics}


def waiting_for(*, campaigns: Sequence[Campaign], assessor: int) -> dict[int, int]:
    """Number of documents of each open topic that wait for this assessor because others have judged them."""
    counts = {topic: n for one in campaigns for topic, n in _waiting_in(one, assessor).items() if n}
    open_topics = Topic.objects.filter(id__in=counts, closed_at=None) if counts else Topic.objects.none()
    return {topic: counts[topic] for topic in open_topics.values_list("id", flat=True)}


def waiting_for_each(*, campaign: Campaign, pairs: Sequence[tuple[int, int]]) -> list[int]:
    """Number of documents, for each topic and assessor, that wait for the assessor, as above."""
    if campaign.overlap_share == 0 or not pairs:
        return [0] * len(pairs)
    counts = tally_counts_of(campaign, WAITING_TALLY)
    none = [0, 0]
    return [counts.get(f"{t}", none)[0] - counts.get(f"{t} {assessor}", none)[0] for t, assessor in pairs]


@dataclass(frozen=True)
class WaitingCounts:
    """Numbers of documents that lack assessors, of their topics, and of such documents in closed topics."""

    documents: int
    topics: int
    closed: int


def waiting_of(*, campaign: Campaign) -> WaitingCounts:
    counts = {topic: n for topic, n in _waiting_in(campaign).items() if n}
    closed = set(campaign.topics.exclude(closed_at=None).values_list("id", flat=True))
    waits = [n for topic, n in counts.items() if topic not in closed]
    return WaitingCounts(sum(waits), len(waits), sum(counts.values()) - sum(waits))
