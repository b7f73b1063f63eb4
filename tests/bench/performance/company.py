"""How far queues are behind while many judge at once, and what that gives up."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np

from campaigns.formats.qrels import read_qrels
from campaigns.models import Campaign, Judgment
from tests.bench.judging import loop_data
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


Grades = Mapping[tuple[str, str], int]


def measure(folder: Path, sizes: Sizes) -> Iterator[Table]:
    runs, topics, depth = sizes.company.runs, sizes.company.topics, sizes.company.depth
    data = f"a synthetic campaign of {runs} runs, {topics} topics, {depth} deep"
    campaigns: list[tuple[str, str, Campaign, Grades | None]] = [
        ("Up to date in company", data, loop_data.load(1, sizes.company), None)
    ]
    real = Path(os.environ.get("TREC_DATA", "absent")) / "trec-covid-r1"
    if real.is_dir():
        judged = read_qrels(real / "qrels.txt", "qrels.txt").grades
        real_grades = {
            (topic, docno): int(grade) for topic, of in judged.items() for docno, grade in of.items()
        }
        data = "TREC-COVID, round 1: 143 runs, 30 topics, 200 deep, grades of its qrels (0 where it has none)"
        title = "Up to date in company, on TREC-COVID"
        campaigns.append((title, data, loop_data.load_trec_covid(real), real_grades))
    few = replace(sizes, assessors=1, rate=sizes.rate / sizes.assessors)
    with site(folder) as running:
        for title, data, campaign, grades in campaigns:
            rows = [_row(running, campaign, each, grades) for each in (sizes, few)]
            yield _table(title, data, sizes, rows)


def _table(title: str, data: str, sizes: Sizes, rows: list[list[Cell]]) -> Table:
    words = (
        "How closely queues follow the judgments while many assessors judge.\n\n"
        f"- Campaign: {data}; Method C in campaign scope.\n"
        f"- Load: {sizes.assessors} assessors, each in a topic of their own. Together they judge "
        f"{sizes.rate:g} documents per second and prefetch like a browser. Then one assessor alone judges at "
        "the same pace. The time for a document is 0.5 to 1.5 times the mean.\n"
        "- Queue age: judgments that the queue lacked when it served a document.\n"
        "- Exact best: documents that were the method’s first choice, by the log at that moment. Weight "
        "given up: how much lighter the others were.\n"
        "- Targets: median age at most 3, 95th percentile at most 10; at least 95% exact (99% with one "
        "assessor); at most 0.05% given up."
    )
    return Table(title, words, HEAD, rows)


def _row(running: Site, campaign: Campaign, sizes: Sizes, grades: Grades | None) -> list[Cell]:
    users = users_of(campaign, sizes.assessors)
    before = Judgment.objects.filter(campaign=campaign).count()
    crew = [
        Assessor(
            Line(running.address, user),
            campaign.slug,
            str(number),
            sizes.assessors / sizes.rate,
            Random(number),
            grades=grades,
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
