"""Each screen in one visit: no barrier that a program can find, in either theme, on a phone and on a desk.
One button at most is filled. On a phone, all share one left edge, targets are big enough for a thumb, and no
page scrolls sideways."""

from __future__ import annotations

from typing import Literal

import pytest
from playwright.sync_api import Browser, Page, ViewportSize

from tests.browser.accessibility import COLOURS, barriers, still
from tests.browser.one_edge import off_edge
from tests.browser.one_filled import too_many_filled
from tests.browser.organiser import scrolls_sideways
from tests.browser.sample_site import Showing
from tests.browser.screens.acts import Screen
from tests.browser.screens.every import ALL
from tests.browser.touch_targets import by_mouse, too_small
from tests.plumbing.browser.chromium_fixtures import visit

PHONE: ViewportSize = {"width": 390, "height": 844}
SMALL_PHONE: ViewportSize = {"width": 320, "height": 640}
ON_ITS_SIDE: ViewportSize = {"width": 844, "height": 390}
DESK: ViewportSize = {"width": 1400, "height": 900}
# The themes differ in colours alone: one of them is enough for all other rules.
LOOKS: list[tuple[ViewportSize, Literal["light", "dark"], list[str] | None]] = [
    (PHONE, "dark", None),
    (PHONE, "light", COLOURS),
    (DESK, "light", None),
    (DESK, "dark", COLOURS),
]


@pytest.mark.parametrize("screen", ALL, ids=lambda screen: screen.name)
def test_screen_has_one_edge_and_no_barriers(
    showing: Showing, browser: Browser, site_process: str, screen: Screen
) -> None:
    with visit(browser, site_process, viewport=PHONE, has_touch=True, reduced_motion="reduce") as page:
        screen.open(page, site_process)
        found = [f"off the edge: {one}" for one in off_edge(page)]
        for size in [PHONE, ON_ITS_SIDE] if screen.assessing else [PHONE]:
            page.set_viewport_size(size)
            found += sideways(page, size)
            if screen.assessing:
                found += [f"{size}: {one}" for one in too_small(page)]
        with by_mouse(page):
            still(page)
            found += [f"filled: {one}" for one in too_many_filled(page)]
            for size, theme, rules in LOOKS:
                page.set_viewport_size(size)
                page.emulate_media(color_scheme=theme)
                found += [f"{size['width']} px, {theme}: {one}" for one in barriers(page, rules=rules)]
        page.set_viewport_size(SMALL_PHONE)
        found += sideways(page, SMALL_PHONE)
    assert not found, "\n\n".join(found)


def sideways(page: Page, size: ViewportSize) -> list[str]:
    return [f"{size['width']} px: scrolls sideways"] if scrolls_sideways(page) else []
