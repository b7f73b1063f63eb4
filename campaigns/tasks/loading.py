from __future__ import annotations

from celery import shared_task

# The services that store files ask for tasks themselves, so they are imported when they are needed.


@shared_task(name="campaigns.load")
def load(campaign: int) -> None:
    """Load the data set that somebody asked for."""
    from campaigns.services import loading

    loading.run(campaign)


@shared_task(name="campaigns.load_where_due")
def load_where_due() -> None:
    """What was asked for while the broker was away, or died with its worker."""
    from campaigns.services import loading

    for campaign in loading.unfinished():
        load.delay(campaign)
