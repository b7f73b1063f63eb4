"""How soon a thousand open dashboards have an event, and what they cost the judging."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from statistics import median

import numpy as np
from django.contrib.auth.models import User

from campaigns.models import Campaign
from config.embedded.machine import PROJECT
from tests.bench.judging import loop_data
from tests.bench.performance.assessors import Assessor, Worked, users_of
from tests.bench.performance.report import Table
from tests.bench.performance.services import Site, site
from tests.bench.performance.sizes import Sizes
from tests.load.connection import Line

BLOCKS, PAUSE = 4, 0.3
FILES_BESIDE = 200


@dataclass
class Heard:
    """By event: when the first and the last listener had it, and how many had."""

    first: dict[str, float] = field(default_factory=dict)
    last: dict[str, float] = field(default_factory=dict)
    count: dict[str, int] = field(default_factory=dict)


def measure(folder: Path, sizes: Sizes) -> Iterator[Table]:
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(sizes.listeners + FILES_BESIDE, hard), hard))
    campaign = loop_data.load(1, sizes.campaign)
    worked = {False: Worked(), True: Worked()}
    seconds: list[float] = []
    reached: list[float] = []
    with site(folder) as running:
        loop_data.computed(campaign)
        assessor = Assessor(
            Line(running.address, users_of(campaign, 1)[0]),
            campaign.slug,
            "1",
            PAUSE,
            Random(1),
            prefetches=False,
        )
        for watched in [False, True] * BLOCKS:
            with listeners(running, campaign, sizes.listeners if watched else 0) as heard:
                assessor.worked = Worked()
                assessor.work(time.monotonic() + sizes.seconds / 4)
                worked[watched].add(assessor.worked)
                loop_data.computed(campaign)
            seconds += [heard.last[event] - heard.first[event] for event in heard.first]
            reached += [heard.count[event] / sizes.listeners for event in heard.first]
    medians = {watched: 1000 * median(worked[watched].seconds) for watched in worked}
    spread = np.percentile(seconds, [50, 95]).tolist()
    row = [
        sizes.listeners,
        *spread,
        100 * float(np.mean(reached)),
        medians[False],
        medians[True],
        medians[True] / medians[False],
    ]
    head = (
        "open event streams",
        "first to last listener, median s",
        "p95 s",
        "reached, %",
        "reply alone, ms",
        "reply watched, ms",
        "ratio",
    )
    words = (
        "How soon open dashboards show a judgment, and how much they slow down judging.\n\n"
        "- Load: event streams of one campaign, from one client process to one web process. Judging with and "
        "without them alternates.\n"
        "- Targets: every stream receives an event within 1 s; the ratio of reply times is at most 1.1."
    )
    yield Table("Dashboards", words, head, [row])


@contextmanager
def listeners(running: Site, campaign: Campaign, count: int) -> Iterator[Heard]:
    heard = Heard()
    if not count:
        yield heard
        return
    cookies = Line(running.address, User.objects.get(username="ada")).cookies
    path = f"/api/v1/campaigns/{campaign.slug}/events/"
    module = "tests.bench.performance.listening"
    command = [sys.executable, "-m", module, str(running.port), str(count), path]
    with subprocess.Popen(
        command, cwd=PROJECT, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        if process.stdin is None or process.stdout is None:
            raise RuntimeError("the listeners have no pipes")
        process.stdin.write(f"{cookies}\n")
        process.stdin.flush()
        if process.stdout.readline().strip() != "open":
            raise RuntimeError("the event streams did not open")
        yield heard
        said, _ = process.communicate("done\n")
        for event, (first, last, times) in json.loads(said).items():
            heard.first[event], heard.last[event], heard.count[event] = first, last, times
