"""Where everything lies: one data folder, and sockets at paths short enough for the kernel."""

import hashlib
import os
import stat
from dataclasses import dataclass
from pathlib import Path

from config.embedded.errors import EmbeddedError

PROJECT = Path(__file__).resolve().parents[2]
# sockaddr_un holds 107 bytes; Postgres and Redis add up to 24 to the folder's path.
LONGEST_FOLDER = 80


@dataclass(frozen=True)
class Places:
    data: Path
    sockets: Path

    @property
    def logs(self) -> Path:
        return self.data / "logs"

    @property
    def lock(self) -> Path:
        return self.data / "lock"

    @property
    def environment(self) -> Path:
        return self.data / "environment"

    @property
    def secret_key(self) -> Path:
        return self.data / "secret-key"

    @property
    def schedule(self) -> Path:
        return self.data / "schedule"


def default_data_folder() -> Path:
    return Path(os.environ.get("DATA_DIR") or PROJECT / ".embedded").absolute()


def places_at(data: Path) -> Places:
    """Make the folders that are missing; each belongs to us alone."""
    data = data.absolute()
    try:
        data.mkdir(parents=True, exist_ok=True)
        places = Places(data=data, sockets=_private_folder(_short(data / "run")))
        places.logs.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise EmbeddedError(f"Cannot keep data in {data}: {error.strerror}.") from error
    return places


def _short(folder: Path) -> Path:
    if len(os.fsencode(folder)) <= LONGEST_FOLDER:
        return folder
    return runtime_folder() / f"assess-{os.geteuid()}-{fingerprint(folder)}"


def runtime_folder() -> Path:
    given = os.environ.get("XDG_RUNTIME_DIR", "")
    return Path(given) if given and os.access(given, os.W_OK) else Path("/tmp")  # noqa: S108


def fingerprint(folder: Path) -> str:
    return hashlib.sha256(os.fsencode(folder)).hexdigest()[:12]


def _private_folder(folder: Path) -> Path:
    folder.mkdir(mode=0o700, exist_ok=True)
    found = folder.lstat()
    # In /tmp anybody could have made it first, to listen in.
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid():
        raise EmbeddedError(
            f"{folder} belongs to somebody else: remove it, or set DATA_DIR to another folder."
        )
    folder.chmod(0o700)
    return folder
