"""The library as others get it: archives built from this clone, and an environment that has nothing else."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import Distribution, distribution
from pathlib import Path

from packaging.requirements import Requirement

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
    done = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-d", str(target)],
        cwd=source,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (wheel,), (sdist,) = target.glob("*.whl"), target.glob("*.tar.gz")
    return Archives(wheel, sdist)


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


def make_environment(folder: Path, wheel: Path) -> BareEnvironment:
    """Install the wheel into a new environment.

    The packages that it requires, and the tools of its tests, are those of the lock file. They are linked
    from this environment, so that no network and no cache is needed.
    """
    venv.create(folder, symlinks=True)
    made = BareEnvironment(folder)
    (home,) = (folder / "lib").glob("python*/site-packages")
    for package in _with_requirements(["numpy", "scipy", *TOOLS]):
        for name in {file.parts[0] for file in package.files or ()} - {".."}:
            installed = Path(str(package.locate_file(name)))
            if name.endswith(".dist-info"):
                # uv follows no links to these.
                shutil.copytree(installed, home / name)
            elif name != "__pycache__":
                (home / name).symlink_to(installed)
    uv = ROOT / ".tools" / "bin" / "uv"
    program = str(uv) if uv.exists() else shutil.which("uv")
    assert program is not None, "make setup brings uv"
    install = [program, "pip", "install", "--quiet", "--offline", "--no-cache", "--python", str(made.python)]
    done = subprocess.run([*install, str(wheel)], cwd=folder, env=ENVIRONMENT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return made


def _with_requirements(names: list[str]) -> list[Distribution]:
    found: dict[str, Distribution] = {}
    while names:
        name = names.pop()
        if name not in found:
            found[name] = distribution(name)
            wanted = [Requirement(line) for line in found[name].requires or ()]
            names += [one.name for one in wanted if one.marker is None or one.marker.evaluate({"extra": ""})]
    return list(found.values())
