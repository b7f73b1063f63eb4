"""One supervisor per data folder."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager

from config.embedded.errors import EmbeddedError
from config.embedded.machine import Places


@contextmanager
def alone(places: Places, address: str) -> Iterator[None]:
    """Hold the folder's lock; it says who holds it, and falls with the process that does."""
    descriptor = os.open(places.lock, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            holder = os.read(descriptor, 200).decode(errors="replace").strip()
            raise EmbeddedError(
                f"Already running on {places.data} ({holder or 'still starting'}). Stop that one first."
            ) from None
        os.ftruncate(descriptor, 0)
        os.write(descriptor, f"process {os.getpid()}, {address}".encode())
        yield
    finally:
        os.close(descriptor)
