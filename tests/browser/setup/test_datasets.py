"""A dataset by its name on the set-up page: loaded by the real worker while the page looks on."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from campaigns.models import Campaign
from campaigns.setup import campaigns
from config.embedded.processes import Child
from tests.browser.organiser import sign_in
from tests.campaigns.factories import make_user


@pytest.fixture
def setup(page: Page, celery_worker: Child, live_site: str) -> Page:
    campaigns.create(organiser=make_user("ada"), name="Wings")
    sign_in(page, live_site, "ada")
    page.goto("/campaigns/wings/setup/?step=collection")
    page.get_by_text("Dataset by name").click()
    return page


def ask(page: Page, name: str) -> None:
    page.get_by_label("Name in ir_datasets").fill(name)
    page.get_by_role("button", name="Load", exact=True).click()


def test_what_it_brings_shows_without_a_reload(setup: Page) -> None:
    ask(setup, "own/tinny")
    expect(setup.get_by_role("alert")).to_contain_text("there are own/tiny")
    setup.get_by_text("With its judgments").click()
    ask(setup, "own/tiny")
    expect(setup.locator(".dataset-said")).to_contain_text("3 documents, 2 new topics, 3 new judgments")
    expect(setup.locator("#collection .there")).to_contain_text("3 documents in")
    expect(setup.locator("#topics summary")).to_contain_text("2 topics")
    assert Campaign.objects.get().judgments.count() == 3


def test_what_the_worker_refuses_is_told(setup: Page) -> None:
    ask(setup, "own/blanks")
    expect(setup.locator(".dataset-said li")).to_have_count(2)
    setup.reload()
    setup.get_by_text("Dataset by name").click()
    expect(setup.locator(".dataset-said")).to_contain_text("own/blanks")
