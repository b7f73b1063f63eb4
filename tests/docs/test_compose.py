"""The production files fit the program: they parse, and name only what exists."""

import re
from importlib import import_module
from typing import Any

import pytest
import yaml

from config.embedded.machine import PROJECT
from tests.docs.test_readme import settings_that_are_read

COMPOSE: dict[str, Any] = yaml.safe_load((PROJECT / "docker-compose.yml").read_text())
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
OURS = ["migrate", "web", "worker", "beat"]


def test_all_parts_are_there() -> None:
    assert set(SERVICES) == {"database", "broker", *OURS}


@pytest.mark.parametrize("name", OURS)
def test_the_site_is_given_only_settings_that_it_reads(name: str) -> None:
    environment = SERVICES[name]["environment"]
    assert set(environment) <= settings_that_are_read()
    assert {"DATABASE_URL", "REDIS_URL", "SECRET_KEY", "ALLOWED_HOSTS"} <= set(environment)


def test_dependencies_are_services_and_volumes_are_declared() -> None:
    for service in SERVICES.values():
        assert set(service.get("depends_on", {})) <= set(SERVICES)
        named = {volume.split(":")[0] for volume in service.get("volumes", [])}
        assert named <= set(COMPOSE["volumes"])


def test_the_image_starts_an_application_that_exists() -> None:
    dockerfile = (PROJECT / "Dockerfile").read_text()
    module, name = re.findall(r'"uvicorn", "([\w.]+):(\w+)"', dockerfile)[0]
    assert callable(getattr(import_module(module), name))
    for copied in ("pyproject.toml", "uv.lock"):
        assert copied in dockerfile
        assert (PROJECT / copied).exists()


def test_celery_commands_name_the_application() -> None:
    for name in ("worker", "beat"):
        command = SERVICES[name]["command"]
        assert command[:4] == ["celery", "--app", "config", name]
        assert import_module("config").celery_app.main
