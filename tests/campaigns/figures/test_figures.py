"""Figures hold the intervals as they are, name every run, and are as wide as a paper's columns."""

from __future__ import annotations

import json
import re
import struct
from typing import Any
from xml.etree import ElementTree

import pytest
from django.test import Client

from campaigns.collection.participation import withdraw
from campaigns.computing.tasks import recompute
from campaigns.core.errors import Refusal
from campaigns.models import Campaign, Deed, Drawing, Interval
from campaigns.results.charts import ChartCurve, RangeRow, curves_chart, ranges_chart, render_chart
from campaigns.results.figures import FigureRequest, draw_figure, drawing_of, specify
from campaigns.results.score_ranges import score_ranges_of
from campaigns.results.tasks import draw as drawing_task
from tests.campaigns.factories import Api, make_campaign, make_user, signed_in

INCH = 25.4


@pytest.fixture
def campaign(db: None) -> Campaign:
    campaign = make_campaign("Small")
    grace = Api(campaign, "Small-grace")
    for topic, docno, grade in (("1", "a", 2), ("1", "b", 0), ("2", "k", 1)):
        grace.judge(topic, docno, grade)
        recompute(campaign.id)
    return campaign


def values_in(specification: Any) -> list[dict[str, Any]]:
    """Every row of data anywhere in a specification."""
    if isinstance(specification, dict):
        own = specification.get("values", [])
        return [row for row in own if isinstance(row, dict)] + [
            row for name, inner in specification.items() if name != "values" for row in values_in(inner)
        ]
    if isinstance(specification, list):
        return [row for inner in specification for row in values_in(inner)]
    return []


@pytest.mark.parametrize("width", [84, 178])
def test_the_intervals_stand_in_the_specification(campaign: Campaign, width: int) -> None:
    specification = specify(campaign=campaign, wanted=FigureRequest("intervals", width, 0, "json"))
    found = {row["name"]: (row["low"], row["mark"], row["high"]) for row in values_in(specification)}
    assert found == {
        run.run: (run.base, run.projected, run.top) for run in score_ranges_of(campaign=campaign)
    }
    best = specify(campaign=campaign, wanted=FigureRequest("intervals", width, 1, "json"))
    assert {row["name"] for row in values_in(best)} == {max(found, key=lambda name: found[name][0])}


def test_withdrawn_runs_are_in_no_figure(campaign: Campaign) -> None:
    withdraw(run=campaign.runs.get(tag="z"))
    recompute(campaign.id)
    for figure, name in (("intervals", "name"), ("curves", "run")):
        rows = values_in(specify(campaign=campaign, wanted=FigureRequest(figure, 84, 0, "json")))
        assert {row[name] for row in rows} == {"x", "y"}


def test_residuals_of_topics(campaign: Campaign) -> None:
    rows = values_in(specify(campaign=campaign, wanted=FigureRequest("residuals", 84, 0, "json")))
    for row in rows:
        cells = sorted(Interval.objects.filter(topic__number=row["name"]).values_list("residual", flat=True))
        assert (row["low"], row["mark"], row["high"]) == tuple(cells)
    assert [row["mark"] for row in rows] == sorted((row["mark"] for row in rows), reverse=True)


def test_curves_end_at_the_intervals(campaign: Campaign) -> None:
    rows = values_in(specify(campaign=campaign, wanted=FigureRequest("curves", 84, 2, "json")))
    means = {run.run: run for run in score_ranges_of(campaign=campaign)}
    for tag in {row["run"] for row in rows}:
        own = [row for row in rows if row["run"] == tag]
        assert (own[0]["judged"], own[0]["base"], own[0]["top"]) == (0, 0.0, 1.0)
        assert (own[-1]["judged"], own[-1]["base"], own[-1]["top"]) == (3, means[tag].base, means[tag].top)
        assert [row["judged"] for row in own] == [0, 1, 2, 3]


def many(count: int) -> list[RangeRow]:
    return [RangeRow(f"UIUC_DMG-run_{place}", 0.6 - place / 300, 0.62 - place / 310, 0.7 - place / 320)
            for place in range(count)]  # fmt: skip


@pytest.mark.parametrize(("count", "width"), [(1, 84), (40, 84), (143, 178)])
def test_every_run_is_named_and_the_width_is_the_papers(count: int, width: int) -> None:
    specification = ranges_chart(many(count), width=width, title="RBP(p=0.8), base to top", mark="projected")
    svg = ElementTree.fromstring(render_chart(specification, "svg"))
    texts = [text.text for text in svg.iter("{http://www.w3.org/2000/svg}text")]
    assert {row.name for row in many(count)} <= set(texts)
    assert len([text for text in texts if text and text.startswith("UIUC")]) == count
    assert float(svg.attrib["width"].removesuffix("mm")) == pytest.approx(width, abs=1)
    assert float(svg.attrib["height"].removesuffix("mm")) < 240
    sizes = {text.attrib["font-size"] for text in svg.iter("{http://www.w3.org/2000/svg}text")}
    assert sizes == {"8px"}


