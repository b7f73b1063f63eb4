"""Distributions as others get them: archives built from this clone, each in an environment of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from email import message_from_bytes
from email.message import Message
from importlib.metadata import Distribution, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
# Neither the clone nor what Python was told of it.
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "DJANGO"))}
TOOLS = ("pytest", "hypothesis")


@dataclass(frozen=True)
class Archives:
    wheel: Path
    sdist: Path


def build(source: Path, target: Path) -> Archives:
    """Build both archives of the project in `source`, with what is installed here and without a network."""
    _run_hatchling(source, target)
    (wheel,), (sdist,) = target.glob("*.whl"), target.glob("*.tar.gz")
    return Archives(wheel, sdist)


def build_wheel(source: Path, target: Path) -> Path:
    """Build the wheel alone."""
    _run_hatchling(source, target, "--target", "wheel")
    (wheel,) = target.glob("*.whl")
    return wheel


def _run_hatchling(source: Path, target: Path, *options: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-d", str(target), *options],
        cwd=source,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def metadata_of(wheel: Path) -> Message:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (one for one in archive.namelist() if one.endswith(".dist-info/METADATA"))
        return message_from_bytes(archive.read(name))


@dataclass(frozen=True)
class BareEnvironment:
    """An environment with the wheel, the packages that it requires, and perhaps tools."""

    folder: Path

    @property
    def python(self) -> Path:
        return self.folder / "bin" / "python"

    def run(
        self, *command: object, folder: Path, environment: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run a program of the environment in a folder outside of the clone."""
        program = [str(self.folder / "bin" / str(command[0])), *map(str, command[1:])]
        variables = {**ENVIRONMENT, **(environment or {})}
        return subprocess.run(program, cwd=folder, env=variables, capture_output=True, text=True)


def make_environment(folder: Path, wheel: Path, tools: Iterable[str] = ()) -> BareEnvironment:
    """Install the wheel into a new environment, beside tools.

    The packages that it requires, and the tools, are those of the lock file. They are linked from this
    environment, so that no network and no cache is needed.
    """
    venv.create(folder, symlinks=True)
    made = BareEnvironment(folder)
    (home,) = (folder / "lib").glob("python*/site-packages")
    required = metadata_of(wheel).get_all("Requires-Dist", [])
    for package in _with_requirements([*required, *tools]):
        for name in {file.parts[0] for file in package.files or ()} - {".."}:
            installed = Path(str(package.locate_file(name)))
            if name.endswith(".dist-info"):
                # uv follows no links to these.
                shutil.copytree(installed, home / name)
            elif name != "__pycache__" and not (home / name).exists():
                (home / name).symlink_to(installed)
    uv = ROOT / ".tools" / "bin" / "uv"
    program = str(uv) if uv.exists() else shutil.which("uv")
    assert program is not None, "make setup brings uv"
    install = [program, "pip", "install", "--quiet", "--offline", "--no-cache", "--python", str(made.python)]
    done = subprocess.run([*install, str(wheel)], cwd=folder, env=ENVIRONMENT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return made


def _with_requirements(lines: Iterable[str]) -> list[Distribution]:
    """The distributions that these requirements name, with all that they require in turn."""
    found: dict[tuple[str, str], Distribution] = {}
    wanted = _needed(lines)
    while wanted:
        requirement = wanted.pop()
        for extra in ("", *requirement.extras):
            key = (canonicalize_name(requirement.name), extra)
            if key not in found:
                found[key] = distribution(requirement.name)
                wanted += _needed(found[key].requires or (), extra)
    return [package for (_, extra), package in found.items() if not extra]


def _needed(lines: Iterable[str], extra: str = "") -> list[Requirement]:
    requirements = [Requirement(line) for line in lines]
    return [one for one in requirements if one.marker is None or one.marker.evaluate({"extra": extra})]
