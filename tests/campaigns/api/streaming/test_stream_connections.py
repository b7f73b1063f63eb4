"""Open dashboards cost the database nothing: a thousand of them may be open at once."""

from __future__ import annotations

import http.client
from contextlib import ExitStack, closing
from urllib.parse import urlsplit

import pytest
from django.contrib.auth.models import User
from django.db import connection

from tests.campaigns.factories import make_campaign
from tests.load.connection import Line

STREAMS = 40


@pytest.mark.django_db(transaction=True)
def test_open_streams_hold_no_database_connections(live_site: str) -> None:
    campaign = make_campaign()
    line = Line(live_site, User.objects.get(username="Small-ada"))
    path = f"/api/v1/campaigns/{campaign.slug}/events/"
    before = connections()
    with ExitStack() as stack:
        for _ in range(STREAMS):
            stream = stack.enter_context(
                closing(http.client.HTTPConnection(urlsplit(live_site).netloc, timeout=60))
            )
            stream.request("GET", path, headers={"Cookie": line.cookies})
            assert stream.getresponse().status == 200
        assert connections() < before + STREAMS / 2


def connections() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()")
        return int(cursor.fetchone()[0])
