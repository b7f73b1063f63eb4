"""The description of the API as a page: readable, and without a request to another site."""

from __future__ import annotations

from playwright.sync_api import Page, Request, expect

from tests.browser.accessibility import COLOURS, barriers, still

METHODS = ("get", "post", "put", "patch", "delete")


def test_the_description_is_shown_without_asking_anybody_else(page: Page, live_site: str) -> None:
    asked: list[str] = []

    def note(request: Request) -> None:
        asked.append(request.url)

    page.on("request", note)
    page.goto("/api/v1/docs/")
    expect(page.locator("h1")).to_contain_text("Relevance assessment campaigns")
    # A slow machine lays out all operations for longer than other pages.
    description = page.request.get("/api/v1/schema/?format=json").json()
    operations = [one for ops in description["paths"].values() for one in ops if one in METHODS]
    expect(page.locator(".opblock")).to_have_count(len(operations), timeout=150_000)
    operation = page.locator("#operations-Judging-judge")
    operation.get_by_role("button").first.click()
    expect(operation).to_contain_text("A token needs the scope judge")
    expect(operation).to_contain_text("milliseconds")
    expect(operation).to_contain_text("Too many requests; Retry-After gives the seconds to wait")
    assert any(url.endswith("/api/v1/schema/") for url in asked)
    assert all(url.startswith((live_site, "data:", "blob:")) for url in asked), asked
    still(page)
    assert not barriers(page, rules=COLOURS)
    page.emulate_media(color_scheme="dark")
    expect(page.locator("html")).to_have_class("dark-mode")
    assert not barriers(page, rules=COLOURS)
    page.set_viewport_size({"width": 320, "height": 700})
    page.goto("/api/v1/docs/")
    expect(page.locator(".opblock").first).to_be_visible(timeout=150_000)
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
