"""Probes and metrics: what they tell whom, and that several web processes answer as one."""

from __future__ import annotations

import json
import re
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
import redis
import yaml
from django.conf import settings
from django.db import OperationalError
from django.http import HttpResponse
from django.test import Client, RequestFactory
from django.urls import ResolverMatch, URLResolver, get_resolver
from prometheus_client.parser import text_string_to_metric_families

from campaigns.models import Campaign, Judgment, LogHead
from campaigns.operations import readiness, worker_memory
from campaigns.operations.metrics import MOST_CAMPAIGNS
from campaigns.operations.process_metrics import LISTENERS, REQUESTS, UPLOADS
from config.embedded import application
from config.embedded.machine import PROJECT, answers, take_port
from config.embedded.processes import Child
from config.embedded.supervisor import stop_together
from config.monitoring import MonitoringMiddleware
from tests.campaigns.factories import Api, make_campaign, signed_in
from tests.plumbing.idle import wait_for
from tests.plumbing.servers.services import pair

TOKEN = {"Authorization": f"Bearer {settings.METRICS_TOKEN}"}
PROBES = ("/readyz", "/metrics")
Samples = dict[tuple[str, tuple[tuple[str, str], ...]], float]


def parsed(text: str) -> Samples:
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def read(client: Client) -> Samples:
    answer = client.get("/metrics", headers=TOKEN)
    assert answer.status_code == 200
    return parsed(answer.content.decode())


@pytest.mark.parametrize("path", PROBES)
@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
def test_probes_take_no_other_method(client: Client, path: str, method: str) -> None:
    answer = client.generic(method, path, b"{", headers=TOKEN)
    assert (answer.status_code, answer.headers["Allow"]) == (405, "GET, HEAD")


