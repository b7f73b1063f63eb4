from __future__ import annotations

import logging
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client

PASSWORD = "long enough to pass"


@pytest.fixture
def logged(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    caplog.set_level(logging.INFO, "campaigns.people.sign_in_log")
    return caplog


def lines(logged: pytest.LogCaptureFixture) -> list[str]:
    return [one.getMessage() for one in logged.records if one.name == "campaigns.people.sign_in_log"]


@pytest.mark.django_db
def test_sign_ins_and_sign_outs_are_logged_with_name_and_address(logged: pytest.LogCaptureFixture) -> None:
    User.objects.create_user("ada", password=PASSWORD)
    client = Client(REMOTE_ADDR="192.0.2.7")
    client.post("/sign-in/", {"username": "ada", "password": "wrong " + PASSWORD})
    client.post("/sign-in/", {"username": "ada", "password": PASSWORD})
    client.post("/sign-out/")
    assert lines(logged) == [
        "sign-in as 'ada' failed from '192.0.2.7'",
        "'ada' signed in from '192.0.2.7'",
        "'ada' signed out from '192.0.2.7'",
    ]
    assert PASSWORD not in logged.text


@pytest.mark.django_db
def test_what_is_typed_as_a_name_stays_in_its_line(logged: pytest.LogCaptureFixture) -> None:
    name = "ada\r\n2026-01-01 INFO 'root' signed in\u2028\x1b[2J" + "x" * 500
    Client().post("/sign-in/", {"username": name, "password": PASSWORD})
    for line in lines(logged):
        assert line.isascii()
        assert line.isprintable()
        assert len(line) < 1000


def test_they_are_logged_at_every_level() -> None:
    loggers: Any = settings.LOGGING["loggers"]
    assert loggers["campaigns.people.sign_in_log"] == {"level": "INFO"}
