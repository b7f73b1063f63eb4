"""docs/deployment.md: its services, figures and settings are those of docker-compose.yml and of the code."""

from __future__ import annotations

import re
from math import ceil

from campaigns.api.streaming.frames import THREADS
from campaigns.notifications.tasks import SENDING_THREADS
from config.embedded.machine import PROJECT
from tests.deployment.compose import EXAMPLE, OURS, SERVICES, VARIABLE
from tests.docs.reference.test_reference_tables import literal_defaults

PAGE = (PROJECT / "docs" / "deployment.md").read_text()
MEGABYTES = {"m": 1, "g": 1024}
# Processes of one worker, and threads that send webhooks besides SENDING_THREADS in each.
PROCESSES, QUICK = 2, 1
# Connections of a web process besides its threads: the watch over the worker, and Django's own thread of
# the event streams.
BESIDES = 2


def replicas(service: str, **values: str) -> int:
    return int(filled_in(SERVICES[service]["deploy"].get("replicas", 1), **values))


def filled_in(value: object, **values: str) -> str:
    return VARIABLE.sub(lambda found: {**EXAMPLE, **values}[found[1]], str(value))


def memory(service: str) -> int:
    """In MiB, of one container."""
    limit = filled_in(SERVICES[service]["deploy"]["resources"]["limits"]["memory"])
    return int(limit[:-1]) * MEGABYTES[limit[-1]]


def gigabytes(**values: str) -> float:
    """Of all lasting containers together, rounded up to one decimal."""
    lasting = [name for name in SERVICES if name != "migrate"]
    return ceil(sum(memory(name) * replicas(name, **values) for name in lasting) / 102.4) / 10


def test_services_table_has_every_service_and_its_processes() -> None:
    table = PAGE.split("| service |")[1].split("\n\n")[0]
    rows = dict(re.findall(r"^\| `(\w+)` \|[^|]*\|(?: exactly)? (\d)(?:, ends)? \|", table, re.MULTILINE))
    assert rows == {name: str(replicas(name)) for name in SERVICES}


def test_memory_is_the_sum_of_the_limits() -> None:
    least, all_services = gigabytes(WORKER_REPLICAS="1"), gigabytes()
    assert f"add up to {all_services} GB, without `migrate`" in PAGE
    assert re.search(rf"set `WORKER_REPLICAS=1`: they then\s+add up to {least} GB", PAGE)
    host = re.search(r"a host with 4 cores, (\d+) GB of memory", PAGE)
    assert host is not None
    assert all_services < int(host[1])


def test_settings_that_compose_sets_are_named() -> None:
    named = PAGE.split("except those\nthat `docker-compose.yml` sets itself:")[1].split(".")[0]
    environment = SERVICES[OURS[1]]["environment"]
    own = {name for name, value in environment.items() if value and not value.startswith(f"${{{name}:")}
    assert set(re.findall(r"`([A-Z_]+)`", named)) == own


def test_database_connections_are_counted() -> None:
    requests = sum(
        int(literal_defaults()[name].pop().strip("`")) for name in ("WEB_THREADS", "UPLOAD_THREADS")
    )
    assert f"up to {requests + THREADS + BESIDES} database connections: {requests} for requests" in PAGE
    sending = PROCESSES * (SENDING_THREADS + QUICK)
    assert f"A worker keeps 3 connections, and up to {3 + sending} while it sends webhooks." in PAGE
