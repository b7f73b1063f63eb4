"""One's own account: password, sessions, email address, and the gate of a temporary password."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from campaigns.models import PreferredLanguage, SignedInSession, TemporaryPassword, WaitingEmail
from campaigns.pages.accounts import account
from campaigns.people import members
from tests.campaigns.factories import make_campaign, make_user, signed_in, with_token

pytestmark = pytest.mark.django_db

PAGE, CHANGE = "/account/", "/account/password/"
OLD, NEW = "correct horse battery", "staple of the field"


@pytest.fixture(autouse=True)
def ada() -> User:
    return User.objects.create_user("ada", password=OLD)


def change(client: Client, **typed: str) -> Any:
    form = {"old_password": OLD, "new_password1": NEW, "new_password2": NEW, **typed}
    return client.post(CHANGE, form)


def session_of(client: Client) -> int:
    return SignedInSession.objects.get(session=client.session.session_key).id


def is_in(client: Client) -> bool:
    return client.get(PAGE).status_code == 200


def test_a_new_password_ends_all_other_sessions(ada: User) -> None:
    here, there = signed_in("ada"), signed_in("ada")
    assert change(here).headers["Location"] == PAGE
    assert (is_in(here), is_in(there)) == (True, False)
    assert SignedInSession.objects.filter(user=ada).count() == 1
    ada.refresh_from_db()
    assert ada.check_password(NEW)


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ({"old_password": "wrong"}, "Your old password was entered incorrectly"),
        ({"new_password2": "other"}, "two password fields didn’t match"),
        ({"new_password1": "short", "new_password2": "short"}, "too short"),
        ({"new_password1": "password", "new_password2": "password"}, "too common"),
        ({"new_password1": ""}, "This field is required"),
    ],
)
def test_a_refused_password_changes_nothing(ada: User, typed: dict[str, str], said: str) -> None:
    here, there = signed_in("ada"), signed_in("ada")
    page = change(here, **typed)
    assert page.status_code == 200
    assert said in page.content.decode().replace("&#x27;", "’")
    assert (is_in(here), is_in(there)) == (True, True)
    ada.refresh_from_db()
    assert ada.check_password(OLD)


def test_the_present_password_is_not_tried_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(account, "MOST_PASSWORD_TRIES", 2)
    client = signed_in("ada")
    tries = [change(client, old_password="wrong").status_code for _ in range(3)]
    assert tries == [200, 200, 429]
    assert change(client).status_code == 429
    wrong = {"act": "address", "address": "a@example.org", "password": OLD}
    assert client.post(PAGE, wrong).status_code == 429
    assert User.objects.get(username="ada").check_password(OLD)


def test_sessions_are_listed_and_ended_one_by_one() -> None:
    here, there, third = (signed_in("ada") for _ in range(3))
    page = here.get(PAGE)
    assert "no-store" in page.headers["Cache-Control"]
    text = page.content.decode()
    assert text.count("this device") == 1
    assert text.count('value="end"') == 2
    ending = {"act": "end", "session": session_of(there), "password": OLD}
    assert here.post(PAGE, ending).status_code == 302
    assert (is_in(here), is_in(there), is_in(third)) == (True, False, True)


@pytest.mark.parametrize("act", ["end", "end-others"])
def test_sessions_end_only_with_the_current_password(act: str) -> None:
    here, there = signed_in("ada"), signed_in("ada")
    ending = {"act": act, "session": session_of(there)}
    asked = here.post(PAGE, ending)
    assert asked.status_code == 400
    text = asked.content.decode()
    assert "Enter your current password to end sessions" in text
    assert f'name="session" value="{ending["session"]}"' in text
    assert here.post(PAGE, {**ending, "password": "wrong"}).status_code == 400
    assert is_in(there)
    assert here.post(PAGE, {**ending, "password": OLD}).status_code == 302
    assert (is_in(here), is_in(there)) == (True, False)


def test_an_account_without_a_password_ends_sessions(ada: User) -> None:
    ada.set_unusable_password()
    ada.save()
    here, there = signed_in("ada"), signed_in("ada")
    assert here.post(PAGE, {"act": "end", "session": session_of(there)}).status_code == 302
    assert not is_in(there)


def test_all_others_are_ended_at_once() -> None:
    make_user("grace")
    here, there, third, grace = (signed_in(name) for name in ("ada", "ada", "ada", "grace"))
    answer = here.post(PAGE, {"act": "end-others", "password": OLD}, follow=True).content.decode()
    assert "2 other sessions are ended" in answer
    assert [is_in(one) for one in (here, there, third, grace)] == [True, False, False, True]


@pytest.mark.parametrize("session", ["", "x", "0", "-1", "9" * 30, "٣"])
def test_what_is_no_session_is_not_found(session: str) -> None:
    ending = {"act": "end", "session": session, "password": OLD}
    assert signed_in("ada").post(PAGE, ending).status_code == 404


def test_nobody_ends_the_session_of_another() -> None:
    make_user("grace")
    grace = signed_in("grace")
    ending = {"act": "end", "session": session_of(grace), "password": OLD}
    assert signed_in("ada").post(PAGE, ending).status_code == 404
    assert is_in(grace)


def test_the_address_takes_the_present_password(ada: User) -> None:
    client = signed_in("ada")
    typed = {"act": "address", "address": "ada@example.org"}
    for password in ("", "wrong"):
        refused = client.post(PAGE, {**typed, "password": password})
        assert refused.status_code == 400
        assert 'value="ada@example.org"' in refused.content.decode()
    for address in ("nowhere", "x" * 250 + "@example.org", "a\n@example.org"):
        refused = client.post(PAGE, {"act": "address", "address": address, "password": OLD})
        assert refused.status_code == 400
    ada.refresh_from_db()
    assert ada.email == ""
    assert client.post(PAGE, {**typed, "password": OLD}).status_code == 302
    ada.refresh_from_db()
    assert ada.email == "ada@example.org"


@pytest.fixture
def grace() -> User:
    user = User.objects.create_user("grace", email="grace@example.org", password=OLD)
    PreferredLanguage.objects.create(user=user, code="de")
    return user


def test_a_changed_password_is_mailed_in_the_language_of_its_owner(grace: User) -> None:
    client = signed_in("grace")
    change(client, old_password="wrong")
    assert not WaitingEmail.objects.exists()
    change(client)
    email = WaitingEmail.objects.get()
    assert (email.address, email.subject) == ("grace@example.org", "Ihr Passwort wurde geändert")
    assert "“grace”" in email.body or "„grace“" in email.body
    assert NEW not in email.body


def test_a_changed_address_is_mailed_to_the_old_one(grace: User) -> None:
    client = signed_in("grace")
    typed = {"act": "address", "password": OLD}
    for address in ("grace@example.org", "new@example.org", "", "new@example.org"):
        assert client.post(PAGE, {**typed, "address": address}).status_code == 302
    emailed = WaitingEmail.objects.order_by("id").values_list("address", flat=True)
    # Neither for the same address again, nor where there was none.
    assert list(emailed) == ["grace@example.org", "new@example.org"]
    assert "new@example.org" not in WaitingEmail.objects.earliest("id").body


def test_without_a_mail_server_no_email_waits(grace: User, settings: Settings) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.console.EmailBackend"
    change(signed_in("grace"))
    assert not WaitingEmail.objects.exists()


@pytest.mark.parametrize("path", [PAGE, CHANGE])
def test_pages_are_for_who_is_signed_in(path: str) -> None:
    for method in ("get", "post"):
        assert getattr(Client(), method)(path).headers["Location"] == f"/sign-in/?next={path}"
    assert with_token("ada", "read").get(path).status_code == 302
    assert [getattr(signed_in("ada"), method)(path).status_code for method in ("put", "delete")] == [405, 405]
    assert Client(enforce_csrf_checks=True).post(path).status_code == 403


def test_an_unknown_act_is_refused() -> None:
    assert signed_in("ada").post(PAGE, {"act": "burn"}).status_code == 400


@pytest.fixture
def barbara() -> str:
    """A temporary password."""
    return members.create_account(campaign=make_campaign(), username="barbara", role="assessor")[1]


def sign_in(password: str, path: str = "/judge/small/") -> tuple[Client, Any]:
    client = Client()
    form = {"username": "barbara", "password": password, "next": path}
    return client, client.post("/sign-in/", form)


def test_a_temporary_password_opens_only_the_page_that_replaces_it(barbara: str) -> None:
    client, _ = sign_in(barbara)
    for path in ("/judge/", "/judge/small/?a=1", "/tokens/", PAGE, "/campaigns/"):
        found = client.get(path)
        assert found.status_code == 302
        assert found.headers["Location"].startswith(CHANGE)
    assert client.post("/tokens/", {"act": "make", "name": "x"}).headers["Location"].startswith(CHANGE)
    program = client.get("/api/v1/campaigns/small/")
    assert (program.status_code, program.json()["code"]) == (403, "temporary_password")
    judgment = client.post("/api/v1/campaigns/small/judgments/", {}, content_type="application/json")
    assert judgment.json()["code"] == "temporary_password"
    page = client.get(CHANGE, {"next": "/judge/small/"})
    assert "An organiser made your current password" in page.content.decode()
    assert client.post("/language/", {"language": "de"}).status_code == 302
    done = change(client, old_password=barbara, next="/judge/small/")
    assert done.headers["Location"] == "/judge/small/"
    assert client.get("/judge/small/").status_code == 200
    assert not TemporaryPassword.objects.exists()
    assert sign_in(barbara)[1].status_code == 200
    again, _ = sign_in(NEW)
    assert again.get("/judge/small/").status_code == 200


def test_a_temporary_password_cannot_be_kept_nor_led_astray(barbara: str) -> None:
    client, _ = sign_in(barbara)
    assert change(client, old_password="wrong").status_code == 200
    assert client.get("/judge/").headers["Location"].startswith(CHANGE)
    done = change(client, old_password=barbara, next="https://evil.test/")
    assert done.headers["Location"] == PAGE


def test_signing_out_is_always_open(barbara: str) -> None:
    client, _ = sign_in(barbara)
    assert client.post("/sign-out/").headers["Location"] == "/sign-in/"


def test_a_temporary_password_holds_for_two_weeks(barbara: str) -> None:
    TemporaryPassword.objects.update(created=timezone.now() - timedelta(days=15))
    client, answer = sign_in(barbara)
    assert answer.status_code == 200
    assert "was not used in time" in answer.content.decode()
    assert client.get("/judge/").status_code == 302
    # Without it, the answer shows nothing.
    assert "was not used in time" not in sign_in("wrong")[1].content.decode()


def test_the_same_password_again_is_no_new_one(barbara: str) -> None:
    client, _ = sign_in(barbara)
    same = change(client, old_password=barbara, new_password1=barbara, new_password2=barbara)
    assert same.status_code == 200
    assert TemporaryPassword.objects.exists()
