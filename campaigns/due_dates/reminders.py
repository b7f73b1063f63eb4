"""Reminders of judgments left: near the due date by themselves, and when an organiser asks for them."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from campaigns.core.errors import Refusal
from campaigns.due_dates.work_left import DueWork, WorkLeft, due_work, work_left
from campaigns.judging.situation import not_open
from campaigns.log import audit
from campaigns.models import Campaign, Membership
from campaigns.models.campaign import Status
from campaigns.notifications.assessor_emails import (
    BY_HAND,
    DUE,
    AssessorEmail,
    email_reminders,
    reachable,
    rested,
    switch_off_link,
)
from campaigns.notifications.emails import can_email

# Days before the due date, the farthest first.
STEPS = (3, 1)

MembersLeft = list[tuple[Membership, WorkLeft]]


def remind_where_due(*, now: datetime | None = None) -> int:
    """Remind the assessors of each open campaign whose due date is near, once for each step. Returns the
    number of new emails."""
    now = now or timezone.now()
    if not can_email():
        return 0
    near = Campaign.objects.filter(
        status=Status.OPEN, archived_at=None, due_at__gt=now, due_at__lte=now + timedelta(days=STEPS[0])
    )
    return sum(_remind_of_due_date(campaign, now) for campaign in near.order_by("id"))


def _remind_of_due_date(campaign: Campaign, now: datetime) -> int:
    with transaction.atomic():
        _lock(campaign)
        due = campaign.due_at
        if campaign.status != Status.OPEN or due is None or (step := step_at(due, now)) is None:
            return 0
        # A due date that moves has steps of its own.
        key = f"{int(due.timestamp())} {step}"
        return _email(campaign, _with_work(campaign, now), kind=DUE, key=key, now=now)


def step_at(due: datetime, now: datetime) -> int | None:
    """The nearest step whose time has come; None before the first one and after the due date."""
    left = due - now
    begun = [step for step in STEPS if timedelta(0) < left <= timedelta(days=step)]
    return min(begun, default=None)


def remind(
    *, campaign: Campaign, organiser: User, usernames: Collection[str], now: datetime | None = None
) -> list[str]:
    """Remind those of these assessors who have work left and got no reminder in the last 24 hours; refuse if
    that is no one. Returns their names."""
    now = now or timezone.now()
    if not can_email():
        raise Refusal("no_mail_server", gettext("this site sends no emails"), status=409)
    with transaction.atomic():
        _lock(campaign)
        if campaign.status != Status.OPEN:
            raise not_open(campaign)
        chosen = [row for row in _with_work(campaign, now) if row[0].user.get_username() in usernames]
        if not chosen:
            detail = gettext(
                "no reminder is sent: these people have no judgments left, no email address, switched emails "
                "off, or were reminded in the last 24 hours"
            )
            raise Refusal("nothing_to_do", detail, field="person", status=409)
        by = organiser.get_username()
        _email(campaign, chosen, kind=BY_HAND, key=now.isoformat(), now=now, organiser=by)
        names = [member.user.get_username() for member, _ in chosen]
        for name in names:
            audit.note(campaign=campaign, kind="person reminded", person=name)
    return names


def _lock(campaign: Campaign) -> None:
    """Two who remind at once do so one after the other: the second finds whom the first has reminded."""
    campaign.refresh_from_db(from_queryset=Campaign.objects.select_for_update(no_key=True))


def _with_work(campaign: Campaign, now: datetime) -> MembersLeft:
    left, may = work_left(campaign=campaign), rested(campaign, now)
    members = reachable(campaign).filter(role=Membership.Role.ASSESSOR, paused_at=None)
    members = members.filter(user__in=left).order_by("id")
    return [(member, left[member.user_id]) for member in members if member.id in may]


class ReminderEmail(AssessorEmail, template="mail/reminder.txt"):
    left: WorkLeft
    due: DueWork | None
    organiser: str


def _email(
    campaign: Campaign, chosen: MembersLeft, *, kind: str, key: str, now: datetime, organiser: str = ""
) -> int:
    emails = []
    for member, left in chosen:
        due, link = due_work(campaign=campaign, left=left.judgments, now=now), switch_off_link(member.user_id)
        emails.append((member, ReminderEmail(campaign, link, left, due, organiser)))
    return email_reminders(emails=emails, kind=kind, key=key, now=now)
