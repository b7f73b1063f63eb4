"""The wheel of the site, installed where there is no clone."""

from __future__ import annotations

import re
import subprocess
import tomllib
import urllib.request
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from config.embedded.machine import take_port
from tests.config.embedded.supervisor_process import Supervised, bare_environment, ending, eventually
from tests.library.bare_environment import (
    ROOT,
    BareEnvironment,
    build_wheel,
    make_environment,
    metadata_of,
)

INSIDE = "judged_site/project/"
# Of use in a clone alone, and the library's surface.
LEFT_OUT = {"bin", "deploy", "distribution", "judged", "tests"}
MOST_BYTES = 8_000_000
COUNT_USERS = "from django.contrib.auth.models import User; print(User.objects.count(), 'users')"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_wheel(ROOT / "distribution" / "site", tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> BareEnvironment:
    return make_environment(tmp_path_factory.mktemp("installed") / "environment", wheel)


def files_of_the_clone() -> set[str]:
    """All files in its folders that Git does not ignore, but for hidden folders."""
    listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    return {name for name in names if "/" in name and not name.startswith(".") and (ROOT / name).is_file()}


def test_wheel_holds_the_folders_of_the_product(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
    held = {name.removeprefix(INSIDE) for name in names if name.startswith(INSIDE)}
    assert names - {INSIDE + name for name in held} == {"judged_site/__init__.py"}
    assert {name for name in held if "/" not in name} == {"LICENSE", "manage.py", "pyproject.toml"}
    product = {name for name in files_of_the_clone() if name.partition("/")[0] not in LEFT_OUT}
    assert {name for name in held if "/" in name} == product
    assert wheel.stat().st_size < MOST_BYTES


def test_wheel_requires_what_a_clone_installs_without_tools(wheel: Path) -> None:
    clone = tomllib.loads((ROOT / "pyproject.toml").read_text())
    project, groups = clone["project"], clone["dependency-groups"]
    extras = [line for extra in project["optional-dependencies"].values() for line in extra]
    expected = [*project["dependencies"], *extras, *groups["site"], *groups["embedded"]]
    said = metadata_of(wheel)
    assert {Requirement(line) for line in said.get_all("Requires-Dist", [])} == set(
        map(Requirement, expected)
    )
    assert (said["Name"], said["Version"]) == ("judged-site", project["version"])
    assert said["Requires-Python"] == project["requires-python"]


@pytest.fixture
def site(installed: BareEnvironment, outside: Path) -> Iterator[Supervised]:
    """The installed site, started in a folder that has a package of a name that the project has, too."""
    stranger = outside / "config"
    stranger.mkdir()
    (stranger / "__init__.py").write_text("raise SystemExit('not the project')")
    with take_port("127.0.0.1", 0) as listener:
        port = str(listener.getsockname()[1])
    environment = site_environment(outside)
    program = [str(installed.folder / "bin" / "judged-site")]
    data = outside / "share" / "judged-site"
    data.parent.mkdir()
    started = Supervised(data, "--port", port, environment=environment, program=program, cwd=outside)
    with ending(started) as supervised:
        supervised.await_words(f"Ready at http://127.0.0.1:{port}/")
        yield supervised


def site_environment(outside: Path) -> dict[str, str]:
    given = bare_environment(XDG_DATA_HOME=str(outside / "share"))
    return {name: value for name, value in given.items() if not name.startswith(("PYTHON", "DJANGO"))}


def test_installed_site_serves_its_pages_and_finds_its_data(
    site: Supervised, installed: BareEnvironment, outside: Path
) -> None:
    address = site.said().split("Ready at ")[1].split("/   ")[0]

    def page(path: str) -> str:
        asked = urllib.request.Request(address + path, headers={"Accept-Language": "de"})
        with urllib.request.urlopen(asked) as answer:
            return str(answer.read().decode())

    first = page("/sign-in/")
    assert "Anmelden" in first
    sheets = re.findall(r'href="(/static/[^"]+\.css)"', first)
    assert sheets
    assert all(page(sheet) for sheet in sheets)
    assert "<h1" in page("/help/tutorial/")
    eventually((site.data / "worker.heartbeat").exists, "the worker")
    done = subprocess.run(
        [str(installed.folder / "bin" / "judged-site"), "shell", "--verbosity", "0", "-c", COUNT_USERS],
        cwd=outside,
        env=site_environment(outside),
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout.strip()) == (0, "0 users"), done.stderr
    assert site.stop() == 0
