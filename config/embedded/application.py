"""The programs of the site itself, as the supervisor starts them."""

import os
import secrets
import signal
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from config import heartbeat
from config.embedded.machine import PROJECT, DataFolders
from config.embedded.processes import Program

Environment = Mapping[str, str]
SUPERVISED_VARIABLE = "EMBEDDED_SUPERVISED"


def environment(places: DataFolders, urls: Mapping[str, str]) -> dict[str, str]:
    return {
        **urls,
        "DATA_DIR": str(places.data),
        "SECRET_KEY": os.environ.get("SECRET_KEY") or _kept_secret(places),
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "PYTHONUNBUFFERED": "1",
        "PYTHONPATH": os.pathsep.join(filter(None, [str(PROJECT), os.environ.get("PYTHONPATH")])),
        # A folder `config` where the person started the site is not ours.
        "PYTHONSAFEPATH": "1",
        SUPERVISED_VARIABLE: "1",
    }


def manage(arguments: Sequence[str], environment: Environment, *, on_terminal: bool = False) -> Program:
    return Program(
        name=arguments[0],
        command=[sys.executable, str(PROJECT / "manage.py"), *arguments],
        environment=environment,
        on_terminal=on_terminal,
    )


def web(descriptor: int, environment: Environment) -> Program:
    return Program(
        name="web",
        command=[sys.executable, "-m", "config.embedded.web", str(descriptor)],
        environment=environment,
        # It keeps nothing that a sudden end could spoil.
        orphan_signal=signal.SIGKILL,
        files=(descriptor,),
    )


def worker(places: DataFolders, environment: Environment, *, name: str = "worker@%h") -> Program:
    options = ["--hostname", name, "--pool", "prefork", "--concurrency", "2"]
    # There is no other worker to hear from, and waiting for one would cost a second at every start.
    options += ["--without-mingle", "--without-gossip"]
    # Nothing listens to Celery's own heartbeat, and a stop that finds Redis gone would wait for it for ever.
    options += ["--without-heartbeat"]
    return _celery("worker", options, places, environment)


def beat(places: DataFolders, environment: Environment) -> Program:
    return _celery("beat", [], places, environment)


def _celery(name: str, options: Sequence[str], places: DataFolders, environment: Environment) -> Program:
    # It imports from its working folder before all others.
    celery = [sys.executable, "-m", "celery", "--quiet", "--workdir", str(PROJECT), "--app", "config"]
    return Program(
        name=name,
        command=[*celery, name, *options, "--loglevel", "WARNING"],
        environment={
            **environment,
            # Root is who started everything; the broker is as private as the terminal.
            "PYTHONWARNINGS": "ignore:You're running the worker with superuser",
            heartbeat.VARIABLE: str(heartbeat_file(places, name)),
        },
        # Asked to stop, it would wait for a Redis that ends at the same moment.
        orphan_signal=signal.SIGKILL,
    )


def heartbeat_file(places: DataFolders, name: str) -> Path:
    return places.data / f"{name}.heartbeat"


def _kept_secret(places: DataFolders) -> str:
    """The same key at every start, or everybody would be signed out by a restart."""
    if not places.secret_key.exists():
        descriptor = os.open(places.secret_key, os.O_WRONLY | os.O_CREAT, 0o600)
        with os.fdopen(descriptor, "w") as file:
            file.write(secrets.token_urlsafe(50))
    return places.secret_key.read_text().strip()
