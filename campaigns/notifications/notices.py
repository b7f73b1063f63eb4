"""Emails to people: invitations, changes of an account, a day's progress, a silent worker and its return, an
unreachable webhook."""

from __future__ import annotations

import logging
import threading
from datetime import date, datetime

from django.contrib.auth.models import User
from django.db import DatabaseError, connections, transaction
from django.db.models import Count, Exists, OuterRef, Q
from django.utils import timezone, translation

from campaigns.computing.health import worker_silence
from campaigns.computing.worker import campaigns_behind
from campaigns.core.jobs import request_delivery
from campaigns.core.phrases import host_of
from campaigns.log.current import made_by_assessors
from campaigns.log.timeline import HistoryFilter, judgments_of
from campaigns.models import Campaign, Delivery, Heartbeat, Membership, SentMail, Webhook
from campaigns.notifications.emails import (
    CampaignEmail,
    EmailText,
    can_email,
    email_once,
    email_recipients,
    languages_of,
)
from campaigns.notifications.outbox import send_due_emails
from campaigns.quality.flag_sentences import flag_sentence
from campaigns.quality.flags import update_flags
from campaigns.results.topic_rows import JudgingProgress, judging_progress, topics_of

logger = logging.getLogger(__name__)

SILENCE_SECONDS = 300
WATCH_SECONDS = 30.0


class InvitationEmail(CampaignEmail, template="mail/invitation.txt"):
    link: str
    role: str
    inviter: str
    expires: datetime | None
    is_reminder: bool


class AccountEmail(EmailText, template="mail/account.txt"):
    user: User
    change: str
    at: datetime


class ProgressEmail(CampaignEmail, template="mail/progress.txt"):
    day: date
    people: list[tuple[str, int]]
    done: JudgingProgress
    topics: int
    under_minimum: int


class FlagsEmail(CampaignEmail, template="mail/flags.txt"):
    seen: list[tuple[str, str]]


class SilentEmail(CampaignEmail, template="mail/silent.txt"):
    heard: datetime | None
    minutes: int | None


class BackEmail(CampaignEmail, template="mail/back.txt"):
    now: datetime


class WebhookEmail(CampaignEmail, template="mail/webhook.txt"):
    webhook: Webhook
    delivery: Delivery
    host: str
    since: datetime


def invite(
    *,
    campaign: Campaign,
    address: str,
    link: str,
    role: str,
    inviter: str,
    expires: datetime | None = None,
    is_reminder: bool = False,
) -> None:
    """Mail an invitation by the worker, once the surrounding transaction has committed; without a mail server
    the inviter passes the link on."""
    if not can_email():
        return
    mail = InvitationEmail(campaign, link, role, inviter, expires, is_reminder).email()
    request_delivery(subject=mail.subject, body=mail.body, address=address)


def email_account_change(*, user: User, change: str, address: str) -> None:
    """Mail the account's owner what was changed, once the surrounding transaction has committed, so that a
    change that was not theirs is noticed. `change`: one that templates/mail/account.txt has."""
    if not address or not can_email():
        return
    language = languages_of([user.id]).get(user.id)
    mail = AccountEmail(user, change, timezone.now()).email(language)
    request_delivery(subject=mail.subject, body=mail.body, address=address)


def email_progress(*, day: date) -> int:
    """Email what was judged on a day, where anything was, to organisers who chose it. Returns the number of
    new emails; the same day again makes none."""
    key, sent = day.isoformat(), 0
    sent_to = SentMail.objects.filter(kind="progress", key=key).values_list("membership", flat=True)
    known = set(sent_to)
    campaigns: dict[Campaign, list[tuple[Membership, str]]] = {}
    for membership, language in email_recipients(kind="progress"):
        if membership.id not in known:
            campaigns.setdefault(membership.campaign, []).append((membership, language))
    for campaign, readers in campaigns.items():
        people = _judged_on(campaign, day)
        if not people:
            continue
        topics = topics_of(campaign=campaign)
        done, under = judging_progress(campaign=campaign, topics=topics), sum(one.left > 0 for one in topics)
        text = ProgressEmail(campaign, day, people, done, len(topics), under)
        for membership, language in readers:
            mail = text.email(language)
            sent += email_once(membership=membership, kind="progress", key=key, mail=mail)
    return sent


