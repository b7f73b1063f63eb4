"""The history: audit events and judgments merged, filtered, in pages or as a whole.

Both are ordered by their place in the judgment log: an audit event comes after the judgments that were there
before it. So one index of each table serves every page, however long the history.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from itertools import islice
from typing import Any

from django.contrib.auth.models import User
from django.db.models import F, Max, Min, Q, QuerySet, TextField
from django.db.models.functions import Cast
from django.utils import timezone

from campaigns.log.audit import AUDIT_GROUPS
from campaigns.log.current import made_by_assessors
from campaigns.log.judgments import with_origins
from campaigns.models import Campaign, Deed, Document, Judgment, Membership
from campaigns.models.judgment import REASONS

MOST_DOCUMENTS = 1000
HISTORY_CHUNK = 2000


@dataclass(frozen=True, order=True)
class HistoryPlace:
    """Place in the history: the number of judgments before, and the deed's id; 0 stands for the last of these
    judgments itself."""

    after: int
    deed: int


@dataclass(frozen=True)
class HistoryFilter:
    """Filter of the history; empty: all of it. `kind`: a kind of judgment or a group of deeds."""

    person: str = ""
    kind: str = ""
    topic: str = ""
    day: date | None = None
    words: str = ""

    def __bool__(self) -> bool:
        return self != HistoryFilter()


@dataclass(frozen=True, order=True)
class HistoryLine:
    place: HistoryPlace
    at: datetime = field(compare=False)
    who: str = field(compare=False)
    kind: str = field(compare=False)
    detail: dict[str, Any] = field(compare=False)


# A judgment is one of these.
JUDGMENTS = {
    "judged": Q(grade__isnull=False, supersedes__isnull=True),
    "revised": Q(grade__isnull=False, supersedes__isnull=False),
    "undone": Q(grade__isnull=True, undo=True),
    "not judged": Q(grade__isnull=True, undo=False),
}
HISTORY_KINDS = ("judgments", *JUDGMENTS, *AUDIT_GROUPS)


def page_of(
    *,
    campaign: Campaign,
    wanted: HistoryFilter,
    beyond: HistoryPlace | None = None,
    oldest_first: bool = False,
    size: int = 50,
) -> tuple[list[HistoryLine], HistoryPlace | None]:
    """The next lines beyond a place, the newest first or the oldest, and beyond which line the next page
    begins, if there is one."""
    acts, deeds = judgments_of(campaign, wanted), audit_events_of(campaign, wanted)
    if beyond is not None:
        beside = _since if oldest_first else _until
        acts, deeds = beside(beyond, acts, deeds)
    sign = "" if oldest_first else "-"
    rows = (
        _lines_of_judgments(acts.order_by(f"{sign}sequence")[: size + 1]),
        _lines_of_deeds(deeds.order_by(f"{sign}after", f"{sign}id")[: size + 1]),
    )
    lines = list(islice(heapq.merge(*rows, reverse=not oldest_first), size + 1))
    return lines[:size], lines[size - 1].place if len(lines) > size else None


Rows = tuple[QuerySet[Judgment], QuerySet[Deed]]


def _until(place: HistoryPlace, acts: QuerySet[Judgment], deeds: QuerySet[Deed]) -> Rows:
    earlier = Q(after__lt=place.after)
    if place.deed:
        earlier |= Q(after=place.after, id__lt=place.deed)
    return acts.filter(sequence__lt=place.after + bool(place.deed)), deeds.filter(earlier)


def _since(place: HistoryPlace, acts: QuerySet[Judgment], deeds: QuerySet[Deed]) -> Rows:
    later = Q(after__gt=place.after) | Q(after=place.after, id__gt=place.deed)
    return acts.filter(sequence__gt=place.after), deeds.filter(later)


def all_lines(*, campaign: Campaign, wanted: HistoryFilter) -> Iterator[HistoryLine]:
    """Every line, the oldest first, read as it is asked for."""
    acts = judgments_of(campaign, wanted).order_by("sequence")
    deeds = audit_events_of(campaign, wanted).order_by("after", "id")
    return heapq.merge(
        _lines_of_judgments(_columns(acts).iterator(HISTORY_CHUNK)),
        _lines_of_deeds(deeds.iterator(HISTORY_CHUNK)),
    )


def judgments_of(campaign: Campaign, wanted: HistoryFilter) -> QuerySet[Judgment]:
    rows = Judgment.objects.filter(campaign=campaign)
    if wanted.kind and wanted.kind not in ("judgments", *JUDGMENTS):
        return rows.none()
    rows = rows.filter(JUDGMENTS.get(wanted.kind, Q()))
    if wanted.person:
        # An id known beforehand lets the database choose its way by how much this person judged.
        person = User.objects.filter(username=wanted.person).values_list("id", flat=True).first()
        # What came from a file is no one's act; that of importing it is.
        rows = made_by_assessors(rows.filter(assessor=person)) if person else rows.none()
    if wanted.topic:
        topic = campaign.topics.filter(number=wanted.topic).values_list("id", flat=True).first()
        rows = rows.filter(topic=topic) if topic else rows.none()
    if wanted.day:
        rows = _made_on(wanted.day, rows)
    return rows.filter(_said_in_judgment(campaign, wanted.words)) if wanted.words else rows


def audit_events_of(campaign: Campaign, wanted: HistoryFilter) -> QuerySet[Deed]:
    rows = Deed.objects.filter(campaign=campaign)
    if wanted.kind:
        rows = rows.filter(kind__in=AUDIT_GROUPS.get(wanted.kind, ()))
    if wanted.person:
        rows = rows.filter(actor_name=wanted.person)
    if wanted.topic:
        rows = rows.filter(Q(detail__topic=wanted.topic) | Q(detail__topics__contains=[wanted.topic]))
    if wanted.day:
        rows = rows.filter(created__range=_bounds(wanted.day))
    if wanted.words:
        with_text = rows.annotate(detail_text=Cast("detail", TextField()))
        words = wanted.words
        rows = with_text.filter(
            Q(detail_text__icontains=words) | Q(actor_name__icontains=words) | Q(kind__icontains=words)
        )
    return rows


def people_in(*, campaign: Campaign) -> list[str]:
    """The people in the history: all members, and all who ever did something or lost their role."""
    members = Membership.objects.filter(campaign=campaign).values_list("user__username", flat=True)
    deeds = Deed.objects.filter(campaign=campaign)
    actors = deeds.order_by().values_list("actor_name", flat=True).distinct()
    gone = deeds.filter(kind="role removed").values_list("detail__person", flat=True)
    return sorted({*members, *actors, *gone})


def last_changed_by(*, campaign: Campaign, setting: str) -> str:
    """Name of the last person to change a setting; empty if it was never changed."""
    deeds = Deed.objects.filter(campaign=campaign, kind="settings", detail__changes__has_key=setting)
    return deeds.order_by("-after", "-id").values_list("actor_name", flat=True).first() or ""


def last_fetched(*, campaign: Campaign) -> dict[str, Deed]:
    """Each file that was ever taken out of the campaign, by its name: when that was last, and who did."""
    deeds = Deed.objects.filter(campaign=campaign, kind="exported")
    latest = deeds.order_by("detail__file", "-after", "-id").distinct("detail__file")
    return {deed.detail["file"]: deed for deed in latest}


def _said_in_judgment(campaign: Campaign, words: str) -> Q:
    documents = Document.objects.filter(collection_id=campaign.collection_id, docno__startswith=words)
    names = [name for name in people_in(campaign=campaign) if words.lower() in name.lower()]
    people = User.objects.filter(username__in=names)
    reasons = [reason for reason in REASONS if words.lower() in reason]
    return (
        Q(document__in=list(documents.values_list("id", flat=True)[:MOST_DOCUMENTS]))
        | Q(assessor__in=list(people.values_list("id", flat=True)))
        | Q(grade__isnull=True, reason__in=reasons)
    )


def _made_on(day: date, rows: QuerySet[Judgment]) -> QuerySet[Judgment]:
    """Also bounded by their places in the log: left to itself, the database looks for an old day by going
    back through every judgment since. Adding 0 keeps it from finding the bounds in that way, too."""
    acts = rows.filter(created__range=_bounds(day))
    place = F("sequence") + 0
    bounds = acts.aggregate(first=Min(place), last=Max(place))
    if bounds["first"] is None:
        return rows.none()
    return acts.filter(sequence__range=(bounds["first"], bounds["last"]))


def _bounds(day: date) -> tuple[datetime, datetime]:
    begin = timezone.make_aware(datetime(day.year, day.month, day.day))
    tomorrow = day + timedelta(days=1)
    end = timezone.make_aware(datetime(tomorrow.year, tomorrow.month, tomorrow.day))
    return begin, end - timedelta(microseconds=1)


_COLUMNS = {
    "topic": "topic__number",
    "docno": "document__docno",
    "grade": "grade",
    "reason": "reason",
    "before": "supersedes__grade",
    "seconds": "milliseconds",
    "method": "method",
    "adjudication": "adjudication",
    "file": "imported_from",
    "copied_from": "copied_from_docno",
    "earlier_text": "earlier_text",
}


def _columns(rows: QuerySet[Judgment]) -> QuerySet[Judgment, tuple[Any, ...]]:
    earlier = Q(document_revision__lt=F("document__revision"))
    return with_origins(rows.annotate(earlier_text=earlier)).values_list(
        "sequence", "created", "assessor__username", "undo", "supersedes", *_COLUMNS.values()
    )


def _lines_of_judgments(rows: Iterable[Any]) -> Iterator[HistoryLine]:
    if isinstance(rows, QuerySet):
        rows = _columns(rows)
    for sequence, at, who, undo, supersedes, *values in rows:
        detail = dict(zip(_COLUMNS, values, strict=True))
        yield HistoryLine(
            HistoryPlace(sequence, 0), at, who, _kind(detail["grade"], undo, supersedes), detail
        )


def _kind(grade: int | None, undo: bool, supersedes: object) -> str:
    if grade is not None:
        return "judged" if supersedes is None else "revised"
    return "undone" if undo else "not judged"


def _lines_of_deeds(rows: Iterable[Deed]) -> Iterator[HistoryLine]:
    for deed in rows:
        yield HistoryLine(
            HistoryPlace(deed.after, deed.id), deed.created, deed.actor_name, deed.kind, deed.detail
        )
