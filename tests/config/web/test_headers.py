"""Clients cannot choose the address by which they are counted."""

from __future__ import annotations

import http.client
from contextlib import closing
from urllib.parse import urlsplit

import pytest
from a2wsgi.wsgi import Body, build_environ
from django.contrib.auth.models import User
from django.core.handlers.wsgi import WSGIRequest
from pytest_django import Settings

from campaigns.core.rate_limits import address_of
from campaigns.models import SignedInSession
from campaigns.people import sessions
from config.web.headers import unambiguous
from tests.campaigns.factories import make_user, signed_in


def scope(*headers: tuple[bytes, bytes]) -> dict[str, object]:
    plain = {"type": "http", "method": "GET", "path": "/", "query_string": b"", "http_version": "1.1"}
    return {**plain, "headers": list(headers), "client": ("10.0.0.1", 4000)}


def seen_address(found: dict[str, object]) -> str:
    return address_of(WSGIRequest(build_environ(found, Body.__new__(Body))))  # type: ignore[arg-type]


def test_a_header_with_underscores_adds_nothing_to_what_the_proxy_says(settings: Settings) -> None:
    settings.TRUSTED_PROXIES = 1
    sent = scope((b"x-forwarded-for", b"192.0.2.1"), (b"x_forwarded_for", b"198.51.100.1"))
    assert seen_address(sent) == "198.51.100.1", "or else the server has learned it by itself"
    assert seen_address(unambiguous(sent)) == "192.0.2.1"


@pytest.mark.django_db(transaction=True)
def test_without_proxies_the_server_believes_no_header(live_site: str) -> None:
    """Not even from this machine, as uvicorn would by itself."""
    key = signed_in(make_user("ada").username).session.session_key
    SignedInSession.objects.all().delete()
    with closing(http.client.HTTPConnection(urlsplit(live_site).netloc, timeout=30)) as connection:
        headers = {"Cookie": f"sessionid={key}", "X-Forwarded-For": "198.51.100.1"}
        connection.request("GET", "/account/", headers=headers)
        assert connection.getresponse().status == 200
    assert sessions.open_sessions(User.objects.get()).get().address == "127.0.0.1"
