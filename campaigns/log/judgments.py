"""The judgment log as rows: every act ever made in a campaign, in order."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from datetime import datetime, timedelta
from typing import Any

from django.db import connection
from django.db.models import F, OuterRef, QuerySet, Subquery, TextField, Value
from django.db.models.functions import Coalesce

from campaigns.log.current import made_by_assessors
from campaigns.models import Campaign, Judgment, LogHead, QrelsImport
from campaigns.models.judgment import COPIED

# The log's columns in exports and API, and where Django finds each.
LOG_COLUMNS = {
    "sequence": "sequence",
    "id": "id",
    "topic": "topic__number",
    "docno": "document__docno",
    "assessor": "assessor__username",
    "grade": "grade",
    "reason": "reason",
    "undo": "undo",
    "adjudication": "adjudication",
    "milliseconds": "milliseconds",
    "seen": "seen",
    "method": "method",
    "served_exactly": "served_exactly",
    "inclusion_probability": "inclusion_probability",
    "stale_claim": "stale_claim",
    "topic_revision": "topic_revision",
    "supersedes": "supersedes_id",
    "created": "created",
    "imported_from": "imported_from",
    "copied_from": "copied_from_docno",
    "document_revision": "document_revision",
}

# One act, in the order of the columns.
LogRow = tuple[Any, ...]


def length_of(*, campaign: Campaign) -> int:
    """Number of acts in the log: every one of them is committed."""
    return LogHead.objects.values_list("length", flat=True).get(campaign=campaign)


def acts_of(
    *,
    campaign: Campaign,
    topic: int | None = None,
    assessor: int | None = None,
    since: datetime | None = None,
    after: int = 0,
) -> QuerySet[Judgment]:
    """In order; of one topic, of one person, made at a time or later, behind a place in the log. What came
    from a file is no person's."""
    if since is not None:
        after = max(after, sequence_before(campaign=campaign, moment=since))
    rows = Judgment.objects.filter(campaign=campaign, sequence__gt=after).order_by("sequence")
    if topic is not None:
        rows = rows.filter(topic=topic)
    if assessor is not None:
        rows = made_by_assessors(rows.filter(assessor=assessor))
    if since is not None:
        # As a sum, lest Postgres look up by the time alone what the place has found: it takes the two for
        # independent of each other, and so few rows for left that it would sort them all.
        rows = rows.alias(made=F("created") + timedelta(0)).filter(made__gte=since)
    return rows


def acts_since_judging_began(campaign: Campaign) -> QuerySet[Judgment]:
    """In order, from the first act of an assessor on; what was imported before is no judging, nor is what was
    copied."""
    place = 1
    for file in campaign.imports.order_by("first"):
        if file.first > place:
            break
        place = file.last + 1
    rows = Judgment.objects.filter(campaign=campaign, sequence__gte=place).exclude(method=COPIED)
    return rows.order_by("sequence")


def made_at(*, campaign: Campaign, places: Collection[int]) -> dict[int, datetime]:
    """Times of the acts at these places of the log."""
    rows = Judgment.objects.filter(campaign=campaign, sequence__in=places)
    return dict(rows.values_list("sequence", "created"))


def with_origins(rows: QuerySet[Judgment]) -> QuerySet[Judgment]:
    """With the name of the file that each act was imported from, and the docno of the document from which it
    was copied; empty of others."""
    place = {"first__lte": OuterRef("sequence"), "last__gte": OuterRef("sequence")}
    files = QrelsImport.objects.filter(campaign=OuterRef("campaign"), **place).order_by()
    empty = Value("", TextField())
    return rows.annotate(
        imported_from=Coalesce(Subquery(files.values("file")[:1]), empty),
        copied_from_docno=Coalesce(F("copied_from__document__docno"), empty, output_field=TextField()),
    )


def import_bounds(*, campaign: int) -> list[tuple[int, int]]:
    """The first and last place in the log of each import, in their order."""
    return list(QrelsImport.objects.filter(campaign=campaign).values_list("first", "last"))


def as_acts(rows: QuerySet[Judgment]) -> QuerySet[Judgment, LogRow]:
    return with_origins(rows).values_list(*LOG_COLUMNS.values())


def log_rows(rows: QuerySet[Judgment]) -> Iterator[dict[str, Any]]:
    return map(as_row, as_acts(rows))


def as_row(act: LogRow) -> dict[str, Any]:
    return dict(zip(LOG_COLUMNS, act, strict=True))


# Acts are not listed by their times, but are nearly in that order: halving the log finds a time's place in a
# few steps. An act gets its time before its place, perhaps on another machine: from one place to the next the
# time may fall by as much as clocks differ and requests wait, which is far less than this.
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


def sequence_before(*, campaign: Campaign, moment: datetime) -> int:
    """A place up to which every act was made before the moment, and few behind it were."""
    with connection.cursor() as cursor:
        cursor.execute(_HALVING, {"campaign": campaign.id, "moment": moment - SKEW})
        return int(cursor.fetchone()[0] or 0)
