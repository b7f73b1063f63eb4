"""Judgments a second of one campaign and of ten, beside a bare view that inserts one row."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random

from campaigns.models import Campaign
from tests.bench import loop_data
from tests.bench.performance.assessors import Assessor, let_work, users_of
from tests.bench.performance.report import Table
from tests.bench.performance.services import Site, site
from tests.bench.performance.sizes import Sizes
from tests.load.connection import Line

CAMPAIGNS = 10
PROCESSES = ("web", "worker", "database", "clients")
HEAD = (
    "web processes, and workers",
    "bare view, rows/s",
    "one campaign, judgments/s",
    "against bare",
    "ten campaigns, judgments/s",
    "against bare",
    "one campaign: web, CPU ms/judgment",
    "worker",
    "Postgres",
    "clients",
)


def measure(folder: Path, sizes: Sizes) -> Iterator[Table]:
    campaigns = [loop_data.load(seed, sizes.campaign, f"Bench {seed}") for seed in range(1, CAMPAIGNS + 1)]
    for campaign in campaigns:
        users_of(campaign, sizes.assessors)
    rows = []
    for count in sizes.workers:
        with site(folder, count) as running:
            for campaign in campaigns:
                loop_data.computed(campaign)
            bare = _bare(running, campaigns[0], sizes)
            used = running.processor_seconds()
            one, acts = _judged(running, campaigns[:1], sizes)
            after = running.processor_seconds()
            ten, _ = _judged(running, campaigns, sizes)
        costs = [1000 * (after[name] - used[name]) / acts for name in PROCESSES]
        rows.append([count, bare, one, one / bare, ten, ten / bare, *costs])
    words = (
        "How many judgments per second the site records.\n\n"
        f"- Campaigns: Method C, {sizes.campaign.topics} topics, {sizes.campaign.runs} runs, "
        f"{sizes.campaign.depth} deep.\n"
        f"- Load: {sizes.assessors} clients without a pause, on lasting connections. Every reply contains "
        "the next document.\n"
        "- Bare view: a view that only checks the session and inserts one row.\n"
        "- Targets: 200 judgments per second in one campaign; 0.6 of the bare view.\n\n"
        "The cores are the limit where the CPU times of a judgment, multiplied by the rate, add up to them. "
        "Web processes, workers and clients share the cores."
    )
    yield Table("Judgments a second", words, HEAD, rows)


def _judged(running: Site, campaigns: Sequence[Campaign], sizes: Sizes) -> tuple[float, int]:
    """Judgments a second, and how many there were."""
    crew = []
    for number, user in enumerate(users_of(campaigns[0], sizes.assessors)):
        campaign, topic = campaigns[number % len(campaigns)], str(number % sizes.campaign.topics + 1)
        line = Line(running.address, user)
        crew.append(Assessor(line, campaign.slug, topic, 0, Random(number), prefetches=False))
    worked, took = let_work(crew, sizes.seconds / 3)
    return len(worked.seconds) / took, len(worked.seconds)


def _bare(running: Site, campaign: Campaign, sizes: Sizes) -> float:
    until = time.monotonic() + sizes.seconds / 3
    done = [0] * sizes.assessors

    def insert(number: int, line: Line) -> None:
        while time.monotonic() < until:
            status, _ = line.post(f"/bare/?campaign={campaign.id}", {})
            if status != 201:
                raise RuntimeError(f"the bare view answered {status}")
            done[number] += 1

    lines = [Line(running.address, user) for user in users_of(campaign, sizes.assessors)]
    threads = [threading.Thread(target=insert, args=each, daemon=True) for each in enumerate(lines)]
    began = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(done) / (time.monotonic() - began)
