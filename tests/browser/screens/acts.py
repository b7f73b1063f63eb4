"""A page in one state, and what several of them are reached by."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from playwright.sync_api import Page, expect

from tests.browser.organiser import sign_in
from tests.browser.sample_site import (
    ASSESSOR,
    ORGANISER,
)

Act = Callable[[Page], object]


@dataclass(frozen=True)
class Screen:
    name: str
    path: str
    who: str | None
    act: Act = lambda page: None
    assessing: bool = False

    def open(self, page: Page, site: str) -> None:
        if self.who:
            sign_in(page, site, self.who)
        page.goto(self.path)
        self.act(page)


def assessing(name: str, path: str, *, who: str = ASSESSOR, act: Act = lambda page: None) -> Screen:
    return Screen(name, path, who, act, assessing=True)


def organising(name: str, path: str, act: Act = lambda page: None) -> Screen:
    return Screen(name, path, ORGANISER, act)


def click(what: str, shows: str) -> Act:
    def act(page: Page) -> None:
        page.locator(what).click()
        expect(page.locator(shows)).to_be_visible()

    return act


def unfold_all(page: Page) -> None:
    page.evaluate("for (const one of document.querySelectorAll('main details')) one.open = true")


def menu(page: Page) -> None:
    """Wide pages have a rail in its place."""
    button = page.get_by_role("button", name="Menu")
    if button.is_visible():
        button.click()
    expect(page.locator(".tabs").first).to_be_visible()


def unconfirmed(page: Page) -> None:
    page.locator("#confirm").fill("something else")
    page.get_by_role("button", name="Delete for good").click()
    expect(page.get_by_role("alert")).to_be_visible()