@pytest.mark.django_db
def test_readyz_answers_what_is_missing_to_the_monitor_only(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = {"database": True, "redis": True, "migrations": True}
    assert client.get("/readyz", headers={"Host": "10.0.0.7"}).json() == {"ready": True}
    assert client.get("/readyz", headers=TOKEN).json() == {"ready": True, "checks": whole}
    with monkeypatch.context() as without:
        without.setattr("campaigns.core.broker._client", redis.Redis(unix_socket_path="/nowhere"))
        answer = client.get("/readyz")
        assert (answer.status_code, answer.json()) == (503, {"ready": False})
        with_token = client.get("/readyz", headers=TOKEN)
        assert with_token.json() == {"ready": False, "checks": {**whole, "redis": False}}
    with monkeypatch.context() as behind:
        behind.setattr(readiness, "_migrated", False)
        behind.setattr(
            "django.db.migrations.recorder.MigrationRecorder.applied_migrations", lambda recorder: {}
        )
        answer = client.get("/readyz", headers=TOKEN)
        assert (answer.status_code, answer.json()["checks"]) == (503, {**whole, "migrations": False})
    assert client.get("/readyz").status_code == 200


def test_readyz_without_a_database_is_503(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def away() -> Any:
        raise OperationalError("the server is away, at 10.0.0.8")

    monkeypatch.setattr("campaigns.operations.readiness.connection.cursor", away)
    monkeypatch.setattr("campaigns.operations.readiness.connection.close", lambda: None)
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json()) == (503, {"ready": False})
    assert b"10.0.0.8" not in client.get("/readyz", headers=TOKEN).content


@pytest.mark.django_db
@pytest.mark.parametrize("header", [None, "Bearer", "Bearer wrong", settings.METRICS_TOKEN, "Bearer é"])
def test_metrics_do_not_exist_for_strangers(header: str | None) -> None:
    make_campaign()
    for client in (Client(), signed_in("Small-ada")):
        answer = client.get("/metrics", headers={} if header is None else {"Authorization": header})
        assert (answer.status_code, answer.content) == (404, b"Not found\n")


@pytest.mark.django_db
def test_without_a_token_nobody_reads_metrics(client: Client, settings: Any) -> None:
    settings.METRICS_TOKEN = ""
    assert client.get("/metrics", headers={"Authorization": "Bearer "}).status_code == 404
    before = REQUESTS.labels("site", "2xx")._sum.get()
    assert client.get("/sign-in/").status_code == 200
    assert REQUESTS.labels("site", "2xx")._sum.get() == before


@pytest.mark.django_db
def test_metrics_count_judgments_and_what_is_not_computed() -> None:
    campaign = make_campaign()
    Api(campaign, "Small-grace").judge("1", "a", 1)
    Api(campaign, "Small-grace").judge("1", "b", 0)
    make_campaign("Draft", opened=False)
    found = read(Client())
    small = (("campaign", "small"),)
    assert found["assess_judgments_total", small] == 2
    assert found["assess_judgments_behind", small] == 2
    assert found["assess_judgments_behind_seconds", small] > 0
    assert ("assess_judgments_total", (("campaign", "draft"),)) not in found
    assert found["assess_service_up", (("service", "redis"),)] == 1
    assert found["assess_service_up", (("service", "database"),)] == 1
    assert found["assess_tasks_waiting", (("queue", "webhooks"),)] >= 0


@pytest.mark.django_db
def test_metrics_show_how_old_the_queues_were(client: Client) -> None:
    campaign = make_campaign()
    for sequence, docno in enumerate("abcde", start=1):
        Api(campaign, "Small-grace").judge("1", docno, 1)
        measured = {"queue_age": sequence, "weight_given_up": sequence / 100}
        Judgment.objects.filter(sequence=sequence).update(served_exactly=False, **measured)
    Judgment.objects.filter(sequence=5).update(queue_age=None, weight_given_up=None)
    found = read(client)
    for quantile, age in (("0.5", 2), ("0.95", 4)):
        labels = (("campaign", "small"), ("quantile", quantile))
        assert found["assess_served_queue_age_judgments", labels] == age
    assert found["assess_weight_given_up_ratio", (("campaign", "small"),)] == pytest.approx(0.025)
    for figure in ("queue_age", "weight_given_up"):
        labels = (("campaign", "small"), ("figure", figure))
        assert found["assess_served_measured_ratio", labels] == pytest.approx(0.8)
    # No queue could have had this one's age.
    Judgment.objects.filter(sequence=5).update(weight_given_up=0.05)
    labels = (("campaign", "small"), ("figure", "queue_age"))
    assert read(client)["assess_served_measured_ratio", labels] == 1


@pytest.mark.django_db
def test_metrics_name_routes_and_never_addresses(client: Client) -> None:
    before = read(client)
    make_campaign()
    signed_in("Small-ada").get("/campaigns/small/")
    client.get("/no/such/place/")
    client.generic("BREW", "/sign-in/")
    after = read(client)

    def counted(name: str) -> set[tuple[tuple[str, str], ...]]:
        return {
            labels
            for key, labels in after
            if key == name and after[key, labels] > before.get((key, labels), 0)
        }

    assert counted("assess_request_seconds_count") == {
        (("part", "campaigns"), ("status", "2xx")),
        (("part", "none"), ("status", "4xx")),
        (("part", "site"), ("status", "4xx")),
    }
    routes = ("campaigns:dashboard", "none", "sign-in")
    assert counted("assess_route_seconds_count") == {(("route", route),) for route in routes}


@pytest.mark.django_db
def test_metrics_stay_small_whatever_is_asked(rf: RequestFactory) -> None:
    slugs = [f"{number:03}-".ljust(80, "x") for number in range(500)]
    first = make_campaign()
    Api(first, "Small-grace").judge("1", "a", 1)
    [judged] = Judgment.objects.values("topic_id", "document_id", "assessor_id", "grade", "created")
    collection = first.collection
    Campaign.objects.bulk_create(
        Campaign(name=slug, slug=slug, collection=collection, status="open") for slug in slugs
    )
    LogHead.objects.bulk_create(
        LogHead(campaign=one, length=1) for one in Campaign.objects.filter(slug__in=slugs)
    )
    measured = {"served_exactly": True, "queue_age": 0, "weight_given_up": 0.0}
    Judgment.objects.bulk_create(
        Judgment(campaign=one, sequence=1, **measured, **judged)
        for one in Campaign.objects.filter(slug__in=slugs)
    )
    routes = [None, *route_names(get_resolver())]
    for number in range(10_000):
        request = rf.generic(f"METHOD{number}", f"/address-{number}/", headers={"Host": f"host-{number}"})
        if route := routes[number % len(routes)]:
            request.resolver_match = ResolverMatch(lambda: None, (), {}, url_name=route)
        status = 200 + number * 7 % 400
        assert MonitoringMiddleware(lambda _: HttpResponse(status=status))(request).status_code == status  # noqa: B023
    answer = Client().get("/metrics", headers=TOKEN)
    assert len(answer.content) < 100_000
    found = parsed(answer.content.decode())
    assert found["assess_judgments_total", (("campaign", "(others)"),)] == 500 + 1 - MOST_CAMPAIGNS
    for name in ("queue_age_judgments", "measured_ratio"):
        slugs_of = {dict(labels)["campaign"] for key, labels in found if key == f"assess_served_{name}"}
        assert slugs_of == set(slugs[-MOST_CAMPAIGNS:])
    assert {route for route in routes if route} <= {
        dict(labels).get("route") for name, labels in found if name == "assess_route_seconds_count"
    }


def route_names(resolver: URLResolver, namespace: str = "") -> Iterator[str]:
    """Of all views."""
    for pattern in resolver.url_patterns:
        if isinstance(pattern, URLResolver):
            inner = f"{namespace}{pattern.namespace}:" if pattern.namespace else namespace
            yield from route_names(pattern, inner)
        else:
            yield f"{namespace}{pattern.name}"


@pytest.mark.django_db
def test_metrics_without_redis_have_the_rest(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    make_campaign()
    monkeypatch.setattr("campaigns.core.broker._client", redis.Redis(unix_socket_path="/nowhere"))
    found = read(client)
    assert found["assess_service_up", (("service", "redis"),)] == 0
    assert found["assess_judgments_total", (("campaign", "small"),)] == 0


def test_a_worker_notes_its_memory_and_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_memory, "_noted", -1e9)
    worker_memory.note_memory("worker@here")
    size = worker_memory.memory_by_worker()["worker@here"]
    assert 10_000_000 < size < 10_000_000_000
    monkeypatch.setattr(worker_memory, "FORGOTTEN_AFTER_SECONDS", -1.0)
    assert worker_memory.memory_by_worker() == {}
    monkeypatch.setattr(worker_memory, "FORGOTTEN_AFTER_SECONDS", 60.0)
    assert worker_memory.memory_by_worker() == {}


def test_the_running_worker_notes_its_memory(celery_worker: Child) -> None:
    wait_for(lambda: "worker@tests" in worker_memory.memory_by_worker(), celery_worker)


@pytest.fixture
def two_sites(
    transactional_db: None, live_environment: dict[str, str], tmp_path: Path
) -> Iterator[list[str]]:
    """The addresses of two web processes of one site, with figures of their own."""
    environment = {**live_environment, "TMPDIR": str(tmp_path)}
    with ExitStack() as open_ports:
        sites, children = [], []
        for name in ("web-1", "web-2"):
            listener = open_ports.enter_context(take_port("127.0.0.1", 0))
            port = int(listener.getsockname()[1])
            child = Child(
                application.web(listener.fileno(), environment), tmp_path / name, mark=str(pair.places.data)
            )
            child.start()
            wait_for(lambda port=port: answers("127.0.0.1", port) is not None, child)  # type: ignore[misc]
            children.append(child)
            sites.append(f"http://127.0.0.1:{port}")
        yield sites
        stop_together(children, grace=4)


def test_two_web_processes_answer_as_one(two_sites: list[str]) -> None:
    def scraped(site: str) -> Samples:
        asked = urllib.request.Request(f"{site}/metrics", headers=TOKEN)
        with urllib.request.urlopen(asked, timeout=30) as answer:
            return parsed(answer.read().decode())

    tokens = (("route", "tokens"),)
    for site in two_sites:
        for _ in range(3):
            opener = urllib.request.build_opener(Stay)
            with pytest.raises(urllib.request.HTTPError):
                opener.open(f"{site}/tokens/", timeout=30)
    assert [scraped(site)["assess_route_seconds_count", tokens] for site in two_sites] == [6, 6]


class Stay(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        return None


def documented_metrics() -> list[str]:
    return re.findall(r"^\| `(assess_\w+)`", (PROJECT / "docs" / "operations.md").read_text(), re.M)


def test_board_and_alerts_name_metrics_that_exist() -> None:
    board = json.loads((PROJECT / "deploy" / "grafana.json").read_text())
    rules = yaml.safe_load((PROJECT / "deploy" / "alerts.yml").read_text())
    alerts = rules["groups"][0]["rules"]
    assert len(alerts) == 3
    assert all({"alert", "expr", "for", "labels", "annotations"} <= set(alert) for alert in alerts)
    used = [target["expr"] for panel in board["panels"] for target in panel["targets"]]
    known = {re.sub(r"_(total|bucket|count|sum)$", "", name) for name in documented_metrics()}
    named = {
        re.sub(r"_(total|bucket|count|sum)$", "", name)
        for expression in (*used, *(alert["expr"] for alert in alerts))
        for name in re.findall(r"\bassess_\w+", expression)
    }
    assert named == known - {"assess_info"}
    yaml.safe_load((PROJECT / "deploy" / "prometheus.yml").read_text())


@pytest.mark.django_db
def test_every_documented_metric_is_exposed(client: Client) -> None:
    campaign = make_campaign()
    served = Api(campaign, "Small-grace").get("next/", topic="1")
    assert served.status_code == 200
    Api(campaign, "Small-grace").judge("1", served.json()["document"]["docno"], 1)
    Judgment.objects.update(queue_age=0, weight_given_up=0.0)
    with UPLOADS.track_inprogress(), LISTENERS.track_inprogress():
        exposed = {name for name, _ in read(client)}
    documented = set(
        re.findall(r"^\| `(assess_\w+)`", (PROJECT / "docs" / "operations.md").read_text(), re.M)
    )
    exposed |= {re.sub(r"_(bucket|count|sum)$", "", name) for name in exposed}
    # Known only while a worker lives.
    assert documented - exposed <= {"assess_worker_silent_seconds", "assess_worker_memory_bytes"}
