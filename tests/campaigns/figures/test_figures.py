"""Figures hold the numbers of the API, follow its rules, and are drawn by the worker alone."""

from __future__ import annotations

import json
import re
import struct
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from django.test import Client

from campaigns.collection.run_changes import withdraw
from campaigns.computing.tasks import recompute
from campaigns.core.errors import Refusal
from campaigns.figures.drawings import FigureRequest, draw_figure, drawing_of, figure_of, render_figure
from campaigns.figures.intervals import IntervalsFigure
from campaigns.figures.sheet import FIGURE_TYPES
from campaigns.figures.tasks import draw as drawing_task
from campaigns.models import Campaign, Deed, Drawing, Interval
from campaigns.predictions.standings import standings_of
from campaigns.results.score_ranges import score_ranges_of
from campaigns.results.topic_scope import SCOPES
from tests.campaigns.factories import THREE_RUNS, Api, Lists, make_campaign, make_user, signed_in
from tests.campaigns.figures.figure_data import intervals_figure
from tests.campaigns.stopping.stopping_look import predict_scores

SVG = "{http://www.w3.org/2000/svg}"
# Topic 3 is ranked by all, and has no judgment.
LISTS = {tag: {**topics, "3": ["p", "q", "r"]} for tag, topics in THREE_RUNS.items()}
JUDGMENTS = (("1", "a", 2), ("1", "b", 0), ("2", "k", 1), ("1", "c", 0), ("2", "l", 0), ("2", "m", 1))
INCH = 25.4


def judged_campaign(name: str, lists: Lists) -> Campaign:
    campaign = make_campaign(name, lists)
    grace = Api(campaign, f"{name}-grace")
    for topic, docno, grade in JUDGMENTS:
        assert grace.judge(topic, docno, grade).status_code == 201
        recompute(campaign.id)
    return campaign


@pytest.fixture
def campaign(db: None) -> Campaign:
    return judged_campaign("Small", LISTS)


def numbers(campaign: Campaign, figure: str, topics: str = "all", *, top: int = 0) -> Any:
    wanted = FigureRequest(figure, 178, top, topics)
    return json.loads(render_figure(figure_of(campaign=campaign, wanted=wanted), wanted, "json"))


@pytest.mark.parametrize("topics", ["all", "judged"])
def test_intervals_equal_the_api(campaign: Campaign, topics: str) -> None:
    predict_scores(campaign)
    drawn = numbers(campaign, "intervals", topics)
    ada = Api(campaign, "Small-ada")
    ranges = {run["run"]: run for run in ada.get("intervals/", topics=topics).json()["runs"]}
    predicted = ada.get("predictions/", topics=topics).json()
    assert [run["run"] for run in drawn["runs"]] == [run["run"] for run in predicted["runs"]]
    for run, said in zip(drawn["runs"], predicted["runs"], strict=True):
        known = ranges[run["run"]]
        assert (run["base"], run["top"]) == (known["base"], known["top"])
        assert [run[name] for name in ("expected", "low", "high")] == [
            said[name] for name in ("expected", "low", "high")
        ]
        assert run["best"] == said["best"]
    count = 3 if topics == "all" else 2
    assert (drawn["topics"], drawn["topic_count"], drawn["judged"]) == (topics, count, 6)
    assert drawn["predicted_as_of"] == predicted["as_of"] == 6


def test_identical_runs_share_a_row_and_are_all_counted(db: None) -> None:
    campaign = judged_campaign("Small", {**LISTS, "double": LISTS["x"]})
    predict_scores(campaign)
    drawn = numbers(campaign, "intervals")
    assert {run["run"]: run["same"] for run in drawn["runs"]} == {"x": ["double"], "y": [], "z": []}
    assert drawn["caption"].startswith("All 4 runs: ")
    figure = figure_of(campaign=campaign, wanted=FigureRequest("intervals", 84))
    assert "+1 same" in [box.text for box in figure.draw(84).boxes]
    assert numbers(campaign, "intervals", top=1)["left_out"] in (2, 3)
    assert "mean residual of 4 runs" in numbers(campaign, "curves")["caption"]


