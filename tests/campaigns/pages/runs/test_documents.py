"""What was judged, the latest first, page by page."""

from __future__ import annotations

import re
from html import unescape

import pytest
from django.test import Client

from campaigns.models import Campaign
from campaigns.pages import documents as pages
from campaigns.results import document_judgments
from campaigns.results.document_judgments import judged_documents
from tests.campaigns.factories import Api, make_campaign, signed_in

pytestmark = pytest.mark.django_db

PAGE = "/campaigns/small/documents/"
DOCNOS = [f"{'cd'[n % 2]}{n}" for n in range(8)]


@pytest.fixture
def campaign(monkeypatch: pytest.MonkeyPatch) -> Campaign:
    monkeypatch.setattr(document_judgments, "PAGE", 3)
    campaign = make_campaign("Small", {"x": {"1": DOCNOS}})
    grace, alan = Api(campaign, "Small-grace"), Api(campaign, "Small-alan")
    for docno in DOCNOS:
        assert grace.judge("1", docno, 1).status_code == 201
    for docno in DOCNOS[::2]:
        assert alan.judge("1", docno, 0).status_code == 201
    # Taken back: what the other said of them is the last word again.
    assert alan.judge("1", DOCNOS[4], undo=True).status_code == 201
    return campaign


# Judged by both, the later first, then what one person judged, and what the other took back.
LATEST = ["c6", "c2", "c0", "d7", "d5", "c4", "d3", "d1"]


def walk(client: Client, address: str, link: str) -> list[list[str]]:
    """What page after page shows, behind links of this name."""
    pages = []
    while address:
        page = client.get(address).content.decode()
        pages.append(re.findall(r'<th scope="row"><a class="mono docno" [^>]*>([^<]+)<', page))
        further = re.search(rf'href="([^"]+)">{link}', page)
        address = unescape(further[1]) if further else ""
    return pages


def test_there_and_back(campaign: Campaign) -> None:
    client = signed_in("Small-ada")
    pages = walk(client, PAGE, "Earlier ones")
    assert pages == [LATEST[:3], LATEST[3:6], LATEST[6:]]
    last = judged_documents(campaign=campaign).before
    middle = judged_documents(campaign=campaign, before=last).before
    assert walk(client, f"{PAGE}?before={middle}", "Later ones") == pages[::-1]


@pytest.mark.parametrize(
    ("asked", "shown"),
    [
        ("docno=c", [["c6", "c2", "c0"], ["c4"]]),
        ("docno=d", [["d7", "d5", "d3"], ["d1"]]),
        ("disputed=yes", [["c6", "c2", "c0"]]),
        ("disputed=yes&docno=c2", [["c2"]]),
        ("grade=0", [["c6", "c2", "c0"]]),
        ("grade=0&docno=c2", [["c2"]]),
        ("grade=0&disputed=yes&topic=1", [["c6", "c2", "c0"]]),
        ("grade=2&disputed=yes", [[]]),
        ("grade=7", [["c6", "c2", "c0"], ["d7", "d5", "c4"], ["d3", "d1"]]),
        ("topic=1&docno=d", [["d7", "d5", "d3"], ["d1"]]),
        ("docno=nothing", [[]]),
        ("topic=+1+&docno=d", [["d7", "d5", "d3"], ["d1"]]),
        ("topic=9", [[]]),
        ("topic=9&disputed=yes", [[]]),
        ("before=no+number", [["c6", "c2", "c0"], ["d7", "d5", "c4"], ["d3", "d1"]]),
        ("before=0", [[]]),
    ],
)
@pytest.mark.parametrize("few", [0, 500])
def test_filtered_pages(
    campaign: Campaign, asked: str, shown: list[list[str]], few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`few`: whether documents of a beginning are sought in the log or looked up each."""
    monkeypatch.setattr(document_judgments, "FEW_DOCUMENTS", few)
    assert walk(signed_in("Small-ada"), f"{PAGE}?{asked}", "Earlier ones") == shown


def test_a_topic_that_is_not_there_is_named_and_stays_in_the_field(
    campaign: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = signed_in("Small-ada").get(PAGE, {"topic": " 1<7 "}).content.decode()
    assert "There is no topic 1&lt;7." in page
    many = [(str(number), "") for number in range(501)]
    monkeypatch.setattr(pages, "topic_choices", lambda campaign: many)
    page = signed_in("Small-ada").get(PAGE, {"topic": " 1<7 "}).content.decode()
    assert 'value="1&lt;7"' in page


def test_the_first_ones_are_one_click_away(campaign: Campaign) -> None:
    client = signed_in("Small-ada")
    first = re.search(r'href="([^"]+)">The first ones', client.get(PAGE).content.decode())
    assert first
    page = client.get(unescape(first[1])).content.decode()
    assert re.findall(r'class="mono docno" [^>]*>([^<]+)<', page) == LATEST[-3:]
    assert "Earlier ones" not in page


def test_of_one_topic(campaign: Campaign) -> None:
    topic = campaign.topics.get()
    page = judged_documents(campaign=campaign, topic=topic)
    assert ([row.docno for row in page.rows], page.total) == (LATEST[:3], 8)
    assert [row.grades for row in page.rows] == [[0, 1]] * 3
