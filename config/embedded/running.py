"""How other commands find the services that a supervisor has up: it leaves their addresses in a file."""

import os
import socket
from collections.abc import Mapping, MutableMapping
from contextlib import closing
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

from config.embedded.machine import Places, default_data_folder

NO_DATABASE = "No database is running. Start one with `make demo`, or set DATABASE_URL."


def write_environment(places: Places, variables: Mapping[str, str]) -> None:
    text = "".join(f"{name}={value}\n" for name, value in variables.items())
    unfinished = places.environment.with_suffix(".unfinished")
    descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(text)
    unfinished.replace(places.environment)


def use_running_services(environment: MutableMapping[str, str]) -> bool:
    """Fill in what the environment leaves open, if the services are really there."""
    try:
        lines = (default_data_folder() / "environment").read_text().splitlines()
    except OSError:
        return False
    found = dict(line.split("=", 1) for line in lines)
    if not _reachable(found.get("DATABASE_URL", "")):
        # A supervisor that was killed could not take the file away.
        return False
    for name, value in found.items():
        environment.setdefault(name, value)
    return True


def _reachable(url: str) -> bool:
    parts = urlsplit(url)
    folder = parse_qs(parts.query).get("host", [""])[0]
    if not folder:
        # A server of somebody else's; whether it answers shows when it is used.
        return bool(unquote(parts.netloc))
    with closing(socket.socket(socket.AF_UNIX)) as probe:
        return probe.connect_ex(str(Path(folder) / ".s.PGSQL.5432")) == 0
