"""Emails to assessors: answers, the switch that turns them off, its link; and a real SMTP server."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator
from datetime import timedelta
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.core.signing import Signer
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from campaigns.collection import assignments
from campaigns.core.jobs import send
from campaigns.models import Campaign, EmailsOff, Membership, WaitingEmail
from campaigns.notifications.assessor_emails import read_switch_off, switch, switch_off_link
from campaigns.notifications.emails import prefer
from campaigns.notifications.outbox import send_due_emails
from campaigns.operations.person_deletion import delete_person
from config.embedded import application
from config.embedded.processes import Child
from tests.campaigns.factories import Api, make_campaign, make_user, signed_in
from tests.plumbing.idle import forget_tasks, wait_for
from tests.plumbing.servers.services import pair
from tests.plumbing.servers.smtp_server import SmtpServer

SITE = "http://localhost:8000"


@pytest.fixture
def campaign(db: None) -> Campaign:
    campaign = make_campaign("Small", min_judgments=4)
    User.objects.filter(username="Small-grace").update(email="grace@example.org")
    return campaign


def grace() -> User:
    return User.objects.get(username="Small-grace")


def asked(campaign: Campaign, who: str = "grace", text: str = "Does a remake count?") -> int:
    wish = {"key": str(uuid.uuid4()), "topic": "1", "docno": "a", "text": text}
    reply = Api(campaign, f"Small-{who}").post("questions/", wish)
    assert reply.status_code == 201
    return int(reply.json()["id"])


def answered(campaign: Campaign, question: int, text: str = "Yes.") -> None:
    reply = Api(campaign, "Small-ada").post(f"questions/{question}/answer/", {"answer": text})
    assert reply.status_code == 200


def sent() -> list[Any]:
    send_due_emails()
    return mail.outbox


def path_of(user: User) -> str:
    return switch_off_link(user.id).removeprefix(SITE)


def test_an_answer_is_emailed_to_who_asked(campaign: Campaign) -> None:
    prefer(user=grace(), code="de")
    answered(campaign, asked(campaign))
    answered(campaign, asked(campaign, "alan"))
    (message,) = sent()
    assert (message.to, message.subject) == (["grace@example.org"], "Small: eine Antwort auf Ihre Frage")
    body = message.body
    assert "Ihre Frage:\nDoes a remake count?" in body
    assert "Die Antwort:\nYes." in body
    assert f"{SITE}/judge/small/work#questions" in body
    assert "Sie erhalten diese E-Mail, weil Sie diese Frage gestellt haben." in body
    assert switch_off_link(grace().id) in body
    assert "Small-ada" not in body
    assert message.extra_headers == {"List-Unsubscribe": f"<{switch_off_link(grace().id)}>"}


@pytest.mark.parametrize("why", ["off", "address", "inactive", "gone", "own"])
def test_an_answer_is_not_emailed(campaign: Campaign, why: str) -> None:
    if why == "own":
        User.objects.filter(username="Small-ada").update(email="ada@example.org")
    question = asked(campaign, "ada" if why == "own" else "grace")
    match why:
        case "off":
            switch(user=grace().id, on=False)
        case "address":
            User.objects.filter(id=grace().id).update(email="")
        case "inactive":
            User.objects.filter(id=grace().id).update(is_active=False)
        case "gone":
            Membership.objects.filter(user=grace()).delete()
    answered(campaign, question)
    assert sent() == []


def test_words_that_look_sealed_are_sent_as_they_are(campaign: Campaign) -> None:
    answered(campaign, asked(campaign, text="What is sealed.gAAAAAxyz?"))
    assert "sealed.gAAAAAxyz" in sent()[0].body


def test_one_click_is_offered_over_tls(campaign: Campaign, settings: Settings) -> None:
    settings.SITE_URL = "https://assess.example.org"
    answered(campaign, asked(campaign))
    headers = sent()[0].extra_headers
    assert headers["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert headers["List-Unsubscribe"].startswith("<https://assess.example.org/emails-off/")


def test_the_link_only_switches_off_and_without_signing_in(campaign: Campaign) -> None:
    stranger, path = Client(enforce_csrf_checks=True), path_of(grace())
    for method in (stranger.get, stranger.head):
        assert method(path).status_code == 200
    assert not EmailsOff.objects.exists()
    page = stranger.get(path).content.decode()
    assert not re.search("grace|example", page)
    # As a mail program does it (RFC 8058): no cookie, no CSRF token.
    reply = stranger.post(path, {"List-Unsubscribe": "One-Click"})
    assert reply.status_code == 200
    assert "switched off" in reply.content.decode()
    assert EmailsOff.objects.get().user == grace()
    assert stranger.post(path).status_code == 200
    assert EmailsOff.objects.count() == 1
    assert stranger.get("/account/").status_code == 302
    for wrong in (stranger.put, stranger.delete, stranger.patch):
        assert wrong(path).status_code == 405


@pytest.mark.parametrize("body", [b"", b"\xff\0", b'{"on": true}'])
def test_any_body_switches_off(campaign: Campaign, body: bytes) -> None:
    assert Client().post(path_of(grace()), body, content_type="text/plain").status_code == 200
    assert EmailsOff.objects.count() == 1


def test_a_token_that_the_site_did_not_sign_does_nothing(campaign: Campaign) -> None:
    id, alan = grace().id, User.objects.get(username="Small-alan").id
    token = switch_off_link(id).rstrip("/").rpartition("/")[2]
    forged = [
        str(id),
        f"{id}:x",
        f"{alan}{token[len(str(id)) :]}",
        token[:-1],
        Signer(salt="another").sign(str(id)),
    ]
    for one in forged:
        assert read_switch_off(one) is None
        for method in (Client().get, Client().post):
            assert method(f"/emails-off/{one}/").status_code == 404
    assert not EmailsOff.objects.exists()


def test_a_former_key_stays_good_and_a_deleted_account_is_not_disclosed(
    campaign: Campaign, settings: Settings
) -> None:
    path, other = path_of(grace()), make_user("eve")
    gone = path_of(other)
    settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY]
    settings.SECRET_KEY = "another key, for all that is signed from now on"
    assert Client().post(path).status_code == 200
    assert EmailsOff.objects.count() == 1
    other.delete()
    pages = [Client().post(one).content.decode() for one in (path, gone)]
    # Each form has another mask of the CSRF token, and the links of the languages lead back here.
    alike = [
        re.sub(r'value="\w{64}"', "", page).replace(one, "")
        for page, one in zip(pages, (path, gone), strict=True)
    ]
    assert alike[0] == alike[1]
    assert EmailsOff.objects.count() == 1


def test_the_account_page_switches_off_and_on(campaign: Campaign) -> None:
    client = signed_in("Small-grace")
    assert 'name="judging" checked' in client.get("/account/").content.decode()
    assert client.post("/account/", {"act": "emails"}).status_code == 302
    assert EmailsOff.objects.get().user == grace()
    assert 'name="judging" checked' not in client.get("/account/").content.decode()
    assert client.post("/account/", {"act": "emails", "judging": "on"}).status_code == 302
    assert not EmailsOff.objects.exists()
    assert Client().post("/account/", {"act": "emails"}).status_code == 302
    assert not EmailsOff.objects.exists()


def test_the_switch_goes_with_the_account(campaign: Campaign) -> None:
    switch(user=grace().id, on=False)
    root = User.objects.create(username="root", is_superuser=True, is_staff=True)
    delete_person(person=grace(), administrator=root, confirmation="Small-grace")
    assert not EmailsOff.objects.exists()


@pytest.fixture
def mailing_worker(transactional_db: None, live_environment: dict[str, str]) -> Iterator[SmtpServer]:
    """A mail server of its own, and a worker that sends its emails there."""
    with SmtpServer() as server:
        given = {**live_environment, "EMAIL_URL": f"smtp://127.0.0.1:{server.port}"}
        program = application.worker(pair.places, given, name="mailer@tests")
        forget_tasks()
        child = Child(program, pair.places.logs / "mailer.log", mark=str(pair.places.data))
        child.start()
        try:
            yield server
        finally:
            child.kill_group()
            forget_tasks()


@pytest.mark.django_db(transaction=True)
def test_answers_and_reminders_go_over_smtp_by_the_worker(mailing_worker: SmtpServer) -> None:
    campaign = make_campaign("Small", min_judgments=4, due_at=timezone.now() + timedelta(days=2))
    User.objects.filter(username="Small-grace").update(email="grace@example.org")
    ada = User.objects.get(username="Small-ada")
    topics = list(campaign.topics.all())
    assignments.assign(campaign=campaign, topics=topics, username="Small-grace", organiser=ada)
    answered(campaign, asked(campaign, text="Zählt das?"))
    # As beat does it, twice.
    for _ in range(2):
        send("campaigns.remind_where_due")
    wait_for(lambda: len(mailing_worker.received) == 2 and not WaitingEmail.objects.exists())
    found: dict[str, EmailMessage] = {}
    for sender, recipients, content in mailing_worker.received:
        assert (sender, recipients) == ("assess@localhost", ["grace@example.org"])
        message = message_from_bytes(content, policy=policy.default)
        found[message["Subject"].split(",")[0]] = message
    assert set(found) == {"Small: an answer to your question", "Small: 8 judgments left"}
    for message in found.values():
        link = message["List-Unsubscribe"].strip(" <>")
        text = message.get_content()
        assert link == switch_off_link(grace().id)
        assert link in text
    assert "Zählt das?" in found["Small: an answer to your question"].get_content()
    assert Client().post(link.removeprefix(SITE)).status_code == 200
    answered(campaign, asked(campaign))
    assert not WaitingEmail.objects.exists()