def test_both_scopes_have_one_axis_that_holds_every_range(campaign: Campaign) -> None:
    axes = set()
    for topics in SCOPES:
        figure = figure_of(campaign=campaign, wanted=FigureRequest("intervals", 84, topics=topics))
        assert isinstance(figure, IntervalsFigure)
        low, high = figure.axis
        assert all(low <= run.base and run.top <= high for run in figure.rows)
        axes.add(figure.axis)
    assert len(axes) == 1


def test_without_a_prediction_only_ranges_are_drawn(campaign: Campaign) -> None:
    drawn = numbers(campaign, "intervals")
    assert {run["expected"] for run in drawn["runs"]} == {None}
    assert [run["run"] for run in drawn["runs"]] == [run.run for run in standings_of(campaign=campaign).rows]


def test_withdrawn_runs_are_in_no_figure(campaign: Campaign) -> None:
    withdraw(run=campaign.runs.get(tag="z"))
    recompute(campaign.id)
    for figure in ("intervals", "curves"):
        assert {run["run"] for run in numbers(campaign, figure)["runs"]} == {"x", "y"}


def test_topics_show_the_residuals_of_the_runs(campaign: Campaign) -> None:
    rows = {row["number"]: row for row in numbers(campaign, "residuals")["rows"]}
    assert (rows["3"]["judged"], rows["3"]["low"]) == (0, 1.0)
    for number in ("1", "2"):
        cells = Interval.objects.filter(topic__number=number).values_list("residual", flat=True)
        assert (rows[number]["low"], rows[number]["high"]) == (min(cells), max(cells))
        assert rows[number]["mean"] == pytest.approx(sum(cells) / len(cells))
    judged = numbers(campaign, "residuals", "judged")["rows"]
    assert {row["number"] for row in judged} == {"1", "2"}
    assert [row["mean"] for row in judged] == sorted((row["mean"] for row in judged), reverse=True)


def test_whiskers_hold_nine_in_ten_of_many_runs(db: None) -> None:
    documents = [f"d{place}" for place in range(40)]
    many = make_campaign("Small", {f"run{place}": {"1": documents[place:]} for place in range(40)})
    Api(many, "Small-grace").judge("1", "d39", 1)
    recompute(many.id)
    [row] = numbers(many, "residuals")["rows"]
    cells = list(Interval.objects.values_list("residual", flat=True))
    assert [row["low"], row["high"]] == np.quantile(cells, [0.05, 0.95], method="inverted_cdf").tolist()
    assert sum(row["low"] <= cell <= row["high"] for cell in cells) >= 36
    assert "nine in ten runs" in numbers(many, "residuals")["caption"]


@pytest.mark.parametrize("topics", ["all", "judged"])
def test_curves_end_at_the_intervals(campaign: Campaign, topics: Any) -> None:
    drawn = numbers(campaign, "curves", topics, top=2)
    means = {run.run: run for run in score_ranges_of(campaign=campaign, topics=topics)}
    assert len(drawn["runs"]) == 2
    for run in drawn["runs"]:
        points = [(point["judged"], point["base"], point["top"]) for point in run["points"]]
        assert points[0] == (0, 0.0, 1.0)
        last = means[run["run"]]
        assert points[-1] == (6, pytest.approx(last.base), pytest.approx(last.top))
        assert [judged for judged, _, _ in points] == [0, 1, 2, 3, 4, 5, 6]


def test_mean_residuals_end_at_those_of_the_intervals(campaign: Campaign) -> None:
    ends: Any = {scope: points[-1] for scope, points in numbers(campaign, "curves")["mean_residual"].items()}
    assert set(ends) == {"all", "judged"}
    for scope, end in ends.items():
        known = [run.residual for run in score_ranges_of(campaign=campaign, topics=scope)]
        assert end == {"judged": 6, "residual": pytest.approx(sum(known) / len(known))}


def test_curves_over_judged_topics_are_those_of_a_campaign_without_the_others(campaign: Campaign) -> None:
    other = judged_campaign("Other", THREE_RUNS)
    mine = {run["run"]: run["points"] for run in numbers(campaign, "curves", "judged")["runs"]}
    theirs = {run["run"]: run["points"] for run in numbers(other, "curves")["runs"]}
    assert mine.keys() == theirs.keys()
    for tag, points in theirs.items():
        assert mine[tag] == [pytest.approx(point) for point in points]


