"""The Celery task of due dates."""

from __future__ import annotations

from celery import shared_task

from campaigns.due_dates.reminders import remind_where_due


@shared_task(name="campaigns.remind_where_due")
def remind_where_due_task() -> None:
    """Comes every few minutes, so that neither a restart nor a worker that was away costs a reminder."""
    remind_where_due()
