"""An organiser chooses methods, and asks why a document is served."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Page, expect

from campaigns.models import Campaign, Topic
from campaigns.results.queues import QueueView, explain_document, queue_view
from selection.registry import METHODS
from tests.browser.organiser import fits, sign_in
from tests.campaigns.factories import Api, make_campaign
from tests.plumbing.idle import wait_until_idle

SETTINGS = "/campaigns/small/setup/?step=measure"
TOPIC = "/campaigns/small/topics/1/"


@pytest.fixture
def campaign(celery_worker: object, page: Page, live_site: str) -> Campaign:
    campaign = make_campaign("Small")
    wait_until_idle()
    sign_in(page, live_site, "Small-ada")
    return campaign


def choose(page: Page, method: str) -> None:
    page.goto(SETTINGS)
    page.locator("#measure .other-methods").evaluate("one => { one.open = true }")
    page.locator(f"input[name=method][value='{method}']").check()


def save(page: Page) -> None:
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("The settings are saved.")).to_be_visible()


def queue_on_screen(page: Page) -> list[str]:
    """The docnos, once the worker has made the queue of the present settings."""
    page.goto(TOPIC)
    expect(page.locator(".queue caption")).to_contain_text("left", timeout=30_000)
    return page.locator(".queue .docno").all_inner_texts()


def queue(campaign: Campaign) -> tuple[Topic, QueueView]:
    campaign.refresh_from_db()
    topic = campaign.topics.get(number="1")
    return topic, queue_view(campaign=campaign, topic=topic, limit=8)


def test_mtc_with_options_its_queue_and_why(campaign: Campaign, page: Page) -> None:
    choose(page, "mtc")
    expect(page.locator("#option-statap-size")).to_be_hidden()
    expect(page.locator("#scope")).to_be_hidden()
    expect(page.locator("#batch-field")).to_be_hidden()
    page.fill("#option-mtc-measure", "P@2")
    page.select_option("#option-mtc-aggregate", "sum")
    save(page)
    campaign.refresh_from_db()
    assert campaign.method == "mtc"
    assert (campaign.options["measure"], campaign.options["aggregate"]) == ("P@2", "sum")
    expect(page.locator("#option-mtc-measure")).to_have_value("P@2")

    shown = queue_on_screen(page)
    topic, served = queue(campaign)
    assert served.method == "mtc"
    assert shown == [row.docno for row in served.rows]
    page.get_by_role("link", name=f"Why {shown[1]}").click()
    panel = page.locator("#why")
    expect(panel.get_by_role("heading", name=f"Why {shown[1]}?")).to_be_visible()
    assert page.url.endswith(TOPIC)
    found = explain_document(campaign=campaign, topic=topic, docno=shown[1])
    runs = panel.locator(".shares tbody tr")
    assert runs.locator("th").all_inner_texts() == [run.run for run in found.behind]
    expect(panel.locator(".others dt")).to_have_count(len(METHODS) - 1)
    bars = [
        float(width)
        for width in runs.locator("rect").evaluate_all("all => all.map(r => r.getAttribute('width'))")
    ]
    assert max(bars) == 100.0

    link = next(other for other in found.alternatives if other.docno and not other.same)
    panel.get_by_role("link", name=link.docno, exact=True).first.click()
    expect(panel.get_by_role("heading", name=f"Why {link.docno}?")).to_be_visible()


def test_a_statap_sample_shows_its_probabilities(campaign: Campaign, page: Page) -> None:
    choose(page, "statap")
    for field in ("#scope", "#batch-field", "#option-mtc-measure"):
        expect(page.locator(field)).to_be_hidden()
    page.fill("#option-statap-size", "0")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("alert")).to_contain_text("size = 0 is below 1")
    expect(page.locator("#option-statap-size")).to_have_value("0")
    page.fill("#option-statap-size", "3")
    save(page)
    shown = queue_on_screen(page)
    _, served = queue(campaign)
    assert served.method == "statap"
    assert shown == [row.docno for row in served.rows]
    expect(page.locator("#topic-facts")).to_contain_text("3 draws")
    for row, line in zip(served.rows, page.locator(".queue tbody tr").all(), strict=True):
        assert row.inclusion is not None
        expect(line).to_contain_text(f"{row.inclusion:.3g}")


def test_one_topic_by_another_method(campaign: Campaign, page: Page) -> None:
    queue_on_screen(page)
    expect(page.locator("[data-counted=judged-documents]")).to_be_visible()
    page.get_by_text("Change the method of this topic").click()
    expect(page.locator("#option-hedge-beta")).to_be_hidden()
    page.select_option("#topic-method", "hedge")
    page.fill("#option-hedge-beta", "0.5")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Topic 1 is served by Hedge")).to_be_visible()
    shown = queue_on_screen(page)
    topic, served = queue(campaign)
    assert (topic.method, topic.options, served.method) == ("hedge", {"beta": 0.5}, "hedge")
    assert shown == [row.docno for row in served.rows]
    page.get_by_role("link", name="All topics").click()
    expect(page.locator(".topics tbody tr").first).to_contain_text("Hedge")
    expect(page.locator("[data-counted=judged-documents]").first).to_be_visible()
    page.get_by_label("Select all rows of this page").check()
    page.locator("summary", has_text="Method").click()
    page.select_option("#topic-method", "mtf")
    page.get_by_role("button", name="Set the method").click()
    expect(page.get_by_text("2 topics are served by Move-to-front")).to_be_visible()


def test_the_queue_moves_on_by_itself(campaign: Campaign, page: Page) -> None:
    first = queue_on_screen(page)[0]
    page.get_by_role("link", name=f"Why {first}").click()
    assert Api(campaign, "Small-grace").judge("1", first, 1).status_code == 201
    expect(page.locator(".queue").get_by_text(first, exact=True)).to_have_count(0, timeout=40_000)
    expect(page.get_by_role("heading", name=f"Why {first}?")).to_be_visible()


def test_without_scripts(campaign: Campaign, page: Page, browser: Browser, live_site: str) -> None:
    first = queue_on_screen(page)[0]
    context = browser.new_context(base_url=live_site, java_script_enabled=False)
    plain = context.new_page()
    sign_in(plain, live_site, "Small-ada")
    plain.goto(SETTINGS)
    plain.get_by_text("Other methods", exact=True).click()
    plain.locator("input[name=method][value=random]").check()
    expect(plain.locator("#option-random-depth")).to_be_visible()
    expect(plain.locator("#option-statap-size")).to_be_hidden()
    plain.goto(TOPIC)
    plain.get_by_role("link", name=f"Why {first}").click()
    expect(plain.get_by_role("heading", name=f"Why {first}?")).to_be_visible()
    plain.get_by_role("link", name="Topic 1: title 1").click()
    plain.get_by_text("Change the method of this topic").click()
    expect(plain.locator("#option-hedge-beta")).to_be_visible()
    plain.select_option("#topic-method", "A")
    plain.get_by_role("button", name="Save").click()
    expect(plain.get_by_text("Topic 1 is served by Method A")).to_be_visible()
    context.close()


def test_nothing_runs_over_the_edge(campaign: Campaign, page: Page) -> None:
    first = queue_on_screen(page)[0]
    page.get_by_text("Change the method of this topic").click()
    page.select_option("#topic-method", "mtc+statap")
    page.get_by_role("link", name=f"Why {first}").click()
    heading = page.get_by_role("heading", name=f"Why {first}?")
    expect(heading).to_be_visible()
    assert fits(page)
    choose(page, "mtc+statap")
    assert fits(page)
    # On the narrowest, too, the answer comes into sight.
    queue_on_screen(page)
    page.get_by_role("link", name=f"Why {first}").click()
    expect(heading).to_be_in_viewport()
    page.goto(f"{TOPIC}why/?docno={first}")
    assert fits(page)
