"""Series over the judgments hold the moments at which something was computed, and nothing between them."""

from __future__ import annotations

import io
import json
import re
from itertools import chain, pairwise
from typing import Any

import pytest
from django.contrib.auth.models import User
from hypothesis import given
from hypothesis import strategies as st

from campaigns.computing import worker
from campaigns.computing.tasks import recompute
from campaigns.exchange.qrels import store_qrels
from campaigns.figures.drawings import FigureRequest, figure_of, render_figure
from campaigns.formats.qrels import read_qrels
from campaigns.models import Campaign, Snapshot
from campaigns.overview.convergence import progress_of
from campaigns.predictions.standings import standings_of
from campaigns.results.curves import curves_of, far_starts, residual_curves, stretches
from tests.campaigns.factories import Api, make_campaign
from tests.campaigns.stopping.stopping_look import predict_scores

pytestmark = pytest.mark.django_db

DOCNOS = [f"d{number:03}" for number in range(220)]
LISTS = {
    "x": {"1": DOCNOS, "2": DOCNOS},
    "y": {"1": DOCNOS[::-1], "2": DOCNOS[5:] + DOCNOS[:5]},
    "z": {"1": DOCNOS[9:], "2": DOCNOS[::-1]},
}
IMPORTED = [(topic, docno) for topic in ("1", "2") for docno in DOCNOS[30:180]]
SERVED = [("1", docno) for docno in DOCNOS[:20]]
# Judgments of which the worker computed several at once.
PAUSED = range(308, 315)
PREDICTED = (301, 304, 320)
# A copy that is built again steps through the log, but not through the file.
REBUILT = {"live": [0, 300, *range(301, 308), *range(315, 321)], "rebuilt": None}


@pytest.fixture(scope="module", params=REBUILT)
def made(request: pytest.FixtureRequest, module_rows: None) -> int:
    campaign = make_campaign(request.param, LISTS)
    recompute(campaign.id)
    lines = "".join(f"{topic} 0 {docno} {at % 3}\n" for at, (topic, docno) in enumerate(IMPORTED))
    parsed = read_qrels(io.BytesIO(lines.encode()), "known.qrels")
    ada = User.objects.get(username=f"{campaign.name}-ada")
    store_qrels(campaign=campaign, user=ada, parsed=parsed, file="known.qrels")
    recompute(campaign.id)
    grace = Api(campaign, f"{campaign.name}-grace")
    for judged, (topic, docno) in enumerate(SERVED, start=301):
        assert grace.judge(topic, docno, judged % 3).status_code == 201
        if judged not in PAUSED:
            recompute(campaign.id)
        if judged in PREDICTED:
            predict_scores(campaign)
    if request.param == "rebuilt":
        worker.forget_copies()
        Campaign.objects.filter(id=campaign.id).update(configuration=campaign.configuration + 1)
        recompute(campaign.id)
        predict_scores(campaign)
    return campaign.id


@pytest.fixture
def campaign(made: int) -> Campaign:
    return Campaign.objects.get(id=made)


def measured(campaign: Campaign) -> set[int]:
    return {0, *Snapshot.objects.filter(campaign=campaign).values_list("judged", flat=True)}


def test_an_import_is_one_moment_and_a_pause_is_none(campaign: Campaign, request: Any) -> None:
    expected = REBUILT[request.node.callspec.params["made"]]
    moments = measured(campaign)
    assert not moments & set(range(1, 300))
    assert {300, 320} <= moments
    curves = residual_curves(campaign=campaign, runs=[campaign.runs.get(tag="x").id])
    judged = [at for at, _ in curves.residual]
    assert set(judged) <= moments
    assert expected is None or judged == expected
    assert [at for points in curves.bounds.values() for at, _, _ in points] == judged
    drawn = stretches(curves.residual, curves.starts)
    assert [part[0][0] for part in drawn] == ([0, 300, 315] if expected else [0, 300])
    assert list(chain(*drawn)) == curves.residual


def test_every_drawn_point_was_measured_and_no_line_joins_far_ones(campaign: Campaign) -> None:
    standings = standings_of(campaign=campaign)
    moments = measured(campaign)
    progress = progress_of(campaign=campaign, standings=standings)
    for curve in (progress.residuals, progress.all_topics, progress.judged_topics):
        lines = [[judged_at(x, progress.until) for x, _ in part] for part in path_points(curve.line)]
        dots = [judged_at(x, progress.until) for part in path_points(curve.dots) for x, _ in part]
        assert set(chain(dots, *lines)) <= moments
        assert all(after - before <= 5 for line in lines for before, after in pairwise(line))
    for run in progress.runs:
        assert all(abs(a - b) < 5 for part in path_points(run.area) for (a, _), (b, _) in pairwise(part))
    found = curves_of(campaign=campaign, runs=list(campaign.runs.all()))
    assert set(found.judged) <= moments
    assert {0, 300} <= set(found.starts) <= set(found.judged)


def test_the_paper_figure_holds_measured_points_and_names_its_gaps(campaign: Campaign) -> None:
    wanted = FigureRequest("curves", 178)
    figure = figure_of(campaign=campaign, wanted=wanted)
    numbers = json.loads(render_figure(figure, wanted, "json"))
    moments = measured(campaign)
    points = [*numbers["mean_residual"]["all"], *numbers["pairs"]["all"]]
    points += [point for run in numbers["runs"] for point in run["points"]]
    assert {point["judged"] for point in points} <= moments
    assert 300 in numbers["not_measured_before"]
    assert "gaps" in numbers["caption"]
    svg = render_figure(figure, wanted, "svg").decode()
    # The start and, while the worker rested, what stands between two gaps: points that nothing joins.
    assert "<circle" in svg


def path_points(path: str) -> list[list[tuple[float, float]]]:
    return [
        [(float(x), float(y)) for x, y in re.findall(r"([\d.]+) ([\d.]+)", part)]
        for part in path.split("M")
        if part
    ]


def judged_at(x: float, until: int) -> int:
    return round(x * until / 100)


@given(st.lists(st.integers(1, 4000), unique=True).map(sorted), st.sets(st.integers(1, 4000)))
def test_stretches_keep_each_point_once_and_end_at_every_gap(judged: list[int], gaps: set[int]) -> None:
    points = [(at,) for at in judged]
    starts = far_starts(judged) | gaps
    parts = stretches(points, starts)
    assert list(chain(*parts)) == points
    most = max(5, max(judged, default=0) / 30)
    for part in parts:
        for (before,), (after,) in pairwise(part):
            assert after - before <= most
            assert not any(before < gap <= after for gap in gaps)
