"""A campaign with very many judgments, written straight into its tables: acts would take hours."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import connection

from campaigns.collection import topics
from campaigns.formats.topics import TopicRecord
from campaigns.models import Campaign, LogHead
from campaigns.setup import campaigns

TOPICS = 50

_DOCUMENTS = """
INSERT INTO campaigns_document (collection_id, docno, title, body, content_type)
SELECT %(collection)s, 'MILLION-' || lpad((n * 7919 %% %(documents)s)::text, 7, '0'), '', '', 'text/plain'
FROM generate_series(1, %(documents)s) n
"""
# In no order of topics or documents, as people judge.
_ACTS = """
INSERT INTO campaigns_judgment (id, campaign_id, sequence, topic_id, document_id, assessor_id, grade, reason,
  undo, adjudication, milliseconds, method, served_exactly, stale_claim, topic_revision, created)
SELECT gen_random_uuid(), %(campaign)s, n, topic, document, %(assessor)s, n %% 3, '', false, false,
  n %% 30000, 'C', true, false, 1, now() - (%(acts)s - n) * interval '1 second'
FROM (
  SELECT t.id AS topic, d.id AS document, row_number() OVER (ORDER BY md5(t.id || ' ' || d.id)) AS n
  FROM campaigns_topic t, campaigns_document d
  WHERE t.campaign_id = %(campaign)s AND d.collection_id = %(collection)s) acts
ORDER BY n
"""


def make_judged(acts: int) -> Campaign:
    ada = User.objects.get(username="ada")
    campaign = campaigns.create(organiser=ada, name="Million")
    records = [TopicRecord(str(number), f"topic {number}", "", "") for number in range(1, TOPICS + 1)]
    topics.store_topics(campaign=campaign, user=ada, records=records)
    given = {
        "campaign": campaign.id,
        "collection": campaign.collection_id,
        "documents": acts // TOPICS,
        "assessor": User.objects.get(username="grace").id,
        "acts": acts,
    }
    with connection.cursor() as cursor:
        cursor.execute(_DOCUMENTS, given)
        cursor.execute(_ACTS, given)
        cursor.execute("VACUUM ANALYZE")
    LogHead.objects.filter(campaign=campaign).update(length=acts)
    return campaign
