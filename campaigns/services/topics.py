from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import transaction

from campaigns.formats.topics import TopicRecord
from campaigns.models import Campaign, Topic, TopicRevision
from campaigns.services.campaigns import reconfigure


@dataclass(frozen=True)
class StoredTopics:
    added: int
    revised: int
    unchanged: int


def store_topics(*, campaign: Campaign, user: User, records: Sequence[TopicRecord]) -> StoredTopics:
    """Add topics in file order; a number that is there already gets a new revision if its text is new."""
    with transaction.atomic():
        known = {topic.number: topic for topic in campaign.topics.select_for_update(no_key=True)}
        new = [record for record in records if record.number not in known]
        changed = [r for r in records if r.number in known and _text(known[r.number]) != _text(r)]
        added = [
            Topic(campaign=campaign, position=len(known) + place, **_fields(record))
            for place, record in enumerate(new)
        ]
        Topic.objects.bulk_create(added)
        for record in changed:
            topic = known[record.number]
            topic.title, topic.description, topic.narrative = _text(record)
            topic.revision += 1
            topic.save()
        written = [*added, *(known[record.number] for record in changed)]
        TopicRevision.objects.bulk_create(_revision(topic, user) for topic in written)
        if added:
            reconfigure(campaign)
    return StoredTopics(len(new), len(changed), len(records) - len(new) - len(changed))


def _fields(record: TopicRecord) -> dict[str, str]:
    return {
        "number": record.number,
        "title": record.title,
        "description": record.description,
        "narrative": record.narrative,
    }


def _text(topic: Topic | TopicRecord) -> tuple[str, str, str]:
    return topic.title, topic.description, topic.narrative


def _revision(topic: Topic, author: User) -> TopicRevision:
    return TopicRevision(
        topic=topic,
        revision=topic.revision,
        title=topic.title,
        description=topic.description,
        narrative=topic.narrative,
        author=author,
    )
