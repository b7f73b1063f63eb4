"""Pulls: started, paused, resumed and removed. The worker asks the engine (campaigns/engines/pulling.py)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Count, QuerySet, Sum
from django.utils import timezone, translation
from django.utils.translation import gettext

from campaigns.collection.run_changes import check_group
from campaigns.core.errors import Refusal
from campaigns.core.jobs import request_pull
from campaigns.engines.configurations import latest_version, topic_values
from campaigns.formats.errors import what_is_wrong_with_name
from campaigns.log import audit
from campaigns.models import Campaign, EngineConfiguration, EnginePull

State = EnginePull.State
_NO_WORD = re.compile(r"[^A-Za-z0-9._-]+")
# A pull that has not been heard of for so long has lost its worker.
PULL_SILENCE = timedelta(seconds=15)


@dataclass(frozen=True)
class PullProgress:
    """Topics answered, and of how many; the milliseconds that the engine took, and hits that it repeated."""

    answered: int
    topics: int
    hits: int
    duplicates: int
    milliseconds: int


def start_pull(
    *,
    configuration: EngineConfiguration,
    user: User,
    tag: str = "",
    group: str = "",
    contributes: bool = True,
    documents: bool = True,
) -> EnginePull:
    """Have the worker ask the latest version about every topic. Without a tag, the run is named after the
    configuration and its version."""
    campaign = configuration.connection.campaign
    check_group(group.strip())
    with transaction.atomic():
        Campaign.objects.select_for_update(no_key=True).get(id=campaign.id)
        version = latest_version(configuration)
        topics = list(campaign.topics.all())
        if not topics:
            detail = gettext("the campaign has no topics yet: upload topics first")
            raise Refusal("no_topics", detail, status=409)
        for topic in topics:
            topic_values(version, topic)
        pull = EnginePull.objects.create(
            version=version,
            tag=_free_tag(campaign, tag.strip(), f"{configuration.name}-v{version.number}"),
            group=group.strip(),
            contributes=contributes,
            documents=documents,
            asked_by=user,
            language=translation.get_language() or "en",
        )
        note_pull(pull, campaign, "pull started")
        request_pull(pull.id)
    return pull


def pause_pull(*, pull: EnginePull) -> EnginePull:
    """Stop asking after the topic that is being asked about; its answers stay."""
    return _change(pull, State.RUNNING, State.PAUSED, "pull paused")


def resume_pull(*, pull: EnginePull) -> EnginePull:
    """Go on with the topics that have no answer yet."""
    return _change(pull, (State.PAUSED, State.FAILED), State.RUNNING, "pull resumed")


def _change(pull: EnginePull, before: Any, after: EnginePull.State, kind: str) -> EnginePull:
    states = (before,) if isinstance(before, State) else before
    with transaction.atomic():
        held = EnginePull.objects.select_for_update().get(id=pull.id)
        if held.state not in states:
            detail = gettext("the pull is %(state)s") % {"state": held.get_state_display()}
            raise Refusal("wrong_pull_state", detail, status=409)
        held.state, held.updated = after, timezone.now()
        held.problem, held.tries = None, 0
        held.save(update_fields=["state", "updated", "problem", "tries"])
        note_pull(held, pull.version.configuration.connection.campaign, kind)
        if after == State.RUNNING:
            request_pull(held.id)
    held.version = pull.version
    return held


def remove_pull(*, pull: EnginePull) -> None:
    """Remove a pull with its answers; a run that it made stays. Refused while it is running."""
    with transaction.atomic():
        held = EnginePull.objects.select_for_update().get(id=pull.id)
        if held.state == State.RUNNING:
            raise Refusal("pull_running", gettext("the pull is running: pause it first"), status=409)
        note_pull(held, pull.version.configuration.connection.campaign, "pull removed")
        held.delete()


def note_pull(pull: EnginePull, campaign: Campaign, kind: str) -> None:
    version = pull.version
    detail = {"run": pull.tag, "query": version.configuration.name, "version": version.number}
    audit.note(campaign=campaign, kind=kind, **detail)


def pulls_of(campaign: Campaign) -> QuerySet[EnginePull]:
    rows = EnginePull.objects.filter(version__configuration__connection__campaign=campaign)
    return rows.select_related("version__configuration__connection", "run")


def pull_of(*, campaign: Campaign, id: int) -> EnginePull:
    row = pulls_of(campaign).filter(id=id).first()
    if row is None:
        raise Refusal("unknown_pull", gettext("there is no such pull"), status=404)
    row.version.configuration.connection.campaign = campaign
    return row


def progress_of_pull(pull: EnginePull, topics: int) -> PullProgress:
    """Progress of a pull, of so many topics of the campaign; of a finished one, of those it asked about."""
    sums = pull.answers.aggregate(
        answered=Count("id"),
        hits=Sum("count"),
        duplicates=Sum("duplicates"),
        milliseconds=Sum("milliseconds"),
    )
    counts = {name: value or 0 for name, value in sums.items()}
    return PullProgress(topics=counts["answered"] if pull.state == State.DONE else topics, **counts)


def silent_pulls() -> list[int]:
    """Running pulls that no worker has reported on for a while."""
    rows = EnginePull.objects.filter(state=State.RUNNING, updated__lt=timezone.now() - PULL_SILENCE)
    return list(rows.order_by("id").values_list("id", flat=True))


def _free_tag(campaign: Campaign, wanted: str, usual: str) -> str:
    """The wanted tag, refused if it is taken; otherwise the usual one, or the first free one after it."""
    unfinished = pulls_of(campaign).exclude(state=State.DONE).values_list("tag", flat=True)
    taken = {*campaign.runs.values_list("tag", flat=True), *unfinished}
    if wanted:
        if reason := what_is_wrong_with_name("tag", wanted):
            raise Refusal("bad_tag", reason, field="tag")
        if wanted in taken:
            detail = gettext("there is another run tagged %(tag)s already") % {"tag": wanted}
            raise Refusal("tag_taken", detail, field="tag", status=409)
        return wanted
    base = _NO_WORD.sub("-", usual).strip("-.") or "pull"
    count = 1
    while (tag := base if count == 1 else f"{base}-{count}") in taken:
        count += 1
    return tag