def test_captions_state_what_is_known_and_no_date(campaign: Campaign) -> None:
    predict_scores(campaign)
    scopes = {"all": "all 3 topics, 2 of them judged", "judged": "the 2 judged topics of 3"}
    for figure in ("intervals", "curves", "residuals"):
        for topics, words in scopes.items():
            caption = numbers(campaign, figure, topics)["caption"]
            assert words in caption
            assert "RBP(p=0.8)" in caption
            assert "6 judged documents known; campaign small, revision" in caption
            assert not re.search(r"\b20\d\d\b", caption)


def test_pdf_and_png_have_letters_and_the_size() -> None:
    figure, wanted = intervals_figure(10), FigureRequest("intervals", 84)
    pdf = render_figure(figure, wanted, "pdf")
    assert b"/BaseFont" in pdf
    box = re.search(rb"MediaBox\s*\[0 0 ([\d.]+)", pdf)
    assert box is not None
    assert float(box[1]) / 72 * INCH == pytest.approx(84, abs=0.1)
    png = render_figure(figure, wanted, "png")
    assert png.startswith(b"\x89PNG")
    assert struct.unpack(">I", png[16:20])[0] / 300 * INCH == pytest.approx(84, abs=0.1)


def test_names_with_signs_of_every_kind(campaign: Campaign) -> None:
    names = ['"quoted"', "back\\slash", "<b>", "é'ü&amp;", "{{x}}"]
    for run, name in zip(campaign.runs.order_by("id"), names[:3], strict=True):
        campaign.runs.filter(id=run.id).update(tag=name)
    judged = campaign.topics.filter(number__in=("1", "2")).order_by("id")
    for topic, name in zip(judged, names[3:], strict=True):
        campaign.topics.filter(id=topic.id).update(title=name + "\x1b")
    draw_figure(campaign=campaign, wanted=FigureRequest("intervals", 84))
    draw_figure(campaign=campaign, wanted=FigureRequest("residuals", 178))
    texts = set[str | None]()
    for row in Drawing.objects.filter(kind="svg"):
        texts |= {text.text for text in ElementTree.fromstring(bytes(row.content)).iter(f"{SVG}text")}
    assert {*names} <= texts


def get(client: Client, path: str = "intervals.json", **query: Any) -> Any:
    return client.get(f"/campaigns/small/exports/figures/{path}", query)


def test_the_page_waits_for_the_worker_and_then_gives_the_file(campaign: Campaign) -> None:
    ada = signed_in("Small-ada")
    waiting = get(ada, width=84, top=2)
    assert waiting.status_code == 202
    assert waiting.headers["Refresh"].endswith("intervals.json?width=84&top=2&looked=1")
    assert get(ada, width=84, top=2, looked=1).status_code == 202
    assert get(ada, width=84, top=2, looked=60).status_code == 503
    drawing_task(campaign.id, "intervals", 84, 2)
    ready = get(ada, width=84, top=2, looked=2)
    assert ready.headers["Content-Type"] == "application/json"
    assert 'filename="small.intervals-84mm-top2.json"' in ready.headers["Content-Disposition"]
    assert len(ready.json()["runs"]) == 2
    assert Deed.objects.filter(kind="exported", detail__file="small.intervals-84mm-top2.json").count() == 1


def test_a_drawing_is_kept_until_something_changes(campaign: Campaign) -> None:
    wanted = FigureRequest("intervals", 84)
    draw_figure(campaign=campaign, wanted=wanted)
    assert {row.kind for row in Drawing.objects.all()} == set(FIGURE_TYPES)
    Drawing.objects.update(created="2020-01-01T00:00:00Z")
    first = drawing_of(campaign=campaign, wanted=wanted)
    assert first is not None
    predict_scores(campaign)
    # The log is as long as it was, but now there is a prediction.
    assert drawing_of(campaign=campaign, wanted=wanted) is None
    assert drawing_of(campaign=campaign, wanted=wanted, as_of=first.as_of) == first
    draw_figure(campaign=campaign, wanted=wanted)
    second = drawing_of(campaign=campaign, wanted=wanted)
    assert second is not None
    assert second.content != first.content
    assert second.predicted_as_of == 6
    withdraw(run=campaign.runs.get(tag="z"))
    recompute(campaign.id)
    assert drawing_of(campaign=campaign, wanted=wanted, as_of=second.as_of) is None
    assert Drawing.objects.count() == len(FIGURE_TYPES)


