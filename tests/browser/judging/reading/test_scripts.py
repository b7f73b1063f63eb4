"""Topics in Arabic, Hebrew, Chinese and Japanese, judged by keys."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from campaigns.collection.documents import store_documents
from campaigns.formats.topics import DocumentRecord
from campaigns.models import Judgment
from tests.browser.judging_desk import Desk
from tests.campaigns.factories import make_campaign
from tests.plumbing.idle import wait_for

# Title, text, what of it is marked, direction.
TOPICS = {
    "ar": ("المكتبات", "تتناول هذه المقالة الْمَكْتَبَات والبحيرات في فنلندا.", ["الْمَكْتَبَات"], "rtl"),
    "he": ("ספריות בפינלנד (2020).", "ספריות ואגמים בפינלנד (2020).", ["ספריות", "בפינלנד", "2020"], "rtl"),
    "zh": ("图书馆评价", "本文讨论芬兰的湖泊和图书馆的评价。", ["图书馆", "评价"], "ltr"),
    "ja": ("図書館 評価", "この文書は図書館の歴史と評価を扱う。", ["図書館", "評価"], "ltr"),
}


@pytest.mark.parametrize("number", TOPICS)
def test_topic_is_marked_directed_and_judged_by_key(page: Page, live_site: str, number: str) -> None:
    title, text, marked, direction = TOPICS[number]
    docnos = [f"{number}{n}" for n in range(1, 4)]
    campaign = make_campaign("Desk", {"up": {number: docnos}, "down": {number: docnos[::-1]}})
    records = [DocumentRecord(docno, title, text, "text/plain") for docno in docnos]
    store_documents(collection=campaign.collection, records=records, file="texts")
    campaign.topics.filter(number=number).update(title=title, description=text)
    desk = Desk(page, live_site, topic=number)
    page.goto(desk.address)
    expect(page.locator("#document-text mark")).to_have_text(marked)
    expect(page.locator("#match-counts")).to_contain_text(marked[0] if number != "ar" else title)
    for place in ("#need h2", "#document-title", "#need-description"):
        expect(page.locator(place)).to_have_css("direction", direction)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    expect(page.locator("#paper")).to_have_attribute("data-accepts", "grades")
    desk.press("1")
    wait_for(lambda: Judgment.objects.filter(campaign=campaign).count() == 1)
