"""How one assessor stands in each topic of their campaigns: the same few queries, however many topics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from django.db import connection

from campaigns.judging.overlap_and_repeats import waiting_for
from campaigns.models import Campaign

# The assessor's latest act on a document counts, and an undo leaves none. Somebody else's topic is one
# in which another person has judged or has a document open at this moment.
_STANDING = """
WITH latest AS (
  SELECT DISTINCT ON (topic_id, document_id) topic_id, undo FROM campaigns_judgment
  WHERE assessor_id = %(user)s AND campaign_id = ANY(%(campaigns)s)
  ORDER BY topic_id, document_id, sequence DESC),
again AS (
  SELECT DISTINCT ON (topic_id, document_id) topic_id, undo FROM campaigns_repeat
  WHERE assessor_id = %(user)s AND campaign_id = ANY(%(campaigns)s)
  ORDER BY topic_id, document_id, created DESC),
mine AS (
  SELECT topic_id, count(*) FILTER (WHERE NOT undo) AS judged
  FROM (SELECT * FROM latest UNION ALL SELECT * FROM again) said GROUP BY topic_id)
SELECT t.id, t.campaign_id, t.number, t.title, t.description, coalesce(mine.judged, 0),
  EXISTS (SELECT FROM campaigns_claim k
          WHERE k.topic_id = t.id AND k.assessor_id = %(user)s AND k.expires_at > now()
          AND NOT k.reserved),
  (SELECT count(*) FROM campaigns_postponement s
   WHERE s.topic_id = t.id AND s.assessor_id = %(user)s),
  EXISTS (SELECT FROM campaigns_judgment j WHERE j.topic_id = t.id AND j.assessor_id <> %(user)s)
  OR EXISTS (SELECT FROM campaigns_claim k
             WHERE k.topic_id = t.id AND k.assessor_id <> %(user)s AND k.expires_at > now()
             AND NOT k.reserved),
  p.remaining, coalesce(p.best_weight, 0), c.min_judgments, given.mine, given.theirs,
  t.closed_at IS NOT NULL,
  c.development_required AND t.developed_by_id IS NULL AND (t.description = '' OR t.narrative = '')
FROM campaigns_topic t
JOIN campaigns_campaign c ON c.id = t.campaign_id
LEFT JOIN mine ON mine.topic_id = t.id
LEFT JOIN campaigns_priority p ON p.topic_id = t.id
CROSS JOIN LATERAL (
  SELECT coalesce(bool_or(a.assessor_id = %(user)s), false) AS mine,
    coalesce(bool_or(a.assessor_id <> %(user)s), false) AS theirs
  FROM campaigns_topicassignment a WHERE a.topic_id = t.id) given
WHERE t.campaign_id = ANY(%(campaigns)s)
ORDER BY t.campaign_id, t.position
"""


@dataclass(frozen=True)
class Standing:
    topic_id: int
    campaign_id: int
    number: str
    title: str
    description: str
    judged: int
    open: bool
    postponed: int
    others: bool
    # Unjudged documents of the pool; None until the worker has counted them.
    remaining: int | None
    # Orders topics for `next in the organiser's order`; never shown to an assessor.
    weight: float
    minimum: int
    # Given to this assessor, and to others, by an organiser.
    assigned: bool = False
    assigned_to_others: bool = False
    closed: bool = False
    # Somebody has to write out what it is about before it is judged.
    undeveloped: bool = False
    # Documents that others have judged and this assessor is to judge, too; never shown to them.
    owed: int = 0

    @property
    def begun(self) -> bool:
        return self.open or self.judged > 0 or self.postponed > 0

    @property
    def exhausted(self) -> bool:
        return self.remaining == 0 and not self.owed and self.postponed == 0 and not self.open

    @property
    def finished(self) -> bool:
        return self.closed or self.judged >= self.minimum or self.exhausted


def standings(*, user: int, campaigns: Sequence[Campaign]) -> list[Standing]:
    wanted = [campaign.id for campaign in campaigns]
    with connection.cursor() as cursor:
        cursor.execute(_STANDING, {"user": user, "campaigns": wanted})
        rows = cursor.fetchall()
    waiting = waiting_for(campaigns=campaigns, assessor=user)
    return [replace(Standing(*row), owed=waiting.get(row[0], 0)) for row in rows]
