"""Other sites' scripts: shut out unless named; tried as a process starts, from its environment."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from config.embedded.machine import PROJECT
from tests.plumbing.programs import finished

ASK = """
import json, django
django.setup()
from django.test import Client
from django.test.utils import setup_test_environment
setup_test_environment()
sent = {"Origin": "https://lab.example.org"}
asked = {**sent, "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization"}
client = Client()
replies = {
    "api": client.get("/api/v1/docs/", headers=sent),
    "before": client.options("/api/v1/campaigns/small/judgments/", headers=asked),
    "page": client.get("/campaigns/", headers=sent),
    "stranger": client.get("/api/v1/docs/", headers={"Origin": "https://evil.example"}),
}
print(json.dumps({name: [reply.status_code, dict(reply.headers)] for name, reply in replies.items()}))
"""


def start(**environment: str) -> subprocess.CompletedProcess[str]:
    known = {name: value for name, value in os.environ.items() if name != "CORS_ALLOWED_ORIGINS"}
    return finished(
        [sys.executable, "-c", ASK],
        cwd=PROJECT,
        env={**known, "DJANGO_SETTINGS_MODULE": "config.settings", **environment},
    )


def answers(**environment: str) -> dict[str, tuple[int, dict[str, str]]]:
    done = start(**environment)
    assert done.returncode == 0, done.stderr
    found: dict[str, tuple[int, dict[str, str]]] = json.loads(done.stdout)
    return found


def said(headers: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in headers.items() if name.lower().startswith("access-control")}


def test_unless_set_no_answer_has_a_word_of_it() -> None:
    for _, headers in answers().values():
        assert not said(headers)
        assert "origin" not in headers.get("Vary", "").lower()


def test_a_named_site_may_use_the_api_by_token_and_nothing_else() -> None:
    found = answers(CORS_ALLOWED_ORIGINS="https://lab.example.org, http://localhost:3000")
    status, headers = found["api"]
    assert status == 200
    assert said(headers)["access-control-allow-origin"] == "https://lab.example.org"
    status, headers = found["before"]
    assert status == 200
    assert "authorization" in said(headers)["access-control-allow-headers"]
    assert "POST" in said(headers)["access-control-allow-methods"]
    assert not said(found["page"][1])
    assert not said(found["stranger"][1])
    assert not any("access-control-allow-credentials" in said(headers) for _, headers in found.values())


@pytest.mark.parametrize(
    "wrong",
    [
        "*",
        "lab.example.org",
        "https://lab.example.org/",
        "https://*.example.org",
        "ftp://x",
        "https://",
        "null",
    ],
)
def test_what_is_no_origin_stops_the_start(wrong: str) -> None:
    done = start(CORS_ALLOWED_ORIGINS=wrong)
    assert done.returncode != 0
    assert f"CORS_ALLOWED_ORIGINS={wrong!r} is not a list of origins" in done.stderr
