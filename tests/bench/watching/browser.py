"""A Chromium with a person signed in, for sections that measure what a person sees."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING

from tests.bench.watching.visitor import PASSWORD
from tests.plumbing.browser import chromium

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

PATIENCE_MS = 60_000
FLAGS = ["--disable-gpu", "--disable-background-networking", "--no-first-run"]


def there_is_one(section: str) -> bool:
    """Says so where there is none."""
    if found() is not None and find_spec("playwright") is not None:
        return True
    print(f"{section}: left out, it needs a Chromium and the package playwright", file=sys.stderr)
    return False


def found() -> str | None:
    """A whole browser where there is one: the bench measures what people see."""
    return os.environ.get("CHROMIUM") or chromium.find_browser() or chromium.find()


@contextmanager
def started() -> Iterator[Browser]:
    from playwright.sync_api import sync_playwright

    flags = [*FLAGS, *(["--no-sandbox"] if os.geteuid() == 0 else [])]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found(), args=flags)
        try:
            yield browser
        finally:
            browser.close()


def signed_in(browser: Browser, address: str, who: str, script: str) -> Page:
    """A page of a visit of its own; the script runs in whatever it opens, before the page's own ones."""
    page = browser.new_context(viewport={"width": 1280, "height": 800}).new_page()
    page.set_default_timeout(PATIENCE_MS)
    page.add_init_script(script)
    page.goto(f"{address}/sign-in/")
    page.fill("input[name=username]", who)
    page.fill("input[name=password]", PASSWORD)
    page.press("input[name=password]", "Enter")
    page.wait_for_url(lambda found: "/sign-in/" not in found)
    return page


def wait_for(page: Page, condition: str, argument: object = None) -> None:
    """Asked from outside: the page's content policy lets nothing be evaluated inside."""
    deadline = time.monotonic() + PATIENCE_MS / 1000
    while not page.evaluate(condition, argument):
        if time.monotonic() > deadline:
            raise RuntimeError(f"the page did not come to it: {condition}")
        page.wait_for_timeout(20)
