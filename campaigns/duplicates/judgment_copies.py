"""Judgments copied to the duplicates of judged documents, where the organisers chose so.

A copy is an act of the log with a method of its own, `COPIED`. It counts in scores and qrels and is no
person's work. Within a group and a topic, the grades that assessors gave or files held decide:

- One grade: documents that a run ranks and nobody judged get it, from the earliest such act.
- Several grades: none is copied, so that an assessor gets the others.

Copies follow: each is replaced or withdrawn once its source, its group, a text or the setting changes.
Nothing is deleted, and no copy stands above an assessor's own act.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

from django.db import connection, transaction
from django.utils import timezone

from campaigns.collection.rankings import ranked_of
from campaigns.core.recompute_queue import request_recompute
from campaigns.log.current import (
    OF_CAMPAIGN,
    OF_TOPICS,
    Opinion,
    current_grades,
    excluded,
    grade_by,
    latest_acts,
    scale_of,
)
from campaigns.models import Campaign, Judgment, LogHead
from campaigns.models.campaign import JudgmentCopies
from campaigns.models.judgment import COPIED

# Of a group, those documents whose text is the one that was compared. As two lookups, each by its index.
_MEMBERS = """
WITH firsts AS (
  SELECT coalesce(representative_id, document_id) AS first FROM campaigns_textsignature
  WHERE document_id = ANY(%(documents)s)),
members AS (
  SELECT s.document_id, s.revision, s.text_hash, firsts.first
  FROM firsts JOIN campaigns_textsignature s ON s.document_id = firsts.first
  UNION
  SELECT s.document_id, s.revision, s.text_hash, firsts.first
  FROM firsts JOIN campaigns_textsignature s ON s.representative_id = firsts.first)
SELECT members.document_id, members.revision, members.text_hash, members.first
FROM members JOIN campaigns_document d ON d.id = members.document_id AND d.revision = members.revision
"""
_ALL_MEMBERS = """
SELECT s.document_id, s.revision, s.text_hash, coalesce(s.representative_id, s.document_id)
FROM campaigns_textsignature s JOIN campaigns_document d ON d.id = s.document_id AND d.revision = s.revision
WHERE d.collection_id = %(collection)s AND (s.representative_id IS NOT NULL OR EXISTS (
  SELECT FROM campaigns_textsignature other WHERE other.representative_id = s.document_id))
"""
_COLUMNS = (
    "id, sequence, grade, undo, adjudication, topic_revision, document_revision, copied_from_id, {counts}"
)
_OWN = f"NOT ({excluded()}) AS counts"


@dataclass(frozen=True)
class _Act:
    """An assessor's latest act on a document, own or copied."""

    document: int
    assessor: int
    id: UUID
    sequence: int
    grade: int | None
    undo: bool
    adjudication: bool
    topic_revision: int
    document_revision: int
    copied_from: UUID | None
    counts: bool


@dataclass(frozen=True)
class _Source:
    """The act that a group's copies come from, and their grade: the document's by the campaign's policy."""

    act: _Act
    grade: int


@dataclass(frozen=True)
class DuplicateGroups:
    """`of`: each document's group, `revisions`: the revision of its text, as it was compared."""

    of: Mapping[int, object]
    revisions: Mapping[int, int]


def propagate(*, campaign: int, places: Collection[tuple[int, int]] | None = None) -> int:
    """Bring the copies in line with the judgments: in the groups of these places (topic, document), by
    default in all. Returns the number of acts appended. The log stays locked until the surrounding
    transaction ends."""
    with transaction.atomic():
        head = LogHead.objects.select_for_update(no_key=True).get(campaign=campaign)
        # Behind the log's lock: a change of the setting has been committed, or is still to come.
        row = Campaign.objects.select_related("collection").get(id=campaign)
        if row.archived_at is not None:
            return 0
        new = _all_changes(row) if places is None else _changes_at(row, places)
        for place, act in enumerate(new, start=head.length + 1):
            act.sequence = place
        Judgment.objects.bulk_create(new, batch_size=2000)
        if new:
            head.length += len(new)
            head.save(update_fields=["length"])
            request_recompute(campaign)
    return len(new)


