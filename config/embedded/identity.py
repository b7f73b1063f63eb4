"""As whom Postgres runs: as oneself, or, where it refuses that, as nobody in one of two ways."""

import enum
import os
import pwd
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from config.embedded.linux import NOBODY, as_nobody_in_own_namespace

# Lets a test take the way of a machine that refuses user namespaces.
REFUSE_NAMESPACE = "EMBEDDED_REFUSE_NAMESPACE"


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
    """Whether any user of the machine can reach what lies in ``folder``."""
    return all(part.stat().st_mode & 0o001 for part in [folder, *folder.parents])
