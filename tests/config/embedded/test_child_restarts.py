"""Children that fail again and again, and processes that will not go."""

import os
import subprocess
import sys
from pathlib import Path

from config.embedded.machine import places_at
from config.embedded.processes import MARK, Child, Program, end_leftovers
from config.embedded.supervisor import Keeper
from tests.config.embedded.supervisor_process import PATIENCE, eventually

STUBBORN = "import signal, time; signal.signal(15, signal.SIG_IGN); print('up', flush=True); time.sleep(600)"


def test_each_restart_of_a_failing_child_waits_longer(tmp_path: Path) -> None:
    said: list[str] = []
    child = Child(Program(name="hopeless", command=["false"]), tmp_path / "hopeless.log", mark="tests")
    keeper = Keeper(child, said.append)
    child.start()

    def crashed_three_times() -> bool:
        keeper.tend()
        return sum("ended" in words for words in said) == 3

    eventually(crashed_three_times, "three crashes")
    assert ["hopeless" in words for words in said] == [True] * 5
    delays = [words.split("next start in ")[1].split(" s.")[0] for words in said if "ended" in words]
    assert delays == ["0.5", "1", "2"]
    assert said[0].startswith("hopeless ended (exit code 1)")


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
