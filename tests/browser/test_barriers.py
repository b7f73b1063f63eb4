"""No page has a barrier that a program can find, in either theme, on a phone and on a desk."""

from __future__ import annotations

from typing import Literal

import pytest
from playwright.sync_api import Browser, ViewportSize

from tests.browser.barriers import COLOURS, barriers, still
from tests.browser.screens import ALL, Screen
from tests.browser.showing import Showing
from tests.plumbing.chromium_fixtures import visit

PHONE: ViewportSize = {"width": 390, "height": 844}
DESK: ViewportSize = {"width": 1400, "height": 900}
# The themes differ in colours alone: one of them is enough for all other rules.
LOOKS: list[tuple[ViewportSize, Literal["light", "dark"], list[str] | None]] = [
    (PHONE, "dark", None),
    (PHONE, "light", COLOURS),
    (DESK, "light", None),
    (DESK, "dark", COLOURS),
]


@pytest.mark.parametrize("screen", ALL, ids=lambda screen: screen.name)
def test_no_barriers(showing: Showing, browser: Browser, site_process: str, screen: Screen) -> None:
    found = []
    with visit(browser, site_process, viewport=PHONE, reduced_motion="reduce") as page:
        screen.open(page, site_process)
        still(page)
        for size, theme, rules in LOOKS:
            page.set_viewport_size(size)
            page.emulate_media(color_scheme=theme)
            found += [f"{size['width']} px, {theme}: {one}" for one in barriers(page, rules=rules)]
    assert not found, "\n\n".join(found)
