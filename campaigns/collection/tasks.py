"""Celery tasks of collections: the full-text index, and the safe HTML of older versions' documents."""

from __future__ import annotations

from celery import shared_task

from campaigns.collection import search_index, shown_text
from campaigns.core.database import Space, try_campaign_lock


@shared_task(name="campaigns.index_documents")
def index_documents(collection: int) -> None:
    """Take turns with other tasks: a recompute that comes meanwhile waits for seconds, not for millions of
    documents."""
    with try_campaign_lock(Space.INDEXING, collection) as free:
        left = free and search_index.index_for_a_while(collection=collection)
    if left:
        index_documents.delay(collection)


@shared_task(name="campaigns.index_where_due")
def index_where_due() -> None:
    """Queue collections that were stored while the broker was away, or left by a worker that died."""
    for collection in search_index.due_collections():
        index_documents.delay(collection)
    for collection in shown_text.unread_collections():
        read_documents.delay(collection)


@shared_task(name="campaigns.read_documents")
def read_documents(collection: int) -> None:
    """Take turns with other tasks, as above. A worker that dies goes on where it was."""
    with try_campaign_lock(Space.READING, collection) as free:
        left = free and shown_text.read_for_a_while(collection=collection)
    if left:
        read_documents.delay(collection)
