"""Topic development: revisions of a topic's statement by those who judge it; every wording is stored."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from difflib import SequenceMatcher
from typing import Literal

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext

from campaigns.collection.topics import keep_revision
from campaigns.core.errors import Refusal
from campaigns.core.phrases import group_digits
from campaigns.judging.situation import check_topic_development, not_open
from campaigns.log import audit
from campaigns.models import Campaign, Topic, TopicRevision
from campaigns.models.campaign import Status

LONGEST_TOPIC_TEXT = 20_000
# Pairs of equal words, which a comparison goes through again for each change. Wordings with more are shown
# one after the other.
MOST_PAIRS = 20_000


class OutdatedRevision(Refusal):
    """Another person has saved a newer text since: it comes with the refusal."""

    def __init__(self, current: TopicRevision) -> None:
        detail = gettext("the topic has since been revised; check the newer text and save again")
        super().__init__("outdated", detail, field="based_on", status=409)
        self.current = current


def revise(
    *, campaign: Campaign, topic: Topic, author: User, description: str, narrative: str, based_on: int
) -> Topic:
    """A new wording, if it says anything new, by a person who has seen the latest one. The first to word a
    topic has developed it."""
    if campaign.status != Status.OPEN:
        raise not_open(campaign)
    check_topic_development(topic=topic.id, assessor=author.id)
    description, narrative = _tidy(description), _tidy(narrative)
    _check(campaign, description, narrative)
    with transaction.atomic():
        # Before its topics: a method that reads them makes the campaign compute again.
        Campaign.objects.select_for_update(no_key=True).get(id=campaign.id)
        held = Topic.objects.select_for_update(no_key=True).get(id=topic.id)
        if held.revision != based_on:
            raise OutdatedRevision(held.revisions.select_related("author").get(revision=held.revision))
        first = held.developed_by_id is None
        if first:
            held.developed_by = author
            held.save(update_fields=["developed_by"])
        if (held.description, held.narrative) != (description, narrative):
            held.description, held.narrative = description, narrative
            keep_revision(topic=held, author=author)
        if first or held.revision != based_on:
            detail = {"topic": topic.number, "revision": held.revision}
            audit.note(campaign=campaign, kind="topic developed" if first else "topic reworded", **detail)
    return held


def _tidy(text: str) -> str:
    return text.replace("\r\n", "\n").strip()


def _check(campaign: Campaign, description: str, narrative: str) -> None:
    if not description:
        raise Refusal(
            "empty", gettext("describe the information need behind this query"), field="description"
        )
    if campaign.development_required and not narrative:
        raise Refusal("empty", gettext("say which documents answer it, and which do not"), field="narrative")
    for field, text in (("description", description), ("narrative", narrative)):
        if len(text) > LONGEST_TOPIC_TEXT:
            raise Refusal(
                "too_long",
                gettext("at most %(longest)s characters, not %(length)s")
                % {"longest": group_digits(LONGEST_TOPIC_TEXT), "length": group_digits(len(text))},
                field=field,
            )


WordChange = Literal["kept", "added", "removed"]


@dataclass(frozen=True)
class Piece:
    change: WordChange
    words: str


@dataclass(frozen=True)
class RevisionChanges:
    """One wording of a topic; its parts as they differ from the wording before."""

    revision: int
    author: str
    created: datetime
    title: list[Piece]
    description: list[Piece]
    narrative: list[Piece]
    further_fields: list[Piece]


def revisions_of(*, topic: Topic) -> list[RevisionChanges]:
    """Every wording the topic ever had, the latest first."""
    rows = list(topic.revisions.select_related("author").order_by("revision"))
    pairs = zip([None, *rows], rows, strict=False)
    return [_wording(before, row) for before, row in pairs][::-1]


def _wording(before: TopicRevision | None, row: TopicRevision) -> RevisionChanges:
    pairs = zip(_parts(before or row), _parts(row), strict=True)
    parts = [list(changes(old, new)) for old, new in pairs]
    return RevisionChanges(row.revision, row.author.get_username(), row.created, *parts)


def _parts(row: TopicRevision) -> tuple[str, str, str, str]:
    fields = "\n".join(f"{one['name']}: {one['value']}" for one in row.further_fields)
    return row.title, row.description, row.narrative, fields


def changes(before: str, after: str) -> Iterator[Piece]:
    """Word by word, what was taken out and what was put in."""
    old, new = _words(before), _words(after)
    begin = _common(old, new)
    end = _common(old[begin:][::-1], new[begin:][::-1])
    pieces: list[tuple[WordChange, list[str]]] = [
        ("kept", old[:begin]),
        *_differences(old[begin : len(old) - end], new[begin : len(new) - end]),
        ("kept", old[len(old) - end :]),
    ]
    yield from (Piece(kind, "".join(words)) for kind, words in pieces if words)


def _common(old: Sequence[str], new: Sequence[str]) -> int:
    """Number of words that both begin with."""
    pairs = enumerate(zip(old, new, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(old), len(new)))


def _differences(old: list[str], new: list[str]) -> Iterator[tuple[WordChange, list[str]]]:
    counts = Counter(new)
    if sum(counts[word] for word in old) > MOST_PAIRS:
        yield from (("removed", old), ("added", new))
        return
    for kind, from_old, to_old, from_new, to_new in SequenceMatcher(None, old, new, False).get_opcodes():
        if kind == "equal":
            yield "kept", old[from_old:to_old]
        else:
            yield "removed", old[from_old:to_old]
            yield "added", new[from_new:to_new]


def _words(text: str) -> list[str]:
    """Words with the blanks behind them: joined, they are the text."""
    return re.findall(r"\s+|\S+\s*", text)
