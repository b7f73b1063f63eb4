"""A run's projected score is the mean of its topics' projections, and the same wherever it is shown."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from campaigns.computing.tasks import recompute
from campaigns.models import Campaign, Event, Interval, Run
from campaigns.results.pairs import pair_of
from campaigns.results.score_ranges import score_ranges_of
from campaigns.stopping.advice import stopping_advice_of
from campaigns.stopping.advice_content import AdvisedRun
from tests.campaigns.exchange.test_exports import written
from tests.campaigns.factories import THREE_RUNS, Api, make_campaign, run_text
from tests.campaigns.management.offline.command_files import run_json
from tests.campaigns.stopping.stopping_look import look


@pytest.fixture
def campaign(db: None) -> Campaign:
    campaign = make_campaign()
    grace = Api(campaign, "Small-grace")
    for topic, docno, grade in (("1", "a", 2), ("1", "b", 0), ("1", "c", 1), ("2", "l", 2)):
        assert grace.judge(topic, docno, grade).status_code == 201
    recompute(campaign.id)
    return campaign


def by_hand(campaign: Campaign) -> dict[str, float]:
    found: dict[str, list[float]] = {}
    for run, base, residual in Interval.objects.values_list("run__tag", "base", "residual"):
        found.setdefault(run, [])
        if residual < 1:
            found[run].append(base / (1 - residual))
    return {run: float(np.mean(each)) for run, each in found.items()}


def test_the_mean_is_made_of_the_topics(campaign: Campaign) -> None:
    ranges = {row.run: row for row in score_ranges_of(campaign=campaign)}
    assert {run: row.projected for run, row in ranges.items()} == pytest.approx(by_hand(campaign))
    # z misses topic 2, which leaves its mean. Of x it is not the projection of the means.
    x = ranges["x"]
    assert abs(x.projected - x.base / (1 - x.residual)) > 0.05


def test_every_place_shows_the_same(campaign: Campaign, tmp_path: Path) -> None:
    expected = pytest.approx(by_hand(campaign))
    asked = Api(campaign, "Small-ada").get("intervals/").json()["runs"]
    assert {row["run"]: row["projected"] for row in asked} == expected
    table = csv.DictReader(io.StringIO(written(campaign, what="scores")))
    assert {row["run"]: float(row["projected"]) for row in table if row["topic"] == "all"} == expected
    tags = dict(Run.objects.values_list("id", "tag"))
    event_runs = Event.objects.filter(kind="intervals").latest("id").data["runs"]
    assert {tags[run]: projected for run, _, _, projected in event_runs} == expected

    files = exported(campaign, tmp_path)
    assert {row["run"]: row["projected"] for row in run_json("evaluate", *files)["scores"]} == expected
    replayed = run_json("simulate", *files, "--method", "pooling", "--judgments", 100, "--unjudged", "bypass")
    assert {row["run"]: row["projected"] for row in replayed["scores"]} == expected


def exported(campaign: Campaign, folder: Path) -> list[Any]:
    (folder / "qrels.txt").write_text(written(campaign))
    for tag, lists in THREE_RUNS.items():
        (folder / f"{tag}.run").write_bytes(run_text(tag, lists))
    runs = [str(folder / f"{tag}.run") for tag in THREE_RUNS]
    gains = ",".join(str(row["gain"]) for row in campaign.grades)
    return ["--runs", *runs, "--qrels", str(folder / "qrels.txt"), "--gains", gains]


def test_a_base_against_a_projection_is_the_same_everywhere(campaign: Campaign, tmp_path: Path) -> None:
    """Nothing of z is judged in topic 2: a pair against z is over topic 1 alone."""
    cells = {
        (run, topic): (base, residual)
        for run, topic, base, residual in Interval.objects.values_list(
            "run__tag", "topic__number", "base", "residual"
        )
    }
    assert cells["z", "2"] == (0, 1)
    look(campaign)
    advice = stopping_advice_of(campaign=campaign, versus="projected")
    assert advice is not None
    command = run_json("compare", *exported(campaign, tmp_path), "--top-share", 1, "--test", "t")
    rows = {(row["better"], row["worse"]): row for row in command["comparisons"]}
    ranges = {row.run: row for row in score_ranges_of(campaign=campaign)}
    counts = {}
    for pair in advice.pairs:
        begun = [topic for topic in "12" if cells[pair.other, topic][1] < 1]
        gaps = [
            cells[pair.run, topic][0] - cells[pair.other, topic][0] / (1 - cells[pair.other, topic][1])
            for topic in begun
        ]
        row = rows[pair.run, pair.other]
        page = pair_of(campaign=campaign, better=ranges[pair.run], worse=ranges[pair.other])
        (tested,) = [row for row in page.tests if row.versus == "projected"]
        assert [pair.difference, tested.difference, row["projected"]] == pytest.approx([np.mean(gaps)] * 3)
        assert {pair.topic_count, tested.topics, row["projected_topics"]} == {len(begun)}
        # One topic makes no t-test.
        assert tested.t == row["projected_p"]
        assert (tested.t is None) == (len(begun) < 2)
        counts[pair.run, pair.other] = len(begun)
    assert sorted(counts.values()) == [1, 1, 2]


def test_rows_of_older_versions_are_read() -> None:
    old = {"run": "x", "base": 0.2, "residual": 0.5}
    assert AdvisedRun.from_json(old) == AdvisedRun(None, "x", 0.2, 0.5, 0.4)
