"""The whole site under its supervisor: web and worker crash and come back, and all of it goes away."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from celery import Celery

from config.embedded.machine import PROJECT, answers, take_port
from config.embedded.supervisor import NO_DATABASE
from tests.config.embedded.supervisor_process import (
    PATIENCE,
    Supervised,
    bare_environment,
    ending,
    eventually,
)
from tests.plumbing.programs import finished

# After a crash of the whole site people wait until the web process has loaded all views.
LOAD_VIEWS = """
import sys
import config.asgi
from django.urls import reverse
reverse("sign-in")
print(*{module.split(".")[1] for module in sys.modules if module.startswith("scipy.")})
"""
COUNT_USERS = "from django.contrib.auth.models import User; print(User.objects.count(), 'users')"


@pytest.fixture(scope="module")
def port() -> int:
    with take_port("127.0.0.1", 0) as listener:
        return int(listener.getsockname()[1])


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, port: int) -> Iterator[Supervised]:
    data = tmp_path_factory.mktemp("site") / "data"
    with ending(Supervised(data, "--port", str(port), environment=bare_environment())) as supervised:
        supervised.await_words(f"Ready at http://127.0.0.1:{port}/")
        eventually(lambda: worker_answers(supervised), "the worker")
        yield supervised


def worker_answers(site: Supervised) -> bool:
    broker = site.urls()["REDIS_URL"].replace("unix://", "redis+socket://", 1)
    with Celery(broker=broker) as asker:
        return bool(asker.control.ping(timeout=1, limit=1))


def command(data: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return finished(
        [sys.executable, str(PROJECT / "manage.py"), *arguments],
        env=bare_environment(DATA_DIR=str(data), **environment),
    )


def test_it_answers_and_commands_beside_it_find_its_database(site: Supervised, port: int) -> None:
    assert answers("127.0.0.1", port) == 200
    done = command(site.data, "shell", "--verbosity", "0", "-c", COUNT_USERS)
    assert (done.returncode, done.stdout.strip()) == (0, "0 users"), done.stderr


def test_the_reserve_of_a_killed_web_server_answers_waiting_connections(site: Supervised, port: int) -> None:
    eventually(lambda: len(site.web_processes()) == 2, "the reserve")
    serving, reserve = site.web_processes()
    # Stopped, it accepts none of the connections that the kernel completes meanwhile.
    os.kill(serving, signal.SIGSTOP)
    with closing(socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)) as waiting:
        waiting.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        os.kill(serving, signal.SIGKILL)
        assert waiting.recv(100).startswith(b"HTTP/1.1 200")
    site.await_words("web ended (signal 9 (SIGKILL))")
    site.await_words(f"web is started again (process {reserve})")
    eventually(lambda: len(site.web_processes()) == 2, "the next reserve")
    assert site.web_processes()[0] == reserve


def test_a_killed_reserve_comes_back_and_nobody_waits(site: Supervised, port: int) -> None:
    eventually(lambda: len(site.web_processes()) == 2, "the reserve")
    serving, reserve = site.web_processes()
    os.kill(reserve, signal.SIGKILL)
    assert answers("127.0.0.1", port) == 200
    site.await_words("web reserve ended (signal 9 (SIGKILL))")
    site.await_words("web reserve is started again")
    assert site.web_processes()[0] == serving


def test_a_killed_worker_takes_its_pool_with_it_and_comes_back(site: Supervised) -> None:
    before = site.processes("celery", "worker")
    assert len(before) >= 3, "the worker's own process and two of its pool"
    os.kill(site.child("celery", "worker"), signal.SIGKILL)
    site.await_words("worker ended (signal 9 (SIGKILL))")
    site.await_words("worker is started again")
    eventually(lambda: worker_answers(site), "the worker after its restart")
    assert not set(before) & set(site.processes("celery", "worker"))


def test_a_killed_beat_comes_back_and_goes_on(site: Supervised) -> None:
    os.kill(site.child("celery", " beat "), signal.SIGKILL)
    site.await_words("beat ended (signal 9 (SIGKILL))")
    site.await_words("beat is started again")
    site.ask("DELETE FROM campaigns_heartbeat")
    eventually(lambda: bool(site.ask("SELECT * FROM campaigns_heartbeat")), "a task that beat sent")


def test_nothing_outlives_a_killed_supervisor_and_the_next_stops_cleanly(site: Supervised, port: int) -> None:
    worker = site.child("celery", " worker ")
    eventually(lambda: len(site.processes("celery", " worker ")) == 3, "the worker and its pool")
    for process in {*site.processes("celery", " worker ")} - {worker}:
        # One that waits for a lock or for Redis does not notice by itself either.
        os.kill(process, signal.SIGSTOP)
    site.stop(signal.SIGKILL)
    site.await_end_of_children()
    again = Supervised(site.data, "--port", str(port), environment=bare_environment())
    with ending(again):
        # What dies while the site starts does not end the start.
        eventually(lambda: bool(again.processes("config.embedded.web")), "the web server's process")
        os.kill(again.child("config.embedded.web"), signal.SIGKILL)
        again.await_words("Ready at", times=2)
        assert answers("127.0.0.1", port) == 200
        assert again.stop() == 0
        assert again.children() == []


def test_each_start_names_its_steps(site: Supervised) -> None:
    first, *later = site.said().split("Starting the database")[1:]
    assert "Making its tables" in first
    assert all("Making its tables" not in said for said in later)
    assert "Starting the site" in first


def test_a_command_without_any_database_says_so(tmp_path: Path) -> None:
    # The system may have a Postgres of its own, which must not be met by accident.
    done = command(tmp_path, "shell", "--verbosity", "0", "-c", COUNT_USERS, PGHOST=str(tmp_path))
    assert done.returncode == 1
    assert NO_DATABASE in done.stderr
    assert "Traceback" not in done.stderr


def test_the_web_process_starts_without_the_large_parts_of_scipy(tmp_path: Path) -> None:
    variables = {
        "DATA_DIR": str(tmp_path),
        "DATABASE_URL": "postgres://nobody@localhost/none",
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "REDIS_URL": "unix:///none",
        "SECRET_KEY": "for this process alone",
    }
    done = finished([sys.executable, "-c", LOAD_VIEWS], env=bare_environment(**variables), cwd=PROJECT)
    assert done.returncode == 0, done.stderr
    assert not {"linalg", "optimize", "sparse", "special", "stats"} & set(done.stdout.split())
