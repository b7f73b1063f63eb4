"""Celery tasks that load datasets into campaigns."""

from __future__ import annotations

from celery import shared_task

from campaigns.exchange import datasets


@shared_task(name="campaigns.load")
def load(campaign: int) -> None:
    """Load the data set that an organiser asked for."""
    datasets.run_loading(campaign)


@shared_task(name="campaigns.load_where_due")
def load_where_due() -> None:
    """Queue loadings that were requested while the broker was away, or died with its worker."""
    for campaign in datasets.unfinished_loadings():
        load.delay(campaign)
