"""Run with a file of docnos as a module: prints the names that lead to no object, with the reason."""

from __future__ import annotations

import importlib
import pkgutil
import sys
import warnings
from pathlib import Path

import django
from django.conf import settings

APPS = (
    "admin admindocs auth contenttypes flatpages humanize messages postgres redirects sessions sitemaps sites"
)


def resolve(name: str) -> object:
    """An attribute path from the longest part that is a module, or from the built-in names."""
    try:
        return pkgutil.resolve_name(name)
    except ModuleNotFoundError:
        value: object = importlib.import_module("builtins")
        for part in name.split("."):
            value = getattr(value, part)
        return value


def main() -> None:
    warnings.simplefilter("ignore")
    settings.configure(
        INSTALLED_APPS=[f"django.contrib.{app}" for app in APPS.split()],
        SITE_ID=1,
        SECRET_KEY="for looking only",
        DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}},
    )
    django.setup()
    for name in Path(sys.argv[1]).read_text().split():
        try:
            resolve(name)
        except (ImportError, AttributeError, RuntimeError) as error:
            print(name, repr(error))


if __name__ == "__main__":
    main()
