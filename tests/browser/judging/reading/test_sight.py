"""How much of a long document had come into sight goes with its judgment."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from campaigns.collection.documents import store_documents
from campaigns.formats.topics import DocumentRecord
from campaigns.models import Campaign, Judgment
from tests.browser.judging_desk import Desk, desk_campaign
from tests.plumbing.idle import wait_for

LONG = "\n\n".join(f"Paragraph {n} of a long document, with some words in it." for n in range(200))


def seen(campaign: Campaign) -> dict[str, int | None]:
    rows = Judgment.objects.filter(campaign=campaign).order_by("sequence")
    return dict(rows.values_list("document__docno", "seen"))


def test_a_judgment_says_how_far_a_long_document_was_seen(page: Page, live_site: str) -> None:
    campaign = desk_campaign()
    short = "doc05"
    records = [
        DocumentRecord(d.docno, "", "A few words." if d.docno == short else LONG, "text/plain")
        for d in campaign.collection.documents.all()
    ]
    store_documents(collection=campaign.collection, records=records, file="texts")
    desk = Desk(page, live_site)
    desk.open()
    shown: dict[str, str] = {}
    for act in ("stays", "ends", "stays", "stays", "stays", "stays", "stays"):
        docno = desk.docno()
        shown[docno] = act
        expect(page.locator("#document-text")).to_contain_text("words")
        if act == "ends":
            page.evaluate("(pane => pane.scrollTo(0, pane.scrollHeight))(document.querySelector('#paper'))")
            page.wait_for_function(
                "(pane => pane.scrollTop + pane.clientHeight >= pane.scrollHeight - 2)"
                "(document.querySelector('#paper'))"
            )
        desk.press("1")
        wait_for(lambda: len(seen(campaign)) == len(shown))
    found = seen(campaign)
    assert set(found) == set(shown)
    for docno, act in shown.items():
        if docno == short:
            assert found[docno] is None
        else:
            share = found[docno]
            assert share is not None
            assert share >= 98 if act == "ends" else 0 < share < 30, (docno, act, share)
    assert {"stays", "ends"} == set(shown.values())