def propagate_in_collection(collection: int) -> None:
    """Bring copies in line in every campaign of the collection that makes any."""
    rows = Campaign.objects.filter(collection=collection).exclude(judgment_copies=JudgmentCopies.OFF)
    for campaign in rows.values_list("id", flat=True):
        propagate(campaign=campaign)


def copy_count(campaign: Campaign) -> int:
    """Number of copies that hold now."""
    acts = latest_acts(columns="undo, method")
    query = f"WITH {acts} SELECT count(*) FROM latest WHERE method = %(copied)s AND NOT undo"  # noqa: S608
    with connection.cursor() as cursor:
        cursor.execute(query, {"campaign": campaign.id, "copied": COPIED})
        return int(cursor.fetchone()[0])


_DIFFERING = """
SELECT count(*) FROM (
  SELECT FROM current JOIN campaigns_textsignature s USING (document_id)
  JOIN campaigns_document d ON d.id = document_id AND d.revision = s.revision
  GROUP BY topic_id, {group} HAVING min(grade) < max(grade)) differing
"""


def count_differing_groups(campaign: Campaign) -> int:
    """Number of groups, in each topic by itself, of whose grades none is copied because they differ."""
    same = campaign.judgment_copies == JudgmentCopies.SAME
    group = "s.text_hash" if same else "coalesce(s.representative_id, document_id)"
    tables = current_grades(campaign, where=f"{OF_CAMPAIGN} AND method <> '{COPIED}'")
    with connection.cursor() as cursor:
        cursor.execute(f"WITH {tables} {_DIFFERING.format(group=group)}", {"campaign": campaign.id})
        return int(cursor.fetchone()[0])


def _changes_at(campaign: Campaign, places: Iterable[tuple[int, int]]) -> list[Judgment]:
    if campaign.judgment_copies == JudgmentCopies.OFF:
        return []
    by_topic: defaultdict[int, set[int]] = defaultdict(set)
    for topic, document in places:
        by_topic[topic].add(document)
    new: list[Judgment] = []
    for topic, documents in by_topic.items():
        groups = _groups(campaign, _MEMBERS, documents=list(documents))
        new += _changes(campaign, topic, groups, documents | set(groups.of))
    return new


def _all_changes(campaign: Campaign) -> list[Judgment]:
    collection, groups = campaign.collection, DuplicateGroups({}, {})
    if campaign.judgment_copies == JudgmentCopies.OFF:
        if not campaign.judgments.filter(copied_from__isnull=False).exists():
            return []
    elif collection.compared_until < collection.texts_until:
        # Groups are incomplete; the search for duplicates ends with another call.
        return []
    else:
        groups = _groups(campaign, _ALL_MEMBERS, collection=collection.id)
    new: list[Judgment] = []
    for topic in campaign.topics.order_by("position").values_list("id", flat=True):
        new += _changes(campaign, topic, groups, None)
    return new


def _groups(campaign: Campaign, query: str, **parameters: Any) -> DuplicateGroups:
    with connection.cursor() as cursor:
        cursor.execute(query, parameters)
        rows = cursor.fetchall()
    known = {document for document, *_ in rows}
    same = campaign.judgment_copies == JudgmentCopies.SAME
    # Documents are alike only by way of their group's first one, whose text may have been replaced since.
    of = {document: hash if same else first for document, _, hash, first in rows if same or first in known}
    return DuplicateGroups(of, {document: revision for document, revision, *_ in rows})


def _changes(
    campaign: Campaign, topic: int, groups: DuplicateGroups, documents: Collection[int] | None
) -> list[Judgment]:
    """Acts that bring the topic's copies in line, withdrawals first. `documents`: only of these."""
    own, copies = _acts(topic, documents)
    if not own and not copies:
        return []
    wanted = _wanted(campaign, topic, groups, own)
    standing = {(copy.document, copy.assessor): copy for copy in copies}
    targets = {(document, source.act.assessor): source for document, source in wanted.items()}
    withdrawn = [_withdrawal(copy) for place, copy in standing.items() if place not in targets]
    copied = [
        _copy(document, source, groups.revisions[document], standing.get((document, assessor)))
        for (document, assessor), source in sorted(targets.items(), key=lambda item: item[0])
    ]
    made = [*withdrawn, *(row for row in copied if row is not None)]
    now = timezone.now()
    for row in made:
        row.campaign, row.topic_id, row.method, row.created = campaign, topic, COPIED, now
    return made


