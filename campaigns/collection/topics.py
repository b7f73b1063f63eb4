"""Topics of a campaign: stored from files, reworded, served by a method of their own, and removed."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db import connection, models, transaction
from django.db.models import Count, Exists, OuterRef
from django.utils import timezone
from django.utils.translation import gettext, ngettext

from campaigns.configuration.methods import complete_options, contributing_flags, reads_documents
from campaigns.configuration.own_judgments import check_own_judgments
from campaigns.core.errors import Refusal
from campaigns.core.phrases import group_digits
from campaigns.core.recompute_queue import reconfigure
from campaigns.formats.errors import MOST_LISTED_ERRORS, FormatError, LineError, quote
from campaigns.formats.topic_texts.fields import TopicRecord, field_rows
from campaigns.log import audit
from campaigns.models import (
    Campaign,
    Claim,
    GuidelineExample,
    Judgment,
    LogHead,
    Repeat,
    Topic,
    TopicRevision,
    TrainingItem,
)
from campaigns.models.campaign import Method, Status
from campaigns.models.topics import Release
from selection.registry import method_entry

MOST_NAMED_TOPICS = 5
# Rows of this many topics, or of texts of this length, are in memory at once.
STORED_AT_ONCE, STORED_CHARACTERS = 1000, 1 << 20
# Ten times as fast as models: rows of texts go in with their first revision, or get the next one.
_REVISE = (
    " INSERT INTO campaigns_topicrevision"
    " (topic_id, revision, title, description, narrative, further_fields, author_id, created)"
    " SELECT id, revision, title, description, narrative, further_fields, %s, now() FROM written"
)
_ADD = (
    "WITH written AS (INSERT INTO campaigns_topic"
    " (campaign_id, number, title, description, narrative, further_fields, position, revision, method,"
    " options, release)"
    " SELECT %s, number, title, description, narrative, further_fields, %s + place - 1, 1, '', '{}', %s"
    " FROM unnest(%s::text[], %s::text[], %s::text[], %s::text[], %s::jsonb[])"
    " WITH ORDINALITY AS new (number, title, description, narrative, further_fields, place) ORDER BY place"
    " RETURNING id, revision, title, description, narrative, further_fields)"
)
_REWORD = (
    "WITH written AS (UPDATE campaigns_topic AS topic SET title = new.title, description = new.description,"
    " narrative = new.narrative, further_fields = new.further_fields, revision = topic.revision + 1"
    " FROM unnest(%s::text[], %s::text[], %s::text[], %s::text[], %s::jsonb[])"
    " AS new (number, title, description, narrative, further_fields)"
    " WHERE topic.campaign_id = %s AND topic.number = new.number"
    " RETURNING topic.id, topic.revision, topic.title, topic.description, topic.narrative,"
    " topic.further_fields)"
)


@dataclass(frozen=True)
class StoredTopics:
    added: int
    revised: int
    unchanged: int


def store_topics(
    *,
    campaign: Campaign,
    user: User,
    records: Sequence[TopicRecord],
    file: str = "",
    reword: bool = False,
) -> StoredTopics:
    """Add topics in file order; a number that is there already gets a new revision if its text is new.
    Topics that have judgments get another title only if `reword` says that this is meant."""
    with transaction.atomic():
        # Two files at once come one after the other.
        locked = Campaign.objects.select_for_update(no_key=True).get(id=campaign.id)
        release = Release.WAITING if locked.topic_method else Release.RELEASED
        place, revised, is_read = campaign.topics.count(), 0, False
        before = place
        renamings: list[LineError] = []
        for some in _blocks(records):
            numbers = [record.number for record in some]
            rows = campaign.topics.select_for_update(no_key=True).filter(number__in=numbers)
            known = {topic.number: topic for topic in rows}
            new = [record for record in some if record.number not in known]
            changed = [r for r in some if r.number in known and _text(known[r.number]) != _text(r)]
            if not reword:
                renamings += _judged_renamings(known, changed)
            with connection.cursor() as cursor:
                if new:
                    parameters: list[Any] = [campaign.id, place, release, *_columns(new), user.id]
                    cursor.execute(_ADD + _REVISE, parameters)
                if changed:
                    cursor.execute(_REWORD + _REVISE, [*_columns(changed), campaign.id, user.id])
            is_read = is_read or any(_is_read(campaign, known[record.number]) for record in changed)
            place, revised = place + len(new), revised + len(changed)
        _refuse_renamings(renamings, file)
        if place > before or is_read:
            reconfigure(campaign)
        stored = StoredTopics(place - before, revised, len(records) - revised - (place - before))
        audit.note(campaign=campaign, kind="topics", file=file, **asdict(stored))
    return stored


def _blocks(records: Sequence[TopicRecord]) -> Iterator[list[TopicRecord]]:
    """Records in blocks whose rows are small in memory, or one record."""
    some: list[TopicRecord] = []
    size = 0
    for record in records:
        some.append(record)
        size += sum(map(len, _text(record)))
        if len(some) == STORED_AT_ONCE or size > STORED_CHARACTERS:
            yield some
            some, size = [], 0
    if some:
        yield some


def _columns(records: Sequence[TopicRecord]) -> list[list[str]]:
    """Numbers, titles, descriptions, narratives, further fields as JSON."""
    return [list(column) for column in zip(*((r.number, *_text(r)) for r in records), strict=True)]


def _judged_renamings(known: Mapping[str, Topic], changed: Sequence[TopicRecord]) -> list[LineError]:
    """A number under which another topic was judged is rather a mistake than another wording."""
    renamed = {known[record.number].id: record for record in changed if _is_renamed(known, record)}
    judged = Judgment.objects.filter(topic__in=renamed).order_by().values("topic").annotate(acts=Count("pk"))
    acts = dict(judged.values_list("topic", "acts"))
    return [
        LineError(None, _renaming(known[record.number], record, acts[topic]), "title")
        for topic, record in renamed.items()
        if topic in acts
    ]


def _refuse_renamings(wrong: list[LineError], file: str) -> None:
    if wrong:
        way_out = gettext(
            "other topics need numbers of their own; if these are new words for the same topics, upload the "
            "file again with “Reword judged topics”"
        )
        raise FormatError(
            file, [*wrong[: MOST_LISTED_ERRORS - 1], LineError(None, way_out)], total=len(wrong)
        )


def _is_renamed(known: Mapping[str, Topic], record: TopicRecord) -> bool:
    return known[record.number].title != record.title


def _renaming(topic: Topic, record: TopicRecord, acts: int) -> str:
    words = ngettext(
        "topic %(number)s has a judgment and would be renamed: %(before)s → %(title)s",
        "topic %(number)s has %(acts)s judgments and would be renamed: %(before)s → %(title)s",
        acts,
    )
    titles = {"before": quote(topic.title), "title": quote(record.title)}
    return words % {"number": topic.number, "acts": group_digits(acts), **titles}


def keep_revision(*, topic: Topic, author: User) -> None:
    """Store the topic's words as its next revision; the caller holds the topic's row."""
    topic.revision += 1
    topic.save(update_fields=["title", "description", "narrative", "revision"])
    _revision(topic, author).save()
    if _is_read(topic.campaign, topic):
        reconfigure(topic.campaign)


def set_method(
    *, campaign: Campaign, topics: Sequence[Topic], method: str, options: Mapping[str, object] | None = None
) -> int:
    """Have the topics served by a method of their own, or with "" as the campaign's others are. Judgments
    and drawn samples stay. Returns how many topics are served otherwise than before."""
    if not method and options:
        raise Refusal("bad_options", gettext("options are those of a topic's own method"), field="options")
    runs = contributing_flags(campaign)
    wanted = (method, complete_options(method, options or {}, runs=runs) if method else {})
    lacks = reads_documents(campaign, method) if method else ""
    if lacks and campaign.status != Status.DRAFT:
        raise Refusal(
            "incomplete",
            gettext("the campaign lacks %(lacks)s") % {"lacks": lacks},
            field="method",
            status=409,
        )
    with transaction.atomic():
        ids = [topic.id for topic in topics]
        locked = Campaign.objects.select_for_update(no_key=True).get(id=campaign.id)
        check_own_judgments(judgment_copies=locked.judgment_copies, field="method", methods=[method])
        rows = campaign.topics.select_for_update(no_key=True).filter(id__in=ids)
        changed = [topic for topic in rows if (topic.method, topic.options) != wanted]
        if changed:
            if (method or campaign.method) == Method.SAMPLE:
                served = [topic for topic in changed if (topic.method or campaign.method) != Method.SAMPLE]
                begin_samples(campaign=campaign, topics=served)
            campaign.topics.filter(id__in=[topic.id for topic in changed]).update(
                method=wanted[0], options=wanted[1]
            )
            reconfigure(campaign)
            detail = {"before": sorted({topic.method for topic in changed}), "method": method}
            numbers = [topic.number for topic in changed]
            audit.note(campaign=campaign, kind="topic method", topics=numbers, options=wanted[1], **detail)
    for topic in topics:
        topic.method, topic.options = wanted
    return len(changed)


def begin_samples(*, campaign: Campaign, topics: Iterable[Topic]) -> None:
    """Note that method `sample` begins in these topics: what is judged by now is no part of what it draws
    from."""
    length = LogHead.objects.values_list("length", flat=True).get(campaign=campaign)
    campaign.topics.filter(id__in=[topic.id for topic in topics]).update(sampled_from=length or None)


def topics_numbered(*, campaign: Campaign, numbers: Sequence[str], field: str) -> list[Topic]:
    """The topics of these numbers; refused if the campaign lacks one of them."""
    asked = [number for number in numbers if "\0" not in number]
    topics = {topic.number: topic for topic in campaign.topics.filter(number__in=asked)}
    for number in numbers:
        if number not in topics:
            detail = gettext("the campaign has no topic %(topic)s") % {"topic": number[:40]}
            raise Refusal("unknown_topic", detail, field=field, status=404)
    return list(topics.values())


def remove_topics(*, campaign: Campaign, numbers: Sequence[str]) -> int:
    """Take the topics out, with the runs' lists for them; all or none. What was judged stays."""
    with transaction.atomic():
        Campaign.objects.select_for_update(no_key=True).get(id=campaign.id)
        # A judgment needs its topic's row: none is made in these from here on.
        ids = dict(campaign.topics.select_for_update().filter(number__in=numbers).values_list("number", "id"))
        for number in numbers:
            if number not in ids:
                words = gettext("there is no topic %(number)s") % {"number": number}
                raise Refusal("unknown_topic", words, field="topic", status=404)
        _check_untouched(campaign, list(ids.values()))
        campaign.topics.filter(id__in=ids.values()).delete()
        _close_ranks(campaign)
        if ids:
            reconfigure(campaign)
            audit.note(campaign=campaign, kind="topics removed", topics=list(ids))
    return len(ids)


