"""A run's figures are the same on every page."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from django.utils import translation
from playwright.sync_api import Browser, Page, expect

from campaigns.core import decimals
from campaigns.models import Campaign
from campaigns.results.score_ranges import RunScoreRange, score_ranges_of
from tests.browser.organiser import sign_in
from tests.browser.sample_site import ORGANISER, Showing
from tests.plumbing.browser.chromium_fixtures import visit


@pytest.fixture(params=["en", "de"])
def tab(request: pytest.FixtureRequest, browser: Browser, site_process: str) -> Iterator[Page]:
    """A page in one of the languages, which the test reads in, too."""
    with visit(browser, site_process) as page, translation.override(request.param):
        page.context.add_cookies([{"name": "django_language", "value": request.param, "url": site_process}])
        yield page


def expected_figures(run: RunScoreRange) -> list[str]:
    return [decimals.base(run.base), decimals.top(run.top)]


def figures_of(page: Page, campaign: Campaign, run: RunScoreRange) -> dict[str, list[str]]:
    """What each page says of the run: its base and top."""
    home, found = f"/campaigns/{campaign.slug}/", {}
    page.goto(home)
    shown = page.locator(f".run:has(#run-{run.id}) .col-range").text_content() or ""
    found["overview"] = re.findall(r"\d[.,]\d+", shown)
    page.goto(f"{home}runs/{run.id}/")
    found["run"] = re.findall(r"\d[.,]\d+", page.locator(".big .value").nth(1).text_content() or "")
    words = page.locator("#score-curve .curve-value")
    expect(words).to_contain_text(run.run)
    found["curve"] = re.findall(r"\d[.,]\d+", words.text_content() or "")
    best = next(one for one in score_ranges_of(campaign=campaign) if one.id != run.id)
    page.goto(f"{home}pair/?one={run.id}&other={best.id}")
    first = page.locator("h1 a").first.text_content() == run.run
    bounds = page.locator(".bases :is(.value, .note)").all_text_contents()
    found["pair"] = [re.findall(r"\d[.,]\d+", text)[0 if first else 1] for text in bounds]
    return found


def test_every_page_shows_a_runs_score_alike(showing: Showing, tab: Page, site_process: str) -> None:
    sign_in(tab, site_process, ORGANISER)
    for run in score_ranges_of(campaign=showing.small):
        found = figures_of(tab, showing.small, run)
        assert found == dict.fromkeys(found, expected_figures(run)), run.run
