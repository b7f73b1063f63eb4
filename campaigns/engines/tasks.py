"""Celery tasks that pull runs from search engines."""

from __future__ import annotations

from celery import shared_task

from campaigns.engines import pulling, pulls


@shared_task(name="campaigns.pull")
def pull(id: int) -> None:
    """Work on a pull, and queue the rest of it."""
    if pulling.run_pull(id):
        pull.delay(id)


@shared_task(name="campaigns.pull_where_due")
def pull_where_due() -> None:
    """Queue pulls that were requested while the broker was away, died with their worker, or waited."""
    for id in pulls.silent_pulls():
        pull.delay(id)