def untouched_topics(campaign: Campaign) -> list[str]:
    """The numbers of the topics in which nothing has been done, in their order."""
    used = _used(Judgment) | _used(Repeat) | _used(TrainingItem) | _used(GuidelineExample)
    return list(campaign.topics.exclude(used).values_list("number", flat=True))


def _used(model: type[models.Model], **filters: object) -> Exists:
    return Exists(model._default_manager.filter(topic=OuterRef("pk"), **filters))


def _check_untouched(campaign: Campaign, ids: list[int]) -> None:
    uses = [
        (
            _used(Judgment) | _used(Repeat),
            gettext("it has judgments, so it stays; close it to stop serving its documents"),
        ),
        (_used(TrainingItem), gettext("documents of it are in the training; take them out there first")),
        (_used(GuidelineExample), gettext("the guidelines have examples of it; delete these first")),
        (
            _used(Claim, expires_at__gt=timezone.now()),
            gettext("an assessor has one of its documents open; pause the campaign first"),
        ),
    ]
    for used, why in uses:
        rows = campaign.topics.filter(used, id__in=ids).values_list("number", flat=True)
        if numbers := list(rows):
            named = ", ".join(numbers[:MOST_NAMED_TOPICS]) + (
                " …" if len(numbers) > MOST_NAMED_TOPICS else ""
            )
            words = gettext("topic %(topics)s: %(why)s") % {"topics": named, "why": why}
            raise Refusal("topic_in_use", words, field="topic", status=409)


def _close_ranks(campaign: Campaign) -> None:
    """Positions count from 0 without gaps: the next file's topics go behind."""
    for position, (topic, was) in enumerate(
        campaign.topics.order_by("position").values_list("id", "position")
    ):
        if was != position:
            campaign.topics.filter(id=topic).update(position=position)


def _is_read(campaign: Campaign, topic: Topic) -> bool:
    """True if the method that serves the topic reads its words."""
    return method_entry(topic.method or campaign.method).unranked


def _text(topic: Topic | TopicRecord) -> tuple[str, str, str, str]:
    fields = topic.further_fields if isinstance(topic, Topic) else field_rows(topic.further_fields)
    return topic.title, topic.description, topic.narrative, json.dumps(fields, sort_keys=True)


def _revision(topic: Topic, author: User) -> TopicRevision:
    return TopicRevision(
        topic=topic,
        revision=topic.revision,
        title=topic.title,
        description=topic.description,
        narrative=topic.narrative,
        further_fields=topic.further_fields,
        author=author,
    )
