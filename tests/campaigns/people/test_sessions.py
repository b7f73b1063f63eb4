"""Sessions as they are noted: by whom, from where, on what, and when last."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.db import DatabaseError
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from campaigns.models import SignedInSession
from campaigns.people import sessions
from tests.campaigns.factories import make_user, signed_in

pytestmark = pytest.mark.django_db

FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"


@pytest.fixture(autouse=True)
def ada() -> User:
    return make_user("ada")


def test_a_session_is_noted_once_a_while(monkeypatch: pytest.MonkeyPatch, ada: User) -> None:
    client = signed_in("ada")
    row = SignedInSession.objects.get()
    assert (row.user, row.session_id) == (ada, client.session.session_key)
    hour_ago = timezone.now() - timedelta(hours=1)
    SignedInSession.objects.update(seen=hour_ago)
    client.get("/judge/")
    assert SignedInSession.objects.get().seen == hour_ago
    # As if the time had passed.
    monkeypatch.setattr(sessions, "_noted", {})
    client.get("/judge/", REMOTE_ADDR="192.0.2.7", headers={"User-Agent": FIREFOX + "x" * 400})
    row = SignedInSession.objects.get()
    assert row.seen > hour_ago
    assert (row.address, row.device[: len(FIREFOX)], len(row.device)) == ("192.0.2.7", FIREFOX, 300)


def test_a_session_of_an_earlier_version_is_noted_when_it_is_used(
    monkeypatch: pytest.MonkeyPatch, ada: User
) -> None:
    client = signed_in("ada")
    SignedInSession.objects.all().delete()
    assert Session.objects.filter(session_key=client.session.session_key).exists()
    monkeypatch.setattr(sessions, "_noted", {})
    client.get("/judge/")
    assert SignedInSession.objects.get().user == ada


def test_a_database_that_refuses_does_not_undo_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    client = signed_in("ada")
    monkeypatch.setattr(sessions, "_noted", {})

    def refuse(*arguments: object) -> None:
        raise DatabaseError("read-only")

    monkeypatch.setattr(sessions, "_write_down", refuse)
    assert client.get("/judge/").status_code == 200


def test_who_has_not_signed_in_leaves_no_row() -> None:
    Client().get("/sign-in/")
    assert not SignedInSession.objects.exists()
    assert not Session.objects.exists()


def test_signing_out_removes_the_row() -> None:
    client = signed_in("ada")
    client.post("/sign-out/")
    assert not SignedInSession.objects.exists()


def test_what_expired_is_pruned(ada: User) -> None:
    old, new = signed_in("ada"), signed_in("ada")
    gone = signed_in("ada")
    Session.objects.filter(session_key=old.session.session_key).update(expire_date=timezone.now())
    Session.objects.filter(session_key=gone.session.session_key)._raw_delete("default")
    assert [row.session_id for row in sessions.open_sessions(ada)] == [new.session.session_key]
    sessions.prune_sessions()
    assert [row.session_id for row in SignedInSession.objects.all()] == [new.session.session_key]
    assert Session.objects.count() == 1


def test_an_unused_session_ends_if_the_site_limits_inactivity(ada: User, settings: Settings) -> None:
    used, unused = signed_in("ada"), signed_in("ada")
    before = timezone.now() - timedelta(minutes=66)
    SignedInSession.objects.filter(session=unused.session.session_key).update(seen=before)
    sessions.prune_sessions()
    assert SignedInSession.objects.count() == 2
    settings.SESSION_IDLE_MINUTES = 60
    sessions.prune_sessions()
    assert [one.get("/account/").status_code for one in (used, unused)] == [200, 302]


@pytest.mark.parametrize(
    ("agent", "name"),
    [
        (FIREFOX, "Firefox, Linux"),
        (
            "Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/140.0 Safari/537.36 Edg/140.0",
            "Edge, Windows",
        ),
        (
            "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Safari/604.1",
            "Safari, iPhone",
        ),
        ("Mozilla/5.0 (Linux; Android 15) Chrome/140.0 Mobile Safari/537.36", "Chrome, Android"),
        ("Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15) Version/18.0 Safari/605.1", "Safari, macOS"),
        ("python-requests/2.32", "python-requests/2.32"),
        ("", "unknown device"),
    ],
)
def test_devices_have_the_names_that_people_use(agent: str, name: str) -> None:
    assert sessions.device_name(agent) == name
