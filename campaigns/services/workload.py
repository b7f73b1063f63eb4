"""Who has a role, and how much each has done: two queries, however many people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db import connection

from campaigns.models import Campaign
from campaigns.services.tallies import judged_by_each


@dataclass(frozen=True)
class Workload:
    """`judged`: documents, what was taken back left out; `days`: on which they judged; `seconds`: median of a
    judgment's active time; `given`: topics assigned to them that are open; `decided`: in adjudication."""

    username: str
    role: str
    paused: bool
    judged: int
    topics: int
    days: int
    seconds: float | None
    last: Any
    decided: int
    given: int

    @property
    def per_day(self) -> float | None:
        return self.judged / self.days if self.days else None


_WORKLOAD = """
WITH held AS (
  SELECT assessor_id, sum(judged)::bigint AS judged, count(*) FILTER (WHERE judged > 0) AS topics,
    sum(decided)::bigint AS decided
  FROM unnest(%(people)s::int[], %(judged)s::int[], %(decided)s::int[])
    AS place (assessor_id, judged, decided)
  GROUP BY assessor_id),
work AS (
  SELECT assessor_id, count(DISTINCT created::date) AS days, max(created) AS last,
    percentile_cont(0.5) WITHIN GROUP (ORDER BY milliseconds) / 1000 AS seconds
  FROM campaigns_judgment WHERE campaign_id = %(campaign)s AND NOT adjudication GROUP BY assessor_id)
SELECT u.username, m.role, m.paused_at IS NOT NULL, coalesce(judged, 0), coalesce(topics, 0),
  coalesce(days, 0), seconds, last, coalesce(decided, 0),
  (SELECT count(*) FROM campaigns_topicassignment a JOIN campaigns_topic t ON t.id = a.topic_id
   WHERE a.assessor_id = m.user_id AND t.campaign_id = m.campaign_id AND t.closed_at IS NULL)
FROM campaigns_membership m JOIN auth_user u ON u.id = m.user_id
LEFT JOIN held ON held.assessor_id = m.user_id LEFT JOIN work ON work.assessor_id = m.user_id
WHERE m.campaign_id = %(campaign)s ORDER BY m.role DESC, u.username
"""


def workload_of(*, campaign: Campaign) -> list[Workload]:
    """Everybody with a role, organisers first."""
    counts = judged_by_each(campaign=campaign)
    wish: dict[str, Any] = {
        "campaign": campaign.id,
        "people": [person for _, person in counts],
        "judged": [judged for judged, _ in counts.values()],
        "decided": [decided for _, decided in counts.values()],
    }
    with connection.cursor() as cursor:
        cursor.execute(_WORKLOAD, wish)
        return [Workload(*row) for row in cursor.fetchall()]
