"""What each document's grade is now, for the organiser's pages."""

from __future__ import annotations

from django.db import connection

from campaigns.log.policies import latest_and_current
from campaigns.models import Campaign

# topic id → document id → grade
Grades = dict[int, dict[int, int]]

_ALL = "SELECT topic_id, document_id, grade FROM current"


def grades_of(*, campaign: Campaign, policy: str = "") -> Grades:
    """Of every judged document, the grade that the qrels have; by default of the campaign's policy."""
    grades: Grades = {}
    with connection.cursor() as cursor:
        cursor.execute(latest_and_current(campaign, policy) + _ALL, [campaign.id])
        for topic, document, grade in cursor.fetchall():
            grades.setdefault(topic, {})[document] = grade
    return grades
