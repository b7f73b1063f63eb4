"""No page has a barrier that a program can find, in either theme, on a phone or on a desk."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser

from tests.browser.barriers import COLOURS, barriers, still
from tests.browser.screens import ALL, Screen
from tests.browser.showing import Showing
from tests.plumbing.chromium_fixtures import visit

PHONE = {"width": 390, "height": 844}
DESK = {"width": 1400, "height": 900}


@pytest.mark.parametrize("screen", ALL, ids=lambda screen: screen.name)
def test_no_barriers(showing: Showing, browser: Browser, site_process: str, screen: Screen) -> None:
    found = []
    with visit(browser, site_process, viewport=PHONE, reduced_motion="reduce") as page:
        screen.open(page, site_process)
        still(page)
        found += [f"390 px: {one}" for one in barriers(page)]
        page.set_viewport_size(DESK)  # type: ignore[arg-type]
        found += [f"1400 px: {one}" for one in barriers(page)]
        # The themes differ in colours alone.
        page.emulate_media(color_scheme="dark")
        found += [f"1400 px, dark: {one}" for one in barriers(page, rules=COLOURS)]
    assert not found, "\n\n".join(found)
