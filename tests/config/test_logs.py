"""JSON logs: one object a line, with request, user and campaign, also of errors and tasks."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import structlog
from django.contrib.auth.models import User
from django.core.exceptions import ImproperlyConfigured
from django.test import Client

from campaigns.tasks import figures
from config.logs import log_settings, request_of_thread
from tests.campaigns.factories import make_campaign, signed_in, with_token

Lines = Callable[[], list[dict[str, Any]]]


@pytest.fixture
def lines(monkeypatch: pytest.MonkeyPatch) -> Iterator[Lines]:
    """What is logged in JSON meanwhile; each line must be an object of its own."""
    monkeypatch.setenv("LOG_FORMAT", "json")
    described = log_settings("LOG_FORMAT", "INFO")["formatters"]["json"]
    maker = described.pop("()")
    out = io.StringIO()
    handler = logging.StreamHandler(out)
    handler.setFormatter(maker(**described))
    root = logging.getLogger()
    level = root.level
    root.addHandler(handler)
    root.setLevel("INFO")
    yield lambda: [json.loads(line) for line in out.getvalue().splitlines()]
    root.removeHandler(handler)
    root.setLevel(level)
    structlog.contextvars.clear_contextvars()
    request_of_thread.set(None)


def requests_in(lines: Lines) -> list[dict[str, Any]]:
    return [line for line in lines() if line["logger"] == "config.monitoring"]


@pytest.mark.django_db
def test_a_request_is_logged_with_its_id_user_and_campaign(lines: Lines) -> None:
    campaign = make_campaign()
    answer = signed_in("Small-ada").get(f"/campaigns/{campaign.slug}/setup/")
    [line] = requests_in(lines)
    assert line["request_id"] == answer.headers["X-Request-ID"]
    assert line["user_id"] == User.objects.get(username="Small-ada").id
    assert (line["campaign"], line["level"]) == ("small", "info")
    assert line["event"].startswith("GET campaigns:setup: 200 in ")


@pytest.mark.django_db
def test_a_token_is_logged_as_its_owner(lines: Lines) -> None:
    make_campaign()
    with_token("Small-grace", "read").get("/api/v1/campaigns/small/")
    [line] = requests_in(lines)
    assert line["user_id"] == User.objects.get(username="Small-grace").id
    assert line["campaign"] == "small"


@pytest.mark.django_db
def test_lines_about_a_request_after_its_answer_carry_its_id(client: Client, lines: Lines) -> None:
    answer = client.get("/no/such/place/")
    of_django = [line for line in lines() if line["logger"] == "django.request"]
    assert [line["request_id"] for line in of_django] == [answer.headers["X-Request-ID"]]
    assert "user_id" not in of_django[0]


@pytest.mark.parametrize(
    ("given", "kept"), [("a-proxys.id_01", True), ("short", False), ("a\nb" * 9, False), ("é" * 20, False)]
)
def test_a_proxys_id_is_kept_if_it_is_harmless(client: Client, given: str, kept: bool) -> None:
    answer = client.get("/metrics", headers={"X-Request-ID": given})
    assert (answer.headers["X-Request-ID"] == given) is kept


@pytest.mark.django_db
def test_secrets_of_an_address_are_in_no_line(client: Client, lines: Lines) -> None:
    client.get("/join/a-secret-link/")
    assert [line["event"].split(":")[0] for line in requests_in(lines)] == ["GET join-by-path"]
    assert not any("a-secret-link" in line["event"] for line in lines())


def test_an_error_is_one_line_with_its_traceback(lines: Lines) -> None:
    try:
        raise ValueError("two\nlines")
    except ValueError:
        logging.getLogger("campaigns.tests").exception("failed: %s", "é")
    [line] = lines()
    assert line["event"] == "failed: é"
    assert "ValueError: two\nlines" in line["exception"]


def test_a_task_is_logged_with_its_campaign(lines: Lines, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        figures.draw, "run", lambda campaign: logging.getLogger("campaigns.tests").info("drawing")
    )
    figures.draw.apply(args=[7])
    [line] = [line for line in lines() if line["event"] == "drawing"]
    assert (line["task"], line["campaign_id"]) == ("campaigns.draw", 7)
    assert line["task_id"]


def test_an_unknown_format_stops_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOG_FORMAT", "xml")
    with pytest.raises(ImproperlyConfigured, match="LOG_FORMAT='xml' is not plain or json"):
        log_settings("LOG_FORMAT", "INFO")
