"""A kill run: processes of a site are killed at random while assessors judge; then everything is counted."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from campaigns.api.client import Client
from config.embedded.machine import PROJECT
from tests.config.embedded.supervisor_process import bare_environment
from tests.faults.assessors import PATIENCE, Assessor, Outage
from tests.faults.campaign_data import TOPICS, lists_of
from tests.faults.findings import faults_of_intervals, faults_of_log, read_log
from tests.faults.site import TARGETS, SiteUnderFire

# Between two kills the site acknowledges up to so many judgments; with none, it is hit while it recovers.
MOST_JUDGMENTS_BETWEEN = 30


@dataclass(frozen=True)
class Outcome:
    # When, and what.
    kills: list[tuple[float, str]]
    judgments: int
    outages: list[Outage]
    seconds: float
    faults: list[str]

    def lines(self) -> Iterator[str]:
        counts = Counter(target for _, target in self.kills)
        by_name = ", ".join(f"{name} {count}" for name, count in sorted(counts.items()))
        yield f"{len(self.kills)} kills in {self.seconds:.0f} s: {by_name}"
        yield f"{self.judgments} judgments acknowledged, {len(self.faults)} faults"
        by_cause: dict[str, list[float]] = {"any": []}
        for outage in self.outages:
            latest = max((kill for kill in self.kills if kill[0] <= outage.noticed), default=(0.0, "none"))
            by_cause["any"].append(outage.seconds)
            by_cause.setdefault(latest[1], []).append(outage.seconds)
        for cause, seconds in by_cause.items():
            p50, p95 = np.percentile(seconds or [0.0], [50, 95])
            yield f"after {cause}: {len(seconds)} requests affected, {p50:.1f} s (median), {p95:.1f} s (p95)"
        yield from self.faults


def run(data: Path, *, kills: int, seed: int, say: Callable[[str], None] = lambda words: None) -> Outcome:
    """Kill that many processes of a new site in `data`; the same seed, the same choices."""
    began = time.monotonic()
    with _site(data) as site:
        given = _campaign_on(site, seed)
        with _assessors(site, given, seed) as assessors:
            killed = _kill(site, assessors, kills, Random(seed), say)
        for one in assessors:
            if one.record.fault is not None:
                raise one.record.fault
        records = {one.name.split()[0]: one.record for one in assessors}
        log = read_log(site.urls()["DATABASE_URL"])
        faults = list(faults_of_log(log, records))
        organiser = Client(site.address, given["organiser"], tries=20).campaign(given["slug"])
        _until(
            lambda: organiser.client.get(f"{organiser.path}intervals/")["as_of"] == len(log),
            "the worker has computed with every judgment",
            lambda: None,
        )
        intervals = {str(topic): organiser.intervals(str(topic)) for topic in range(1, TOPICS + 1)}
        faults += faults_of_intervals(log, lists_of(seed), intervals)
    outages = [seconds for record in records.values() for seconds in record.outages]
    return Outcome(killed, _acknowledged(records.values()), outages, time.monotonic() - began, faults)


@contextmanager
def _site(data: Path) -> Iterator[SiteUnderFire]:
    site = SiteUnderFire(data)
    try:
        yield site
    finally:
        site.end()


def _campaign_on(site: SiteUnderFire, seed: int) -> Any:
    environment = bare_environment(**site.urls(), DJANGO_SETTINGS_MODULE="config.settings")
    command = [sys.executable, "-m", "tests.faults.campaign_data", str(seed)]
    done = subprocess.run(
        command, cwd=PROJECT, env=environment, stdout=subprocess.PIPE, check=True, timeout=PATIENCE
    )
    return json.loads(done.stdout)


@contextmanager
def _assessors(site: SiteUnderFire, given: Any, seed: int) -> Iterator[list[Assessor]]:
    """They judge meanwhile, and each has its last answer in the end. Their site must be up by then."""
    stop = threading.Event()
    topics = [str(topic) for topic in range(1, TOPICS + 1)]
    assessors = []
    for index, (name, token) in enumerate(given["assessors"].items()):
        own = topics[index * 4 :] + topics[: index * 4]
        assessors.append(Assessor(site.address, token, given["slug"], own, seed=f"{name} {seed}", stop=stop))
    for one in assessors:
        one.start()
    try:
        yield assessors
    finally:
        stop.set()
        _until(
            lambda: not any(one.is_alive() for one in assessors),
            "every assessor's last answer",
            site.restart_if_ended,
        )


def _kill(
    site: SiteUnderFire,
    assessors: list[Assessor],
    kills: int,
    random: Random,
    say: Callable[[str], None],
) -> list[tuple[float, str]]:
    killed: list[tuple[float, str]] = []

    def judged() -> int:
        return _acknowledged(one.record for one in assessors)

    for number in range(1, kills + 1):
        target, between = random.choice(TARGETS), random.randint(0, MOST_JUDGMENTS_BETWEEN)
        wanted = judged() + between
        _until(
            lambda wanted=wanted: judged() >= wanted or not any(one.is_alive() for one in assessors),  # type: ignore[misc]
            f"{between} more judgments before kill {number}",
            site.restart_if_ended,
        )
        _until(
            lambda target=target: site.kill(target, random),  # type: ignore[misc]
            f"a {target} to kill",
            site.restart_if_ended,
        )
        killed.append((time.monotonic(), target))
        say(f"kill {number} of {kills}: {target}, after {judged()} judgments")
    return killed


def _acknowledged(records: Any) -> int:
    return sum(len(record.acknowledged) for record in records)


def _until(condition: Callable[[], bool], what: str, meanwhile: Callable[[], None]) -> None:
    deadline = time.monotonic() + 2 * PATIENCE
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError(f"waited {2 * PATIENCE:g} s in vain: {what}")
        meanwhile()
        time.sleep(0.05)
