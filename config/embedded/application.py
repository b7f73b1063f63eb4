"""The programs of the site itself, as the supervisor starts them."""

import os
import secrets
import signal
import sys
from collections.abc import Mapping, Sequence

from config.embedded.machine import PROJECT, Places
from config.embedded.processes import Program

Environment = Mapping[str, str]
SUPERVISED_VARIABLE = "EMBEDDED_SUPERVISED"


def environment(places: Places, urls: Mapping[str, str]) -> dict[str, str]:
    return {
        **urls,
        "DATA_DIR": str(places.data),
        "SECRET_KEY": os.environ.get("SECRET_KEY") or _kept_secret(places),
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "PYTHONUNBUFFERED": "1",
        "PYTHONPATH": os.pathsep.join(filter(None, [str(PROJECT), os.environ.get("PYTHONPATH")])),
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


def worker(
    places: Places, environment: Environment, *, beat: bool = True, name: str = "worker@%h"
) -> Program:
    options = ["--hostname", name, "--pool", "prefork", "--concurrency", "2", "--loglevel", "WARNING"]
    # There is no other worker to hear from, and waiting for one would cost a second at every start.
    options += ["--without-mingle", "--without-gossip"]
    if beat:
        options += ["--beat", "--schedule", str(places.schedule)]
    return Program(
        name="worker",
        command=[sys.executable, "-m", "celery", "--quiet", "--app", "config", "worker", *options],
        # Root is who started everything; the broker is as private as the terminal.
        environment={**environment, "PYTHONWARNINGS": "ignore:You're running the worker with superuser"},
    )


def _kept_secret(places: Places) -> str:
    """The same key at every start, or everybody would be signed out by a restart."""
    if not places.secret_key.exists():
        descriptor = os.open(places.secret_key, os.O_WRONLY | os.O_CREAT, 0o600)
        with os.fdopen(descriptor, "w") as file:
            file.write(secrets.token_urlsafe(50))
    return places.secret_key.read_text().strip()
