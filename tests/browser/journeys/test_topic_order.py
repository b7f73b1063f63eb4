"""Topics released adaptively and by hand: assessor’s and organiser’s screens show each release."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from campaigns.collection.documents import store_documents
from campaigns.formats.topics import DocumentRecord
from campaigns.models import Campaign, Deed, Judgment, Membership
from campaigns.models.topics import Release
from campaigns.setup import campaigns
from campaigns.topic_order import releases as topic_releases
from campaigns.topic_order.tasks import order_topics_where_due
from tests.browser.judging_desk import TEXT, Desk
from tests.browser.organiser import WIDTHS, scrolls_sideways, sign_in
from tests.campaigns.factories import make_campaign
from tests.campaigns.topic_order.ordered_campaigns import many_topics, released
from tests.plumbing.idle import wait_for, wait_until_idle

pytestmark = pytest.mark.usefixtures("celery_worker")
ORGANISER, ASSESSOR = "Desk-ada", "Desk-grace"
PATH = "/campaigns/desk/topics/order/"
MINIMUM = 4


@pytest.fixture
def campaign(live_site: str) -> Campaign:
    lists = many_topics(topics=9, runs=8, documents=10)
    campaign = make_campaign("Desk", lists, min_judgments=MINIMUM)
    docnos = sorted(
        {docno for by_topic in lists.values() for docnos in by_topic.values() for docno in docnos}
    )
    texts = [DocumentRecord(docno, "", TEXT.format(docno=docno), "text/plain") for docno in docnos]
    store_documents(collection=campaign.collection, records=texts, file="texts")
    # One assessor at work.
    Membership.objects.filter(user__username="Desk-alan").update(paused_at="2026-01-01T00:00Z")
    wait_until_idle()
    return campaign


@pytest.fixture
def office(page: Page, live_site: str) -> Iterator[Page]:
    """The organiser's browser, beside the assessor's."""
    browser: Browser | None = page.context.browser
    assert browser is not None
    context = browser.new_context(base_url=live_site)
    other = context.new_page()
    sign_in(other, live_site, ORGANISER)
    yield other
    context.close()


def releases(campaign: Campaign, wanted: int) -> list[str]:
    """Once there are so many; asked as the beat asks, but sooner."""

    def there() -> bool:
        if len(released(campaign)) >= wanted:
            return True
        order_topics_where_due.delay()
        wait_until_idle()
        return False

    wait_for(there)
    return released(campaign)


def test_topics_are_released_as_others_are_finished(
    campaign: Campaign, page: Page, office: Page, live_site: str
) -> None:
    office.goto(PATH)
    office.get_by_label("Order").select_option("adaptive")
    office.get_by_label("Topics ahead").fill("1")
    office.get_by_role("button", name="Save the order").click()
    expect(office.get_by_text("The worker orders the topics and releases the next ones.")).to_be_visible()
    first = releases(campaign, 2)
    desk = Desk(page, live_site, topic=first[0], who=ASSESSOR)
    for finished in range(3):
        topic = released(campaign)[finished]
        expect(office.locator("#order")).to_contain_text(f"{finished} of 9 topics are finished, 2 released")
        page.goto("/judge/desk/")
        # The next in the order, and no topic that is not released.
        begin = page.locator("section", has=page.get_by_role("heading", name="Start"))
        expect(begin.locator("li")).to_have_count(2)
        begin.get_by_role("link", name="Start the recommended topic").click()
        expect(page).to_have_url(f"{live_site}/judge/desk/{topic}/")
        for key in "2010"[:MINIMUM]:
            desk.judge(key)
            desk.saved()
        after = releases(campaign, finished + 3)
        row = office.locator(f'#order-open ~ div tr[data-topic="{after[-1]}"]').first
        expect(row).to_contain_text("drawn at random" if row_is_drawn(campaign, after[-1]) else "adds most")
        judged = office.locator(f'tr[data-topic="{topic}"] [data-counted="judged-documents"]')
        expect(judged).to_have_text(str(MINIMUM))
        page.goto("/judge/desk/")
        expect(page.get_by_text(f"title {after[-1]}", exact=True)).to_be_visible()
    assert Judgment.objects.count() == 3 * MINIMUM
    expect(office.get_by_role("heading", name="Agreement of the finished topics with all")).to_be_visible()
    # Each release is explained in the history.
    office.goto("/campaigns/desk/history/")
    expect(office.get_by_text("released topic")).to_have_count(len(released(campaign)))
    expect(office.get_by_text("expected agreement with all topics").first).to_be_visible()


def row_is_drawn(campaign: Campaign, number: str) -> bool:
    return bool(campaign.topics.get(number=number).release_reason["how"] == "drawn")


def test_the_organiser_releases_holds_and_moves(campaign: Campaign, page: Page, live_site: str) -> None:
    sign_in(page, live_site, ORGANISER)
    page.goto(PATH)
    page.get_by_label("Order").select_option("hand")
    page.get_by_role("button", name="Save the order").click()
    assert releases(campaign, 3) == ["1", "2", "3"]
    page.get_by_role("button", name="Release topic 7 now").click()
    expect(page.get_by_text("Topic 7 is released.")).to_be_visible()
    page.get_by_role("button", name="Hold topic 4 back").click()
    expect(page.get_by_text("Topic 4 is held back.")).to_be_visible()
    page.get_by_role("button", name="Move topic 9 up").click()
    expect(page.get_by_text("Topic 9 is at place 3.")).to_be_visible()
    page.get_by_text("Move a topic").click()
    page.get_by_label("Topic number", exact=True).fill("8")
    page.get_by_role("button", name="Move the topic").click()
    expect(page.get_by_text("Topic 8 is at place 1.")).to_be_visible()
    page.get_by_role("button", name="Requeue topic 4").click()
    expect(page.get_by_text("Topic 4 waits for its turn again.")).to_be_visible()
    waiting = page.locator("#order-waiting + div tr[data-topic]")
    expect(waiting.first).to_have_attribute("data-topic", "8")
    assert campaign.topics.filter(release=Release.HELD).count() == 0
    assert Deed.objects.filter(actor_name=ORGANISER, kind="topic released").count() == 1
    for width, height in WIDTHS:
        page.set_viewport_size({"width": width, "height": height})
        page.goto(PATH)
        assert not scrolls_sideways(page)


def test_a_release_appears_in_a_list_that_is_open(campaign: Campaign, page: Page, live_site: str) -> None:
    topic_releases.set_order(campaign=campaign, method="hand", ahead=0)
    topic_releases.release(campaign=campaign, number="7")
    sign_in(page, live_site, ASSESSOR)
    page.goto("/judge/desk/")
    first = page.get_by_role("link", name="title 7")
    first.focus()
    page.evaluate("window.loadedOnce = true")
    topic_releases.release(campaign=campaign, number="3")
    expect(page.get_by_role("link", name="title 3")).to_be_visible(timeout=30_000)
    # The page is the same one, and the focus stays.
    assert page.evaluate("window.loadedOnce")
    expect(first).to_be_focused()
    page.get_by_role("link", name="title 3").click()
    expect(page).to_have_url(f"{live_site}/judge/desk/3/")
    page.goto("/judge/desk/")
    campaigns.pause(campaign=campaign)
    expect(page.get_by_text("Judging is paused by the organiser.")).to_be_visible(timeout=30_000)
