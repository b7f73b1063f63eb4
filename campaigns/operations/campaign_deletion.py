"""Deleting a campaign for good: every row of every table that belongs to it, and what Redis holds of it."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import redis
from django.apps import apps
from django.db import models, transaction
from django.db.models import ForeignKey, Model, Q
from django.utils.translation import gettext

from campaigns.collection.documents import hold
from campaigns.collection.search_index import forget_texts
from campaigns.core.actors import actor
from campaigns.core.broker import broker, channel
from campaigns.core.database import Space, try_lock_until_commit
from campaigns.core.errors import Refusal
from campaigns.log.privileges import LOG_TABLES, delete_log
from campaigns.models import (
    Campaign,
    Collection,
    Document,
    DocumentRevision,
    Invitation,
    LogHead,
    TextSignature,
    WaitingEmail,
)
from campaigns.models.campaign import Status
from campaigns.results.topic_rows import with_counts

logger = logging.getLogger(__name__)

# What the worker may be writing at this moment, by campaign.
WRITERS = (Space.COMPUTING, Space.LOADING, Space.COUNTING)


def delete_campaign(*, campaign: Campaign, confirmation: str) -> None:
    """Delete it if the confirmation is its address, and its collection if no other campaign reads that.

    An open campaign is refused, so no assessor loses the document that they are judging.
    """
    if confirmation != campaign.slug:
        words = gettext("type the campaign’s address, “%(slug)s”, to delete it") % {"slug": campaign.slug}
        raise Refusal("not_confirmed", words, field="confirm")
    with transaction.atomic():
        # As documents.hold has it: the collection before the campaign.
        hold(campaign.collection)
        held = Campaign.objects.select_for_update().get(id=campaign.id)
        if held.status == Status.OPEN:
            detail = gettext("the campaign is open: pause or close it first")
            raise Refusal("campaign_open", detail, status=409)
        _wait_for_nobody(held)
        _delete_waiting_emails(held)
        for model, path in owned_tables():
            if model._meta.db_table not in LOG_TABLES:
                rows = model._default_manager.filter(**{path: held.id})
                # Nothing is looked up row by row; the database checks that nothing points into a void.
                rows._raw_delete(rows.db)
        delete_log(held.id)
        _delete_collection(campaign.collection)
        transaction.on_commit(lambda: _forget(campaign.id))
    logger.warning("campaign %s deleted for good by %s", campaign.slug, actor().name)


def figures_of(campaign: Campaign) -> dict[str, int]:
    """Numbers, by kind, of rows that the deletion would remove."""
    shared = campaign.collection.campaigns.exclude(id=campaign.id).exists()
    counted = with_counts(Campaign.objects.filter(id=campaign.id)).get()
    return {
        **{
            name: getattr(counted, name)
            for name in ("log_length", "topic_count", "run_count", "withdrawn_count")
        },
        "documents": 0 if shared else campaign.collection.documents.count(),
    }


def owned_tables() -> list[tuple[type[Model], str]]:
    """Every table whose rows belong to a campaign, and by which path; those that point at others first."""
    paths: dict[type[Model], str] = {Campaign: "id"}
    while more := {model: path for model, path in _one_step(paths) if model not in paths}:
        paths |= more
    del paths[Campaign]
    return list(reversed(paths.items()))


def _one_step(paths: dict[type[Model], str]) -> Iterator[tuple[type[Model], str]]:
    for model in apps.get_app_config("campaigns").get_models():
        for field in model._meta.concrete_fields:
            if not isinstance(field, ForeignKey) or field.related_model not in paths:
                continue
            if field.remote_field.on_delete is not models.SET_NULL:
                beyond = paths[field.related_model]
                yield model, field.name if beyond == "id" else f"{field.name}__{beyond}"
                break


def _wait_for_nobody(campaign: Campaign) -> None:
    LogHead.objects.select_for_update().filter(campaign=campaign).first()
    if not all(try_lock_until_commit(space, campaign.id) for space in WRITERS):
        detail = gettext("the worker is writing to this campaign: try again in a moment")
        raise Refusal("busy", detail, status=409)


def _delete_waiting_emails(campaign: Campaign) -> None:
    """Delete waiting emails to its people that name the campaign; an email itself belongs to no campaign."""
    invited = Invitation.objects.filter(campaign=campaign).values_list("address", flat=True)
    members = campaign.memberships.values_list("user__email", flat=True)
    participants = campaign.participants.values_list("user__email", flat=True)
    waiting = WaitingEmail.objects.filter(address__in={*invited, *members, *participants})
    waiting.filter(Q(subject__contains=campaign.name) | Q(body__contains=campaign.name)).delete()


def _delete_collection(collection: Collection) -> None:
    if collection.campaigns.exists():
        return
    # The search index drops the words of a batch if the collection is held.
    hold(collection)
    forget_texts(collection=collection)
    for model in (DocumentRevision, TextSignature):
        model._default_manager.filter(document__collection=collection)._raw_delete("default")
    Document.objects.filter(collection=collection)._raw_delete("default")
    collection.delete()


def _forget(campaign: int) -> None:
    """Delete the campaign's own keys in Redis; tasks that still name it find no rows."""
    try:
        names = [channel(campaign), *broker().scan_iter(match=f"{channel(campaign)}:*", count=1000)]
        broker().delete(*names)
    except redis.RedisError as error:
        logger.warning("what Redis holds of campaign %s stays: %s", campaign, error)
