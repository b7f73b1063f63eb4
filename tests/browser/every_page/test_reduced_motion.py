"""With reduced motion, nothing moves: pages jump instead of gliding, and show or hide instead of fading."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.sample_site import Showing
from tests.browser.screens.acts import Screen
from tests.browser.screens.assessing import FLASH, said_by
from tests.browser.screens.every import ALL
from tests.plumbing.browser.chromium_fixtures import visit

MOVING = """() => [...document.querySelectorAll("*")].filter((one) => {
  const { transitionDuration, animationDuration, scrollBehavior } = getComputedStyle(one);
  const longest = Math.max(...`${transitionDuration}, ${animationDuration}`.split(", ").map(parseFloat));
  return longest > 0.001 || scrollBehavior !== "auto";
}).map((one) => one.outerHTML.slice(0, 100))"""

CHOSEN = ["judge", "training", "dashboard", "topic with why", "configuration", "set up, measure"]


@pytest.mark.parametrize("name", CHOSEN)
def test_nothing_moves(showing: Showing, browser: Browser, site_process: str, name: str) -> None:
    with visit(browser, site_process, reduced_motion="reduce") as page:
        find(name).open(page, site_process)
        assert not page.evaluate(MOVING)


RING = """const { Flash } = await import("/static/assess/screen/guidance/notices.js");
  new Flash().ring("relevant · doc01");"""


@pytest.mark.parametrize(("script", "shows"), [(FLASH, "#flash"), (RING, "#last.ringed")])
def test_what_was_recorded_is_there_at_once(
    showing: Showing, browser: Browser, site_process: str, script: str, shows: str
) -> None:
    with visit(browser, site_process, reduced_motion="reduce") as page:
        find("judge").open(page, site_process)
        said_by(script, shows)(page)
        assert moving_for_long(page) == 0


MOVING_FOR_LONG = """document.getAnimations().filter(
  (one) => one.effect.getComputedTiming().duration > 1).length"""


def moving_for_long(page: Page) -> int:
    return int(page.evaluate(MOVING_FOR_LONG))


def find(name: str) -> Screen:
    return next(screen for screen in ALL if screen.name == name)
