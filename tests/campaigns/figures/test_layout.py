"""On paper: no text over another or outside the page, nothing too small, nothing that only colour tells."""

from __future__ import annotations

from itertools import pairwise
from xml.etree import ElementTree

import pytest

from campaigns.figures.drawings import Figure
from campaigns.figures.sheet import (
    BEST,
    OTHER,
    POINTS_A_MM,
    Sheet,
    TextBox,
    fit,
    nice_step,
    render_sheet,
    text_width,
    wrap,
)
from tests.campaigns.figures.figure_data import EVERY_FIGURE, convergence_figure, intervals_figure

# The longest text block of a page of A4.
TALLEST_MM = 240


def overlapping(boxes: list[TextBox]) -> list[tuple[str, str]]:
    """Pairs of texts that share a place, by a sweep from top to bottom."""
    found, above = [], list[TextBox]()
    for box in sorted(boxes, key=lambda box: box.top):
        above = [one for one in above if one.bottom > box.top]
        found += [(one.text, box.text) for one in above if one.right > box.left and box.right > one.left]
        above.append(box)
    return found


def test_overlaps_are_found() -> None:
    sheet = Sheet(84)
    sheet.text(10, 10, "one")
    sheet.text(18, 12, "two")
    sheet.text(40, 10, "three")
    assert overlapping(sheet.boxes) == [("one", "two")]


@pytest.mark.parametrize("width", [84, 178])
@pytest.mark.parametrize("name", EVERY_FIGURE)
def test_texts_have_their_own_places_on_the_page(name: str, width: int) -> None:
    sheet = EVERY_FIGURE[name].draw(width)
    assert overlapping(sheet.boxes) == []
    outside = [
        box.text for box in sheet.boxes
        if box.left < 0 or box.right > sheet.width or box.top < 0 or box.bottom > sheet.height + 2
    ]  # fmt: skip
    assert outside == []
    assert sheet.height / POINTS_A_MM < TALLEST_MM


@pytest.mark.parametrize("width", [84, 178])
@pytest.mark.parametrize("name", EVERY_FIGURE)
def test_no_text_is_below_six_points(name: str, width: int) -> None:
    svg = ElementTree.fromstring(render_sheet(EVERY_FIGURE[name].draw(width), "svg", title="", caption=""))
    texts = list(svg.iter("{http://www.w3.org/2000/svg}text"))
    assert texts
    assert min(float(text.attrib["font-size"]) for text in texts) >= 6
    assert svg.attrib["width"] == f"{width:.2f}mm"
    # One unit of the drawing is a point in print.
    assert float(svg.attrib["viewBox"].split()[2]) == pytest.approx(width * POINTS_A_MM, abs=0.01)


def lightness(colour: str) -> float:
    """In grey, from 0 to 255, as printers weigh colours (Rec. 601)."""
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return 0.299 * red + 0.587 * green + 0.114 * blue


def test_bands_differ_in_grey() -> None:
    shades = sorted([lightness(BEST), lightness(OTHER), 255.0])
    assert all(darker + 35 < lighter for darker, lighter in pairwise(shades))


def texts_of(figure: Figure, width: int = 84) -> list[str]:
    return [box.text for box in figure.draw(width).boxes]


def test_143_runs_show_the_first_30_and_what_is_true_of_the_rest() -> None:
    figure = intervals_figure(143)
    texts = texts_of(figure)
    assert sum(run.run in texts for run in figure.standings.rows) <= 30
    assert "0.658" in texts
    [note] = [text for text in texts if text.startswith("113 more runs")]
    best = figure.standings.rows[30].expected
    assert best is not None
    assert best <= 0.654 < best + 0.001
    assert note == "113 more runs: all expected at most 0.654, all tops at most 0.854."


def test_too_early_shows_score_ranges_only() -> None:
    for state in ("early", "none"):
        figure = intervals_figure(16, state)
        assert BEST not in figure.draw(178).svg(title="", caption="")
        assert "Expected" not in texts_of(figure, 178)
        assert {row["expected"] for row in figure.to_json()["runs"]} == {None}
    assert any("Too early" in text for text in texts_of(intervals_figure(16, "early")))


def test_leaders_have_no_probability() -> None:
    texts = texts_of(intervals_figure(143, "leaders"), 178)
    assert texts.count("leader") == 18
    assert "not among the leaders" in texts
    assert "P(best) below 1%" not in texts


def test_without_predictions_no_line_of_pairs_is_drawn() -> None:
    drawn = convergence_figure(3).draw(84).svg(title="", caption="")
    none = convergence_figure(3, predicted=False).draw(84)
    assert "nothing predicted yet" in [box.text for box in none.boxes]
    svg = none.svg(title="", caption="")
    assert "<circle" in drawn
    assert "<circle" not in svg
    # Key, residuals: the dashed lines. No line joins predictions that are so far apart.
    assert (drawn.count("stroke-dasharray"), svg.count("stroke-dasharray")) == (2, 2)


def test_long_names_keep_their_ends() -> None:
    short = fit("UIUC_DMG_setrank_with_feedback_ret", 80)
    assert text_width(short) <= 80
    assert short.startswith("UIUC_DMG")
    assert short.endswith("ret")
    assert fit("short", 80) == "short"
    assert fit("anything", 0.5) == "…"
    assert all(text_width(line, 7) <= 60 for line in wrap("a-word-without-any-blank-in-it and more", 60, 7))


@pytest.mark.parametrize(("most", "ticks", "step"), [(5543, 6, 1000), (3, 5, 1), (1, 4, 1), (999, 2, 500)])
def test_steps_are_round(most: float, ticks: int, step: float) -> None:
    assert nice_step(most, ticks) == step