def test_screen_readers_get_rounded_scores() -> None:
    rows = [RangeRow("a", 0.1239, 0.2, 0.88497), RangeRow("b", 0.25, 0.2505, 0.1 + 0.2)]
    svg = ElementTree.fromstring(
        render_chart(ranges_chart(rows, width=84, title="", mark="projected"), "svg")
    )
    labels = {each.get("aria-label") for each in svg.iter() if each.get("aria-roledescription") == "bar"}
    assert labels == {"a: 0.123 to 0.885, projected 0.200", "b: 0.250 to 0.300, projected 0.251"}


@pytest.mark.parametrize("width", [84, 178])
def test_curves_are_as_wide(width: int) -> None:
    found = [ChartCurve(f"run-{place}", [0, 10, 20], [0.0, 0.1, 0.2], [1.0, 0.6, 0.3]) for place in range(7)]
    svg = ElementTree.fromstring(render_chart(curves_chart(found, width=width, title="RBP"), "svg"))
    assert float(svg.attrib["width"].removesuffix("mm")) == pytest.approx(width, abs=1)
    assert {run.name for run in found} <= {text.text for text in svg.iter() if text.tag.endswith("text")}
    with pytest.raises(ValueError, match="8 curves cannot be told apart"):
        curves_chart([*found, found[0]], width=width, title="RBP")


def test_pdf_and_png_have_letters_and_the_size() -> None:
    specification = ranges_chart(many(10), width=84, title="RBP", mark="projected")
    pdf = render_chart(specification, "pdf")
    assert b"/BaseFont" in pdf
    box = re.search(rb"MediaBox\s*\[0 0 ([\d.]+)", pdf)
    assert box is not None
    assert float(box[1]) / 72 * INCH == pytest.approx(84, abs=1)
    png = render_chart(specification, "png")
    assert png.startswith(b"\x89PNG")
    assert struct.unpack(">I", png[16:20])[0] / 300 * INCH == pytest.approx(84, abs=1)
    assert json.loads(render_chart(specification, "json")) == specification


def test_names_with_signs_of_every_kind() -> None:
    names = ['"quoted"', "back\\slash", "<b>", "é'ü", "{{x}}", "a.b[0]"]
    rows = [RangeRow(name, 0.1, 0.2, 0.3) for name in names]
    svg = ElementTree.fromstring(render_chart(ranges_chart(rows, width=84, title="RBP", mark="m"), "svg"))
    assert set(names) <= {text.text for text in svg.iter("{http://www.w3.org/2000/svg}text")}


def get(client: Client, path: str = "intervals.json", **query: Any) -> Any:
    return client.get(f"/campaigns/small/exports/figures/{path}", query)


def test_the_page_waits_for_the_worker_and_then_gives_the_file(campaign: Campaign) -> None:
    ada = signed_in("Small-ada")
    waiting = get(ada, width=84, top=2)
    assert waiting.status_code == 202
    assert waiting.headers["Refresh"].endswith("intervals.json?width=84&top=2&looked=1")
    assert get(ada, width=84, top=2, looked=1).status_code == 202
    assert get(ada, width=84, top=2, looked=60).status_code == 503
    drawing_task(campaign.id, "intervals", 84, 2, "json")
    ready = get(ada, width=84, top=2, looked=2)
    assert ready.headers["Content-Type"] == "application/json"
    assert 'filename="small.intervals-84mm-top2.json"' in ready.headers["Content-Disposition"]
    assert len(values_in(ready.json())) == 2
    assert Deed.objects.filter(kind="exported", detail__file="small.intervals-84mm-top2.json").count() == 1


def test_a_drawing_is_kept_and_drawn_anew_for_other_settings(campaign: Campaign) -> None:
    wanted = FigureRequest("intervals", 84, 0, "json")
    first = draw_figure(campaign=campaign, wanted=wanted)
    assert drawing_of(campaign=campaign, wanted=wanted) == first
    withdraw(run=campaign.runs.get(tag="z"))
    recompute(campaign.id)
    assert drawing_of(campaign=campaign, wanted=wanted) is None
    assert draw_figure(campaign=campaign, wanted=wanted).content != first.content
    assert Drawing.objects.count() == 1


@pytest.mark.parametrize(
    ("path", "query", "status"),
    [
        ("intervals.gif", {}, 404),
        ("passwords.svg", {}, 404),
        ("intervals.svg", {"width": 85}, 400),
        ("intervals.svg", {"width": "wide"}, 400),
        ("intervals.svg", {"top": 100_000}, 400),
        ("intervals.svg", {"top": -1}, 400),
        ("intervals.svg", {"looked": "²"}, 400),
    ],
)
def test_figures_that_are_not_there(
    campaign: Campaign, path: str, query: dict[str, Any], status: int
) -> None:
    assert get(signed_in("Small-ada"), path, **query).status_code == status


def test_figures_are_for_the_campaigns_organisers(campaign: Campaign) -> None:
    make_user("stranger")
    assert get(signed_in("Small-grace")).status_code == 403
    assert get(signed_in("stranger")).status_code == 404
    assert signed_in("Small-ada").post("/campaigns/small/exports/figures/intervals.svg").status_code == 405


def test_a_figure_that_nobody_offers() -> None:
    with pytest.raises(Refusal):
        FigureRequest("lines", 84, 0, "svg")
