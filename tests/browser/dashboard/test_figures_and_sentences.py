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
        # Without the broker no page hears the worker, and without the database no page can show that.
        ({"broker": "down", "worker": "down"}, ["The broker does not answer"]),
        ({"database": "down", "broker": "down"}, ["The database does not answer"]),
        ({"stalled": True}, ["The worker computes nothing of this campaign."]),
        ({"stalled": True, "worker": "down", "worker_heard": 20}, ["has not been heard of"]),
    ],
)
def test_troubles(tab: Page, change: dict[str, Any], says: list[str]) -> None:
    said = module(tab, "live/words.js", "troubles", {**UP, **change})
    assert len(said) == len(says)
    assert all(words in each["what"] for words, each in zip(says, said, strict=True))
    assert all(each["means"] and each["todo"] for each in said)


def test_a_worker_that_computes_nothing_is_not_live(tab: Page) -> None:
    live = {"connected": True, "judgment": 312, "age": 5, "status": "open"}
    assert module(tab, "live/words.js", "liveWords", {**live, "stalled": False}).startswith("live ·")
    words = module(tab, "live/words.js", "liveWords", {**live, "stalled": True})
    assert words == "not live, worker behind · log entry 312, 5 s ago"
    stalled = {**UP, "stalled": True, "head": 312, "applied": 300}
    words = module(tab, "live/words.js", "noticeWords", stalled)
    assert words == "The figures lack the latest 12 log entries: the worker has computed nothing since."
    assert module(tab, "live/words.js", "noticeWords", UP) == ""
    silent = {**UP, "worker": "down", "worker_heard": 20}
    assert module(tab, "live/words.js", "noticeWords", silent) == (
        "The worker has not been heard of for 20 s."
    )


def test_what_serving_gave_up_is_told_as_far_as_it_is_known(tab: Page) -> None:
    known = {
        "queue_age_median": 1,
        "queue_age_high": 4,
        "weight_given_up": 0.00012,
        "served": 9,
        "aged": 9,
        "weighed": 9,
    }
    words = module(tab, "live/words.js", "servingWords", known)
    assert words == (
        "When queues served, they lacked 1 judgment (median), 4 at the 95th percentile. "
        "Documents served gave up 0.012% of the best weight."
    )
    unmeasured = {**known, "queue_age_median": 649, "weight_given_up": None, "weighed": 2}
    words = module(tab, "live/words.js", "servingWords", unmeasured)
    assert words.endswith("Weight given up: –, measured for only 2 of 9 documents.")
    unknown = {**unmeasured, "queue_age_median": None, "queue_age_high": None, "aged": 3}
    words = module(tab, "live/words.js", "servingWords", unknown)
    assert words.startswith("Judgments that queues lacked: –, measured for only 3 of 9 documents. ")
    assert module(tab, "live/words.js", "servingWords", dict.fromkeys(known)) == ""


@pytest.mark.parametrize(
    ("p", "depth", "tenth"),
    [
        (0.5, "2 documents", "fewer than 1 in 100"),
        (0.8, "5 documents", "13%"),
        (0.95, "20 documents", "63%"),
    ],
)
def test_what_p_means(tab: Page, p: float, depth: str, tenth: str) -> None:
    words = module(tab, "setup/persistence_picture.js", "readerWords", p)
    assert depth in words
    assert tenth in words


def test_the_depth_that_leaves_a_twentieth(tab: Page) -> None:
    for p in (0.5, 0.8, 0.95):
        depth = module(tab, "setup/persistence_picture.js", "depthFor", p, 0.95)
        assert p**depth <= 0.05 < p ** (depth - 1)
