"""How far queues are behind while many judge at once, and what that gives up."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np

from campaigns.models import Campaign, Judgment
from tests.bench import loop_data
from tests.bench.performance.assessors import Assessor, let_work, users_of
from tests.bench.performance.replaying import weights_given_up
from tests.bench.performance.report import Cell, Table
from tests.bench.performance.services import Site, site
from tests.bench.performance.sizes import Sizes
from tests.load.connection import Line

HEAD = (
    "assessors",
    "judgments/s",
    "queue age, median",
    "95th percentile",
    "exact best, %",
    "weight given up, %",
    "reply, median ms",
    "reply, p95 ms",
    "web, CPU ms/judgment",
    "worker",
    "Postgres",
)


def measure(folder: Path, sizes: Sizes) -> Iterator[Table]:
    campaign = loop_data.load(1, sizes.company)
    few = replace(sizes, assessors=1, rate=sizes.rate / sizes.assessors)
    with site(folder) as running:
        rows = [_row(running, campaign, each) for each in (sizes, few)]
    runs, topics, depth = sizes.company.runs, sizes.company.topics, sizes.company.depth
    words = (
        f"Method C over the whole campaign: {runs} runs, {topics} topics, {depth} deep. "
        f"{sizes.assessors} assessors, each in a topic of their own, prefetch as a browser does and judge "
        f"{sizes.rate:g} documents a second together; then one assessor alone, as fast. Each takes 0.5 to "
        "1.5 times the mean for a document. Queue age: judgments that the queue lacked when it served. "
        "After the run, each document served is compared with the best by the log up to its moment. "
        "Aims: age at most 3 and 10, at least 95% exact (99% with one assessor), at most 0.05% given up."
    )
    yield Table("Up to date in company", words, HEAD, rows)


def _row(running: Site, campaign: Campaign, sizes: Sizes) -> list[Cell]:
    users = users_of(campaign, sizes.assessors)
    before = Judgment.objects.filter(campaign=campaign).count()
    crew = [
        Assessor(
            Line(running.address, user),
            campaign.slug,
            str(number),
            sizes.assessors / sizes.rate,
            Random(number),
        )
        for number, user in enumerate(users, start=1)
    ]
    loop_data.computed(campaign)
    used = running.processor_seconds()
    worked, took = let_work(crew, sizes.seconds)
    after = running.processor_seconds()
    loop_data.computed(campaign)
    acts = len(worked.seconds)
    rows = Judgment.objects.filter(campaign=campaign, sequence__gt=before, queue_age__isnull=False)
    age = np.percentile(list(rows.values_list("queue_age", flat=True)), [50, 95])
    lost = weights_given_up(campaign, worked.served)
    reply = np.percentile(1000 * np.array(worked.seconds), [50, 95])
    shares = 100 * float(np.mean(lost == 0)), 100 * float(np.mean(lost))
    processor = [1000 * (after[name] - used[name]) / acts for name in ("web", "worker", "database")]
    return [sizes.assessors, acts / took, *age.tolist(), *shares, *reply.tolist(), *processor]
