"""What depends on the clock, with a clock that the test turns."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from campaigns.models import Claim, Judgment
from tests.browser.judging_desk import Desk, desk_campaign

MINUTE = 60_000


@pytest.fixture
def desk(celery_worker: object, page: Page, live_site: str) -> Desk:
    desk_campaign()
    page.clock.install()
    return Desk(page, live_site)


def judged_after(desk: Desk) -> int:
    desk.judge("1")
    desk.saved()
    milliseconds = Judgment.objects.order_by("-sequence").values_list("milliseconds", flat=True).first()
    assert milliseconds is not None
    return milliseconds


def test_time_spent_reading_counts(desk: Desk) -> None:
    desk.open()
    for _ in range(6):
        desk.page.clock.fast_forward(MINUTE // 2)
        desk.page.mouse.wheel(0, 10)
        desk.page.mouse.move(10, 10)
        desk.page.mouse.move(20, 20)
    assert judged_after(desk) >= 3 * MINUTE - 1000


def test_a_document_that_is_being_read_stays_claimed(desk: Desk) -> None:
    desk.open()
    before = Claim.objects.get(reserved=False).expires_at
    desk.page.clock.fast_forward(5 * MINUTE)
    desk.press("t")
    with desk.page.expect_response(re.compile("claims/")) as renewed:
        desk.page.clock.run_for(MINUTE)
    assert renewed.value.status == 200
    assert Claim.objects.get(reserved=False).expires_at > before


def test_nobody_there_lets_the_claim_lapse(desk: Desk) -> None:
    desk.open()
    asked: list[str] = []
    desk.page.on("request", lambda request: asked.append(request.url))
    desk.page.clock.run_for(12 * MINUTE)
    assert [url for url in asked if "claims/" in url] == []


def test_a_break_is_suggested_after_fifty(desk: Desk) -> None:
    desk.open()
    desk.page.evaluate(
        "async () => { const { Nudges } = await import('/static/assess/screen/guidance/notices.js');"
        " const nudges = new Nudges({ tally: { progress: { judged: 9, minimum: 0 } } });"
        " for (let count = 0; count < 50; count += 1) nudges.judged({ first: true }); }"
    )
    expect(desk.page.locator("#nudge")).to_contain_text("50 judged without a break")
    desk.judge("0")
    expect(desk.page.locator("#nudge")).to_be_hidden()