def _judged_on(campaign: Campaign, day: date) -> list[tuple[str, int]]:
    """Numbers of grades by assessor, most first."""
    acts = made_by_assessors(judgments_of(campaign, HistoryFilter(day=day)))
    graded = acts.filter(grade__isnull=False).order_by()
    counts = graded.values_list("assessor__username").annotate(count=Count("id"))
    return sorted(counts, key=lambda row: (-row[1], row[0]))


def email_new_flags(*, campaign: Campaign) -> int:
    """Store what the judgments show of assessors' work, and make one email of what is new. Returns the number
    of new emails."""
    with transaction.atomic():
        new = update_flags(campaign=campaign)
        if not new:
            return 0
        key, sent = str(max(flag.id for flag in new)), 0
        for membership, language in email_recipients(kind="quality"):
            if membership.campaign_id == campaign.id:
                with translation.override(language):
                    seen = [(flag.assessor.get_username(), flag_sentence(flag)) for flag in new]
                mail = FlagsEmail(campaign, seen).email(language)
                sent += email_once(membership=membership, kind="flags", key=key, mail=mail)
    return sent


class WorkerWatch:
    """A thread of the web server that looks after the worker until it is stopped: a silent worker cannot
    report itself. Several web servers may each have one."""

    def __init__(self, seconds: float = WATCH_SECONDS) -> None:
        self._seconds = seconds
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="watch", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stopped.set()

    def _run(self) -> None:
        while not self._stopped.wait(self._seconds):
            try:
                look_after_worker()
            except DatabaseError as error:
                logger.warning("could not look after the worker: %s", error)
            finally:
                connections.close_all()


def look_after_worker() -> int:
    """Make one email when the worker has been silent for five minutes while work waits, one when it is back.
    Returns the number of new emails. Those of a silent worker are sent from here."""
    if not Membership.objects.filter(trouble_mail=True).exists():
        return 0
    silence = worker_silence()
    if silence is None or silence > SILENCE_SECONDS:
        count = _tell_silence(silence)
        send_due_emails()
        return count
    return _tell_return()


def _tell_silence(silence: float | None) -> int:
    heard = Heartbeat.objects.filter(name="worker").values_list("at", flat=True).first()
    waiting, sent = set(campaigns_behind()), 0
    minutes = None if silence is None else int(silence // 60)
    for membership, language in email_recipients(kind="trouble"):
        if membership.campaign_id in waiting:
            mail = SilentEmail(membership.campaign, heard, minutes).email(language)
            sent += email_once(membership=membership, kind="silent", key=_key(heard), mail=mail)
    return sent


def _tell_return() -> int:
    answered = SentMail.objects.filter(kind="back", membership=OuterRef("membership"), key=OuterRef("key"))
    open_ = SentMail.objects.filter(~Exists(answered), Q(kind="silent"))
    keys: dict[int, list[str]] = {}
    for id, key in open_.values_list("membership", "key"):
        keys.setdefault(id, []).append(key)
    sent = 0
    for membership, language in email_recipients(kind="trouble"):
        for key in keys.get(membership.id, ()):
            mail = BackEmail(membership.campaign, timezone.now()).email(language)
            sent += email_once(membership=membership, kind="back", key=key, mail=mail)
    return sent


def email_undelivered(*, delivery: Delivery) -> int:
    """One email when a delivery is given up for the first time since the webhook last worked, and one when
    the webhook is switched off for that. Returns the number of new emails."""
    webhook = delivery.webhook
    since = webhook.failing_since or timezone.now()
    key, sent = f"{webhook.id} {int(since.timestamp())}{'' if webhook.active else ' off'}", 0
    for membership, language in email_recipients(kind="trouble"):
        if membership.campaign_id == webhook.campaign_id:
            text = WebhookEmail(membership.campaign, webhook, delivery, host_of(webhook.url), since)
            sent += email_once(membership=membership, kind="webhook", key=key, mail=text.email(language))
    return sent


def _key(heard: datetime | None) -> str:
    return "never" if heard is None else heard.isoformat()
