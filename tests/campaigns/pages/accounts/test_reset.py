"""A forgotten password: links by email and by hand, used once, in no log, telling nothing of accounts."""

from __future__ import annotations

import logging
import re
from datetime import timedelta
from smtplib import SMTPRecipientsRefused, SMTPServerDisconnected
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.contrib.auth.tokens import PasswordResetTokenGenerator
from django.core import mail
from django.core.mail.backends.locmem import EmailBackend
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from campaigns.core.errors import Refusal
from campaigns.models import Campaign, Membership, ResetRequest, TemporaryPassword
from campaigns.pages.accounts import reset
from campaigns.people import accounts, members, resets
from tests.campaigns.factories import make_campaign, make_user, signed_in

pytestmark = pytest.mark.django_db

ASK, OPEN = "/reset/", "/reset/open/"
OLD, NEW = "correct horse battery", "staple of the field"
TYPED = {"new_password1": NEW, "new_password2": NEW}


@pytest.fixture(autouse=True)
def ada() -> User:
    return User.objects.create_user("ada", email="ada@example.org", password=OLD)


def ask(address: str = "ada@example.org") -> Any:
    return Client().post(ASK, {"email": address})


def mailed() -> str:
    """The secret of the link in the only email."""
    assert resets.send_reset_links() == 1
    (message,) = mail.outbox
    found = re.search(r"http://localhost:8000/reset/open/#(\S+)", str(message.body))
    assert found
    return found[1]


def follow(secret: str, client: Client | None = None) -> tuple[Client, Any]:
    """The page after the link's script has sent the secret."""
    client = client or Client()
    return client, client.post(OPEN, {"secret": secret}, follow=True)


def set_password(secret: str, **typed: str) -> Any:
    client, page = follow(secret)
    return client.post(page.request["PATH_INFO"], {**TYPED, **typed})


def test_a_link_by_email_sets_a_password(ada: User) -> None:
    elsewhere = signed_in("ada")
    assert ask().headers["Location"] == "/reset/sent/"
    secret = mailed()
    assert set_password(secret).headers["Location"] == "/sign-in/"
    ada.refresh_from_db()
    assert ada.check_password(NEW)
    assert elsewhere.get("/account/").status_code == 302
    assert Client().post("/sign-in/", {"username": "ada", "password": NEW}).status_code == 302


def test_the_email_is_in_the_language_of_the_page() -> None:
    Client().post(ASK, {"email": "ada@example.org"}, headers={"accept-language": "de"})
    mailed()
    assert "Neues Passwort" in mail.outbox[0].subject


def test_a_link_is_used_once(ada: User) -> None:
    secret = resets.secret_of(ada)
    first, page = follow(secret)
    second, _ = follow(secret)
    path = page.request["PATH_INFO"]
    assert first.post(path, TYPED).status_code == 302
    late = second.post(path, {"new_password1": "another one", "new_password2": "another one"})
    assert late.status_code == 410
    assert follow(secret)[1].status_code == 410
    ada.refresh_from_db()
    assert ada.check_password(NEW)


def test_a_link_expires(ada: User, monkeypatch: pytest.MonkeyPatch) -> None:
    secret = resets.secret_of(ada)
    later = timezone.now().replace(tzinfo=None) + timedelta(hours=resets.RESET_HOURS, seconds=10)
    monkeypatch.setattr(PasswordResetTokenGenerator, "_now", lambda self: later)
    assert follow(secret)[1].status_code == 410


def test_a_link_ends_with_a_sign_in_a_new_password_and_deactivation(ada: User) -> None:
    secret = resets.secret_of(ada)
    client, page = follow(secret)
    User.objects.filter(id=ada.id).update(is_active=False)
    assert follow(secret)[1].status_code == 410
    assert client.post(page.request["PATH_INFO"], TYPED).status_code == 410
    User.objects.filter(id=ada.id).update(is_active=True)
    Client().post("/sign-in/", {"username": "ada", "password": OLD})
    assert follow(secret)[1].status_code == 410
    ada.refresh_from_db()
    assert ada.check_password(OLD)


@pytest.mark.parametrize("secret", ["", "x", "MQ-", "-", "MQ-a-b", "é", "OTk5OTk5-abc-def", "\ud800", "=-="])
def test_what_opens_nothing_gets_one_answer(secret: str) -> None:
    reply = Client().post(OPEN, {"secret": secret.encode(errors="surrogatepass").decode(errors="replace")})
    assert reply.status_code == 410
    assert "This link is not valid" in reply.content.decode()