def _withdrawal(copy: _Act) -> Judgment:
    return Judgment(
        id=uuid4(),
        document_id=copy.document,
        assessor_id=copy.assessor,
        undo=True,
        topic_revision=copy.topic_revision,
        document_revision=copy.document_revision,
        copied_from_id=copy.copied_from,
        supersedes_id=copy.id,
    )


def _copy(document: int, source: _Source, revision: int, earlier: _Act | None) -> Judgment | None:
    """A copy in place of an earlier one of the same assessor; None if that is as good."""
    act = source.act
    if earlier is not None and (earlier.copied_from, earlier.grade, earlier.document_revision) == (
        *(act.id, source.grade, revision),
    ):
        return None
    return Judgment(
        id=uuid4(),
        document_id=document,
        assessor_id=act.assessor,
        grade=source.grade,
        topic_revision=act.topic_revision,
        document_revision=revision,
        copied_from_id=act.id,
        supersedes_id=earlier.id if earlier else None,
    )


def _acts(topic: int, documents: Collection[int] | None) -> tuple[list[_Act], list[_Act]]:
    """Each assessor's latest own act on each document that is no undo, and the copies that stand."""
    where = OF_TOPICS if documents is None else f"{OF_TOPICS} AND document_id = ANY(%(documents)s)"
    parameters = {"topics": [topic], "documents": None if documents is None else list(documents)}
    tables = []
    for condition, columns in (
        (f"{where} AND method <> '{COPIED}'", _COLUMNS.format(counts=_OWN)),
        (where, _COLUMNS.format(counts="method = '" + COPIED + "' AS counts")),
    ):
        with connection.cursor() as cursor:
            cursor.execute(
                f"WITH {latest_acts(condition, columns=columns)} SELECT * FROM latest WHERE NOT undo",  # noqa: S608
                parameters,
            )
            tables.append([_Act(*row[1:]) for row in cursor])
    own, latest = tables
    return own, [act for act in latest if act.counts]


def _wanted(
    campaign: Campaign, topic: int, groups: DuplicateGroups, own: Iterable[_Act]
) -> dict[int, _Source]:
    """Documents that are to have a copy, each with its source."""
    by_document: defaultdict[int, list[_Act]] = defaultdict(list)
    for act in own:
        by_document[act.document].append(act)
    counting = {document: [act for act in acts if act.counts] for document, acts in by_document.items()}
    members: defaultdict[object, list[int]] = defaultdict(list)
    judged = {groups.of[document] for document, acts in counting.items() if acts and document in groups.of}
    for document, group in groups.of.items():
        if group in judged:
            members[group].append(document)
    wanted: dict[int, _Source] = {}
    for some in members.values():
        source = _source(campaign, groups, {one: counting[one] for one in some if counting.get(one)})
        if source is not None:
            # Not above an act of the same assessor either, should that one not count.
            free = [one for one in some if not _is_judged(by_document.get(one, ()), source)]
            wanted |= dict.fromkeys(free, source)
    return {document: wanted[document] for document in ranked_of(topic, wanted)} if wanted else {}


def _is_judged(acts: Iterable[_Act], source: _Source) -> bool:
    return any(act.counts or act.assessor == source.act.assessor for act in acts)


def _source(campaign: Campaign, groups: DuplicateGroups, judged: Mapping[int, list[_Act]]) -> _Source | None:
    """The source of a group's copies; None if no grade is of the texts as they are, or several differ."""
    grades: dict[int, int] = {}
    for document, acts in judged.items():
        opinions = [Opinion(act.sequence, act.grade, act.adjudication) for act in acts]
        grade = grade_by(campaign.policy, opinions, scale_of(campaign))
        if grade is not None and all(act.document_revision == groups.revisions[document] for act in acts):
            grades[document] = grade
    if len(set(grades.values())) != 1:
        return None
    [grade] = set(grades.values())
    acts = [act for document in grades for act in judged[document] if act.grade is not None]
    # A mean may be a grade that no assessor gave.
    given = [act for act in acts if act.grade == grade] or acts
    return _Source(min(given, key=lambda act: act.sequence), grade)