def test_the_same_data_give_the_same_file(campaign: Campaign) -> None:
    for figure in ("intervals", "curves", "residuals"):
        wanted = FigureRequest(figure, 84)
        files = [render_figure(figure_of(campaign=campaign, wanted=wanted), wanted, "svg") for _ in range(2)]
        assert files[0] == files[1]


def test_a_preview_asks_again_until_it_is_drawn(campaign: Campaign) -> None:
    ada = signed_in("Small-ada")
    page = ada.get("/campaigns/small/exports/").content.decode()
    assert page.count('hx-trigger="intersect once"') == 3
    # Without scripts a link leads to each figure.
    assert page.count("Draw the figure</a>") == 3
    drawing_task(campaign.id, "curves", 84)
    file = get(ada, "curves/file/", width=84, format="pdf")
    assert 'filename="small.curves-84mm.pdf"' in file.headers["Content-Disposition"]
    assert get(ada, "curves/file/", width=84, format="gif").status_code == 404
    Deed.objects.filter(kind="exported").delete()
    waiting = get(ada, "intervals/", width=84).content.decode()
    assert 'hx-trigger="load delay:700ms"' in waiting
    assert "looked=1" in waiting
    assert "<progress" in waiting
    failed = get(ada, "intervals/", width=84, looked=60).content.decode()
    assert 'role="alert"' in failed
    assert "hx-get" not in failed
    drawing_task(campaign.id, "intervals", 178)
    drawing_task(campaign.id, "intervals", 84)
    ready = get(ada, "intervals/", width=84, looked=1).content.decode()
    assert "hx-get" not in ready
    assert 'loading="lazy"' in ready
    assert "6 judged documents known" in ready
    [address] = re.findall(r'<img[^>]* src="([^"]+)"', ready)
    picture = ada.get(address.replace("&amp;", "&"))
    assert picture.headers["Content-Type"] == "image/svg+xml"
    assert picture.headers["Content-Disposition"].startswith("inline")
    assert not Deed.objects.filter(kind="exported").exists()
    # The page shows the drawn one at once, and only of these topics.
    assert "<img" in ada.get("/campaigns/small/exports/").content.decode()
    assert "<img" not in ada.get("/campaigns/small/exports/?topics=judged").content.decode()
    assert ada.get("/campaigns/small/exports/?topics=some").status_code == 404


@pytest.mark.parametrize(
    ("path", "query", "status"),
    [
        ("intervals.gif", {}, 404),
        ("passwords.svg", {}, 404),
        ("intervals.svg", {"width": 85}, 400),
        ("intervals.svg", {"width": "wide"}, 400),
        ("intervals.svg", {"top": 100_000}, 400),
        ("intervals.svg", {"top": -1}, 400),
        ("intervals.svg", {"top": 61}, 400),
        ("curves.svg", {"top": 25}, 400),
        ("residuals.svg", {"top": 241}, 400),
        ("intervals.svg", {"looked": "²"}, 400),
        ("intervals.svg", {"as_of": "now"}, 400),
        ("intervals.svg", {"topics": "some"}, 400),
        ("intervals/", {"width": 85}, 400),
        ("intervals/", {"topics": "some"}, 400),
        ("intervals/", {"looked": "-1"}, 400),
        ("passwords/", {}, 404),
    ],
)
def test_figures_that_are_not_there(db: None, path: str, query: dict[str, Any], status: int) -> None:
    make_campaign("Small", {}, opened=False)
    assert get(signed_in("Small-ada"), path, **query).status_code == status


def test_figures_are_for_the_campaigns_organisers(campaign: Campaign) -> None:
    make_user("stranger")
    for path in ("intervals.svg", "intervals/"):
        assert get(signed_in("Small-grace"), path).status_code == 403
        assert get(signed_in("stranger"), path).status_code == 404
        assert signed_in("Small-ada").post(f"/campaigns/small/exports/figures/{path}").status_code == 405


def test_a_figure_that_nobody_offers() -> None:
    with pytest.raises(Refusal):
        FigureRequest("lines", 84)
