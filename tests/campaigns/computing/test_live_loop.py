"""The whole loop as it runs: web server, broker, prefork worker, event stream."""

from __future__ import annotations

import http.client
import json
import threading
import uuid
from functools import partial
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client

from campaigns.api.streaming.frames import KEEP_ALIVE
from campaigns.computing.worker import campaigns_behind
from campaigns.core.recompute_queue import request_recompute
from campaigns.models import Claim, Judgment
from campaigns.results.score_ranges import score_ranges_of
from tests.campaigns.factories import make_campaign
from tests.plumbing.idle import PATIENCE, wait_for

pytestmark = pytest.mark.django_db(transaction=True)


def foreseen(number: int) -> bool:
    return Claim.objects.get().lookahead_as_of == number


class Person:
    """A signed-in visitor of the real server."""

    def __init__(self, site: str, username: str) -> None:
        self.site = urlsplit(site).netloc
        client = Client()
        client.force_login(User.objects.get(username=username))
        self.cookie = f"{settings.SESSION_COOKIE_NAME}={client.session.session_key}; csrftoken={'c' * 32}"

    def send(self, method: str, path: str, body: object = None) -> tuple[int, Any]:
        connection = http.client.HTTPConnection(self.site, timeout=PATIENCE)
        headers = {"Cookie": self.cookie, "Content-Type": "application/json", "X-CSRFToken": "c" * 32}
        connection.request(method, path, None if body is None else json.dumps(body), headers)
        response = connection.getresponse()
        content = response.read()
        return response.status, json.loads(content) if content else {}

    def follow(
        self,
        path: str,
        heard: list[tuple[int, str, Any]],
        enough: threading.Event,
        listening: threading.Event,
    ) -> None:
        connection = http.client.HTTPConnection(self.site, timeout=PATIENCE)
        connection.request("GET", path, headers={"Cookie": self.cookie})
        response = connection.getresponse()
        frame: dict[str, str] = {}
        while not enough.is_set():
            line = response.readline()
            if line == KEEP_ALIVE[:-1]:
                listening.set()
            name, _, value = line.decode().strip().partition(": ")
            frame[name] = value
            if name == "data":
                heard.append((int(frame["id"]), frame["event"], json.loads(value)))
                if frame["event"] == "intervals":
                    enough.set()


@pytest.mark.usefixtures("celery_worker")
def test_a_judgment_reaches_a_listening_dashboard(live_site: str) -> None:
    campaign = make_campaign()
    request_recompute(campaign.id)
    wait_for(lambda: not campaigns_behind())
    root = f"/api/v1/campaigns/{campaign.slug}/"
    grace, ada = Person(live_site, "Small-grace"), Person(live_site, "Small-ada")

    heard: list[tuple[int, str, Any]] = []
    enough, listening = threading.Event(), threading.Event()
    listener = threading.Thread(
        target=ada.follow, args=(root + "events/", heard, enough, listening), daemon=True
    )
    listener.start()
    assert listening.wait(PATIENCE)

    status, served = grace.send("GET", root + "next/?topic=1")
    assert status == 200
    wait_for(lambda: Claim.objects.get().lookahead_as_of == 0)
    act = {"id": str(uuid.uuid4()), "topic": "1", "docno": served["document"]["docno"], "grade": 2}
    status, _ = grace.send("POST", root + "judgments/", act)
    assert status == 201
    assert enough.wait(PATIENCE)
    kinds = [kind for _, kind, _ in heard]
    assert kinds[-2:] == ["judgment", "intervals"]
    expected = {
        row.id: [row.id, row.base, row.residual, row.projected] for row in score_ranges_of(campaign=campaign)
    }
    for moved in heard[-1][2]["runs"]:
        assert moved == pytest.approx(expected[moved[0]], abs=1e-12)

    assert Claim.objects.get().exact is True
    wait_for(lambda: Claim.objects.get().lookahead_as_of == 1)
    _catches_up(ada, root, heard)


def _catches_up(ada: Person, root: str, heard: list[tuple[int, str, Any]]) -> None:
    """A page that comes back with the last id it saw receives what it missed, and nothing twice."""
    again: list[tuple[int, str, Any]] = []
    ada.follow(f"{root}events/?last_event_id={heard[-2][0]}", again, threading.Event(), threading.Event())
    assert again == heard[-1:]


@pytest.mark.usefixtures("celery_worker")
def test_twenty_judgments_served_exactly_without_a_second_look(live_site: str) -> None:
    campaign = make_campaign()
    request_recompute(campaign.id)
    wait_for(lambda: not campaigns_behind())
    root = f"/api/v1/campaigns/{campaign.slug}/"
    grace = Person(live_site, "Small-grace")
    _, served = grace.send("GET", root + "next/?topic=1")
    for number in range(9):
        wait_for(partial(foreseen, number))
        document = served["document"]
        act = {"id": str(uuid.uuid4()), "topic": "1", "docno": document["docno"], "grade": number % 3}
        _, reply = grace.send("POST", root + "judgments/", act)
        served = reply["next"]
    served = Judgment.objects.order_by("sequence").values_list("served_exactly", flat=True)
    assert list(served) == [True] * 9


@pytest.mark.parametrize(("username", "status"), [("Small-grace", 403), ("Other-ada", 404)])
def test_events_are_for_the_campaigns_organisers(live_site: str, username: str, status: int) -> None:
    campaign = make_campaign()
    make_campaign("Other")
    answer, body = Person(live_site, username).send("GET", f"/api/v1/campaigns/{campaign.slug}/events/")
    assert answer == status
    assert body["code"]
    assert Person(live_site, "Small-ada").send("POST", f"/api/v1/campaigns/{campaign.slug}/events/")[0] == 405
