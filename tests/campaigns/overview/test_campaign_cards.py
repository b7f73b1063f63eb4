"""Cards of the home page, and the work that waits: the same as on the pages of each campaign."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.contrib.auth.models import User

from campaigns.judging.questions import ask
from campaigns.models import Campaign
from campaigns.overview.campaign_cards import CampaignCard, cards_of, with_samples
from campaigns.overview.waiting_work import WaitingWork, waiting_work
from campaigns.pages.sentences.verdict import short_verdict
from campaigns.predictions.standings import standings_of
from campaigns.results.topic_rows import judging_progress, topics_of
from campaigns.setup import campaigns as services
from tests.campaigns.factories import Api, make_campaign, signed_in
from tests.campaigns.participants.team_campaigns import handed_in, team_campaign, team_of
from tests.campaigns.predictions.test_differences import LISTS, judge
from tests.campaigns.stopping.stopping_look import predict_scores

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign() -> Campaign:
    campaign = make_campaign("Small", LISTS)
    judge(campaign, "12", {"a": 1, "h": 1, "b": 0, "l": 1})
    predict_scores(campaign)
    return campaign


def cards() -> dict[str, CampaignCard]:
    found = list(with_samples(Campaign.objects.order_by("id")))
    return {card.campaign.name: card for card in cards_of(campaigns=found)}


def test_cards_agree_with_the_pages_of_each_campaign(campaign: Campaign) -> None:
    early = make_campaign("Early", LISTS)
    assert Api(early, "Early-grace").judge("1", "a1", 1).status_code == 201
    predict_scores(early)
    make_campaign("Fresh", LISTS)
    make_campaign("Draft", LISTS, opened=False)
    make_campaign("Lonely", {"x": {"1": ["a"]}})
    make_campaign("Behind", LISTS)
    found = cards()
    assert len(found) == 6
    for one in Campaign.objects.all():
        card = found[one.name]
        assert card.verdict == standings_of(campaign=one).verdict
        assert card.done == judging_progress(campaign=one, topics=topics_of(campaign=one))
    assert (found["Small"].done.judged, found["Early"].done.judged, found["Fresh"].done.judged) == (8, 1, 0)


def test_a_prediction_of_other_settings_is_no_verdict(campaign: Campaign) -> None:
    services.change_settings(campaign=campaign, p=0.5)
    assert cards()["Small"].verdict == standings_of(campaign=campaign).verdict


def test_other_measures_have_no_verdict_on_a_card(campaign: Campaign) -> None:
    Campaign.objects.update(measures="nDCG@10")
    assert cards()["Small"].verdict is None


def test_the_week_ends_today(campaign: Campaign) -> None:
    make_campaign("Fresh", LISTS)
    found = cards()
    assert (found["Small"].week, found["Small"].begun) == ([0, 0, 0, 0, 0, 0, 8], True)
    assert found["Small"].line.startswith("0.0,28.0 16.7,28.0 ")
    assert found["Small"].line.endswith(" 100.0,2.0")
    assert (found["Fresh"].week, found["Fresh"].begun) == ([0] * 7, False)


def kinds(work: list[WaitingWork]) -> list[tuple[str, str, int, str]]:
    return [(one.kind, one.campaign.name, one.count, one.topic) for one in work]


def test_organisers_have_questions_and_disagreements(campaign: Campaign) -> None:
    ada = User.objects.get(username="Small-ada")
    assert waiting_work(user=ada, organised=[campaign], judged=[]) == []
    assert Api(campaign, "Small-alan").judge("1", "a1", 0).status_code == 201
    grace = User.objects.get(username="Small-grace")
    ask(campaign=campaign, assessor=grace, key=uuid4(), topic="1", docno="a1", text="?")
    assert kinds(waiting_work(user=ada, organised=[campaign], judged=[])) == [
        ("adjudicate", "Small", 1, ""),
        ("questions", "Small", 1, ""),
    ]
    services.pause(campaign=campaign)
    assert len(waiting_work(user=ada, organised=[campaign], judged=[])) == 2
    services.close(campaign=campaign)
    assert waiting_work(user=ada, organised=[campaign], judged=[]) == []


def test_runs_of_teams_wait_for_admission() -> None:
    campaign = team_campaign()
    handed_in(team_of(campaign, "Delft"), "one")
    ada = User.objects.get(username="Small-ada")
    assert kinds(waiting_work(user=ada, organised=[campaign], judged=[])) == [("runs", "Small", 1, "")]


def test_assessors_have_their_unfinished_topics(campaign: Campaign) -> None:
    grace = User.objects.get(username="Small-grace")
    work = kinds(waiting_work(user=grace, organised=[], judged=[campaign]))
    assert work == [("topic", "Small", 14, "1"), ("topic", "Small", 14, "2")]
    services.pause(campaign=campaign)
    assert waiting_work(user=grace, organised=[], judged=[campaign]) == []


def test_assessors_without_a_topic_may_choose_one(campaign: Campaign) -> None:
    alan = User.objects.get(username="Small-alan")
    assert kinds(waiting_work(user=alan, organised=[], judged=[campaign])) == [("begin", "Small", 0, "")]


def test_the_home_page_shows_verdict_progress_and_work(campaign: Campaign) -> None:
    page = " ".join(signed_in("Small-ada").get("/campaigns/").content.decode().split())
    assert str(short_verdict(standings_of(campaign=campaign).verdict, False)) in page
    assert '<span data-counted="judged-documents" data-of="small">8 judged documents</span>' in page
    assert "8 judgments today" in page
    assert "Waiting for you" not in page
    make_campaign("Draft", opened=False)
    assert "Not open yet." in signed_in("Draft-ada").get("/campaigns/").content.decode()


def test_assessors_find_one_filled_button(campaign: Campaign) -> None:
    page = signed_in("Small-grace").get("/campaigns/").content.decode()
    assert page.count("button primary") == 1
    assert "14 judgments left in topic 1" in page
    assert page.index("Waiting for you") < page.index("Continue")
