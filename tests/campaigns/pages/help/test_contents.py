"""What the pages show is what is there."""

import io
import re

import pytest

from campaigns.computing.live import LiveCampaign
from campaigns.computing.worker import bring_up_to_date
from campaigns.formats.qrels import read_qrels
from campaigns.models import Campaign, Claim
from campaigns.setup import campaigns as services
from tests.campaigns.factories import Api, add_run, make_campaign, make_user, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign("Small", budget=20)


def cells(page: str, title: str) -> list[str]:
    row = re.search(rf">{title}<.*?</tr>", page, re.DOTALL)
    assert row is not None
    plain = re.sub(r"<[^>]+>", " ", row[0])
    return plain.split()


def test_the_topics_page_counts_documents_not_acts(campaign: Campaign) -> None:
    grace, alan = Api(campaign, "Small-grace"), Api(campaign, "Small-alan")
    for api, docno, grade in ((grace, "a", 0), (alan, "a", 2), (grace, "b", 0), (grace, "c", 1)):
        api.judge("1", docno, grade)
    grace.judge("1", "c", undo=True)
    words = cells(signed_in("Small-ada").get("/campaigns/small/topics/").content.decode(), "title 1")
    # a and b are judged; the later grade of a holds, and it is relevant.
    assert words[2:6] == ["2", "of", "40", "1"]


def test_the_topics_page_says_who_judges_now(campaign: Campaign) -> None:
    Api(campaign, "Small-grace").get("next/", topic="2")
    page = signed_in("Small-ada").get("/campaigns/small/topics/").content.decode()
    assert cells(page, "title 2")[-1] == "Small-grace"
    assert "Small-grace" not in cells(page, "title 1")
    assert Claim.objects.count() == 1


def test_the_overview_names_every_run_and_the_budget(campaign: Campaign) -> None:
    page = signed_in("Small-ada").get("/campaigns/small/").content.decode()
    assert {tag for tag in "xyz" if f'<span class="run-tag">{tag}</span>' in page} == set("xyz")
    assert "<small>of 20</small>" in page


def test_a_run_tag_cannot_break_out_of_the_page(campaign: Campaign) -> None:
    add_run(campaign, "</script><b>", {"1": ["a"]})
    client = signed_in("Small-ada")
    for path in ("", "setup/"):
        assert "<b>" not in client.get(f"/campaigns/small/{path}").content.decode()


def test_an_empty_dashboard_says_what_to_do() -> None:
    services.create(organiser=make_user("ada"), name="Empty")
    page = signed_in("ada").get("/campaigns/empty/").content.decode()
    assert "No runs yet" in page
    assert "/campaigns/empty/setup/?step=runs" in page


def test_an_open_campaign_without_assessors_says_what_to_do() -> None:
    campaign = make_campaign("Small")
    ada = signed_in("Small-ada")
    said = "Nobody judges yet: invite assessors, or judge yourself."
    assert said not in ada.get("/campaigns/small/").content.decode()
    campaign.memberships.filter(role="assessor").delete()
    page = ada.get("/campaigns/small/").content.decode()
    assert said in page
    assert "/judge/small/" in page
    Api(campaign, "Small-ada").judge("1", "a", 1)
    assert said not in ada.get("/campaigns/small/").content.decode()


def test_an_empty_list_says_what_to_do() -> None:
    make_user("ada")
    page = signed_in("ada").get("/campaigns/").content.decode()
    assert "No campaign yet" in page
    assert "/campaigns/new/" in page


def test_the_list_shows_only_ones_own(campaign: Campaign) -> None:
    make_campaign("Other")
    page = signed_in("Small-ada").get("/campaigns/").content.decode()
    assert "/campaigns/small/" in page
    assert "Other" not in page
    assert "/judge/small/" in signed_in("Small-grace").get("/campaigns/").content.decode()


def test_qrels_by_page_are_the_apis(campaign: Campaign) -> None:
    Api(campaign, "Small-grace").judge("1", "a", 2)
    Api(campaign, "Small-grace").judge("2", "k", 0)
    client = signed_in("Small-ada")
    reply = client.get("/campaigns/small/exports/qrels/")
    content = b"".join(reply)
    assert "small.adjudicated.qrels.txt" in reply.headers["Content-Disposition"]
    assert read_qrels(io.BytesIO(content), "small").grades == {"1": {"a": 2}, "2": {"k": 0}}
    assert b"".join(Api(campaign, "Small-ada").get("qrels/")) == content
    page = client.get("/campaigns/small/exports/").content.decode()
    assert "2 judged documents in 2 topics, 1 of them relevant; in TREC form" in page
    assert "178 mm, both columns" in page


def test_the_verdict_counts_topics_and_their_minimums(campaign: Campaign) -> None:
    services.change_settings(campaign=campaign, min_judgments=1, budget=None)
    Api(campaign, "Small-grace").judge("1", "a", 0)
    bring_up_to_date(LiveCampaign.from_rows(campaign))
    page = signed_in("Small-ada").get("/campaigns/small/overview/").content.decode()
    assert "1 of 2 topics begun</span> · 1 with the minimum · 0 closed" in page
    assert "Judged of the topics’ minimums" in page
    assert "<small>of 2</small>" in page
