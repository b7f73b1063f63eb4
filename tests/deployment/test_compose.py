"""The compose file is valid, names only what exists, and confines every service."""

import os
import re
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from config.embedded.machine import PROJECT
from tests.deployment.compose import COMPOSE, EXAMPLE, OURS, SERVICES, TEXT, VARIABLE, environment_of
from tests.docs.reference.test_reference_tables import settings_that_are_read
from tests.plumbing.programs import finished, tool

ALL = sorted(SERVICES)
# Read by no setting: where worker and beat show that they live.
HEARTBEAT = {"HEARTBEAT_FILE"}
# Empty, lest .env fill it in.
EMPTIED = {"POSTGRES_PASSWORD"}
SECRETS = ("SECRET_KEY", "POSTGRES_PASSWORD", "SITE_PASSWORD", "REDIS_PASSWORD")


def test_all_parts_are_there() -> None:
    assert set(SERVICES) == {"proxy", "database", "broker", *OURS}


def test_file_fits_the_schema_of_compose_files() -> None:
    done = finished(
        [tool("check-jsonschema"), "--builtin-schema", "vendor.compose-spec", "docker-compose.yml"]
    )
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("name", OURS)
def test_site_is_given_only_settings_that_it_reads(name: str) -> None:
    environment = SERVICES[name]["environment"]
    assert set(environment) - HEARTBEAT - EMPTIED <= settings_that_are_read()
    assert environment["POSTGRES_PASSWORD"] == ""
    assert {"DATABASE_URL", "REDIS_URL", "SECRET_KEY", "ALLOWED_HOSTS", "SITE_URL", "EMAIL_URL"} <= set(
        environment
    )
    assert SERVICES[name]["env_file"] == ".env"


def test_every_variable_is_in_the_example() -> None:
    used = {found[1] for found in VARIABLE.finditer(TEXT)}
    assert len(used) > 10
    assert used <= set(EXAMPLE)
    assert TEXT.count("$") == len(VARIABLE.findall(TEXT)), "a variable in another form"
    assert set(EXAMPLE) - used <= settings_that_are_read()


def test_defaults_are_those_of_the_example() -> None:
    defaults = {found[1]: found[3] for found in VARIABLE.finditer(TEXT) if found[2] == "-"}
    assert defaults == {name: EXAMPLE[name] for name in defaults}


def test_secrets_are_left_empty_in_the_example_and_asked_for() -> None:
    for name in SECRETS:
        assert EXAMPLE[name] == ""
    with pytest.raises(KeyError, match=r"fill in \.env"):
        environment_of("web", EXAMPLE)
    given = EXAMPLE | {name: name.lower() for name in SECRETS}
    filled = environment_of("web", given)
    assert filled["DATABASE_URL"] == "postgres://site:site_password@database/assess"
    assert filled["REDIS_URL"] == "redis://:redis_password@broker:6379/0"
    assert filled["SITE_URL"] == "https://assess.example.org"
    owner = environment_of("migrate", given)["DATABASE_URL"]
    assert owner == "postgres://assess:postgres_password@database/assess"
    assert all("POSTGRES_PASSWORD:?" not in str(SERVICES[name]) for name in ("web", "worker", "beat"))


def test_the_real_settings_file_never_enters_a_commit_or_an_image() -> None:
    assert ".env" in (PROJECT / ".gitignore").read_text().splitlines()
    assert ".env*" in (PROJECT / ".dockerignore").read_text().splitlines()


@pytest.mark.parametrize("name", ALL)
def test_service_is_confined(name: str) -> None:
    service = SERVICES[name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert "/tmp" in {place.split(":")[0] for place in service["tmpfs"]}
    assert service["logging"]["options"].keys() == {"max-size", "max-file"}
    assert service["deploy"]["resources"]["limits"].keys() == {"cpus", "memory", "pids"}
    # Ours have their user in the Dockerfile.
    assert "user" in service or "build" in service


@pytest.mark.parametrize("name", sorted(set(ALL) - {"migrate"}))
def test_lasting_service_has_a_health_check_and_starts_again(name: str) -> None:
    service = SERVICES[name]
    assert service["healthcheck"]["test"][0] in ("CMD", "CMD-SHELL")
    assert {"interval", "timeout"} <= set(service["healthcheck"])
    assert service["restart"] == "unless-stopped"


@pytest.mark.parametrize("name", sorted(set(ALL) - {"migrate"}))
def test_image_is_ours_or_of_one_exact_version(name: str) -> None:
    service = SERVICES[name]
    if "build" not in service:
        assert re.fullmatch(r"[a-z]+:\d+\.\d+(\.\d+)?-[a-z]+", service["image"])


def test_only_the_proxy_is_reached_from_outside() -> None:
    assert {name for name in SERVICES if "ports" in SERVICES[name]} == {"proxy"}
    assert COMPOSE["networks"]["inside"] == {"internal": True}
    for name in ("database", "broker"):
        assert SERVICES[name]["networks"] == ["inside"]
    assert SERVICES["proxy"]["networks"] == ["outside"]


def test_dependencies_are_services_and_volumes_are_declared() -> None:
    for service in SERVICES.values():
        assert set(service.get("depends_on", {})) <= set(SERVICES)
        sources = {volume.split(":")[0] for volume in service.get("volumes", [])}
        files = {source for source in sources if source.startswith("./")}
        assert sources - files <= set(COMPOSE["volumes"])
        assert all((PROJECT / file).is_file() for file in files)


def test_celery_commands_name_the_application() -> None:
    for name in ("worker", "beat"):
        command: list[Any] = SERVICES[name]["command"]
        assert command[:4] == ["celery", "--app", "config", name]
        assert import_module("config").celery_app.main


def test_beat_is_alone() -> None:
    assert SERVICES["beat"]["deploy"]["replicas"] == 1


@pytest.mark.parametrize(("age", "code"), [(0, 0), (300, 1), (None, 1)], ids=["fresh", "old", "missing"])
def test_heartbeat_check_wants_a_file_touched_just_now(tmp_path: Path, age: int | None, code: int) -> None:
    if age is not None:
        (tmp_path / "heartbeat").touch()
        now = (tmp_path / "heartbeat").stat().st_mtime
        os.utime(tmp_path / "heartbeat", (now - age, now - age))
    for name in ("worker", "beat"):
        kind, command = SERVICES[name]["healthcheck"]["test"]
        assert kind == "CMD-SHELL"
        assert SERVICES[name]["environment"]["HEARTBEAT_FILE"] in command
        done = finished(["sh", "-c", command.replace("/tmp/", f"{tmp_path}/")])
        assert done.returncode == code


def test_health_check_of_the_web_process_passes(live_site: str) -> None:
    kind, python, option, program = SERVICES["web"]["healthcheck"]["test"]
    assert (kind, python, option) == ("CMD", "python", "-c")
    assert program.count("http://127.0.0.1:8000") == 1
    done = finished([tool("python"), "-c", program.replace("http://127.0.0.1:8000", live_site)])
    assert done.returncode == 0, done.stderr


def test_heartbeat_variable_is_the_one_that_is_touched() -> None:
    assert {import_module("config.heartbeat").VARIABLE} == HEARTBEAT
