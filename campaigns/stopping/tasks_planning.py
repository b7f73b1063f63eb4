from __future__ import annotations

from celery import shared_task

from campaigns.stopping import planner


@shared_task(name="campaigns.computing.topic_methods")
def go_on(campaign: int) -> None:
    """One line of the plan; then the next, after what else is waiting for a worker."""
    if planner.step(campaign):
        go_on.delay(campaign)


@shared_task(name="campaigns.plan_where_due")
def plan_where_due() -> None:
    """What was put aside for other work, or died with its worker."""
    for campaign in planner.unfinished():
        go_on.delay(campaign)
