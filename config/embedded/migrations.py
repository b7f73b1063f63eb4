"""Check that the database has every migration, without loading Django.

A start after a crash would otherwise wait two seconds for `migrate` to find nothing to do.
"""

from __future__ import annotations

from contextlib import closing
from importlib.util import find_spec
from pathlib import Path

import psycopg2

# Installed applications that have migrations, by their labels.
PACKAGES = {
    "account": "allauth.account",
    "auth": "django.contrib.auth",
    "campaigns": "campaigns",
    "contenttypes": "django.contrib.contenttypes",
    "mfa": "allauth.mfa",
    "sessions": "django.contrib.sessions",
    "socialaccount": "allauth.socialaccount",
}


def migrations_on_disk() -> set[tuple[str, str]]:
    """Label and name of each."""
    return {
        (label, file.stem)
        for label, package in PACKAGES.items()
        for folder in _folders(package)
        for file in (folder / "migrations").glob("*.py")
        if file.stem != "__init__"
    }


def _folders(package: str) -> list[Path]:
    spec = find_spec(package)
    return [Path(folder) for folder in (spec.submodule_search_locations or [])] if spec else []


def all_applied(database: str) -> bool:
    """False also where it cannot be found out: `migrate` will say why."""
    try:
        with closing(psycopg2.connect(database)) as connection, connection.cursor() as cursor:
            cursor.execute("SELECT app, name FROM django_migrations")
            return migrations_on_disk() <= set(cursor.fetchall())
    except psycopg2.Error:
        return False
