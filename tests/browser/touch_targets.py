"""Fingers and mice: on a phone, what is pressed has to be big enough for a thumb."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Page

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

COARSE = "matchMedia('(pointer: coarse)').matches"


def too_small(page: Page) -> list[str]:
    found: list[str] = page.evaluate(TOO_SMALL)
    return found


@contextmanager
def by_mouse(page: Page) -> Iterator[None]:
    """A page with a touch screen is meanwhile worked with a mouse."""
    session = page.context.new_cdp_session(page)
    session.send("Emulation.setTouchEmulationEnabled", {"enabled": False})
    assert not page.evaluate(COARSE)
    yield
    session.send("Emulation.setTouchEmulationEnabled", {"enabled": True})
    assert page.evaluate(COARSE)
