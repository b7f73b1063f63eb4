"""The assessor's way in German: chosen on the first page, kept through a reload without a network."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from campaigns.models import Campaign
from campaigns.people import members
from campaigns.setup.steps import STEPS
from tests.browser.judging_desk import ASSESSOR, Desk, desk_campaign, log
from tests.browser.organiser import fits, replace_password, sign_in
from tests.plumbing.idle import wait_until_idle
from tests.plumbing.servers.network import Network

pytestmark = pytest.mark.usefixtures("celery_worker")


@pytest.fixture
def campaign(live_site: str) -> Campaign:
    campaign = desk_campaign(guidelines="Judge what it says.")
    wait_until_idle()
    return campaign


def german(page: Page, site: str) -> None:
    page.context.add_cookies([{"name": "django_language", "value": "de", "url": site}])


def test_signed_in_judged_and_reloaded_offline_in_german(
    campaign: Campaign, kept_page: Page, network: Network
) -> None:
    page = kept_page
    _, password = members.create_account(campaign=campaign, username="barbara", role="assessor")
    page.goto("/judge/")
    page.get_by_role("button", name="Deutsch").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Anmelden")
    page.get_by_label("Benutzername").fill("barbara")
    page.get_by_label("Passwort").fill(password)
    page.get_by_role("button", name="Anmelden").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Eigenes Passwort wählen")
    replace_password(page, password)
    expect(page.get_by_role("heading", level=1)).to_have_text("Meine Themen")
    page.get_by_role("link", name="Ein Thema wählen").click()
    page.get_by_role("link", name="Empfohlenes Thema beginnen").click()

    desk = Desk.__new__(Desk)
    desk.page, desk.address = page, f"{network.address}/judge/desk/7/"
    first = desk.judge("1")
    desk.state("gespeichert")
    desk.progress("1 von 30 · 1 relevant")
    desk.open()
    desk.kept()
    desk.at_hand()
    network.cut()
    second = desk.judge("2")
    page.reload()
    desk.state("1 wartet · offline")
    assert page.locator("html").get_attribute("lang") == "de"
    page.keyboard.press("x")
    expect(page.locator("#cannot-title")).to_have_text("Warum ist es nicht beurteilbar?")
    third = desk.docno()
    page.get_by_role("button", name="Text fehlt").click()
    expect(page.locator("#said")).to_have_text(f"nicht beurteilbar: Text fehlt · {third}")
    desk.state("2 warten · offline")
    desk.reconnect(network)
    desk.state("gespeichert")
    assert log(campaign) == [(first, 1), (second, 2), (third, "missing text")]


def test_nothing_runs_over_the_edge_in_german(campaign: Campaign, page: Page, live_site: str) -> None:
    german(page, live_site)
    desk = Desk(page, live_site)
    for path in ("/judge/", "/judge/desk/", "/no/such/page/"):
        page.goto(path)
        assert fits(page), path
    desk.open()
    desk.cut()
    desk.judge("1")
    desk.state("1 wartet · offline")
    assert fits(page)


def test_the_organisers_pages_fit_in_german(campaign: Campaign, page: Page, live_site: str) -> None:
    german(page, live_site)
    sign_in(page, live_site, "Desk-ada")
    steps = [f"setup/?step={step}" for step in STEPS]
    for path in ("", "topics/", "topics/7/", "people/", "training/", "exports/", *steps):
        page.goto(f"/campaigns/desk/{path}")
        expect(page.locator("html")).to_have_attribute("lang", "de")
        assert fits(page), path


def test_an_assessor_is_named_as_the_role_is(campaign: Campaign, page: Page, live_site: str) -> None:
    german(page, live_site)
    sign_in(page, live_site, "Desk-ada")
    page.goto("/campaigns/desk/people/")
    expect(page.get_by_role("row", name=ASSESSOR)).to_contain_text("Jury")
