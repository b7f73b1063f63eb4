"""Measurement behind `tests.bench.watching.viewers`, once its services are up. Blocks of judgments with and
without viewers take turns, so that whatever else the machine does meets both."""

from __future__ import annotations

import random
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from config.embedded.machine import PROJECT
from tests.bench.judging import loop_data
from tests.bench.judging.loop import site
from tests.bench.judging.loop_inside import tell
from tests.bench.processor import processor_seconds
from tests.bench.report import Figure, Timings, at_least, at_most
from tests.bench.watching.visitor import PASSWORD, Visitor

VIEWERS = 200
BLOCKS, JUDGMENTS, UNMEASURED = 6, 25, 10
# Five judgments a second.
PACE_SECONDS = 0.2
ROOT = "/api/v1/campaigns/bench/"


def main(folder: Path, seed: int) -> None:
    campaign = loop_data.load(seed)
    with site(folder) as (port, web, _):
        ada, grace = Visitor(port), Visitor(port)
        ada.sign_in("ada", PASSWORD)
        grace.sign_in("grace", PASSWORD)
        loop_data.computed(campaign)
        served = grace.get(f"{ROOT}next/?topic=1")
        seconds: dict[bool, list[float]] = {False: [], True: []}
        busy: dict[bool, list[float]] = {False: [], True: []}
        heard = 0
        served, _ = judge(grace, served, JUDGMENTS)
        for watched in [False, True] * BLOCKS:
            with viewers(port, ada.cookies, VIEWERS if watched else 0) as streams:
                # What pages cost while they open is not what they cost while they are open.
                served, _ = judge(grace, served, UNMEASURED)
                began, used = time.perf_counter(), processor_seconds(web.pid)
                served, took = judge(grace, served, JUDGMENTS)
                used = processor_seconds(web.pid) - used
                busy[watched].append(used / (time.perf_counter() - began))
                seconds[watched] += took
            heard += sum(streams)
        report(Timings(seconds[False]), Timings(seconds[True]), heard)
        for watched, who in ((False, "no viewers"), (True, f"{VIEWERS} viewers")):
            share = 100 * float(np.median(busy[watched]))
            tell(Figure(f"processor time of the web server, {who}", share, "%"))


def judge(grace: Visitor, served: Any, judgments: int) -> tuple[Any, list[float]]:
    seconds = []
    # Not in step with anything that the server does at fixed times.
    chance = random.Random(judgments)
    for number in range(judgments):
        began = time.perf_counter()
        act = {
            "id": str(uuid.uuid4()),
            "topic": "1",
            "docno": served["document"]["docno"],
            "grade": number % 2,
        }
        served = grace.post(f"{ROOT}judgments/", act)["next"]
        seconds.append(time.perf_counter() - began)
        time.sleep(max(chance.uniform(0.5, 1.5) * PACE_SECONDS - seconds[-1], 0))
    return served, seconds


@contextmanager
def viewers(port: int, cookies: str, count: int) -> Iterator[list[int]]:
    """So many open pages, held by a process of their own; afterwards, how many events each heard. A dashboard
    that is open hears all it shows by its stream and asks for nothing."""
    heard: list[int] = []
    if not count:
        yield heard
        return
    command = [
        sys.executable,
        "-m",
        "tests.bench.watching.viewers_streams",
        str(port),
        str(count),
        f"{ROOT}events/?page=true",
    ]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, cwd=PROJECT, text=True, **pipes) as process:  # type: ignore[call-overload]
        process.stdin.write(f"{cookies}\n")
        process.stdin.flush()
        if process.stdout.readline().strip() != "open":
            raise RuntimeError("the viewers' streams did not open")
        yield heard
        said, _ = process.communicate("done\n")
        heard += map(int, said.split())


def report(alone: Timings, watched: Timings, heard: int) -> None:
    name = "judgment sent, next document in the reply"
    tell(alone.median_ms(f"{name}, no viewers"))
    tell(watched.median_ms(f"{name}, {VIEWERS} viewers"))
    tell(alone.p99_ms(f"{name}, no viewers"))
    tell(watched.p99_ms(f"{name}, {VIEWERS} viewers"))
    ratio = float(np.median(watched.seconds)) / float(np.median(alone.seconds))
    tell(at_most("with viewers against without, ratio of medians", ratio, "times", 1.1))
    # Each judgment makes two events at least: that it was made, and what it moved.
    reached = heard / (VIEWERS * BLOCKS * (JUDGMENTS + UNMEASURED))
    tell(at_least("events that each viewer heard of each judgment", reached, "events", 1))