def test_the_secret_is_only_taken_as_a_form(ada: User) -> None:
    """In an address it would be in the logs of proxies."""
    secret = resets.secret_of(ada)
    uid, _, token = secret.partition("-")
    assert Client().get(f"/reset/choose/{uid}/").status_code == 410
    assert Client().get(f"/reset/choose/{uid}/{token}/").status_code == 404
    assert "data-secret" in Client().get(OPEN, {"secret": secret}).content.decode()
    assert Client().put(OPEN).status_code == 405
    assert Client(enforce_csrf_checks=True).post(OPEN, {"secret": secret}).status_code == 403


@pytest.mark.parametrize("path", [ASK, "/reset/sent/", OPEN])
def test_other_methods(path: str) -> None:
    assert [getattr(Client(), method)(path).status_code for method in ("put", "delete")] == [405, 405]


def test_an_opened_link_is_for_its_account_alone(ada: User) -> None:
    grace = make_user("grace")
    client, _ = follow(resets.secret_of(ada))
    uid = resets.secret_of(grace).partition("-")[0]
    assert client.post(f"/reset/choose/{uid}/", TYPED).status_code == 410
    assert not User.objects.get(username="grace").check_password(NEW)


def test_a_refused_password_leaves_the_link_as_it_was(ada: User) -> None:
    client, page = follow(resets.secret_of(ada))
    path = page.request["PATH_INFO"]
    refused = client.post(path, {"new_password1": "short", "new_password2": "short"})
    assert "too short" in refused.content.decode()
    assert client.put(path).status_code == 405
    assert client.post(path, TYPED).status_code == 302


def test_all_addresses_get_the_same_answer_by_the_same_work(
    ada: User, django_assert_num_queries: Any, django_capture_on_commit_callbacks: Any
) -> None:
    User.objects.create_user("gone", email="gone@example.org", password=OLD, is_active=False)
    found = []
    for address in ("ada@example.org", "nobody@example.org", "gone@example.org"):
        with django_assert_num_queries(5), django_capture_on_commit_callbacks() as after:
            reply = ask(address)
        found.append((reply.status_code, reply.headers["Location"], len(after), dict(reply.cookies)))
    assert found[0] == found[1] == found[2]
    assert ResetRequest.objects.count() == 3
    assert resets.send_reset_links() == 1
    assert [one.to for one in mail.outbox] == [["ada@example.org"]]
    assert not ResetRequest.objects.exists()


@pytest.mark.parametrize("address", ["", "nowhere", "a@b", "x" * 250 + "@example.org", "a\0@example.org"])
def test_what_is_no_address_is_said(address: str) -> None:
    reply = ask(address)
    assert reply.status_code == 200
    assert 'aria-invalid="true"' in reply.content.decode()
    assert not ResetRequest.objects.exists()


def test_requests_have_to_wait_by_address_and_by_network(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reset, "MOST_OF_AN_ADDRESS", 2)
    # The same for an account and for none, however it is written.
    for addresses in (("ada@example.org", "ADA@example.org ", "ａda@example.org"), ("no@example.org",) * 3):
        assert [ask(one).status_code for one in addresses] == [302, 302, 429]
    monkeypatch.setattr(reset, "MOST_REQUESTS", 6)
    refused = ask("other@example.org")
    assert refused.status_code == 429
    assert 0 < int(refused.headers["Retry-After"]) <= reset.REQUEST_SPAN
    assert Client().post(ASK, {"email": "o@example.org"}, REMOTE_ADDR="192.0.2.9").status_code == 302


def test_links_are_not_tried_without_end(monkeypatch: pytest.MonkeyPatch, ada: User) -> None:
    monkeypatch.setattr(reset, "MOST_LINKS", 2)
    assert [follow("MQ-a-b")[1].status_code for _ in range(3)] == [410, 410, 429]
    assert follow(resets.secret_of(ada))[1].status_code == 429


def test_without_a_mail_server_nothing_is_sent_or_written_to_the_log(
    settings: Settings, capfd: pytest.CaptureFixture[str]
) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.console.EmailBackend"
    assert "This site sends no emails" in Client().get(ASK).content.decode()
    assert ask().status_code == 409
    assert not ResetRequest.objects.exists()
    make_campaign()
    invite = {"act": "invite", "role": "assessor", "address": "new@example.org"}
    page = signed_in("Small-ada").post("/campaigns/small/people/", invite).content.decode()
    assert "This site sends no emails: please pass it on to new@example.org" in page
    assert "new@example.org" not in "".join(capfd.readouterr())


