"""docker-compose.yml and .env.example, read as Compose reads them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import yaml

from config.embedded.machine import PROJECT

TEXT = (PROJECT / "docker-compose.yml").read_text()
COMPOSE: dict[str, Any] = yaml.safe_load(TEXT)
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
OURS = ["migrate", "web", "worker", "beat"]
EXAMPLE: dict[str, str] = dict(
    line.split("=", 1)
    for line in (PROJECT / ".env.example").read_text().splitlines()
    if line and not line.startswith("#")
)
# ${NAME}, ${NAME:-default} and ${NAME:?what to do}
VARIABLE = re.compile(r"\$\{([A-Z_]+)(?::([-?])([^}]*))?\}")


def environment_of(service: str, values: Mapping[str, str]) -> dict[str, str]:
    """The variables that the file gives to a service, with ``values`` for those of .env."""

    def value_of(found: re.Match[str]) -> str:
        name, kind, words = found.groups()
        if values.get(name):
            return values[name]
        if kind != "-":
            raise KeyError(f"{name}: {words}")
        return str(words)

    given = SERVICES[service]["environment"]
    return {name: VARIABLE.sub(value_of, str(value)) for name, value in given.items()}
