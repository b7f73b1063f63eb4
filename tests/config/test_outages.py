"""A database that is away or busy is reported as that, and no request waits for it without an end."""

from __future__ import annotations

import http.client
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from typing import Any
from urllib.parse import urlsplit

import psycopg2
import psycopg2.errors
import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.sessions.backends.base import UpdateError
from django.contrib.sessions.exceptions import SessionInterrupted
from django.db import Error as DjangoError
from django.db import OperationalError, ProgrammingError, connection, connections, transaction
from django.test import RequestFactory

from campaigns.api.client import Client, Judgment, Problem
from campaigns.core import database
from campaigns.core.database import Patience, is_disk_full, is_unavailable, limit_connections
from campaigns.models import Judgment as Stored
from campaigns.people import tokens
from config.celery import app
from config.web.refusals import bad_request
from tests.campaigns.factories import make_campaign, signed_in
from tests.plumbing.programs import finished
from tests.plumbing.servers.services import pair

END_OTHERS = """
SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = %s AND pid <> %s
"""


@contextmanager
def database_away() -> Iterator[None]:
    """Only this test can connect to the tests' database; all other connections are ended."""
    name = connection.settings_dict["NAME"]
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        (own,) = cursor.fetchone()
    with closing(psycopg2.connect(pair.urls["DATABASE_URL"])) as other:
        other.autocommit = True
        with other.cursor() as cursor:
            cursor.execute(f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS false')
            try:
                cursor.execute(END_OTHERS, [name, own])
                yield
            finally:
                cursor.execute(f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS true')


def ask(site: str, path: str, **headers: str) -> tuple[int, http.client.HTTPMessage, str]:
    with closing(http.client.HTTPConnection(urlsplit(site).netloc, timeout=60)) as line:
        line.request("GET", path, headers=headers)
        answer = line.getresponse()
        return answer.status, answer.headers, answer.read().decode()


@pytest.fixture
def token(live_site: str) -> str:
    make_campaign("Small")
    user = User.objects.get(username="Small-grace")
    return tokens.make(user=user, name="a program", scopes=["judge"])[1]


def test_pages_say_that_the_database_is_away(live_site: str, token: str) -> None:
    session = signed_in("Small-grace").cookies[settings.SESSION_COOKIE_NAME].value
    cookie = f"{settings.SESSION_COOKIE_NAME}={session}"
    with database_away():
        status, headers, body = ask(live_site, "/campaigns/", Cookie=cookie)
    assert (status, headers["Retry-After"]) == (503, "1")
    assert "The site is temporarily unavailable" in body
    assert ask(live_site, "/campaigns/", Cookie=cookie)[0] in (200, 302)


def test_the_api_says_so_in_its_shape(live_site: str, token: str) -> None:
    with database_away():
        status, headers, body = ask(live_site, "/api/v1/campaigns/", Authorization=f"Token {token}")
        with pytest.raises(Problem) as refused:
            Client(live_site, token, tries=1).campaign("small").next("1")
    assert (status, headers["Retry-After"]) == (503, "1")
    assert headers["Content-Type"] == "application/problem+json"
    assert (refused.value.status, refused.value.code) == (503, "unavailable")
    assert '"code": "unavailable"' in body


def test_the_client_goes_on_when_the_database_is_back(live_site: str, token: str) -> None:
    refused = threading.Event()
    answers = []
    campaign = Client(live_site, token, tries=1000, retrying=lambda _: refused.set()).campaign("small")

    def judge() -> None:
        answers.append(campaign.judge(Judgment("1", "a", 1)))

    judging = threading.Thread(target=judge, daemon=True)
    with database_away():
        judging.start()
        assert refused.wait(60)
    judging.join(60)
    assert [answer["judgment"]["grade"] for answer in answers] == [1]
    assert Stored.objects.count() == 1


@pytest.mark.django_db
def test_a_statement_that_takes_too_long_is_broken_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "_patience", None)
    limit_connections(Patience(statement=1, lock=2, idle=3))
    other = connections.create_connection("default")
    try:
        with other.cursor() as cursor:
            cursor.execute("SHOW lock_timeout")
            assert cursor.fetchone() == ("2s",)
            cursor.execute("SHOW idle_in_transaction_session_timeout")
            assert cursor.fetchone() == ("3s",)
            with pytest.raises(OperationalError, match="statement timeout"):
                cursor.execute("SELECT pg_sleep(600)")
    finally:
        other.close()


@pytest.mark.parametrize(
    ("start", "kind"),
    [
        ("import config.asgi", "WEB"),
        ("from celery.signals import worker_init; worker_init.send(None)", "WORKER"),
        ("", "None"),
    ],
)
def test_requests_are_less_patient_than_tasks(start: str, kind: str) -> None:
    look = "from campaigns.core import database as d; print(d._patience == (d.WEB, d.WORKER, None)["
    place = ["WEB", "WORKER", "None"].index(kind)
    code = f"import django; django.setup()\n{start}\n{look}{place}])"
    done = finished([sys.executable, "-c", code])
    assert done.stdout.split() == ["True"], done.stderr


def test_every_task_ends() -> None:
    app.loader.import_default_modules()
    tasks = {name: task for name, task in app.tasks.items() if name.startswith("campaigns.")}
    assert len(tasks) > 10
    for name, task in tasks.items():
        assert 0 < task.soft_time_limit < task.time_limit, name
    assert tasks["campaigns.heartbeat"].time_limit < tasks["campaigns.recompute"].time_limit
    assert tasks["campaigns.recompute"].time_limit < tasks["campaigns.load"].time_limit


KINDS = [psycopg2.InterfaceError, psycopg2.DatabaseError, *psycopg2.DatabaseError.__subclasses__()]
CODED = {kind.__name__: kind for base in KINDS for kind in base.__subclasses__()}


def raised(kind: type[psycopg2.Error], code: str | None = None) -> Exception:
    """As the driver raises it amid a statement of Django's, which makes one of its own kinds of it."""
    error = kind("server closed the connection unexpectedly")
    error.__setstate__({"pgcode": code})
    with pytest.raises(DjangoError) as caught, connection.wrap_database_errors:
        raise error
    return caught.value


@pytest.mark.django_db
@pytest.mark.parametrize("kind", KINDS)
def test_error_without_a_code_is_an_outage_unless_a_fault_of_the_program(
    kind: type[psycopg2.Error], monkeypatch: pytest.MonkeyPatch
) -> None:
    connection.ensure_connection()
    assert is_unavailable(raised(kind)) == (kind is not psycopg2.ProgrammingError)
    monkeypatch.setattr(connections["default"], "connection", None)
    assert is_unavailable(raised(kind))


@pytest.mark.django_db
@pytest.mark.parametrize(("sql", "given"), [("SELECT %s", [object()]), ("SET lock_timeout = 0", [])])
def test_a_mistake_in_a_statement_is_no_outage(sql: str, given: list[Any]) -> None:
    def ask() -> None:
        with connection.cursor() as cursor:
            cursor.execute(sql, given)
            cursor.fetchall()

    with pytest.raises(ProgrammingError) as caught:
        ask()
    assert not is_unavailable(caught.value)


def test_an_outage_is_found_in_long_chains_and_in_circles() -> None:
    chain: list[Exception] = [OperationalError("away")]
    for _ in range(2000):
        chain.append(ValueError())
        chain[-1].__cause__ = chain[-1].__context__ = chain[-2]
    circle = ValueError()
    circle.__cause__ = circle
    assert [is_unavailable(error) for error in (chain[-1], circle)] == [True, False]
    assert [is_disk_full(error) for error in (chain[-1], circle)] == [False, False]


@pytest.mark.django_db
def test_error_with_a_code_is_an_outage_if_it_is_operational(monkeypatch: pytest.MonkeyPatch) -> None:
    connection.ensure_connection()
    assert len(CODED) > 200
    operational = {name for name, kind in CODED.items() if is_unavailable(raised(kind, "XX000"))}
    assert operational == {n for n, kind in CODED.items() if issubclass(kind, psycopg2.OperationalError)}
    # Any may be the last word of a server that ends.
    monkeypatch.setattr(connections["default"], "connection", None)
    assert all(is_unavailable(raised(kind, "XX000")) for kind in CODED.values())


@pytest.mark.django_db(transaction=True)
def test_whatever_follows_a_killed_backend_is_an_outage() -> None:
    connection.ensure_connection()
    with closing(psycopg2.connect(pair.urls["DATABASE_URL"])) as other, other.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(%s, 10000)", [connection.connection.get_backend_pid()])
    found: list[BaseException] = []

    def fail(ask: Callable[[], object]) -> None:
        with pytest.raises(DjangoError) as caught:
            ask()
        found.append(caught.value)

    with suppress(DjangoError), transaction.atomic():
        fail(User.objects.count)
        fail(lambda: User.objects.create(username="ada"))
        fail(lambda: connection.cursor().execute("SELECT 1"))
    assert [(error, is_unavailable(error)) for error in found] == [(error, True) for error in found]
    assert len(found) == 3
    assert User.objects.count() == 0


def test_a_session_that_cannot_be_stored_is_an_outage(rf: RequestFactory) -> None:
    lost, deleted = SessionInterrupted("deleted"), SessionInterrupted("deleted")
    lost.__context__ = UpdateError()
    lost.__context__.__context__ = OperationalError("server closed the connection unexpectedly")
    assert bad_request(rf.get("/campaigns/"), lost).status_code == 503
    assert bad_request(rf.get("/campaigns/"), deleted).status_code == 400
