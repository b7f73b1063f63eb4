"""The live stream asks for tokens as everything else does; tried on the real server."""

from __future__ import annotations

import http.client
import json
from contextlib import closing
from urllib.parse import urlsplit

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.test import Client

from campaigns.log.events import publish
from campaigns.models import Campaign
from campaigns.people import sessions, tokens
from tests.campaigns.factories import make_campaign, signed_in

pytestmark = pytest.mark.django_db(transaction=True)

PATH = "/api/v1/campaigns/small/events/"


@pytest.fixture
def campaign(live_site: str) -> Campaign:
    return make_campaign("Small")


def secret_of(username: str, *scopes: str, campaign: Campaign | None = None) -> str:
    user = User.objects.get(username=username)
    return tokens.make(user=user, name="a listener", scopes=scopes, campaign=campaign)[1]


def ask(site: str, secret: str, path: str = PATH) -> http.client.HTTPResponse:
    connection = http.client.HTTPConnection(urlsplit(site).netloc, timeout=30)
    # As curl asks, and as browsers do.
    headers = {"Authorization": f"Token {secret}"} if secret else {}
    connection.request("GET", path, headers={**headers, "Accept": "text/event-stream"})
    return connection.getresponse()


def test_a_program_follows_a_campaign(live_site: str, campaign: Campaign) -> None:
    secret = secret_of("Small-ada", "read", campaign=campaign)
    with transaction.atomic():
        publish(campaign=campaign.id, events=[("status", {"status": "paused"})])
    with closing(ask(live_site, secret, f"{PATH}?last_event_id=0")) as stream:
        assert stream.status == 200
        assert stream.headers["Content-Type"] == "text/event-stream; charset=utf-8"
        wanted = json.dumps({"status": "paused"}).encode()
        # Without that message, reading would end in an error: the server says something every few seconds.
        assert any(line.strip() == b"data: " + wanted for line, _ in zip(stream, range(100), strict=False))


def test_a_stream_ends_with_its_token(live_site: str, campaign: Campaign) -> None:
    user = User.objects.get(username="Small-ada")
    token, secret = tokens.make(user=user, name="a listener", scopes=["read"])
    _, other = tokens.make(user=user, name="another", scopes=["read"])
    with closing(ask(live_site, secret)) as stream, closing(ask(live_site, other)) as still:
        assert stream.readline().startswith(b"retry:")
        tokens.revoke_token(user=user, token=token.id)
        # To its end: would it not come, reading would run out of patience.
        stream.read()
        with transaction.atomic():
            publish(campaign=campaign.id, events=[("status", {"status": "paused"})])
        assert any(line.startswith(b"event: status") for line, _ in zip(still, range(100), strict=False))


def test_without_a_right_to_it_nothing_is_told(live_site: str, campaign: Campaign) -> None:
    other = make_campaign("Other")
    revoked, secret = tokens.make(user=User.objects.get(username="Small-ada"), name="r", scopes=["read"])
    tokens.revoke_token(user=revoked.user, token=revoked.id)
    wrong = {
        "": (401, "not_authenticated"),
        secret: (401, "bad_token"),
        secret_of("Small-ada", "judge", "organise"): (403, "scope"),
        secret_of("Small-grace", "read"): (403, "organisers_only"),
        secret_of("Other-ada", "read"): (404, "not_found"),
        secret_of("Other-ada", "read", campaign=other): (404, "not_found"),
    }
    for given, (status, code) in wrong.items():
        reply = ask(live_site, given)
        assert (reply.status, json.loads(reply.read())["code"]) == (status, code)
        assert (reply.headers["WWW-Authenticate"] == "Token") == (status == 401)


def test_a_stream_ends_with_its_session(live_site: str, campaign: Campaign) -> None:
    user = User.objects.get(username="Small-ada")
    ended, still = (signed_in("Small-ada") for _ in range(2))
    with closing(follow_as(live_site, ended)) as stream, closing(follow_as(live_site, still)) as other:
        assert stream.readline().startswith(b"retry:")
        sessions.end_sessions(user=user, besides=still.session.session_key)
        # To its end, as above.
        stream.read()
        with transaction.atomic():
            publish(campaign=campaign.id, events=[("status", {"status": "paused"})])
        assert any(line.startswith(b"event: status") for line, _ in zip(other, range(100), strict=False))


def follow_as(site: str, browser: Client) -> http.client.HTTPResponse:
    connection = http.client.HTTPConnection(urlsplit(site).netloc, timeout=30)
    cookie = f"{settings.SESSION_COOKIE_NAME}={browser.session.session_key}"
    connection.request("GET", PATH, headers={"Cookie": cookie, "Accept": "text/event-stream"})
    return connection.getresponse()
