"""The picture's arithmetic and the dashboard's sentences, asked in the browser that runs them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.organiser import module
from tests.plumbing.chromium_fixtures import visit

UP = {"worker": "up", "worker_heard": 1.0, "broker": "up", "database": "up", "head": 7, "applied": 7}


@pytest.fixture(scope="module")
def tab(browser: Browser, site_process: str) -> Iterator[Page]:
    """One page for all: the functions under test keep nothing between calls."""
    with visit(browser, site_process) as page:
        page.goto("/sign-in/")
        yield page


def run(number: int, base: float, residual: float, **more: Any) -> dict[str, Any]:
    named = {"id": number, "run": f"r{number}", "group": "", **more}
    return {**named, "base": base, "residual": residual, "top": base + residual, "projected": base}


def test_pairs_are_decided_when_a_base_is_above_the_other_top(tab: Page) -> None:
    runs = [run(1, 0.7, 0.05), run(2, 0.6, 0.09), run(3, 0.5, 0.3)]
    found = module(tab, "picture/order.js", "pairsAmongBest", runs)
    assert (found["among"], found["decided"], len(found["open"])) == (3, 1, 2)
    assert module(tab, "picture/order.js", "pairsAmongBest", runs, 2)["decided"] == 1


def test_touching_intervals_are_open(tab: Page) -> None:
    runs = [run(1, 0.5, 0.25), run(2, 0.25, 0.25)]
    assert module(tab, "picture/order.js", "pairsAmongBest", runs)["decided"] == 0
    assert [r["id"] for r in module(tab, "picture/order.js", "rivals", runs)] == [2]


def test_the_best_stands_alone_above_every_top(tab: Page) -> None:
    runs = [run(1, 0.5, 0.3), run(2, 0.2, 0.29), run(3, 0.1, 0.3)]
    assert module(tab, "picture/order.js", "rivals", runs) == []
    words = module(tab, "live/words.js", "aloneWords", runs[0], [], 3)
    assert words["figure"] == "r1"
    assert "stands alone" in words["words"]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({}, []),
        (
            {"worker": "down", "worker_heard": 20.2},
            ["The worker has not been heard of for 20 s."],
        ),
        ({"worker": "down", "worker_heard": None}, ["No worker has been heard of yet."]),
        ({"worker": "down", "worker_heard": 7200}, ["for 2 hours"]),
        ({"broker": "down"}, ["The broker does not answer"]),
        # Without the broker nobody could hear the worker, and without the database nobody could tell.
        ({"broker": "down", "worker": "down"}, ["The broker does not answer"]),
        ({"database": "down", "broker": "down"}, ["The database does not answer"]),
    ],
)
def test_troubles(tab: Page, change: dict[str, Any], says: list[str]) -> None:
    said = module(tab, "live/words.js", "troubles", {**UP, **change})
    assert len(said) == len(says)
    assert all(words in each["what"] for words, each in zip(says, said, strict=True))
    assert all(each["means"] and each["todo"] for each in said)


def test_what_serving_gave_up_is_told_as_far_as_it_is_known(tab: Page) -> None:
    known = {"queue_age_median": 1, "queue_age_high": 4, "weight_given_up": 0.00012}
    words = module(tab, "live/words.js", "servingWords", known)
    assert words == (
        "When queues served, they lacked 1 judgment (median), 4 at the 95th percentile. "
        "Documents served gave up 0.012 % of the best weight."
    )
    assert module(tab, "live/words.js", "servingWords", dict.fromkeys(known)) == ""


@pytest.mark.parametrize(
    ("p", "depth", "tenth"),
    [
        (0.5, "2 documents", "fewer than 1 in 100"),
        (0.8, "5 documents", "13 %"),
        (0.95, "20 documents", "63 %"),
    ],
)
def test_what_p_means(tab: Page, p: float, depth: str, tenth: str) -> None:
    words = module(tab, "setup/reader.js", "readerWords", p)
    assert depth in words
    assert tenth in words


def test_the_depth_that_leaves_a_twentieth(tab: Page) -> None:
    for p in (0.5, 0.8, 0.95):
        depth = module(tab, "setup/reader.js", "depthFor", p, 0.95)
        assert p**depth <= 0.05 < p ** (depth - 1)


def test_older_readings_do_not_undo_newer_events(tab: Page) -> None:
    script = """async ([whole, event]) => {
      const { Figures } = await import("/static/campaigns/live/figures.js");
      const figures = new Figures(whole);
      const known = figures.merge(event);
      figures.replace(whole);
      return [known, figures.asOf, figures.list()[0], figures.merge({ ...event, runs: [[99, 0, 1]] })];
    }"""
    whole = {"as_of": 3, "judged": 3, "relevant": 1, "runs": [run(1, 0.1, 0.5)]}
    event = {"as_of": 4, "judged": 4, "relevant": 2, "runs": [[1, 0.2, 0.375, 0.4]]}
    known, as_of, first, stranger = tab.evaluate(script, [whole, event])
    assert (known, as_of, stranger) == (True, 4, False)
    assert (first["base"], first["top"], first["projected"]) == pytest.approx((0.2, 0.575, 0.4))
