"""Where in the log a time lies. Acts are not listed by their times: they are nearly in that order by
themselves, and halving the log finds the place in a few steps."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import connection

from campaigns.models import Campaign

# An act gets its time before its place, perhaps on another machine: from one place to the next the time may
# fall by as much as clocks differ and requests wait, which is far less.
SKEW = timedelta(hours=1)

# Up to `low` all acts are early; behind `high` none is.
_HALVING = """
WITH RECURSIVE halves (low, high) AS (
  SELECT 0, length FROM campaigns_loghead WHERE campaign_id = %(campaign)s
  UNION ALL
  SELECT CASE WHEN early THEN middle ELSE low END, CASE WHEN early THEN high ELSE middle - 1 END
  FROM halves, LATERAL (SELECT (low + high + 1) / 2 AS middle) AS place, LATERAL (
    SELECT created < %(moment)s AS early FROM campaigns_judgment
    WHERE campaign_id = %(campaign)s AND sequence = middle
  ) AS act
  WHERE low < high
)
SELECT max(low) FROM halves
"""


def behind(*, campaign: Campaign, moment: datetime) -> int:
    """A place up to which every act was made before the moment, and few behind it were."""
    with connection.cursor() as cursor:
        cursor.execute(_HALVING, {"campaign": campaign.id, "moment": moment - SKEW})
        return int(cursor.fetchone()[0] or 0)
