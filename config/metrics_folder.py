"""The folder in which the web processes of one machine share what they measure."""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

from config.embedded.machine import fingerprint


def metrics_folder(data: Path) -> Path:
    """Made if it is missing. The figures are gone after a restart of the machine, as counters may be; a
    container's own file system may be read-only but for this place."""
    place = Path(tempfile.gettempdir())
    folder = place / f"assess-metrics-{os.geteuid()}-{fingerprint(data.absolute())}"
    folder.mkdir(mode=0o700, exist_ok=True)
    status = folder.lstat()
    # Another user could have made it first, to write figures of their own.
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid():
        raise ImproperlyConfigured(f"{folder} belongs to another user: remove it")
    return folder
