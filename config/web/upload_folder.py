"""A folder of temporary files for this process, and the end of those that killed processes left.

Each process holds the lock of its folder while it lives, and the kernel frees the locks of dead processes. So
no files are removed while they are in use, also where several sites or containers share a folder.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

LOCK = "lock"


class UploadFolder:
    """Made below `parent`, or the system's temporary folder, by `open`; removed by `close`."""

    def __init__(self, parent: str | None) -> None:
        self._parent = Path(parent or tempfile.gettempdir())
        self._descriptor: int | None = None
        self.path: Path | None = None

    def open(self) -> Path:
        shared = _private(self._parent / f"assess-uploads-{os.geteuid()}")
        # One after the other: a folder that is just being made has no lock yet.
        with _locked(shared / LOCK):
            for folder in shared.iterdir():
                if folder.is_dir() and not _in_use(folder):
                    shutil.rmtree(folder, ignore_errors=True)
            self.path = Path(tempfile.mkdtemp(prefix=f"{os.getpid()}-", dir=shared))
            self._descriptor = os.open(self.path / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return self.path

    def close(self) -> None:
        if self.path is not None and self._descriptor is not None:
            shutil.rmtree(self.path, ignore_errors=True)
            os.close(self._descriptor)
            self.path = self._descriptor = None


def _private(folder: Path) -> Path:
    with suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    status = folder.lstat()
    # In a shared folder another user could have made it first, to read uploads.
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid():
        raise PermissionError(
            f"{folder} belongs to another user: remove it, or set FILE_UPLOAD_TEMP_DIR to another folder."
        )
    folder.chmod(0o700)
    return folder


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _in_use(folder: Path) -> bool:
    try:
        descriptor = os.open(folder / LOCK, os.O_RDWR)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(descriptor)
    return False
