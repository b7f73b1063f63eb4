"""Where and as whom Postgres can run: deep folders, refused namespaces, ordinary users."""

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from config.embedded.machine import (
    NOBODY,
    PROJECT,
    REFUSE_NAMESPACE,
    Identity,
    fingerprint,
    identity_for_postgres,
    open_to_everyone,
    places_at,
)
from tests.config.embedded.supervisor_process import SERVICES_UP, Start, bare_environment
from tests.config.embedded.supervisor_process import start as start

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root may change its user")


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """Unlike pytest's own, one that every user of the machine may enter."""
    folder = Path(tempfile.mkdtemp(prefix="assess-open-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


def test_a_deep_folder_gets_its_sockets_elsewhere(start: Start, tmp_path: Path) -> None:
    deep = tmp_path / ("deep" * 25) / "data"
    deep.parent.mkdir()
    supervised = start("--services-only", data=deep)
    supervised.await_words(SERVICES_UP)
    assert supervised.ask("SELECT 1") == (1,)
    sockets = places_at(deep).sockets
    assert not sockets.is_relative_to(deep)
    assert sockets.stat().st_mode & 0o777 == 0o700
    assert supervised.stop() == 0
    shutil.rmtree(sockets)


@as_root
@pytest.mark.skipif(identity_for_postgres() is not Identity.NAMESPACE, reason="no user namespaces here")
def test_root_stays_the_owner_through_a_namespace(start: Start) -> None:
    supervised = start("--services-only")
    supervised.await_words(SERVICES_UP)
    assert (supervised.data / "postgres").stat().st_uid == 0
    assert Path(f"/proc/{supervised.child('postgres')}/uid_map").read_text().split() == ["65534", "0", "1"]


@as_root
def test_without_namespaces_root_lets_nobody_run_it(start: Start, open_folder: Path) -> None:
    environment = bare_environment(**{REFUSE_NAMESPACE: "1"})
    supervised = start("--services-only", data=open_folder / "data", environment=environment)
    supervised.await_words(SERVICES_UP)
    assert supervised.ask("SELECT 1") == (1,)
    assert (supervised.data / "postgres").stat().st_uid == NOBODY
    assert supervised.stop() == 0
    assert supervised.children() == []


@as_root
def test_nobody_gets_a_folder_within_reach(start: Start, tmp_path: Path) -> None:
    closed = tmp_path / "data"
    assert not open_to_everyone(tmp_path)
    elsewhere = Path("/var/lib") / f"assess-{fingerprint(closed)}"
    try:
        supervised = start(
            "--services-only", data=closed, environment=bare_environment(**{REFUSE_NAMESPACE: "1"})
        )
        supervised.await_words(SERVICES_UP)
        assert supervised.ask("SELECT 1") == (1,)
        assert (elsewhere / "postgres").stat().st_uid == NOBODY
        supervised.stop()
    finally:
        shutil.rmtree(elsewhere, ignore_errors=True)


@as_root
@pytest.mark.parametrize("user", [NOBODY, 12345], ids=["known", "unknown, as in containers"])
def test_an_ordinary_user_runs_it_as_himself(start: Start, open_folder: Path, user: int) -> None:
    if not (open_to_everyone(PROJECT) and open_to_everyone(Path(sys.executable).resolve().parent)):
        pytest.skip("other users cannot reach this project or its Python")
    home = open_folder / "home"
    home.mkdir()
    os.chown(home, user, user)
    supervised = start(
        "--services-only",
        data=home / "data",
        environment=bare_environment(HOME=str(home)),
        user=user,
        group=user,
        extra_groups=[],
    )
    supervised.await_words(SERVICES_UP)
    assert (supervised.data / "postgres").stat().st_uid == user
    assert supervised.stop() == 0
    assert supervised.children() == []
