"""Emails that wait in the database: neither a broker, a worker nor a mail server that is away loses one."""

from __future__ import annotations

import smtplib
from datetime import timedelta
from typing import Any

import pytest
from django.core import mail
from django.core.mail.backends import locmem
from django.db import transaction
from django.utils import timezone
from kombu.exceptions import OperationalError
from pytest_django import Settings

from campaigns.core import jobs
from campaigns.models import WaitingEmail
from campaigns.notifications import outbox
from campaigns.notifications.outbox import MOST_TRIES, send_due_emails

LINK = "https://x.org/join/abc"


@pytest.fixture(autouse=True)
def no_broker(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(task: str, *_: object) -> None:
        raise OperationalError("connection refused")

    monkeypatch.setattr(jobs, "send", refuse)


@pytest.fixture
def refusing(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> int:
        raise smtplib.SMTPServerDisconnected("try later")

    monkeypatch.setattr(locmem.EmailBackend, "send_messages", refuse)


def wait(**changes: Any) -> WaitingEmail:
    jobs.request_delivery(subject="Welcome", body=LINK, address="new@example.org")
    email = WaitingEmail.objects.get()
    WaitingEmail.objects.filter(id=email.id).update(**changes)
    email.refresh_from_db()
    return email


@pytest.mark.django_db(transaction=True)
def test_an_email_without_a_broker_is_sent_later_and_once() -> None:
    wait()
    assert mail.outbox == []
    assert [send_due_emails(), send_due_emails()] == [1, 0]
    (message,) = mail.outbox
    assert (message.subject, message.body, message.to) == ("Welcome", LINK, ["new@example.org"])
    assert not WaitingEmail.objects.exists()


def test_a_worker_without_a_mail_server_leaves_them(
    settings: Settings, capfd: pytest.CaptureFixture[str]
) -> None:
    wait()
    settings.EMAIL_BACKEND = "django.core.mail.backends.console.EmailBackend"
    assert send_due_emails() == 0
    assert WaitingEmail.objects.get().attempts == 0
    assert LINK not in "".join(capfd.readouterr())


def test_an_email_of_a_transaction_that_fails_is_never_sent() -> None:
    with transaction.atomic():
        wait()
        transaction.set_rollback(True)
    assert send_due_emails() == 0


def test_a_mail_server_that_is_away_is_tried_later_and_later(
    refusing: None, caplog: pytest.LogCaptureFixture
) -> None:
    email, pauses = wait(), []
    for _ in range(4):
        WaitingEmail.objects.update(next_try=timezone.now())
        before = timezone.now()
        assert send_due_emails() == 0
        email.refresh_from_db()
        pauses.append(round((email.next_try - before) / timedelta(minutes=1)))
    assert pauses == [1, 2, 4, 8]
    assert "not sent" in caplog.text
    assert LINK not in caplog.text


def test_an_email_is_given_up_in_the_end(refusing: None, caplog: pytest.LogCaptureFixture) -> None:
    wait(attempts=MOST_TRIES - 1)
    assert send_due_emails() == 0
    assert not WaitingEmail.objects.exists()
    assert f"given up after {MOST_TRIES} tries" in caplog.text
    assert LINK not in caplog.text


def test_one_that_cannot_be_sent_keeps_back_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    accept = locmem.EmailBackend.send_messages

    def refuse_new(self: Any, messages: Any) -> int:
        if "new@example.org" in messages[0].to:
            raise smtplib.SMTPRecipientsRefused({})
        return int(accept(self, messages))

    monkeypatch.setattr(locmem.EmailBackend, "send_messages", refuse_new)
    wait()
    jobs.request_delivery(subject="Welcome", body=LINK, address="other@example.org")
    assert send_due_emails() == 1
    assert [message.to for message in mail.outbox] == [["other@example.org"]]


def test_what_a_worker_died_over_is_sent_after_its_lease(monkeypatch: pytest.MonkeyPatch) -> None:
    def die(*_: Any) -> int:
        raise SystemExit

    email = wait()
    with monkeypatch.context() as dying:
        dying.setattr(locmem.EmailBackend, "send_messages", die)
        with pytest.raises(SystemExit):
            send_due_emails()
    assert send_due_emails() == 0
    WaitingEmail.objects.filter(id=email.id).update(next_try=timezone.now())
    assert send_due_emails() == 1


def test_a_clock_that_was_set_back_delays_nothing() -> None:
    wait(next_try=timezone.now() + timedelta(hours=5))
    assert send_due_emails() == 1
    wait(next_try=timezone.now() + outbox.LONGEST_PAUSE / 2)
    assert send_due_emails() == 0
