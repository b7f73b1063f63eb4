"""What each document's grade is now, for the organiser's pages."""

from __future__ import annotations

from django.db import connection

from campaigns.models import Campaign
from campaigns.services.qrels import LATEST_AND_CURRENT

# topic id → document id → grade
Grades = dict[int, dict[int, int]]

_ALL = f"{LATEST_AND_CURRENT} SELECT topic_id, document_id, grade FROM current"  # noqa: S608


def grades_of(*, campaign: Campaign) -> Grades:
    """Of every judged document, the grade that the qrels have."""
    grades: Grades = {}
    with connection.cursor() as cursor:
        cursor.execute(_ALL, [campaign.id])
        for topic, document, grade in cursor.fetchall():
            grades.setdefault(topic, {})[document] = grade
    return grades
