"""Judgments a second of one campaign and of ten, beside a bare view that inserts one row."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from campaigns.log.judgments import length_of
from campaigns.models import Campaign, Computed
from tests.bench.judging import loop_data
from tests.bench.performance.assessors import Assessor, let_work, users_of
from tests.bench.performance.report import Table
from tests.bench.performance.services import Site, site
from tests.bench.performance.sizes import Sizes
from tests.load.connection import Line

CAMPAIGNS = 10
# Each load comes so often, in turn: a machine has better and worse minutes.
ROUNDS = 4
LOADS = ("bare", "one", "ten")
PROCESSES = ("web", "worker", "database", "clients")
HEAD = (
    "web processes, and workers",
    "bare view, rows/s",
    "one campaign, judgments/s",
    "against bare",
    "ten campaigns, judgments/s",
    "against bare",
    "not computed yet",
    "one campaign: web, CPU ms/judgment",
    "worker",
    "Postgres",
    "clients",
)


# Targets of one campaign: judgments a second, and how many for each row of the bare view.
RATE, SHARE = 200, 0.6


def measure(folder: Path, sizes: Sizes) -> Iterator[Table]:
    campaigns = [loop_data.load(seed, sizes.campaign, f"Bench {seed}") for seed in range(1, CAMPAIGNS + 1)]
    for campaign in campaigns:
        users_of(campaign, sizes.assessors)
    rows = []
    for count in sizes.workers:
        with site(folder, count) as running:
            for campaign in campaigns:
                loop_data.computed(campaign)
            worked = _in_turn(running, campaigns, sizes)
        bare, one, ten = worked.rates()
        rows.append([count, bare, one, one / bare, ten, ten / bare, worked.behind, *worked.costs()])
    words = (
        "How many judgments per second the site records.\n\n"
        f"- Campaigns: Method C, {sizes.campaign.topics} topics, {sizes.campaign.runs} runs, "
        f"{sizes.campaign.depth} deep.\n"
        f"- Load: {sizes.assessors} clients without a pause, on lasting connections. Every reply contains "
        "the next document.\n"
        "- Bare view: a view that only checks the session and inserts one row.\n"
        "- Not computed yet: judgments that scores and queues lack after some seconds of judging in ten "
        "campaigns, in the one that lacks the most.\n"
        f"- Targets, of one campaign: {RATE} judgments per second; {SHARE} of the bare view.\n\n"
        "The cores are the limit where the CPU times of a judgment, multiplied by the rate, add up to them. "
        "Web processes, workers and clients share the cores."
    )
    yield Table("Judgments a second", words, HEAD, rows, missed=missed(rows))


def missed(rows: Sequence[Sequence[float]]) -> str:
    """In which rows one campaign misses its targets."""
    of_one = [(count, one, share) for count, _, one, share, *_ in rows]
    slow = [f"{one:.0f} judgments per second with {count}" for count, one, _ in of_one if one < RATE]
    short = [f"{share:.3g} of the bare view with {count}" for count, _, share in of_one if share < SHARE]
    return f"Targets missed: {', '.join([*slow, *short])} web processes." if slow or short else ""


@dataclass
class _Work:
    """What was recorded under each load, in how many seconds; the processors' seconds in one campaign; how
    many judgments the last of ten campaigns lacked."""

    done: dict[str, int] = field(default_factory=lambda: dict.fromkeys(LOADS, 0))
    seconds: dict[str, float] = field(default_factory=lambda: dict.fromkeys(LOADS, 0.0))
    used: dict[str, float] = field(default_factory=lambda: dict.fromkeys(PROCESSES, 0.0))
    behind: int = 0

    def rates(self) -> list[float]:
        return [self.done[load] / self.seconds[load] for load in LOADS]

    def costs(self) -> list[float]:
        """Of a judgment, in milliseconds."""
        return [1000 * self.used[name] / self.done["one"] for name in PROCESSES]


def _in_turn(running: Site, campaigns: Sequence[Campaign], sizes: Sizes) -> _Work:
    work, seconds = _Work(), sizes.seconds / len(LOADS) / ROUNDS
    lines = [Line(running.address, user) for user in users_of(campaigns[0], sizes.assessors)]

    def add(load: str, done: int, took: float) -> None:
        work.done[load] += done
        work.seconds[load] += took

    for _ in range(ROUNDS):
        add("bare", *_bare(campaigns[0], lines, seconds))
        before = running.processor_seconds()
        add("one", *_judged(campaigns[:1], lines, seconds))
        after = running.processor_seconds()
        add("ten", *_judged(campaigns, lines, seconds))
        work.behind = max(work.behind, *map(_not_computed, campaigns))
        for name in PROCESSES:
            work.used[name] += after[name] - before[name]
    return work


def _not_computed(campaign: Campaign) -> int:
    computed = Computed.objects.values_list("applied", flat=True).get(campaign=campaign)
    return length_of(campaign=campaign) - computed


def _judged(campaigns: Sequence[Campaign], lines: Sequence[Line], seconds: float) -> tuple[int, float]:
    """How many judgments there were, in how many seconds."""
    crew = []
    for number, line in enumerate(lines):
        campaign = campaigns[number % len(campaigns)]
        topic = str(number % campaign.topics.count() + 1)
        crew.append(Assessor(line, campaign.slug, topic, 0, Random(number), prefetches=False))
    worked, took = let_work(crew, seconds)
    return len(worked.seconds), took


def _bare(campaign: Campaign, lines: Sequence[Line], seconds: float) -> tuple[int, float]:
    """How many rows there were, in how many seconds."""
    until = time.monotonic() + seconds
    done = [0] * len(lines)

    def insert(number: int, line: Line) -> None:
        while time.monotonic() < until:
            status, _ = line.post(f"/bare/?campaign={campaign.id}", {})
            if status != 201:
                raise RuntimeError(f"the bare view answered {status}")
            done[number] += 1

    threads = [threading.Thread(target=insert, args=each, daemon=True) for each in enumerate(lines)]
    began = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(done), time.monotonic() - began
