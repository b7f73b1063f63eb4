"""Three things asked of the Linux kernel directly; elsewhere they do nothing or are not offered."""

import ctypes
import os
import sys
from collections.abc import Callable
from pathlib import Path

NOBODY = 65534
PR_SET_PDEATHSIG = 1
CLONE_NEWUSER = 0x10000000


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


def as_nobody_in_own_namespace() -> Callable[[], None]:
    """Between fork and exec: the process sees itself as nobody; outside it stays who it was.

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


def processes_marked(variable: str, value: str) -> list[int]:
    """Processes whose environment at their start held ``variable=value``."""
    wanted = f"{variable}={value}".encode()
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            environment = (entry / "environ").read_bytes()
        except OSError:
            # It ended meanwhile, or belongs to somebody else.
            continue
        if wanted in environment.split(b"\0"):
            found.append(int(entry.name))
    return found