def test_a_worker_without_a_mail_server_writes_no_link_to_its_log(
    settings: Settings, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    ask()
    settings.EMAIL_BACKEND = "django.core.mail.backends.console.EmailBackend"
    assert resets.send_reset_links() == 0
    assert "this worker has no mail server" in caplog.text
    assert "/reset/open/" not in "".join(capfd.readouterr()) + caplog.text


def test_a_mail_server_that_is_away_gets_it_later(monkeypatch: pytest.MonkeyPatch) -> None:
    ask()

    def refuse(*arguments: object) -> int:
        raise SMTPServerDisconnected("away")

    with monkeypatch.context() as away:
        away.setattr(EmailBackend, "send_messages", refuse)
        assert resets.send_reset_links() == 0
    assert resets.send_reset_links() == 1
    ask()
    ResetRequest.objects.update(created=timezone.now() - timedelta(hours=3))
    assert resets.send_reset_links() == 0
    assert not ResetRequest.objects.exists()


def test_a_refused_recipient_holds_up_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    User.objects.create_user("grace", email="grace@example.org", password=OLD)
    ask()
    ask("grace@example.org")
    send = EmailBackend.send_messages

    def refuse(self: EmailBackend, messages: Any) -> int:
        if messages[0].to == ["ada@example.org"]:
            raise SMTPRecipientsRefused({})
        return send(self, messages)

    monkeypatch.setattr(EmailBackend, "send_messages", refuse)
    resets.send_reset_links()
    assert [one.to for one in mail.outbox] == [["grace@example.org"]]
    assert not ResetRequest.objects.exists()


def test_no_log_and_no_referer_holds_a_secret(ada: User, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    secret = resets.secret_of(ada)
    client, page = follow(secret)
    assert page.headers["Referrer-Policy"] == "same-origin"
    shown = [path for path, _ in page.redirect_chain] + [page.request["PATH_INFO"]]
    client.post(page.request["PATH_INFO"], TYPED)
    follow(secret)
    token = secret.partition("-")[2]
    said = " ".join([*(record.getMessage() for record in caplog.records), *shown])
    assert "/reset/open/" in said
    assert token not in said


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign()


def link_for(username: str, by: str = "Small-ada", slug: str = "small") -> Any:
    return signed_in(by).post(f"/campaigns/{slug}/people/", {"act": "reset", "username": username})


def test_an_organiser_makes_a_link_for_a_member(campaign: Campaign) -> None:
    page = link_for("Small-grace").content.decode()
    found = re.search(r'id="reset-link"[^>]*value="http://testserver/reset/open/#([^"]+)"', page)
    assert found, page
    assert set_password(found[1]).status_code == 302
    assert Client().post("/sign-in/", {"username": "Small-grace", "password": NEW}).status_code == 302
    deed = campaign.deeds.latest("id")
    assert (deed.kind, deed.actor_name, deed.detail) == ("reset link", "Small-ada", {"person": "Small-grace"})
    history = signed_in("Small-ada").get("/campaigns/small/history/").content.decode()
    assert "made a link by which Small-grace sets a new password" in history


def test_a_link_replaces_a_temporary_password(campaign: Campaign) -> None:
    members.create_account(campaign=campaign, username="barbara", role="assessor")
    set_password(resets.secret_of(User.objects.get(username="barbara")))
    assert not TemporaryPassword.objects.exists()


def test_a_link_reaches_no_further_than_its_maker(campaign: Campaign) -> None:
    other = make_campaign("Other")
    members.add_member(campaign=other, username="Small-grace", role="assessor")
    User.objects.create_superuser("root")
    members.add_member(campaign=campaign, username="root", role="assessor")
    for name in ("Small-grace", "root"):
        refused = link_for(name)
        assert refused.status_code == 403
        assert "reset-link" not in refused.content.decode()
    assert link_for("Other-grace").status_code == 404
    assert link_for("nobody").status_code == 404
    assert link_for("a\0b").status_code == 404
    assert link_for("Small-alan", by="Small-grace").status_code == 403
    assert link_for("Small-alan", by="Other-ada").status_code == 404
    # In both campaigns at once it is no more than they may already.
    members.add_member(campaign=other, username="Small-ada", role="organiser")
    assert link_for("Small-grace").status_code == 200
    Membership.objects.filter(user__username="Small-ada", campaign=other).update(role="assessor")
    assert link_for("Small-grace").status_code == 403
    assert not resets.may_reset(User.objects.get(username="Small-ada"), make_user("stranger"))


def test_no_link_for_the_deactivated(campaign: Campaign) -> None:
    root, alan = User.objects.create_superuser("root"), User.objects.get(username="Small-alan")
    accounts.deactivate(user=alan, administrator=root)
    alan.refresh_from_db()
    assert link_for("Small-alan").status_code == 409
    with pytest.raises(Refusal, match="is deactivated"):
        resets.make_reset_link(maker=root, user=alan, link_of=str)
