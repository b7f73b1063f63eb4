"""The judging loop of a TREC-8-size campaign on real services: private Postgres and Redis, web server
and worker as processes of their own, HTTP in between. Nothing of it touches another database."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from config.embedded import application
from config.embedded.machine import PROJECT, DataFolders, answers, places_at, take_port
from config.embedded.processes import Child, Program
from config.embedded.supervisor import Services, stop_together
from tests.bench.report import Figure
from tests.bench.setting import Bench


def bench_loop(bench: Bench) -> Iterator[Figure]:
    yield from on_services("tests.bench.judging.loop_inside", bench)


def on_services(module: str, bench: Bench) -> Iterator[Figure]:
    """Start everything in a folder that is thrown away, measure inside it, and pass on the figures."""
    with tempfile.TemporaryDirectory(prefix="assess-bench-") as folder:
        # Where Postgres has to run as the user `nobody`, that user must be able to enter.
        Path(folder).chmod(0o711)
        places = places_at(Path(folder))
        services = Services(places, given={})
        try:
            services.start()
            environment = _environment(places, services)
            manage = [sys.executable, str(PROJECT / "manage.py")]
            subprocess.run([*manage, "migrate", "-v", "0"], env=environment, check=True)
            yield from _inside(module, bench, folder, environment)
        finally:
            services.stop()


def _inside(module: str, bench: Bench, folder: str, environment: dict[str, str]) -> Iterator[Figure]:
    """The settings name a database for good once they are read, so a process of its own reads these."""
    command = [sys.executable, "-m", "tests.bench.inside", module, folder, str(bench.seed)]
    with subprocess.Popen(command, env=environment, cwd=PROJECT, stdout=subprocess.PIPE, text=True) as inside:
        assert inside.stdout is not None
        for line in inside.stdout:
            yield Figure(**json.loads(line))
    if inside.returncode:
        raise RuntimeError(f"{module} ended with {inside.returncode}")


def _environment(places: DataFolders, services: Services) -> dict[str, str]:
    ours = application.environment(places, services.urls)
    return {**os.environ, **ours, "DJANGO_SETTINGS_MODULE": "tests.bench.site_settings"}


class Site(NamedTuple):
    port: int
    web: Child
    worker: Child


@contextmanager
def site(folder: Path) -> Iterator[Site]:
    """The web server and a worker on this process's own environment."""
    places = places_at(folder)
    environment = dict(os.environ)
    with take_port("127.0.0.1", 0) as listener:
        web = _started(places, application.web(listener.fileno(), environment))
        worker = _started(places, application.worker(places, environment))
        port = listener.getsockname()[1]
        try:
            while answers("127.0.0.1", port) is None:
                if not web.running:
                    raise RuntimeError(f"the web server did not start:\n{web.last_words()}")
            yield Site(port, web, worker)
        finally:
            stop_together([web, worker], grace=4)


def _started(places: DataFolders, program: Program) -> Child:
    child = Child(program, places.logs / f"{program.name}.log", mark=str(places.data))
    child.start()
    return child
