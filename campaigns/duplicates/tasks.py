"""Celery tasks of duplicates: their search, a turn at a time."""

from __future__ import annotations

from celery import shared_task

from campaigns.core.database import Space, try_campaign_lock
from campaigns.duplicates import finding


@shared_task(name="campaigns.compare_documents")
def compare_documents(collection: int) -> None:
    """Take turns with other tasks. A worker that dies goes on where it was."""
    with try_campaign_lock(Space.COMPARING, collection) as free:
        left = free and finding.compare_for_a_while(collection=collection)
    if left:
        compare_documents.delay(collection)


@shared_task(name="campaigns.compare_where_due")
def compare_where_due() -> None:
    """Queue collections that were stored while the broker was away, or left by a worker that died."""
    for collection in finding.due_collections():
        compare_documents.delay(collection)
