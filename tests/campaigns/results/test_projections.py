"""A run's projected score is the mean of its topics' projections, and the same wherever it is shown."""

from __future__ import annotations

import csv
import io
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from django.apps import apps

from campaigns.computing.tasks import recompute
from campaigns.models import Campaign, Computed, Event, Interval, Run, Snapshot
from campaigns.results.score_ranges import score_ranges_of
from campaigns.stopping.advice import stopping_advice_of
from campaigns.stopping.content import AdvisedRun
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

    (tmp_path / "qrels.txt").write_text(written(campaign))
    for tag, lists in THREE_RUNS.items():
        (tmp_path / f"{tag}.run").write_bytes(run_text(tag, lists))
    runs = [str(tmp_path / f"{tag}.run") for tag in THREE_RUNS]
    gains = ",".join(str(row["gain"]) for row in campaign.grades)
    files = ["--runs", *runs, "--qrels", str(tmp_path / "qrels.txt"), "--gains", gains]
    assert {row["run"]: row["projected"] for row in run_json("evaluate", *files)["scores"]} == expected
    replayed = run_json("simulate", *files, "--method", "pooling", "--judgments", 100, "--unjudged", "bypass")
    assert {row["run"]: row["projected"] for row in replayed["scores"]} == expected


def test_advice_holds_the_projection_of_the_other_run(campaign: Campaign) -> None:
    projected, ranges = by_hand(campaign), {row.run: row for row in score_ranges_of(campaign=campaign)}
    look(campaign)
    found = stopping_advice_of(campaign=campaign, versus="projected")
    assert found is not None
    assert len(found.pairs) == 3
    for pair in found.pairs:
        assert pair.difference == pytest.approx(ranges[pair.run].base - projected[pair.other])


def test_rows_of_older_versions_are_read(campaign: Campaign) -> None:
    before = {row.run: row.projected for row in score_ranges_of(campaign=campaign)}
    Computed.objects.update(projections=b"")
    Snapshot.objects.update(projections=b"")
    import_module("campaigns.migrations.0022_projections").fill(apps, None)
    assert {row.run: row.projected for row in score_ranges_of(campaign=campaign)} == pytest.approx(before)
    old = {"run": "x", "base": 0.2, "residual": 0.5}
    assert AdvisedRun.from_json(old) == AdvisedRun(None, "x", 0.2, 0.5, 0.4)
