"""On a phone: what is pressed is big enough for a thumb, and no page scrolls sideways."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, ViewportSize

from tests.browser.organising import scrolls_sideways
from tests.browser.screens import ALL, Screen
from tests.browser.showing import Showing
from tests.plumbing.chromium_fixtures import visit

ON_ITS_SIDE: ViewportSize = {"width": 844, "height": 390}

# Links within a sentence are as high as its line; what is for the mouse or the keyboard alone is not pressed.
TOO_SMALL = """() => {
  const pressed = "button, summary, select, textarea, input:not([type=hidden]), nav a, a.button, a.brand, "
    + "h2 a, .rows a, .row > a";
  const target = (one) => (one.matches("[type=checkbox], [type=radio]") && one.closest("label")) || one;
  const visible = (one) => one.checkVisibility({ visibilityProperty: true });
  return [...document.querySelectorAll(pressed)].filter(visible).map(target)
    .filter((one) => !one.closest(".visually-hidden") && one.getBoundingClientRect().height < 47.9)
    .map((one) => `${Math.round(one.getBoundingClientRect().height)} px: ${one.outerHTML.slice(0, 120)}`);
}"""


@pytest.mark.parametrize("screen", ALL, ids=lambda screen: screen.name)
def test_under_a_thumb(showing: Showing, browser: Browser, site_process: str, screen: Screen) -> None:
    with visit(browser, site_process, viewport={"width": 390, "height": 844}, has_touch=True) as page:
        screen.open(page, site_process)
        if screen.assessing:
            assert not page.evaluate(TOO_SMALL)
            page.set_viewport_size(ON_ITS_SIDE)
            assert not page.evaluate(TOO_SMALL)
            assert not scrolls_sideways(page)
        for width in (390, 320):
            page.set_viewport_size({"width": width, "height": 640})
            assert not scrolls_sideways(page), width
