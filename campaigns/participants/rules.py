"""The rules of handing in: until when, and how many runs a team. The database's clock decides."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection, transaction
from django.utils.translation import gettext

from campaigns.core.errors import Refusal
from campaigns.log import audit
from campaigns.log.archived import check_not_archived
from campaigns.models import Campaign, HandIn

MOST_RUNS = 100


@dataclass(frozen=True)
class OpenHandIn:
    """Rules in force at `now`, until the transaction ends."""

    now: datetime
    most_runs: int


def rules_of(campaign: Campaign) -> HandIn:
    """A campaign without a row takes no runs yet."""
    row = HandIn.objects.filter(campaign=campaign).first() or HandIn()
    row.campaign = campaign
    return row


def set_rules(
    *, campaign: Campaign, deadline: datetime | None = None, most_runs: int | None = None
) -> HandIn:
    """Change what is given. Runs that were handed in stay, also where there are more of them now."""
    if most_runs is not None and not 1 <= most_runs <= MOST_RUNS:
        detail = gettext("a team may hand in 1 to %(most)s runs") % {"most": MOST_RUNS}
        raise Refusal("bad_most_runs", detail, field="most_runs")
    with transaction.atomic():
        row = lock_rules(campaign)
        before = {"deadline": _iso(row.deadline), "most_runs": row.most_runs}
        row.deadline = deadline or row.deadline
        row.most_runs = most_runs or row.most_runs
        row.save(update_fields=["deadline", "most_runs"])
        after = {"deadline": _iso(row.deadline), "most_runs": row.most_runs}
        if changes := {name: [before[name], after[name]] for name in after if before[name] != after[name]}:
            audit.note(campaign=campaign, kind="hand-in rules", changes=changes)
    return row


def lock_rules(campaign: Campaign) -> HandIn:
    """The row for a change, made where there is none. It waits for runs that are just handed in."""
    HandIn.objects.get_or_create(campaign=campaign)
    row = HandIn.objects.select_for_update().get(campaign=campaign)
    row.campaign = campaign
    return row


def check_open(campaign: Campaign) -> OpenHandIn:
    """Refuse from the deadline on, and in an archived campaign. Within a transaction the deadline stays as it
    is until the end: a change waits. Teams do not wait for each other."""
    check_not_archived(campaign)
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT deadline, most_runs FROM campaigns_handin WHERE campaign_id = %s FOR SHARE", [campaign.id]
        )
        row = cursor.fetchone()
        # A statement of its own: within the first, the clock may be read before the lock is had.
        cursor.execute(
            "SELECT clock_timestamp(), archived_at FROM campaigns_campaign WHERE id = %s", [campaign.id]
        )
        now, campaign.archived_at = cursor.fetchone()
    check_not_archived(campaign)
    deadline, most_runs = row or (None, 0)
    if deadline is None:
        raise Refusal("hand_in_not_open", gettext("runs cannot be handed in yet"), status=409)
    if now >= deadline:
        raise Refusal("deadline_passed", gettext("the deadline has passed"), status=409)
    return OpenHandIn(now, most_runs)


def is_open(rules: HandIn) -> bool:
    """For what a page shows; a change is decided by `check_open`."""
    if rules.deadline is None or rules.campaign.archived_at is not None:
        return False
    return database_time() < rules.deadline


def database_time() -> datetime:
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        (now,) = cursor.fetchone()
    return now  # type: ignore[no-any-return]


def _iso(deadline: datetime | None) -> Any:
    return deadline.isoformat() if deadline else None
