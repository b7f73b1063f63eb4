"""Children that fail again and again or hang, and processes that will not go."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from config.embedded import application, redis_server
from config.embedded.keeper import Keeper
from config.embedded.machine import EmbeddedError, places_at
from config.embedded.processes import MARK, MOST_LOSSES, Child, Program, await_ready, end_leftovers
from config.embedded.supervisor import Supervisor
from config.embedded.vital_signs import Sign, heartbeat_sign, postgres_sign, redis_sign
from tests.config.embedded.supervisor_process import PATIENCE, eventually
from tests.plumbing.servers.services import pair

STUBBORN = "import signal, time; signal.signal(15, signal.SIG_IGN); print('up', flush=True); time.sleep(600)"


def test_each_restart_of_a_failing_child_waits_longer(tmp_path: Path) -> None:
    said: list[str] = []
    keeper = kept(tmp_path, ["false"], said, lambda: False)

    def crashed_three_times() -> bool:
        keeper.tend()
        return sum("ended" in words for words in said) == 3

    eventually(crashed_three_times, "three crashes")
    assert ["child" in words for words in said] == [True] * 5
    delays = [words.split("next start in ")[1].split(" s.")[0] for words in said if "ended" in words]
    assert delays == ["0", "0.5", "1"]
    assert said[0].startswith("child ended (exit code 1)")


def test_the_delay_is_forgotten_after_a_steady_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    keeper = kept(tmp_path, ["sleep", "600"], said, lambda: True, between=0.01)
    for _ in range(2):
        kill_and_await_restart(keeper)
    assert "next start in 0.5 s" in said[2]
    monkeypatch.setattr("config.embedded.keeper.STEADY_AFTER", 0.0)
    eventually(lambda: keeper.watch.steady > 0, "two signs of life")
    kill_and_await_restart(keeper)
    assert "next start in 0 s" in said[4]
    keeper.child.kill_group()


@pytest.mark.parametrize("shown", [False, True])
def test_a_child_that_runs_and_shows_no_life_is_started_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shown: bool
) -> None:
    said: list[str] = []
    alive = threading.Event()
    alive.set()
    keeper = kept(tmp_path, ["sleep", "600"], said, alive.is_set, hung_after=0.2, between=0.01)
    first = keeper.child.pid
    eventually(lambda: keeper.well, "the first sign of life")
    if not shown:
        monkeypatch.setattr("config.embedded.keeper.LONGEST_START", 0.2)
        keeper.watch.begin()
    alive.clear()
    eventually(lambda: restarted(keeper, first), "the restart of a hung child")
    assert said[0].startswith("child gave no sign of life for 0 s")
    keeper.child.kill_group()


def test_a_stopped_server_gives_no_sign_and_a_running_one_does(tmp_path: Path) -> None:
    places = places_at(tmp_path / "data")
    child = Child(redis_server.program(places, forgetful=True), tmp_path / "redis.log", mark="tests")
    child.start()
    redis_server.await_ready(places, child)
    sign = redis_sign(redis_server.socket_at(places))
    try:
        assert sign()
        os.kill(child.pid, signal.SIGSTOP)
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr("config.embedded.vital_signs.PROBE_SECONDS", 0.2)
            assert not sign()
    finally:
        child.kill_group()


def test_postgres_shows_life() -> None:
    socket = parse_qs(urlsplit(pair.urls["DATABASE_URL"]).query)["host"][0]
    assert postgres_sign(Path(socket))()


def test_a_heart_that_stands_still_counts_only_beside_a_broker(tmp_path: Path) -> None:
    file = tmp_path / "heartbeat"
    beside, alone = (
        heartbeat_sign(file, broker) for broker in (pair.urls["REDIS_URL"], f"unix://{tmp_path}/none")
    )
    assert [beside(), alone()] == [False, True]
    # A clock that was set back is a change, too.
    for moment in (2_000_000_000, 1_000_000_000):
        file.touch()
        os.utime(file, (moment, moment))
        assert [beside(), beside()] == [True, False]


def kept(folder: Path, command: list[str], said: list[str], sign: Sign, **options: float) -> Keeper:
    child = Child(Program(name="child", command=command), folder / "child.log", mark="tests")
    child.start()
    return Keeper(child, said.append, sign, **options)


def kill_and_await_restart(keeper: Keeper) -> None:
    before = keeper.child.pid
    os.kill(before, signal.SIGKILL)
    eventually(lambda: restarted(keeper, before), "the restart")


def restarted(keeper: Keeper, before: int) -> bool:
    keeper.tend()
    return keeper.child.pid != before


def test_a_leftover_that_ignores_the_request_is_ended_all_the_same(tmp_path: Path) -> None:
    places = places_at(tmp_path / "data")
    environment = {**os.environ, MARK: str(places.data)}
    command = [sys.executable, "-c", STUBBORN]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE) as stubborn:
        assert stubborn.stdout is not None
        assert stubborn.stdout.readline() == b"up\n"
        assert end_leftovers(places, None) == 1
        assert stubborn.wait(PATIENCE) == -9
    assert end_leftovers(places, None) == 0


# Its third process stays.
KILLED_TWICE = "echo >> starts; [ $(wc -l < starts) -ge 3 ] || kill -9 $$; touch ready; exec sleep 600"


def server(folder: Path, script: str) -> Child:
    command = ["sh", "-c", f"cd {folder}; {script}"]
    child = Child(Program(name="server", command=command), folder / "server.log", mark="tests")
    child.start()
    return child


def test_a_server_killed_while_it_starts_is_started_again(tmp_path: Path) -> None:
    child = server(tmp_path, KILLED_TWICE)
    await_ready(child, (tmp_path / "ready").exists, time.sleep)
    assert child.running
    assert (tmp_path / "starts").read_text() == "\n" * 3
    child.kill_group()


@pytest.mark.parametrize(
    ("script", "cause", "starts"),
    [("kill -9 $$", "signal 9 (SIGKILL)", 1 + MOST_LOSSES), ("echo no room; exit 3", "exit code 3", 1)],
)
def test_a_server_that_does_not_start_is_named_with_its_end(
    tmp_path: Path, script: str, cause: str, starts: int
) -> None:
    with pytest.raises(EmbeddedError) as caught:
        await_ready(server(tmp_path, f"echo >> starts; {script}"), lambda: False, lambda _: None)
    assert f"server ended before it answered ({cause})" in str(caught.value)
    assert (tmp_path / "starts").read_text() == "\n" * starts


@pytest.mark.parametrize("end", ["kill -9 $$", f"exit {os.EX_TEMPFAIL}"])
def test_a_command_of_the_start_that_is_lost_runs_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, end: str
) -> None:
    script = f"cd {tmp_path}; echo >> starts; [ $(wc -l < starts) -ge 3 ] || {end}"
    monkeypatch.setattr(application, "manage", lambda *_, **__: Program("migrate", ["sh", "-c", script]))
    Supervisor(places_at(tmp_path / "data")).run_command(["migrate"])
    assert (tmp_path / "starts").read_text() == "\n" * 3


@pytest.mark.parametrize("end", ["kill -9 $$", f"exit {os.EX_TEMPFAIL}"])
def test_a_command_that_may_have_committed_runs_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, end: str
) -> None:
    script = f"cd {tmp_path}; echo >> starts; {end}"
    monkeypatch.setattr(application, "manage", lambda *_, **__: Program("restore", ["sh", "-c", script]))
    with pytest.raises(EmbeddedError, match=r"`manage\.py restore` failed"):
        Supervisor(places_at(tmp_path / "data")).run_command(["restore"])
    assert (tmp_path / "starts").read_text() == "\n"


def test_a_command_of_the_start_that_is_lost_again_and_again_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        application, "manage", lambda *_, **__: Program("migrate", ["sh", "-c", "kill -9 $$"])
    )
    with pytest.raises(EmbeddedError, match=r"`manage.py migrate` failed \(signal 9 \(SIGKILL\)\)"):
        Supervisor(places_at(tmp_path / "data")).run_command(["migrate"])
