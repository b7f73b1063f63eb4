"""A Chromium for the session, a fresh page for each test."""

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import connections
from playwright.sync_api import Browser, ConsoleMessage, Error, Page, Route, expect, sync_playwright

from tests.plumbing import header
from tests.plumbing.browser import chromium
from tests.plumbing.idle import wait_for
from tests.plumbing.servers.network import Network

FLAGS = ["--disable-gpu", "--disable-background-networking", "--disable-component-update", "--no-first-run"]
# As root its sandbox cannot be set up; the pages are our own.
ROOT_FLAGS = ["--no-sandbox"]
PATIENCE_MS = 30_000


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    path = chromium.find()
    if path is None:
        pytest.fail(chromium.REFUSED, pytrace=False)
    # Playwright keeps an event loop in this thread; the database calls beside it are still ours alone.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    flags = [*FLAGS, *(ROOT_FLAGS if os.geteuid() == 0 else [])]
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=path, args=flags)
        header.really_run.append(f"Chromium {started.version}")
        yield started
        started.close()
        # Django keeps those that were opened beside the loop apart: no other code would find and close them.
        connections.close_all()


@pytest.fixture
def page(browser: Browser, live_site: str) -> Iterator[Page]:
    """A page that knows the site's address; scripts that fail or break the content policy fail the test."""
    with visit(browser, live_site) as page:
        yield page


@pytest.fixture
def network(live_site: str) -> Iterator[Network]:
    with Network(live_site) as network:
        yield network


@pytest.fixture
def kept_page(browser: Browser, network: Network) -> Iterator[Page]:
    """A page that a service worker brings back while the network is cut."""
    with visit(browser, network.address, service_workers="allow") as page:
        yield page


@contextmanager
def visit(browser: Browser, site: str, **context: Any) -> Iterator[Page]:
    # A service worker that takes a page over may pass the page's requests by a test's routes for good.
    usual = {"viewport": {"width": 1280, "height": 800}, "service_workers": "block"}
    visitor = browser.new_context(base_url=site, **{**usual, **context})
    visitor.set_default_timeout(PATIENCE_MS)
    expect.set_options(timeout=PATIENCE_MS)
    page = visitor.new_page()
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(_words(error)))
    page.on("console", lambda message: wrong.extend(_policy_breach(message)))
    yield page
    visitor.close()
    assert not wrong, f"the page's scripts failed: {wrong}"


def intercept(page: Page, pattern: re.Pattern[str], handler: Callable[[Route], object]) -> None:
    """Route on a page that may be loaded: `route` alone returns before the page's own process knows of it."""
    if page.url != "about:blank":
        page.route(re.compile("/is-it-routed$"), lambda route: route.fulfill(status=204))
        wait_for(lambda: bool(page.evaluate("async () => (await fetch('/is-it-routed')).status === 204")))
    page.route(pattern, handler)


def _words(error: Error) -> str:
    return f"{error.message}\n{error.stack or ''}"


def _policy_breach(message: ConsoleMessage) -> list[str]:
    return [message.text] if "Content Security Policy" in message.text else []
