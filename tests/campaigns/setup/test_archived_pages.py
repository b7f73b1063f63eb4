"""Pages of an archived campaign offer nothing that the server would refuse."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest
from django.test import Client
from django.urls import NoReverseMatch, reverse

from campaigns.models import Advice, Campaign, Counterfactual, Outlook, Prediction, QualityFlag, TopicOrder
from campaigns.pages.urls import urlpatterns
from campaigns.setup import campaigns as services
from campaigns.setup.archive import archive, unarchive
from campaigns.setup.steps import STEPS
from tests.campaigns.factories import signed_in
from tests.campaigns.operations.everything import full_campaign

pytestmark = pytest.mark.django_db

HERE = "/campaigns/small/"
# Restoring, a copy of the settings and deletion for good.
STILL_POSSIBLE = {f"{HERE}{page}/" for page in ("move", "copy", "delete")}
# Pages of their own: others than organisers see the leaderboard, too.
SAYS_NOTHING = {*STILL_POSSIBLE, f"{HERE}leaderboard/"}
READ_ONLY = "This campaign is archived: it is read only."


class Offered(HTMLParser):
    """Addresses that forms and buttons of a page at `address` send to, and forms that buttons name."""

    def __init__(self, address: str, page: str) -> None:
        super().__init__()
        self.address = address.partition("?")[0]
        self.sent, self.named, self.ids = set[str](), set[str](), set[str]()
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "form":
            self.ids.add(given.get("id") or "")
            if given.get("method") == "post":
                self.sent.add(given.get("action") or self.address)
        if given.get("hx-post"):
            self.sent.add(given["hx-post"] or "")
        if "files" in (given.get("class") or "").split():
            self.sent.add(given.get("data-api") or "")
        if given.get("form"):
            self.named.add(given["form"] or "")

    def refused(self) -> set[str]:
        inside = {one for one in self.sent if one.startswith((HERE, f"/api/v1{HERE}"))}
        return (inside - STILL_POSSIBLE) | (self.named - self.ids)


@pytest.fixture
def campaign() -> Campaign:
    campaign = full_campaign()
    # These rows are there, but hold nothing that a page can read.
    for computed in (Advice, Prediction, Outlook, Counterfactual, TopicOrder):
        computed.objects.all().delete()
    QualityFlag.objects.update(figures={"documents": 5, "value": 0.5, "low": 0.4, "high": 0.6})
    services.pause(campaign=campaign)
    archive(campaign=campaign)
    return campaign


def addresses(campaign: Campaign) -> list[str]:
    """Of all pages, and of those that look different by a parameter."""
    names = {
        "slug": campaign.slug,
        "number": "1",
        "run": campaign.runs.earliest("id").id,
        "username": "Small-grace",
        "part": "runs",
        "figure": "intervals",
        "webhook": campaign.webhooks.get().id,
    }
    found = []
    for pattern in urlpatterns:
        wanted = {name: names[name] for name in pattern.pattern.converters if name in names}
        if "slug" in wanted:
            try:
                found.append(reverse(f"campaigns:{pattern.name}", kwargs=wanted))
            except NoReverseMatch:
                continue
    steps = [f"{HERE}setup/?step={step}" for step in STEPS]
    parts = [f"{HERE}setup/{part}/" for part in ("collection", "topics", "open", "states")]
    more = ["documents/?search=a", "document/?docno=a", "topics/1/why/?docno=a", "invitations/?show=all"]
    return [*found, *steps, *parts, *(f"{HERE}{one}" for one in more)]


def offers(client: Client, campaign: Campaign) -> dict[str, set[str]]:
    found = {}
    for address in addresses(campaign):
        answer = client.get(address)
        if answer.status_code == 200 and answer["Content-Type"].startswith("text/html"):
            page = answer.content.decode()
            if "<html" in page and address.partition("?")[0] not in SAYS_NOTHING:
                assert page.count(READ_ONLY) == (campaign.archived_at is not None), address
            found[address] = Offered(address, page).refused()
    return found


def test_archived_pages_offer_nothing_that_is_refused(campaign: Campaign) -> None:
    found = offers(signed_in("Small-ada"), campaign)
    assert {address: refused for address, refused in found.items() if refused} == {}


def test_the_same_pages_offer_much_once_restored(campaign: Campaign) -> None:
    unarchive(campaign=campaign)
    campaign.refresh_from_db()
    found = offers(signed_in("Small-ada"), campaign)
    assert sum(bool(refused) for refused in found.values()) > 20


def test_settings_of_an_archived_campaign_can_be_read(campaign: Campaign) -> None:
    page = signed_in("Small-ada").get(f"{HERE}setup/?step=measure").content.decode()
    assert page.count('<fieldset class="settings" disabled>') == 3
