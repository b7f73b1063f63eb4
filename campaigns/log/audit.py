"""The audit log: what people, commands and the system did, beside the judgments, which have their own log."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from campaigns.core import actors
from campaigns.log.archived import check_may_note
from campaigns.models import Campaign, Collection, Deed, LogHead

# What deeds are called, by what they are about.
AUDIT_GROUPS = {
    "campaign": (
        "created",
        "settings copied",
        "bundle imported",
        "opened",
        "paused",
        "closed",
        "archived",
        "unarchived",
    ),
    "settings": (
        "settings",
        "source",
        "example added",
        "example changed",
        "example removed",
        "example moved",
    ),
    "files": ("documents", "documents removed", "topics", "runs", "qrels"),
    "runs": ("runs", "run removed", "run withdrawn", "run brought back", "run contributes", "run group"),
    "people": (
        "account",
        "role",
        "role removed",
        "mails",
        "invited",
        "invitation reminded",
        "invitation revoked",
        "invitation restored",
        "joined",
        "person paused",
        "person resumed",
        "person reminded",
        "token made",
        "token revoked",
        "reset link",
        "excluded",
        "included",
        "account deactivated",
        "account reactivated",
        "second factor removed",
    ),
    "questions": ("question asked", "question answered"),
    "topics": (
        "topics",
        "topics removed",
        "assigned",
        "dealt",
        "taken back",
        "topic closed",
        "topic done",
        "topic resumed",
        "topic reopened",
        "topic developed",
        "topic reworded",
        "topic method",
        "topic order",
        "topic released",
        "topic held",
        "topic requeued",
        "topic moved",
    ),
    "teams": (
        "team made",
        "team removed",
        "team left",
        "run handed in",
        "submission changed",
        "submission withdrawn",
        "hand-in rules",
        "scores released",
        "scores withheld",
        "leaderboard published",
        "leaderboard withdrawn",
    ),
    "training": ("training added", "training removed", "training moved", "trained"),
    "repeats": ("shown again",),
    "exports": ("exported", "bundle imported"),
    "engines": (
        "engine added",
        "engine changed",
        "engine removed",
        "query saved",
        "pull started",
        "pull paused",
        "pull resumed",
        "pull removed",
    ),
    "webhooks": (
        "webhook added",
        "webhook changed",
        "webhook secret",
        "webhook removed",
        "webhook gone",
        "webhook unreachable",
    ),
}


def note(*, campaign: Campaign, kind: str, **detail: Any) -> Deed:
    """Add an act to the campaign's history, in the transaction of the act itself. A topic that it is about
    goes under `topic`, several under `topics`, a person under `person`, a file under `file`. Refuse it, and
    thereby the act, in an archived campaign."""
    check_may_note(campaign, kind)
    return note_all(campaigns=[campaign], kind=kind, **detail)[0]


def note_all(*, campaigns: Iterable[Campaign], kind: str, **detail: Any) -> list[Deed]:
    """The same act in several campaigns."""
    who = actors.actor()
    campaigns = list(campaigns)
    lengths = dict(LogHead.objects.filter(campaign__in=campaigns).values_list("campaign_id", "length"))
    return Deed.objects.bulk_create(
        Deed(
            campaign=campaign,
            actor_id=who.id,
            actor_name=who.name,
            kind=kind,
            detail=detail,
            after=lengths.get(campaign.id, 0),
        )
        for campaign in campaigns
    )


def note_sharing(*, collection: Collection, kind: str, **detail: Any) -> None:
    """An act on a collection, in the history of every campaign that reads it."""
    note_all(campaigns=Campaign.objects.filter(collection=collection), kind=kind, **detail)
