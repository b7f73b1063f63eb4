"""Emails: recipients, times, and each only once."""

from __future__ import annotations

import smtplib
import threading
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.contrib.auth.models import User
from django.core import mail
from django.core.exceptions import ImproperlyConfigured
from django.core.mail.backends import locmem
from django.utils import timezone, translation
from kombu.exceptions import OperationalError
from pytest_django import Settings

from campaigns.computing.tasks import heartbeat, recompute
from campaigns.core import jobs
from campaigns.models import Campaign, Claim, Heartbeat, Judgment, Membership, SentMail, WaitingEmail
from campaigns.notifications import emails, notices
from campaigns.notifications.emails import languages_of
from campaigns.notifications.outbox import send_due_emails
from campaigns.notifications.tasks import tell_progress
from campaigns.people import members
from config.celery import app
from config.environment import email_settings
from tests.campaigns.factories import Api, make_campaign, make_user, signed_in

pytestmark = pytest.mark.django_db

DAY = datetime(2026, 3, 1).date()


@pytest.fixture
def campaign() -> Campaign:
    """Judged on one day by two people; its organiser wants every mail, a second one none."""
    campaign = make_campaign("Small", min_judgments=2)
    wants(campaign, "Small-ada")
    make_user("eve")
    members.add_member(campaign=campaign, username="eve", role="organiser")
    for name, docnos in (("grace", "ab"), ("alan", "f")):
        for docno in docnos:
            assert Api(campaign, f"Small-{name}").judge("1", docno, 1).status_code == 201
    noon = timezone.make_aware(datetime(DAY.year, DAY.month, DAY.day, 12))
    Judgment.objects.update(created=noon)
    return campaign


def wants(campaign: Campaign, username: str) -> None:
    User.objects.filter(username=username).update(email=f"{username.lower()}@example.org")
    rows = Membership.objects.filter(campaign=campaign, user__username=username)
    rows.update(progress_mail=True, trouble_mail=True)


def worker_heard(seconds_ago: float) -> None:
    at = timezone.now() - timedelta(seconds=seconds_ago)
    Heartbeat.objects.update_or_create(name="worker", defaults={"at": at})


def sent() -> list[Any]:
    """All emails, once the worker has sent what waited."""
    send_due_emails()
    return mail.outbox


def sent_to() -> list[str]:
    return [address for message in sent() for address in message.to]


def test_progress_is_told_once_a_day(campaign: Campaign) -> None:
    assert notices.email_progress(day=DAY) == 1
    assert notices.email_progress(day=DAY) == 0
    (message,) = sent()
    assert message.to == ["small-ada@example.org"]
    assert message.subject == "Small: progress of 1 March"
    assert "  2  Small-grace\n  1  Small-alan\n" in message.body
    assert "Altogether 3 documents are judged, 3 of them relevant." in message.body
    assert "1 of 2 topics are below the minimum of 2 judgments." in message.body
    assert f"{django_settings.SITE_URL}/campaigns/small/history/?day=2026-03-01" in message.body
    assert SentMail.objects.get().key == "2026-03-01"


def test_a_day_without_judgments_is_not_told(campaign: Campaign) -> None:
    assert notices.email_progress(day=DAY + timedelta(days=1)) == 0
    assert sent() == []


