"""Documents that several people have had to do with: few, so whatever compares people looks at no others."""

from __future__ import annotations

from django.db import connection

from campaigns.models import Campaign

# One topic after the other, an index alone says so of a million acts in little time.
_SHARED = """
SELECT shared.topic_id, shared.document_id FROM campaigns_topic t CROSS JOIN LATERAL (
  SELECT topic_id, document_id FROM campaigns_judgment WHERE topic_id = t.id
  GROUP BY topic_id, document_id HAVING min(assessor_id) <> max(assessor_id)) shared
WHERE t.campaign_id = %s
"""


def shared_places(*, campaign: Campaign) -> tuple[list[int], list[int]]:
    """The topics and the documents, by their ids."""
    with connection.cursor() as cursor:
        cursor.execute(_SHARED, [campaign.id])
        rows = cursor.fetchall()
    return [topic for topic, _ in rows], [document for _, document in rows]
