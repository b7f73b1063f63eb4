"""Rankings of a bundle: complete, and in the order of each run's score precision."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from campaigns.exchange.bundles.tables import RUN_COUNTS, run_counts
from tests.campaigns.exchange.bundles.bundle_copies import contents, copied, forged, packed
from tests.campaigns.exchange.bundles.test_bundle_refusals import refused
from tests.campaigns.factories import add_run, make_campaign

pytestmark = pytest.mark.django_db

Row = dict[str, Any]
TIED = "tied"


@pytest.fixture(scope="module")
def content(module_rows: None) -> bytes:
    lists = {"1": ["d1", "d2", "d3"], "2": ["d2", "d3"]}
    campaign = make_campaign("Ranked", {"r1": lists, "r2": {"1": ["d3", "d1"]}})
    add_run(campaign, TIED, {"1": ["d4", "d3", "d2", "d1"]})
    run = campaign.runs.get(tag=TIED)
    ranking = run.rankings.get()
    dtype = f"<f{run.score_precision // 8}"
    ranking.scores = np.array([2, 1, 1, 1], dtype=dtype).tobytes()
    ranking.save()
    return packed(campaign)


def rows_of(entry: bytes) -> list[Row]:
    return [json.loads(line) for line in entry.splitlines()]


def lines_of(rows: list[Row]) -> bytes:
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def numbers(packed: str, dtype: str) -> Any:
    return np.frombuffer(b64decode(packed), dtype=dtype).copy()


def changed(content: bytes, name: str, change: Callable[[list[Row]], list[Row]]) -> bytes:
    """The bundle with other rows of a table; its counts and checksums are right, and it is signed again."""
    return forged(content, f"{name}.jsonl", lambda entry: lines_of(change(rows_of(entry))))


def without(run: str, topic: str) -> Callable[[list[Row]], list[Row]]:
    return lambda rows: [row for row in rows if (row["run"], row["topic"]) != (run, topic)]


def shorter_first(rows: list[Row]) -> list[Row]:
    length = len(b64decode(rows[0]["documents"])) // 4
    width = len(b64decode(rows[0]["scores"])) // length
    for name, size in (("documents", 4), ("scores", width)):
        rows[0][name] = b64encode(b64decode(rows[0][name])[:-size]).decode()
    return rows


@pytest.mark.parametrize(
    ("change", "line", "said"),
    [
        (without("r1", "2"), 1, "ranked_topics: 2, and rankings.jsonl has 1"),
        (without("r2", "1"), 2, "ranked_topics: 1, and rankings.jsonl has 0"),
        (shorter_first, 1, "ranked_documents: 5, and rankings.jsonl has 4"),
        (lambda rows: [], 1, "ranked_topics: 2, and rankings.jsonl has 0"),
    ],
    ids=["a list", "a run's only list", "a document", "all"],
)
def test_rankings_that_are_missing_are_named(
    content: bytes, change: Callable[[list[Row]], list[Row]], line: int, said: str
) -> None:
    refused(changed(content, "rankings", change), rf"runs\.jsonl:{line}: {said}")


@pytest.mark.parametrize("name", RUN_COUNTS)
@pytest.mark.parametrize("value", [True, 1.0, "2", None, -1, 10**30, [], {}])
def test_a_wrong_count_is_refused(content: bytes, name: str, value: Any) -> None:
    refused(
        changed(content, "runs", lambda rows: [rows[0] | {name: value}, *rows[1:]]), rf"runs\.jsonl:1: {name}"
    )


def swapped(first: int, second: int) -> Callable[[list[Row]], list[Row]]:
    def change(rows: list[Row]) -> list[Row]:
        row = next(row for row in rows if row["run"] == TIED)
        documents = numbers(row["documents"], "<i4")
        documents[[first, second]] = documents[[second, first]]
        row["documents"] = b64encode(documents.tobytes()).decode()
        return rows

    return change


@pytest.mark.parametrize("pair", [(1, 2), (2, 3), (1, 3)])
def test_ties_are_ordered_by_docno(content: bytes, pair: tuple[int, int]) -> None:
    says = r"rankings\.jsonl:4: documents: of the score 1, d\d stands before d\d"
    refused(changed(content, "rankings", swapped(*pair)), says)


def test_documents_of_other_scores_stand_in_any_order(content: bytes) -> None:
    def change(rows: list[Row]) -> list[Row]:
        documents = numbers(rows[0]["documents"], "<i4")[::-1]
        return [rows[0] | {"documents": b64encode(documents.tobytes()).decode()}, *rows[1:]]

    assert copied(changed(content, "rankings", change)).runs.count() == 3


def test_scores_have_the_precision_of_their_run(content: bytes) -> None:
    def change(rows: list[Row]) -> list[Row]:
        return [row | {"score_precision": 96 - row["score_precision"]} for row in rows]

    says = r"rankings\.jsonl:1: scores: they have \d\d bits, and the run’s score_precision is \d\d"
    refused(changed(content, "runs", change), says)


def test_bundles_of_older_versions_open(content: bytes) -> None:
    def change(rows: list[Row]) -> list[Row]:
        assert all(name in row for row in rows for name in RUN_COUNTS)
        return [{name: value for name, value in row.items() if name not in RUN_COUNTS} for row in rows]

    copy = copied(changed(content, "runs", change))
    assert run_counts(copy)["r1"] == dict(zip(RUN_COUNTS, (2, 5), strict=True))
    again = rows_of(contents(packed(copy))["runs.jsonl"])
    assert again == rows_of(contents(content)["runs.jsonl"])
