"""Reading run files, each reader in turn and in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from config.embedded.machine import PROJECT
from tests.bench.judging.readers import CACHED, OURS, Reading
from tests.bench.report import Figure, at_least, at_most
from tests.bench.setting import Bench

ROUNDS = 3


def bench_reading(bench: Bench, peers: Sequence[str], folder: Path) -> Iterator[Figure]:
    readings: dict[str, list[Reading]] = {name: [] for name in (OURS, CACHED, *peers)}
    with bench.bar("Reading run files", ROUNDS * len(readings)) as advance:
        for name in list(readings) * ROUNDS:
            readings[name].append(_apart(name, folder))
            advance()
    what = f"{bench.size.runs} run files read and checked"
    for name, taken in readings.items():
        yield Figure(f"{what}, {name}", _median(taken, "seconds"), "s")
        yield Figure(f"{what}, {name}, own time", _median(taken, "processor"), "s")
        yield Figure(f"{what}, {name}, memory at its peak", _median(taken, "megabytes"), "MB")
    for name in peers:
        ratio = _median(readings[name], "processor") / _median(readings[OURS], "processor")
        yield at_least(f"{what}, times faster than {name}", ratio, "times", 1)
        share = 100 * _median(readings[OURS], "megabytes") / _median(readings[name], "megabytes")
        yield at_most(f"{what}, share of {name}'s memory", share, "%", 50)
        share = 100 * readings[OURS][0].documents / readings[name][0].documents
        yield at_least(f"{what}, as many documents as {name}", share, "%", 100)


def _apart(name: str, folder: Path) -> Reading:
    command = [sys.executable, "-m", "tests.bench.judging.readers", name, str(folder)]
    done = subprocess.run(command, cwd=PROJECT, stdout=subprocess.PIPE, check=True)
    return Reading(**json.loads(done.stdout))


def _median(taken: Sequence[Reading], of: str) -> float:
    return float(np.median([getattr(one, of) for one in taken]))
