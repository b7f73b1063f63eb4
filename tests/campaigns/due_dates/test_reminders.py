"""Reminders of judgments left: who gets which, when, and each only once. The clock is a parameter."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.utils import timezone, translation
from pytest_django import Settings

from campaigns.collection import assignments
from campaigns.due_dates.reminders import remind, remind_where_due, step_at
from campaigns.models import Campaign, Membership, SentMail, TopicCompletion, WaitingEmail
from campaigns.notifications.assessor_emails import switch
from campaigns.notifications.emails import prefer
from campaigns.notifications.outbox import send_due_emails
from campaigns.people.members import pause_member
from campaigns.setup import campaigns as services
from campaigns.setup.archive import archive
from tests.campaigns.factories import make_campaign, signed_in

pytestmark = pytest.mark.django_db

NOW = timezone.now().replace(second=0, microsecond=0)
DUE = NOW + timedelta(days=10)
PEOPLE = "/campaigns/small/people/"


def before(**span: float) -> datetime:
    return DUE - timedelta(**span)


@pytest.fixture
def campaign() -> Campaign:
    """Grace has two topics and an address; alan has an address alone."""
    campaign = make_campaign("Small", min_judgments=4, due_at=DUE)
    for who in ("grace", "alan"):
        User.objects.filter(username=f"Small-{who}").update(email=f"{who}@example.org")
    ada = User.objects.get(username="Small-ada")
    topics = list(campaign.topics.all())
    assignments.assign(campaign=campaign, topics=topics, username="Small-grace", organiser=ada)
    return campaign


def grace() -> User:
    return User.objects.get(username="Small-grace")


def sent() -> list[Any]:
    send_due_emails()
    return mail.outbox


def by_hand(campaign: Campaign, *who: str, now: datetime = NOW) -> list[str]:
    ada = User.objects.get(username="Small-ada")
    return remind(campaign=campaign, organiser=ada, usernames=[f"Small-{one}" for one in who], now=now)


@pytest.mark.parametrize(
    ("span", "step"),
    [({"days": 4}, None), ({"days": 3}, 3), ({"hours": 25}, 3), ({"days": 1}, 1), ({"minutes": 1}, 1)],
)
def test_a_step_lasts_until_the_next_one(span: dict[str, float], step: int | None) -> None:
    assert step_at(DUE, before(**span)) == step
    assert step_at(DUE, DUE) is None


def test_one_reminder_goes_out_for_each_step(campaign: Campaign) -> None:
    times: list[dict[str, float]] = [
        {"days": 3, "minutes": 1},
        {"days": 3},
        {"days": 2},
        {"hours": 24.1},
        {"hours": 24},
        {"hours": 2},
    ]
    assert [remind_where_due(now=before(**span)) for span in times] == [0, 1, 0, 0, 1, 0]
    assert remind_where_due(now=DUE) == 0
    assert [message.to for message in sent()] == [["grace@example.org"]] * 2
    assert mail.outbox[0].subject.startswith("Small: 8 judgments left, due ")
    assert "You need 3 judgments per day." in mail.outbox[0].body
    assert "per day" not in mail.outbox[1].body
    assert "http://localhost:8000/judge/small/work" in mail.outbox[0].body
    assert (
        "You get this email because you have judgments left and the due date is near." in mail.outbox[0].body
    )


def test_a_due_date_that_moves_has_steps_of_its_own(campaign: Campaign) -> None:
    assert remind_where_due(now=before(days=3)) == 1
    services.change_settings(campaign=campaign, due_at=DUE + timedelta(days=7))
    assert remind_where_due(now=before(days=1)) == 0
    assert remind_where_due(now=before(days=-4)) == 1


def test_a_worker_that_was_away_sends_only_the_nearest_step(campaign: Campaign) -> None:
    assert [remind_where_due(now=before(hours=hours)) for hours in (5, 4)] == [1, 0]
    assert SentMail.objects.get().key.endswith(" 1")


@pytest.mark.parametrize("state", ["draft", "paused", "closed", "archived"])
def test_only_open_campaigns_remind(campaign: Campaign, state: str) -> None:
    match state:
        case "draft":
            Campaign.objects.update(status="draft")
        case "paused":
            services.pause(campaign=campaign)
        case "closed":
            services.close(campaign=campaign)
        case _:
            services.close(campaign=campaign)
            archive(campaign=campaign)
    assert remind_where_due(now=before(days=2)) == 0
    assert not WaitingEmail.objects.exists()


@pytest.mark.parametrize(
    "why", ["done", "enough", "paused", "address", "off", "inactive", "organiser", "gone"]
)
def test_no_reminder_goes_to(campaign: Campaign, why: str) -> None:
    person, row = grace(), Membership.objects.get(user=grace())
    match why:
        case "done":
            for topic in campaign.topics.all():
                TopicCompletion.objects.create(topic=topic, assessor=person)
        case "enough":
            services.change_settings(campaign=campaign, min_judgments=0)
        case "paused":
            pause_member(campaign=campaign, username=person.username)
        case "address":
            User.objects.filter(id=person.id).update(email="")
        case "off":
            switch(user=person.id, on=False)
        case "inactive":
            User.objects.filter(id=person.id).update(is_active=False)
        case "organiser":
            Membership.objects.filter(id=row.id).update(role="organiser")
        case _:
            row.delete()
    assert remind_where_due(now=before(days=2)) == 0
    # As far as an organiser's own reminder, too.
    ada = signed_in("Small-ada")
    reply = ada.post(PEOPLE, {"act": "remind_selected", "person": "Small-grace"})
    assert (reply.status_code, WaitingEmail.objects.count()) == (409, 0)


def test_reminders_are_in_the_language_that_the_person_reads(campaign: Campaign) -> None:
    prefer(user=grace(), code="de")
    with translation.override("en"):
        assert remind_where_due(now=before(days=3)) == 1
    (message,) = sent()
    assert message.subject.startswith("Small: noch 8 Urteile, Termin ")
    assert "Sie erhalten diese E-Mail, weil" in message.body


def test_without_a_mail_server_none_is_made(campaign: Campaign, settings: Settings) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.console.EmailBackend"
    assert remind_where_due(now=before(days=3)) == 0
    assert not SentMail.objects.exists()
    page = signed_in("Small-ada").get(PEOPLE).content.decode()
    assert "remind_selected" not in page
    reply = signed_in("Small-ada").post(PEOPLE, {"act": "remind_selected", "person": "Small-grace"})
    assert (reply.status_code, "sends no emails" in reply.content.decode()) == (409, True)


def test_an_organiser_reminds_by_hand_once_a_day(campaign: Campaign) -> None:
    page = signed_in("Small-ada").get(PEOPLE).content.decode()
    assert "8 judgments left" in page
    assert 'value="remind_selected"' in page
    people = ["Small-grace", "Small-alan"]
    reply = signed_in("Small-ada").post(PEOPLE, {"act": "remind_selected", "person": people})
    assert "One reminder is emailed. One person gets none." in reply.content.decode()
    (message,) = sent()
    assert message.to == ["grace@example.org"]
    assert "Small-ada reminds you of your topics in “Small”." in message.body
    assert "You need 1 judgment per day." in message.body
    deed = campaign.deeds.latest("id")
    assert (deed.kind, deed.actor_name, deed.detail) == (
        "person reminded",
        "Small-ada",
        {"person": "Small-grace"},
    )
    history = signed_in("Small-ada").get("/campaigns/small/history/?kind=people").content.decode()
    assert "of the judgments left" in history
    again = signed_in("Small-ada").post(PEOPLE, {"act": "remind_selected", "person": people})
    assert (again.status_code, "reminded in the last 24 hours" in again.content.decode()) == (409, True)
    assert by_hand(campaign, "grace", now=timezone.now() + timedelta(hours=25)) == ["Small-grace"]


def test_a_reminder_by_hand_needs_no_due_date(campaign: Campaign) -> None:
    services.change_settings(campaign=campaign, due_at=None)
    assert by_hand(campaign, "grace", "alan") == ["Small-grace"]
    (message,) = sent()
    assert message.subject == "Small: 8 judgments left"
    assert "due" not in message.body


def test_after_the_due_date_it_says_so(campaign: Campaign) -> None:
    assert by_hand(campaign, "grace", now=DUE + timedelta(hours=1)) == ["Small-grace"]
    (message,) = sent()
    assert "The due date was " in message.body
    assert "You can judge after the due date, too." in message.body
    assert "due" not in message.subject


def test_a_day_lies_between_two_reminders(campaign: Campaign) -> None:
    assert by_hand(campaign, "grace", now=before(hours=25)) == ["Small-grace"]
    assert remind_where_due(now=before(hours=23)) == 0
    assert remind_where_due(now=before(hours=1)) == 1


@pytest.mark.parametrize(
    ("who", "status"),
    [("Small-grace", 403), ("Other-ada", 404), ("", 302)],
    ids=["assessor", "other", "no one"],
)
def test_only_its_organisers_remind(campaign: Campaign, who: str, status: int, client: Any) -> None:
    make_campaign("Other")
    other = signed_in(who) if who else client
    reply = other.post(PEOPLE, {"act": "remind_selected", "person": "Small-grace"})
    assert (reply.status_code, WaitingEmail.objects.count()) == (status, 0)


@pytest.mark.parametrize("people", [[], ["Other-grace"], ["no one"], ["a\0b"]])
def test_a_wrong_selection_reminds_no_one(campaign: Campaign, people: list[str]) -> None:
    make_campaign("Other")
    reply = signed_in("Small-ada").post(PEOPLE, {"act": "remind_selected", "person": people})
    assert (reply.status_code, WaitingEmail.objects.count()) == (409, 0)
