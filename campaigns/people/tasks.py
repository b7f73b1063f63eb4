"""Celery tasks of accounts: mailing reset links, and pruning what expired."""

from __future__ import annotations

from celery import shared_task

from campaigns.people import resets, sessions
from campaigns.people.sign_in_attempts import prune_attempts


@shared_task(name="campaigns.send_reset_links")
def send_reset_links() -> None:
    """Also what was requested while no broker or worker was there."""
    resets.send_reset_links()


@shared_task(name="campaigns.prune_accounts")
def prune_accounts() -> None:
    prune_attempts()
    sessions.prune_sessions()
