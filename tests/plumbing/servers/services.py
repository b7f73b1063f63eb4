"""The throw-away Postgres and Redis of one test session, less those that the environment names."""

import atexit
import os
import secrets
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from config.embedded.machine import places_at
from config.embedded.postgres import Home, home_at
from config.embedded.supervisor import Services
from tests.plumbing.servers import migrated_cluster

PREFIX = "assess-tests-"


class Pair:
    def __init__(self) -> None:
        remove_abandoned()
        self._folder = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-"))
        # Where Postgres has to run as the user `nobody`, that user must be able to enter.
        self._folder.chmod(0o711)
        self.places = places_at(self._folder)
        self._services = Services(self.places, forgetful=True)
        # Also when pytest breaks off without saying goodbye to its plugins.
        atexit.register(self.discard)

    @property
    def urls(self) -> Mapping[str, str]:
        return self._services.urls

    def name_in_environment(self) -> None:
        os.environ.update(self.urls)
        os.environ["DJANGO_SETTINGS_MODULE"] = "tests.plumbing.settings"
        os.environ["DATA_DIR"] = str(self._folder)
        os.environ.setdefault("SECRET_KEY", secrets.token_urlsafe(50))
        os.environ.setdefault("METRICS_TOKEN", "metrics of the tests")
        # A wait for a lock that is never released ends in an error.
        os.environ.setdefault("PGOPTIONS", "-c lock_timeout=240s")

    @property
    def migrated(self) -> bool:
        """True if the server is ours: then it starts with the migrated test database."""
        return self._services.database_folder is not None

    def start(self) -> None:
        if self.migrated:
            migrated_cluster.copy_to(home_at(self.places))
        self._services.start()

    def start_empty(self) -> Home:
        self._services.start()
        return home_at(self.places)

    def stop(self, grace: float) -> None:
        self._services.stop(grace)

    def discard(self) -> None:
        self.stop(grace=3)
        shutil.rmtree(self._folder, ignore_errors=True)


def remove_abandoned() -> None:
    """Folders of sessions that were killed; their servers ended with them."""
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*-*"):
        process = folder.name.removeprefix(PREFIX).split("-")[0]
        if process.isdigit() and not Path(f"/proc/{process}").exists() and Path("/proc/self").exists():
            shutil.rmtree(folder, ignore_errors=True)


pair = Pair()
