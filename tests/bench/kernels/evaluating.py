"""Run files evaluated from files to scores, each program in turn and in a process of its own."""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from config.embedded.machine import PROJECT
from tests.bench.kernels.evaluators import EVALUATORS, OURS, OURS_TWICE
from tests.bench.report import Figure, at_most
from tests.bench.setting import Bench

SECONDS, SECONDS_TWICE = 4, 2.5


@dataclass(frozen=True)
class Evaluation:
    """`seconds` from the start of the program to its end; `processor`: of all its processes."""

    seconds: float
    processor: float
    megabytes: float

    def figures(self, what: str) -> Iterator[Figure]:
        yield Figure(f"{what}, own time", self.processor, "s")
        yield Figure(f"{what}, memory at its peak", self.megabytes, "MB")


def bench_evaluating(bench: Bench, peers: Sequence[str], qrels: Path, runs: Path) -> Iterator[Figure]:
    names = [OURS, OURS_TWICE, *peers]
    taken = {}
    with bench.bar("Evaluating run files", len(names)) as advance:
        for name in names:
            taken[name] = _apart(name, qrels, runs)
            advance()
    what = f"{bench.size.runs} run files from start to scores"
    for name, target in ((OURS, SECONDS), (OURS_TWICE, SECONDS_TWICE)):
        yield at_most(f"{what}, {name}, RBP", taken[name].seconds, "s", target)
        yield from taken[name].figures(f"{what}, {name}")
    ours = taken[OURS]
    for name in peers:
        yield Figure(f"{what}, {name}, {EVALUATORS[name][1]}", taken[name].seconds, "s")
        yield from taken[name].figures(f"{what}, {name}")
        yield Figure(f"{what}, {name}, seconds for each of ours", taken[name].seconds / ours.seconds, "times")
        ratio = taken[name].processor / ours.processor
        yield Figure(f"{what}, {name}, own time for each second of ours", ratio, "times")


def _apart(name: str, qrels: Path, runs: Path) -> Evaluation:
    command = [sys.executable, "-m", "tests.bench.kernels.evaluators", name, str(qrels), str(runs)]
    started, own = time.perf_counter(), _processor_of_children()
    done = subprocess.run(command, cwd=PROJECT, stdout=subprocess.PIPE, text=True, check=True)
    seconds, processor = time.perf_counter() - started, _processor_of_children() - own
    return Evaluation(seconds, processor, float(done.stdout.splitlines()[-1]))


def _processor_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
