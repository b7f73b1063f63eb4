"""Emails to assessors about their own judging, and the switch by which each person turns them off."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from django.conf import settings
from django.contrib.auth.models import User
from django.core.signing import BadSignature, Signer
from django.db.models import QuerySet
from django.urls import reverse

from campaigns.core.digits import read_digits
from campaigns.core.jobs import request_delivery
from campaigns.models import Campaign, EmailsOff, Membership, Question, SentMail
from campaigns.notifications.emails import CampaignEmail, can_email, languages_of

# Of `SentMail`: near the due date, by itself; and because an organiser asked for it.
DUE, BY_HAND = "due", "reminder"
# So that no inbox is flooded.
REMINDER_PAUSE = timedelta(hours=24)
_SALT = "campaigns.emails-off"


def switch(*, user: int, on: bool) -> None:
    """Turn emails about one’s own judging on or off, in all campaigns; of a deleted account, do nothing."""
    if on:
        EmailsOff.objects.filter(user=user).delete()
    elif User.objects.filter(id=user).exists():
        EmailsOff.objects.get_or_create(user_id=user)


def is_switched_on(user: User) -> bool:
    return not EmailsOff.objects.filter(user=user).exists()


def switch_off_link(user: int) -> str:
    """A link that turns the person's emails off without signing in, for ever, and can do nothing else."""
    return f"{settings.SITE_URL}{reverse('emails-off', args=[Signer(salt=_SALT).sign(str(user))])}"


def read_switch_off(token: str) -> int | None:
    """The person whose emails the token may turn off; None if the site did not sign it."""
    try:
        return read_digits(Signer(salt=_SALT).unsign(token))
    except BadSignature:
        return None


def reachable(campaign: Campaign) -> QuerySet[Membership]:
    """Members with an address who get emails about their judging."""
    rows = campaign.memberships.filter(user__is_active=True, user__emails_off=None)
    return rows.exclude(user__email="").select_related("user")


class AssessorEmail(CampaignEmail):
    switch_off: str


class AnswerEmail(AssessorEmail, template="mail/answer.txt"):
    question: Question


def email_answer(*, question: Question) -> None:
    """Mail the answer to the assessor who asked, once the surrounding transaction has committed."""
    if not can_email() or question.answered_by_id == question.assessor_id:
        return
    member = reachable(question.campaign).filter(user=question.assessor).first()
    if member is not None:
        link = switch_off_link(member.user_id)
        _send(member, AnswerEmail(question.campaign, link, question), _language(member))


def rested(campaign: Campaign, now: datetime) -> set[int]:
    """Ids of memberships to which no reminder went in the last 24 hours."""
    lately = SentMail.objects.filter(kind__in=(DUE, BY_HAND), created__gt=now - REMINDER_PAUSE)
    recent = lately.filter(membership__campaign=campaign).values("membership")
    return set(campaign.memberships.exclude(id__in=recent).values_list("id", flat=True))


def email_reminders(
    *,
    emails: Sequence[tuple[Membership, AssessorEmail]],
    kind: str,
    key: str,
    now: datetime,
) -> int:
    """Mail each of them what is left, unless this reminder has gone to them before. Returns how many are
    new. The mark is stored with the email, so that none is lost or doubled."""
    languages, made = languages_of(member.user_id for member, _ in emails), 0
    for member, text in emails:
        mark, new = SentMail.objects.get_or_create(membership=member, kind=kind, key=key)
        if not new:
            continue
        SentMail.objects.filter(id=mark.id).update(created=now)
        _send(member, text, languages.get(member.user_id, settings.LANGUAGE_CODE))
        made += 1
    return made


def _language(member: Membership) -> str:
    return languages_of([member.user_id]).get(member.user_id, settings.LANGUAGE_CODE)


def _send(member: Membership, text: AssessorEmail, language: str) -> None:
    mail, to = text.email(language), member.user.email
    request_delivery(subject=mail.subject, body=mail.body, address=to, switch_off=text.switch_off)
