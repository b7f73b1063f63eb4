"""Celery tasks of the Lab: start a job, do some of its trials, and take up what was left."""

from __future__ import annotations

from celery import Task, shared_task

from campaigns.core.jobs import send_lab_work
from campaigns.lab import work


@shared_task(name="campaigns.lab_start")
def start(job: int) -> None:
    """Divide a job into trials, or go on with one that was paused."""
    work.start(job)


@shared_task(name="campaigns.lab_work", bind=True)
def do_trials(task: Task, job: int, wave: int) -> None:
    """Trials for a second; then the next, after what else is waiting for a worker."""
    if work.work(job, wave, str(task.request.hostname)):
        send_lab_work(job, wave, 1)


@shared_task(name="campaigns.lab_where_due")
def take_up() -> None:
    """Queue jobs that were requested while the broker was away, or died with its worker."""
    waiting, running = work.unfinished_jobs()
    for job in waiting:
        start.delay(job)
    for job in running:
        work.send_wave(job)
