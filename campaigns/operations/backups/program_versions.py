"""The versions of the program and of what it runs on."""

from __future__ import annotations

import platform
import tomllib
from functools import cache

import django
from django.conf import settings
from django.db import connection

from campaigns.core.broker import broker


@cache
def program_version() -> str:
    with (settings.BASE_DIR / "pyproject.toml").open("rb") as file:
        return str(tomllib.load(file)["project"]["version"])


def versions() -> dict[str, str]:
    """Versions by name, as an administrator reads them; RedisError or a database error where one does not
    answer."""
    with connection.cursor() as cursor:
        cursor.execute("SHOW server_version")
        postgres = str(cursor.fetchone()[0])
    return {
        "Assess": program_version(),
        "Python": platform.python_version(),
        "Django": django.__version__,
        "Postgres": postgres,
        "Redis": str(broker().info("server")["redis_version"]),
    }