def test_the_task_tells_of_yesterday_from_morning_on(
    campaign: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    def at(hour: int) -> None:
        now = timezone.make_aware(datetime(2026, 3, 2, hour))
        monkeypatch.setattr(timezone, "now", lambda: now)
        tell_progress()

    at(5)
    assert sent() == []
    # Beat comes every few minutes, and a worker that was restarted begins again.
    at(6)
    at(9)
    assert sent_to() == ["small-ada@example.org"]


def test_no_broker_or_mail_server_that_is_away_loses_or_doubles_an_email(
    campaign: Campaign,
    monkeypatch: pytest.MonkeyPatch,
    django_capture_on_commit_callbacks: Callable[..., Any],
) -> None:
    wants(campaign, "eve")

    def fail(*_: Any) -> int:
        raise OperationalError("connection refused")

    def refuse(*_: Any) -> int:
        raise smtplib.SMTPServerDisconnected("try later")

    monkeypatch.setattr(jobs, "send", fail)
    with monkeypatch.context() as refusing, django_capture_on_commit_callbacks(execute=True):
        refusing.setattr(locmem.EmailBackend, "send_messages", refuse)
        assert [notices.email_progress(day=DAY), notices.email_progress(day=DAY)] == [2, 0]
        assert sent() == []
    # All the same, the day's email is made only once.
    assert notices.email_progress(day=DAY) == 0
    WaitingEmail.objects.update(next_try=timezone.now())
    assert sorted(sent_to()) == ["eve@example.org", "small-ada@example.org"]
    assert len(sent()) == 2


def test_an_email_and_its_mark_are_stored_together(
    campaign: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(*_: Any, **__: Any) -> None:
        raise SystemExit

    with monkeypatch.context() as dying:
        dying.setattr(emails, "request_delivery", die)
        with pytest.raises(SystemExit):
            notices.email_progress(day=DAY)
    assert notices.email_progress(day=DAY) == 1
    assert sent_to() == ["small-ada@example.org"]


def test_without_a_mail_server_progress_is_in_the_log(
    campaign: Campaign, settings: Settings, capfd: pytest.CaptureFixture[str]
) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.console.EmailBackend"
    assert notices.email_progress(day=DAY) == 1
    assert "Small: progress of 1 March" in capfd.readouterr().out
    assert not WaitingEmail.objects.exists()


def test_everybody_is_written_to_in_the_language_they_read(campaign: Campaign) -> None:
    wants(campaign, "eve")
    eve = User.objects.get(username="eve")
    german = signed_in("eve")
    assert german.post("/language/", {"language": "de"}).status_code == 302
    with translation.override("en"):
        assert notices.email_progress(day=DAY) == 2
        worker_heard(400)
        assert notices.look_after_worker() == 2
    subjects = {(message.to[0], message.subject) for message in sent()}
    assert ("small-ada@example.org", "Small: the worker is silent") in subjects
    sent_subjects = {subject for to, subject in subjects if to == "eve@example.org"}
    assert len(sent_subjects) == 2
    assert not sent_subjects & {subject for to, subject in subjects if to == "small-ada@example.org"}
    assert languages_of([eve.id]) == {eve.id: "de"}
    # What there is not changes nothing.
    german.post("/language/", {"language": "xx"})
    assert languages_of([eve.id]) == {eve.id: "de"}


@pytest.mark.parametrize(
    "change", [{"is_active": False}, {"email": ""}, {"role": "assessor"}, {"progress_mail": False}]
)
def test_who_is_not_told(campaign: Campaign, change: dict[str, Any]) -> None:
    row = Membership.objects.get(campaign=campaign, user__username="Small-ada")
    of_user = {"is_active", "email"} & set(change)
    (User.objects.filter(id=row.user_id) if of_user else Membership.objects.filter(id=row.id)).update(
        **change
    )
    assert notices.email_progress(day=DAY) == 0


def test_a_silent_worker_is_told_once_and_its_return_once(campaign: Campaign) -> None:
    worker_heard(299)
    assert notices.look_after_worker() == 0
    worker_heard(400)
    assert [notices.look_after_worker() for _ in range(3)] == [1, 0, 0]
    assert mail.outbox[0].subject == "Small: the worker is silent"
    assert "has not reported for 6 minutes" in mail.outbox[0].body
    heartbeat()
    assert [notices.look_after_worker() for _ in range(3)] == [1, 0, 0]
    assert sent()[1].subject == "Small: the worker is back"
    # Another time, it is sent again.
    worker_heard(1000)
    assert notices.look_after_worker() == 1
    assert sent_to() == ["small-ada@example.org"] * 3


def test_a_silent_worker_without_work_is_no_trouble(campaign: Campaign) -> None:
    Claim.objects.all().delete()
    recompute(campaign.id)
    worker_heard(1000)
    assert notices.look_after_worker() == 0
    Api(campaign, "Small-grace").judge("1", "c", 0)
    assert notices.look_after_worker() == 1


def test_a_worker_that_never_came_is_told(campaign: Campaign) -> None:
    Heartbeat.objects.all().delete()
    assert [notices.look_after_worker(), notices.look_after_worker()] == [1, 0]
    assert "No worker has ever reported" in mail.outbox[0].body


def test_an_invitation_is_sent_by_the_worker_after_the_commit(
    campaign: Campaign,
    monkeypatch: pytest.MonkeyPatch,
    django_capture_on_commit_callbacks: Callable[..., Any],
) -> None:
    # In place of the broker: what the worker would be given, done at once.
    monkeypatch.setattr(jobs, "send", lambda task: app.tasks[task].apply(throw=True))
    wish: dict[str, Any] = {"link": "https://x.org/join/abc", "role": "assessor", "inviter": "ada"}
    with django_capture_on_commit_callbacks(execute=True):
        notices.invite(campaign=campaign, address="new@example.org", expires=timezone.now(), **wish)
        assert mail.outbox == []
    (message,) = mail.outbox
    assert (message.to, message.subject) == (["new@example.org"], "Judge documents for “Small”")
    assert "https://x.org/join/abc" in message.body
    assert "It can be used once, until" in message.body


def test_a_name_of_several_lines_is_one_line_of_a_mail(campaign: Campaign) -> None:
    Campaign.objects.update(name="Small\nBcc: all@example.org & <others>")
    assert notices.email_progress(day=DAY) == 1
    assert sent()[0].subject.startswith("Small")
    assert mail.outbox[0].recipients() == ["small-ada@example.org"]


def test_each_organiser_chooses_for_themself(campaign: Campaign) -> None:
    eve = signed_in("eve")
    path = "/campaigns/small/mails/"
    User.objects.filter(username="eve").update(email="eve@example.org")
    assert eve.post(path, {"trouble": "on"}).status_code == 302
    row = Membership.objects.get(user__username="eve")
    assert (row.progress_mail, row.trouble_mail) == (False, True)
    assert Membership.objects.get(user__username="Small-ada").progress_mail
    page = eve.get(path).content.decode()
    assert 'name="trouble" checked' in page
    assert 'name="progress" checked' not in page
    assert campaign.deeds.latest("id").detail == {"progress": False, "trouble": True, "quality": False}


def test_emails_need_an_address(campaign: Campaign) -> None:
    reply = signed_in("eve").post("/campaigns/small/mails/", {"progress": "on"})
    assert reply.status_code == 400
    assert "Emails need an address" in reply.content.decode()
    assert not Membership.objects.get(user__username="eve").progress_mail


def test_an_address_is_changed_in_the_account_alone(campaign: Campaign) -> None:
    """A reader of that mailbox can reset the password, so a change takes the present one."""
    signed_in("eve").post("/campaigns/small/mails/", {"address": "eve@example.org"})
    assert User.objects.get(username="eve").email == ""


def test_the_mail_server_is_read_from_one_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EMAIL_URL", "smtp+tls://ada:se%40cret@mail.example.org:587")
    found = email_settings("EMAIL_URL", "consolemail://")
    assert found["EMAIL_HOST"] == "mail.example.org"
    assert (found["EMAIL_PORT"], found["EMAIL_USE_TLS"]) == (587, True)
    assert (found["EMAIL_HOST_USER"], found["EMAIL_HOST_PASSWORD"]) == ("ada", "se@cret")
    monkeypatch.setenv("EMAIL_URL", "mail.example.org")
    with pytest.raises(ImproperlyConfigured, match="EMAIL_URL"):
        email_settings("EMAIL_URL", "consolemail://")


def test_the_watch_looks_again_and_again_until_it_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = threading.Semaphore(0)
    monkeypatch.setattr(notices, "look_after_worker", looks.release)
    watch = notices.WorkerWatch(seconds=0.01)
    watch.start()
    for _ in range(3):
        assert looks.acquire(timeout=20)
    watch.stop()
    watch._thread.join(20)
    assert not watch._thread.is_alive()
