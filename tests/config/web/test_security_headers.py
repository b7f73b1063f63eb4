"""Headers and cookies that keep browsers from leaking, framing, guessing or keeping answers."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

import pytest
from django.conf import settings as project
from django.contrib.auth.models import User
from django.test import Client
from pytest_django import Settings

from tests.campaigns.factories import make_campaign, make_user, signed_in

# Settings that depend on HTTPS, as a site behind a TLS proxy reads them.
SHOW = """
import json
from django.conf import settings
from config.web.message_cookie import MessageCookie
BEGINNINGS = ("SECURE_", "SESSION_COOKIE", "CSRF_COOKIE", "LANGUAGE_COOKIE")
names = [name for name in dir(settings) if name.startswith(BEGINNINGS)]
found = {name: getattr(settings, name) for name in names}
print(json.dumps({**found, "messages": MessageCookie.cookie_name}))
"""


@pytest.fixture(scope="module")
def https_settings() -> dict[str, Any]:
    environment = os.environ | {"HTTPS": "true", "DJANGO_SETTINGS_MODULE": "config.settings"}
    program = [sys.executable, "-c", SHOW]
    done = subprocess.run(program, env=environment, cwd=project.BASE_DIR, capture_output=True, check=True)
    found = json.loads(done.stdout)
    found["SECURE_PROXY_SSL_HEADER"] = tuple(found["SECURE_PROXY_SSL_HEADER"])
    return dict(found)


@pytest.fixture
def behind_tls(settings: Settings, https_settings: dict[str, Any]) -> Client:
    for name, value in https_settings.items():
        if name.isupper():
            setattr(settings, name, value)
    return Client(headers={"X-Forwarded-Proto": "https"})


@pytest.mark.django_db
def test_behind_tls_every_cookie_is_for_this_host_alone(
    behind_tls: Client, https_settings: dict[str, Any]
) -> None:
    User.objects.create_user("ada", password="long enough to pass")
    behind_tls.post("/language/", {"language": "de", "next": "/sign-in/"})
    behind_tls.get("/sign-in/")
    behind_tls.post("/sign-in/", {"username": "ada", "password": "long enough to pass"})
    names = {"sessionid", "csrftoken", "django_language"}
    assert set(behind_tls.cookies) == {f"__Host-{name}" for name in names}
    assert https_settings["messages"] == "__Host-messages"
    for name, cookie in behind_tls.cookies.items():
        assert cookie["secure"], name
        assert (cookie["path"], cookie["domain"], cookie["samesite"]) == ("/", "", "Lax")
        # The judging screen reads the token against forged requests.
        assert bool(cookie["httponly"]) == (name != "__Host-csrftoken")


@pytest.mark.django_db
def test_behind_tls_browsers_come_by_tls_only(behind_tls: Client) -> None:
    policy = behind_tls.get("/sign-in/").headers["Strict-Transport-Security"]
    assert policy == "max-age=31536000; includeSubDomains"


@pytest.mark.django_db
@pytest.mark.parametrize(
    "path", ["/sign-in/", "/nothing/", "/api/v1/campaigns/", "/static/site/icon.svg", "/metrics"]
)
def test_every_answer_has_the_policies(path: str) -> None:
    headers = Client().get(path).headers
    policy = headers["Content-Security-Policy"]
    for directive in ("script-src 'self'", "object-src 'none'", "base-uri 'none'", "frame-ancestors 'none'"):
        assert directive in policy
    assert "unsafe" not in policy
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "same-origin"
    assert headers["Cross-Origin-Opener-Policy"] == "same-origin"


@pytest.mark.django_db
def test_pages_and_answers_are_kept_by_nobody() -> None:
    make_campaign("Small")
    client = signed_in("Small-ada")
    for path in ("/campaigns/", "/campaigns/small/", "/api/v1/campaigns/", "/sign-in/", "/nothing/"):
        assert "no-store" in client.get(path).headers["Cache-Control"], path


@pytest.mark.django_db
def test_signing_out_clears_what_the_browser_has_kept() -> None:
    make_user("ada")
    client = signed_in("ada")
    assert client.post("/sign-out/").headers["Clear-Site-Data"] == '"cache"'


@pytest.mark.django_db
@pytest.mark.parametrize("method", ["TRACE", "CONNECT", "FOO"])
@pytest.mark.parametrize("path", ["/sign-in/", "/api/v1/campaigns/", "/static/site/icon.svg"])
def test_methods_that_nobody_needs_are_refused(path: str, method: str) -> None:
    sent = Client().generic(method, path, headers={"X-Secret": "shared with no one"})
    assert sent.status_code in (401, 404, 405)
    assert b"shared with no one" not in sent.getvalue()
