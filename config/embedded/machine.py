"""Resources of the machine: the data folder, an identity for Postgres, the kernel's help, and a port.

The folder's sockets are at paths short enough for the kernel. Postgres runs as the user or, where it refuses
that, as the user `nobody` in one of two ways. The port is taken before anything starts, so that one in use is
known at once. Help of the Linux kernel does nothing elsewhere, or is not offered.
"""

from __future__ import annotations

import ctypes
import enum
import errno
import hashlib
import http.client
import os
import pwd
import socket
import stat
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

NOBODY = 65534
PR_SET_PDEATHSIG = 1
CLONE_NEWUSER = 0x10000000

PROJECT = Path(__file__).resolve().parents[2]
# sockaddr_un holds 107 bytes; Postgres and Redis add up to 24 to the folder's path.
LONGEST_FOLDER = 80

# Lets a test take the way of a machine that refuses user namespaces.
REFUSE_NAMESPACE = "EMBEDDED_REFUSE_NAMESPACE"


class EmbeddedError(Exception):
    """Something the person at the terminal can understand and mend; its text is shown as it is."""


@dataclass(frozen=True)
class DataFolders:
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


def default_data_folder() -> Path:
    return Path(os.environ.get("DATA_DIR") or PROJECT / ".embedded").absolute()


def places_at(data: Path) -> DataFolders:
    """Make the folders that are missing; each belongs to us alone."""
    data = data.absolute()
    try:
        data.mkdir(parents=True, exist_ok=True)
        places = DataFolders(data=data, sockets=_private_folder(_short(data / "run")))
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
    status = folder.lstat()
    # In /tmp another user could have made it first, to listen in.
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid():
        raise EmbeddedError(
            f"{folder} belongs to another user: remove it, or set DATA_DIR to another folder."
        )
    folder.chmod(0o700)
    return folder


class Identity(enum.Enum):
    ONESELF = "oneself"
    NAMESPACE = "nobody in a user namespace"
    NOBODY = "nobody"

    def preparation(self) -> Callable[[], None] | None:
        return as_nobody_in_own_namespace() if self is Identity.NAMESPACE else None

    def popen_options(self) -> dict[str, Any]:
        if self is Identity.NOBODY:
            return {"user": NOBODY, "group": NOBODY, "extra_groups": []}
        return {}


def identity_for_postgres() -> Identity:
    root = os.geteuid() == 0
    if not root and _has_a_name():
        return Identity.ONESELF
    if not os.environ.get(REFUSE_NAMESPACE) and _namespaces_work():
        return Identity.NAMESPACE
    return Identity.NOBODY if root else Identity.ONESELF


def _has_a_name() -> bool:
    """Containers may run under any number; Postgres insists on a user whom the system knows."""
    try:
        pwd.getpwuid(os.geteuid())
    except KeyError:
        return False
    return True


@cache
def _namespaces_work() -> bool:
    if not sys.platform.startswith("linux"):
        return False
    try:
        subprocess.run(["/bin/sh", "-c", ":"], check=True, preexec_fn=as_nobody_in_own_namespace())
    except (OSError, subprocess.SubprocessError):
        return False
    return True


def open_to_everyone(folder: Path) -> bool:
    """True if any user of the machine can reach the content of ``folder``."""
    return all(part.stat().st_mode & 0o001 for part in [folder, *folder.parents])


def as_nobody_in_own_namespace() -> Callable[[], None]:
    """Between fork and exec: the process sees itself as the user `nobody`; outside it stays who it was.

    Postgres refuses to run as root. Mapped this way it does not, and still owns root's files.
    """
    unshare = ctypes.CDLL(None, use_errno=True).unshare
    user, group = os.geteuid(), os.getegid()

    def enter() -> None:
        if unshare(CLONE_NEWUSER) != 0:
            raise OSError(ctypes.get_errno(), "no user namespace")
        # A group map is refused until setgroups is given up.
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"{NOBODY} {user} 1")
        Path("/proc/self/gid_map").write_text(f"{NOBODY} {group} 1")

    return enter


def dies_with_parent(stop_signal: int) -> Callable[[], None]:
    """Between fork and exec: ask for a signal when the supervisor dies, however it dies."""
    if not sys.platform.startswith("linux"):
        return lambda: None
    # Looked up before the fork: in the child, no other thread is left to give back the linker's lock.
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    parent = os.getpid()

    def ask() -> None:
        prctl(PR_SET_PDEATHSIG, stop_signal)
        # The parent may have died before the request was in force.
        if os.getppid() != parent:
            os._exit(1)

    return ask


def processes_marked(variable: str, value: str) -> list[int]:
    """Processes whose environment at their start held ``variable=value``."""
    wanted = f"{variable}={value}".encode()
    processes = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            environment = (entry / "environ").read_bytes()
        except OSError:
            # It ended meanwhile, or belongs to another user.
            continue
        if wanted in environment.split(b"\0"):
            processes.append(int(entry.name))
    return processes


def take_port(host: str, port: int) -> socket.socket:
    """Bind, without listening yet: visitors are refused until the site can answer them."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except (OSError, OverflowError) as error:
        raise EmbeddedError(f"{host} port {port} is no address to listen on: {error}.") from error
    taken = socket.socket(family, kind, protocol)
    taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        taken.bind(address)
    except (OSError, OverflowError) as error:
        taken.close()
        raise EmbeddedError(_reason(error, host, port)) from error
    return taken


def _reason(error: OSError | OverflowError, host: str, port: int) -> str:
    if isinstance(error, OSError) and error.errno == errno.EADDRINUSE:
        return f"Port {port} is in use by another program. Choose another: set PORT={port + 1}"
    if isinstance(error, OSError) and error.errno == errno.EACCES:
        return f"Port {port} may not be used by this user. Choose one above 1023: set PORT=8000"
    return f"Cannot listen on {host} port {port}: {error}."


def answers(host: str, port: int, path: str = "/sign-in/") -> int | None:
    """The status of a page, by default of the first, or None without an answer."""
    connection = http.client.HTTPConnection(host, port, timeout=20)
    try:
        connection.request("GET", path)
        return connection.getresponse().status
    except (OSError, http.client.HTTPException):
        return None
    finally:
        connection.close()
