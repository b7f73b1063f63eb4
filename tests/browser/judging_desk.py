"""A campaign with texts, and an assessor's browser on its judging screen."""

from __future__ import annotations

import re
from typing import Any

from django.contrib.auth.models import User
from django.test import Client
from playwright.sync_api import Page, Route, expect

from campaigns.collection.documents import store_documents
from campaigns.formats.topics import DocumentRecord
from campaigns.models import Campaign, Judgment
from tests.campaigns.factories import make_campaign
from tests.plumbing.browser.chromium_fixtures import intercept
from tests.plumbing.idle import wait_for
from tests.plumbing.servers.network import Network

TEXT = """Sort the rows of a matrix.

Sorting is stable: rows that compare equal keep the order in which they were given, and
sorted matrices are returned as copies of the original.

Parameters
----------
matrix : array
    The rows to be sorted.

>>> sort([[2], [1]])
[[1], [2]]

This is document {docno}.
"""

DOCNOS = [f"doc{number:02}" for number in range(1, 31)]
ASSESSOR = "Desk-grace"


def desk_campaign(**settings: Any) -> Campaign:
    lists = {"up": {"7": DOCNOS}, "down": {"7": DOCNOS[:20][::-1]}}
    campaign = make_campaign("Desk", lists, **settings)
    store_documents(
        collection=campaign.collection,
        records=[DocumentRecord(docno, "", TEXT.format(docno=docno), "text/plain") for docno in DOCNOS[:-1]],
        file="texts",
    )
    campaign.topics.filter(number="7").update(title="sorting the rows of matrices")
    return campaign


AT_HAND = """
async (docno) => {
  const { Store } = await import("/static/assess/offline/store.js");
  const store = globalThis.testStore ??= await Store.open();
  const [screen] = await store.all("screens");
  return screen?.value.ahead.after.docno === docno && screen.value.ahead.reserve.length > 0;
}
"""


KEPT = "async () => (await caches.match(location.href, { ignoreVary: true })) !== undefined"


class Desk:
    """What an assessor sees and does."""

    def __init__(self, page: Page, site: str, *, topic: str = "7", who: str = ASSESSOR) -> None:
        """`who` is signed in; if empty, the person who is signed in already."""
        self.page = page
        self.address = f"{site}/judge/desk/{topic}/"
        if who:
            self._sign_in(site, who)

    def _sign_in(self, site: str, who: str) -> None:
        client = Client()
        client.force_login(User.objects.get(username=who))
        cookies = client.cookies.items()
        self.page.context.add_cookies([{"name": n, "value": c.value, "url": site} for n, c in cookies])

    def open(self) -> str:
        self.page.goto(self.address)
        return self.docno()

    def docno(self) -> str:
        """The document on screen, once there is one that takes grades."""
        expect(self.page.locator("#paper")).to_have_attribute("data-accepts", "grades")
        return self.page.locator("#document-title").inner_text()

    def press(self, key: str) -> None:
        self.page.keyboard.press(key)

    def judge(self, key: str) -> str:
        """Press a key for the document on screen; the docno it was pressed for."""
        docno = self.docno()
        self.press(key)
        self.ringed(docno)
        return docno

    def ringed(self, name: str) -> None:
        """Wait until the judgment of a document is the newest one, in its ring."""
        newest = self.page.locator("#last.ringed > :last-child button")
        expect(newest).to_have_attribute("title", re.compile(re.escape(name)))

    def saved(self) -> None:
        expect(self.page.locator("#saving")).to_have_text("saved")

    def state(self, words: str) -> None:
        expect(self.page.locator("#saving")).to_have_text(words)

    def progress(self, words: str) -> None:
        expect(self.page.locator(".so-far")).to_have_text(words)

    def cut(self) -> None:
        """The network is gone for everything but pages."""
        intercept(self.page, re.compile("/api/"), lambda route: route.abort())

    def mend(self) -> None:
        self.page.unroute_all(behavior="ignoreErrors")
        self.page.evaluate("dispatchEvent(new Event('online'))")

    def reconnect(self, network: Network) -> None:
        """The site is reached again, and the browser notices it."""
        network.mend()
        self.page.evaluate("dispatchEvent(new Event('online'))")

    def at_hand(self) -> None:
        """Wait until the browser has what may follow the document on screen."""
        docno = self.docno()
        wait_for(lambda: bool(self.page.evaluate(AT_HAND, docno)))

    def kept(self) -> None:
        """Wait until the page could be brought back without a network."""
        wait_for(lambda: bool(self.page.evaluate(KEPT)))

    def lose_replies(self) -> None:
        """Requests arrive, their answers do not."""

        def lost(route: Route) -> None:
            route.fetch()
            route.abort()

        intercept(self.page, re.compile("/api/.*judgments/"), lost)


def log(campaign: Campaign) -> list[tuple[str, int | str | None]]:
    """The log in order: docno and grade, reason, or None for an undo."""
    rows = Judgment.objects.filter(campaign=campaign).order_by("sequence").select_related("document")
    return [
        (row.document.docno, None if row.undo else row.grade if row.grade is not None else row.reason)
        for row in rows
    ]
