"""The administration page: who sees it, what is on it, and that it costs the same however much there is."""

from __future__ import annotations

import logging

import pytest
import redis
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from campaigns.computing.tasks import heartbeat
from campaigns.core.broker import broker
from campaigns.operations.error_log import KEPT, KEY, latest_errors
from tests.campaigns.factories import Api, make_campaign, make_user, signed_in

pytestmark = pytest.mark.django_db

PAGE = "/administration/"


@pytest.fixture
def root() -> Client:
    User.objects.create(username="root", is_staff=True, is_superuser=True)
    return signed_in("root")


def test_only_administrators_see_it(root: Client) -> None:
    make_campaign()
    assert Client().get(PAGE).status_code == 302
    assert signed_in("Small-ada").get(PAGE).status_code == 403
    assert b"/administration/" not in signed_in("Small-ada").get("/tokens/").content
    assert b"/administration/" in root.get("/tokens/").content
    assert root.get(PAGE).status_code == 200
    for method in (root.post, root.put, root.delete):
        assert method(PAGE).status_code == 405
    User.objects.filter(username="root").update(is_staff=False, is_superuser=False)
    assert root.get(PAGE).status_code == 403


def test_it_shows_accounts_campaigns_disk_versions_and_worker(root: Client) -> None:
    campaign = make_campaign()
    Api(campaign, "Small-grace").judge("1", "a", 1)
    heartbeat()
    User.objects.filter(username="Small-alan").update(is_active=False)
    page = root.get(PAGE).content.decode()
    shown = ("Small-ada", "Deactivated", "Postgres", "Last report")
    for words in shown:
        assert words in page, words
    context = root.get(PAGE).context
    # Which tables are the largest depends on the tests before.
    assert all(name in page for name, _ in context["disk"].tables)
    assert context["accounts"] == {"active": 3, "deactivated": 1}
    [row] = context["campaigns"]
    assert (row.organisers, row.acts, row.behind) == ("Small-ada", 1, 1)
    assert context["disk"].database > 1_000_000
    assert set(context["versions"]) == {"Assess", "Python", "Django", "Postgres", "Redis"}


def test_it_stays_up_without_redis(root: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("campaigns.core.broker._client", redis.Redis(unix_socket_path="/nowhere"))
    reply = root.get(PAGE)
    assert reply.status_code == 200
    assert b"Redis does not answer" in reply.content
    logging.getLogger("campaigns.tests").error("an error while Redis is away")


def test_queries_do_not_grow_with_accounts_and_campaigns(root: Client) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            assert root.get(PAGE).status_code == 200
        return len(captured)

    make_campaign("One")
    one = queries()
    for name in ("Two", "Three"):
        make_campaign(name)
        make_user(f"person of {name}".replace(" ", "-"))
    assert queries() == one


def test_errors_are_kept_shown_and_bounded(root: Client) -> None:
    broker().delete(KEY)
    logger = logging.getLogger("campaigns.tests")
    logger.warning("only a warning")
    for number in range(KEPT + 5):
        logger.error("error %s", number)
    try:
        raise ValueError("<b>why</b>")
    except ValueError:
        logger.exception("task failed")
    kept = latest_errors()
    assert len(kept) == KEPT
    assert kept[0].message == "task failed: ValueError: <b>why</b>"
    assert kept[-1].message == "error 6"
    page = root.get(PAGE).content.decode()
    assert "task failed: ValueError: &lt;b&gt;why&lt;/b&gt;" in page
    broker().delete(KEY)
