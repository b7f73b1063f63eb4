"""Measurement behind `tests.bench.kernels.batches`, once its services are up. Batches over few and many
topics and single posts take turns, so that whatever else the machine does meets all of them."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from campaigns.models import Document, Ranking
from campaigns.models.packed import unpack_ids
from tests.bench.judging import loop_data
from tests.bench.judging.loop import site
from tests.bench.judging.loop_inside import tell
from tests.bench.report import Figure, at_least
from tests.bench.watching.visitor import PASSWORD, Visitor

ROWS, SINGLE, ROUNDS = 1000, 50, 5
SPREADS = (1, 10, 50)
LEAST = 2000
PATH = "/api/v1/campaigns/bench/judgments/"

Row = dict[str, Any]


def main(folder: Path, seed: int) -> None:
    campaign = loop_data.load(seed)
    with site(folder) as (port, *_):
        grace = Visitor(port)
        grace.sign_in("grace", PASSWORD)
        loop_data.computed(campaign)
        rates: dict[int, list[float]] = {spread: [] for spread in SPREADS}
        alone = []
        make = rows_of(np.random.default_rng(seed))
        for _ in range(ROUNDS):
            for spread in SPREADS:
                rates[spread].append(sent_at_once(grace, make(spread, ROWS)))
                loop_data.computed(campaign)
            alone.append(sent_alone(grace, make(1, SINGLE)))
            loop_data.computed(campaign)
    for figure in figures(rates, alone):
        tell(figure)


def rows_of(rng: np.random.Generator) -> Callable[[int, int], list[Row]]:
    """A function that makes so many acts over so many topics, on documents that some run ranks."""

    def make(topics: int, rows: int) -> list[Row]:
        acts = []
        for number in range(1, topics + 1):
            lists = Ranking.objects.filter(topic__number=str(number)).order_by("?")[:8]
            known = np.unique(np.concatenate([unpack_ids(ranking.documents) for ranking in lists]))
            chosen = rng.choice(known, rows // topics, replace=False).tolist()
            docnos = Document.objects.filter(id__in=chosen).values_list("docno", flat=True)
            acts += [_act(str(number), docno, int(rng.integers(3))) for docno in docnos]
        rng.shuffle(acts)
        return acts

    return make


def _act(topic: str, docno: str, grade: int) -> Row:
    return {"id": str(uuid.uuid4()), "topic": topic, "docno": docno, "grade": grade}


def sent_at_once(visitor: Visitor, rows: list[Row]) -> float:
    """Rows a second."""
    body = json.dumps(rows).encode()
    began = time.perf_counter()
    status, answer = visitor.request("POST", PATH, body, "application/json")
    took = time.perf_counter() - began
    statuses = {row["status"] for row in json.loads(answer)["results"]} if status == 200 else {status}
    if statuses != {201}:
        raise RuntimeError(f"not every row was taken: {statuses}")
    return len(rows) / took


def sent_alone(visitor: Visitor, rows: list[Row]) -> float:
    began = time.perf_counter()
    for row in rows:
        visitor.post(PATH, row)
    return len(rows) / (time.perf_counter() - began)


def figures(rates: dict[int, list[float]], alone: list[float]) -> Iterator[Figure]:
    for spread, found in rates.items():
        topics = "one topic" if spread == 1 else f"{spread} topics"
        yield at_least(f"judgments in batches of {ROWS:,}, {topics}", median(found), "rows/s", LEAST)
    yield Figure("judgments one by one", median(alone), "rows/s")
    for spread, found in rates.items():
        yield Figure(f"batches against one by one, topics: {spread}", median(found) / median(alone), "times")
