"""The topology of docker-compose.yml at work: two web processes behind the proxy, three workers, one beat."""

from __future__ import annotations

import http.client
import ssl
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from select import select
from threading import Thread

import pytest
from django.db import connection

from campaigns.api.client import Client
from campaigns.computing.worker import campaigns_behind
from campaigns.models import Campaign, Judgment
from campaigns.people import members, tokens
from config.embedded.processes import Child
from tests.campaigns.factories import make_user
from tests.deployment.topology import WEBS, Topology, follow, running, site_role
from tests.load.crowd import Crowd, campaign_of, faults, let_work
from tests.plumbing.idle import wait_for, wait_for_quiet_database

ASSESSORS, SECONDS = 6, 8.0
PIECE, PIECES = b" " * (64 << 10), 144  # 9 MiB


@pytest.fixture
def topology(
    transactional_db: None,
    live_environment: dict[str, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Topology]:
    names = ("DATABASE_URL", "REDIS_URL", "SECRET_KEY", "DJANGO_SETTINGS_MODULE", "PYTHONPATH")
    services = {name: live_environment[name] for name in names}
    services["DATABASE_URL"] = site_role(services["DATABASE_URL"])
    with running(tmp_path, services) as started:
        # Python and its HTTP client trust what this names.
        monkeypatch.setenv("SSL_CERT_FILE", str(started.certificate))
        yield started
    wait_for_quiet_database()


def secret_of(campaign: Campaign) -> str:
    organiser = make_user("organiser")
    members.add_member(campaign=campaign, username="organiser", role="organiser")
    return tokens.make(user=organiser, name="a program", scopes=["read", "organise"])[1]


def test_a_crowd_judges_over_both_webs_while_a_worker_is_killed(topology: Topology) -> None:
    campaign, users = campaign_of(ASSESSORS)
    killed = topology.parts["worker1"]
    killing = Thread(target=kill_after_some_judgments, args=[killed])
    killing.start()
    records = let_work(topology.address, campaign, users, Crowd(ASSESSORS, SECONDS, pause=0.2))
    killing.join()
    assert not killed.running
    assert list(faults(campaign, records)) == []
    acts = [act for record in records.values() for act in record.acts]
    assert len(acts) > 50
    webs = sum((record.webs for record in records.values()), Counter())
    assert len(webs) == WEBS
    assert min(webs.values()) > 0.2 * max(webs.values())
    # The two workers that are left compute with every judgment.
    wait_for(lambda: not campaigns_behind())
    assert Judgment.objects.filter(campaign=campaign).count() == len(acts)
    check_that_events_cross(topology.webs, campaign)


def kill_after_some_judgments(child: Child) -> None:
    with closing(connection):
        wait_for(lambda: Judgment.objects.count() > 20)
    child.kill_group()


def check_that_events_cross(webs: list[str], campaign: Campaign) -> None:
    """A change made by one web process reaches the pages that listen to the other."""
    secret = secret_of(campaign)
    for listener, speaker in (webs, reversed(webs)):
        # From here on: the stream may begin to listen only after the next event.
        newest = campaign.events.latest("id").id
        path = f"/api/v1/campaigns/{campaign.slug}/events/?last_event_id={newest}"
        with closing(follow(listener, path, secret)) as stream:
            Client(speaker, secret).campaign(campaign.slug).pause()
            assert any(line.startswith(b"event: status") for line in stream)
        Client(speaker, secret).campaign(campaign.slug).open()


def test_proxy_encrypts_limits_bodies_and_logs_no_address(topology: Topology) -> None:
    campaign, _ = campaign_of(1)
    secret = secret_of(campaign)
    client = Client(topology.address, secret)
    assert client.campaign(campaign.slug).about()["slug"] == campaign.slug
    assert unencrypted(topology, "/judge/?a=b") == (308, "https://localhost/judge/?a=b")
    assert unencrypted(topology, f"/api/v1/campaigns/{campaign.slug}/") == (403, None)
    with closing(connect(topology)) as line:
        line.putrequest("POST", "/api/v1/campaigns/")
        line.putheader("Authorization", f"Token {secret}")
        line.putheader("Content-Type", "application/json")
        line.putheader("Content-Length", str(PIECES * len(PIECE)))
        line.endheaders()
        # The refusal does not wait for the whole body; the proxy hands it on with the next piece.
        for _ in range(PIECES):
            line.send(PIECE)
            if select([line.sock], [], [], 0.05)[0]:
                break
        assert line.getresponse().status == 413
    for number in range(1, WEBS + 1):
        topology.parts[f"web{number}"].kill_group()
    with closing(connect(topology)) as line:
        line.request("GET", "/invitations/very-secret-link/")
        assert line.getresponse().status in (502, 503)
    logged = topology.parts["proxy"].log.read_text()
    assert '"level":"error"' in logged
    assert "very-secret" not in logged


def unencrypted(topology: Topology, path: str) -> tuple[int, str | None]:
    """The status and the redirect of a request without TLS."""
    host = topology.unencrypted.removeprefix("http://")
    with closing(http.client.HTTPConnection(host, timeout=60)) as line:
        line.request("GET", path)
        response = line.getresponse()
        return response.status, response.getheader("Location")


def connect(topology: Topology) -> http.client.HTTPSConnection:
    context = ssl.create_default_context()
    # Later versions send tickets unasked, which look like the beginning of an answer.
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    return http.client.HTTPSConnection(topology.address.removeprefix("https://"), timeout=60, context=context)
