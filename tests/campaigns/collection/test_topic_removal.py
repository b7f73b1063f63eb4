from __future__ import annotations

import re

import pytest
from django.test import Client

from campaigns.models import Campaign, Claim, Deed, Ranking
from campaigns.pages.setup import setup
from campaigns.setup import campaigns as services
from tests.campaigns.factories import Api, make_campaign, signed_in

pytestmark = pytest.mark.django_db

DROP = "/campaigns/small/setup/drop-topics/"
LISTS = {"x": {"1": ["a"], "2": ["b"], "3": ["c"]}, "y": {"1": ["b"], "3": ["a"]}}


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign("Small", LISTS)


@pytest.fixture
def client(campaign: Campaign) -> Client:
    return signed_in("Small-ada")


def numbers(campaign: Campaign) -> list[tuple[str, int]]:
    return list(campaign.topics.order_by("position").values_list("number", "position"))


def drop(client: Client, *topics: str, **more: str) -> str:
    return client.post(DROP, {"topic": topics, **more}, follow=True).content.decode()


def test_a_topic_goes_with_its_lists_and_the_others_close_ranks(client: Client, campaign: Campaign) -> None:
    before = campaign.configuration
    assert "One topic is taken out." in drop(client, "2")
    assert numbers(campaign) == [("1", 0), ("3", 1)]
    assert Ranking.objects.filter(run__campaign=campaign).count() == 4
    campaign.refresh_from_db()
    assert campaign.configuration == before + 1
    assert Deed.objects.filter(kind="topics removed").get().detail["topics"] == ["2"]
    assert "took topic 2 out" in client.get("/campaigns/small/history/").content.decode()
    Api(campaign, "Small-ada").upload("topics/", b"9\tnew\n", "more.tsv")
    assert numbers(campaign) == [("1", 0), ("3", 1), ("9", 2)]


def test_a_typed_number_is_sent_alone(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """Enter in the field presses no button of a listed topic."""
    monkeypatch.setattr(setup, "FIRST_SETUP_TOPICS", 1)
    monkeypatch.setattr(setup, "MOST_SETUP_TOPICS", 2)
    page = client.get("/campaigns/small/setup/").content.decode()
    [fields] = re.findall(r'<input name="topic"[^>]*>', page)
    assert 'form="remove-topic"' in fields
    [(head, inside)] = re.findall(r'(<form [^>]*id="remove-topic"[^>]*>)(.*?)</form>', page)
    assert f'action="{DROP}"' in head
    assert "data-confirm=" in head
    assert re.findall(r'name="(\w+)"', inside) == ["csrfmiddlewaretoken"]
    buttons = re.findall(r'<button[^>]*form="remove-topic"[^>]*>', page)
    assert len(buttons) == 1
    assert "name=" not in buttons[0]


def test_what_was_judged_stays_and_the_way_out_is_said(client: Client, campaign: Campaign) -> None:
    assert Api(campaign, "Small-grace").judge("1", "a", 1).status_code == 201
    page = drop(client, "2", "1")
    assert "Topic 1: it has judgments, so it stays" in page
    assert "close it to stop serving its documents" in page
    assert 'aria-label="Remove topic 1"' not in page
    assert 'aria-label="Remove topic 2"' in page
    assert len(numbers(campaign)) == 3
    # All at once is for drafts.
    assert 'name="all"' not in page
    Claim.objects.all().delete()
    assert "2 topics are taken out." in drop(client, all="")
    assert numbers(campaign) == [("1", 0)]


def test_what_is_being_read_stays(client: Client, campaign: Campaign) -> None:
    assert Api(campaign, "Small-grace").get("next/", topic="3").status_code == 200
    assert "an assessor has one of its documents open" in drop(client, "3")
    assert len(numbers(campaign)) == 3


def test_what_is_in_the_training_stays(client: Client, campaign: Campaign) -> None:
    item = {"act": "add", "topic": "1", "docno": "a", "grade": "1", "reason": "so"}
    assert client.post("/campaigns/small/training/", item).status_code == 302
    assert "documents of it are in the training" in drop(client, "1")
    assert len(numbers(campaign)) == 3


def test_a_wrong_file_of_topics_is_gone_at_once() -> None:
    draft = make_campaign("Small", LISTS, opened=False)
    client = signed_in("Small-ada")
    assert "Remove all topics" in client.get("/campaigns/small/setup/topics/").content.decode()
    assert "3 topics are taken out." in drop(client, all="")
    assert services.missing_to_open(draft) == ["topics"]


def test_lists_that_went_with_a_topic_come_back_with_the_runs_very_file(
    client: Client, campaign: Campaign
) -> None:
    ada = Api(campaign, "Small-ada")
    content = b"".join(b"%d Q0 %c 1 3 mine\n" % (topic, b"abc"[topic - 1]) for topic in (1, 2, 3))
    assert ada.upload("runs/", content, "mine.run").status_code == 201
    before = rankings(campaign)
    assert Api(campaign, "Small-grace").judge("1", "a", 1).status_code == 201
    Claim.objects.all().delete()
    drop(client, "2", "3")
    # There are no topics to have lists for; then there is one, and both.
    assert "this very file" in ada.upload("runs/", content, "mine.run").json()["errors"][0]["detail"]
    assert ada.upload("topics/", b"3\ttitle 3\n2\ttitle 2\n", "topics.tsv").status_code == 201
    again = ada.upload("runs/", content, "mine.run")
    assert (again.status_code, again.json()["noticed"]) == (201, [])
    assert rankings(campaign) == before
    assert campaign.runs.get(tag="mine").noticed == []
    history = client.get("/campaigns/small/history/").content.decode()
    assert "loaded 2 lists of the run mine again from mine.run" in history
    assert "this very file" in ada.upload("runs/", content, "mine.run").json()["errors"][0]["detail"]
    other = ada.upload("runs/", content.replace(b" 3 ", b" 4 "), "mine.run").json()
    assert "another run tagged mine" in other["errors"][0]["detail"]


def rankings(campaign: Campaign) -> list[tuple[str, bytes, bytes]]:
    rows = Ranking.objects.filter(run__campaign=campaign, run__tag="mine").order_by("topic__number")
    fields = rows.values_list("topic__number", "documents", "scores")
    return [(number, bytes(documents), bytes(scores)) for number, documents, scores in fields]


def test_wrong_wishes(client: Client, campaign: Campaign) -> None:
    assert "There is no topic 77" in drop(client, "1", "77")
    assert "0 topics are taken out." in drop(client)
    by_hand = client.get(DROP)
    assert (by_hand.status_code, by_hand.headers["Allow"]) == (405, "POST")
    assert "go back and repeat it" in by_hand.content.decode()
    assert signed_in("Small-grace").post(DROP, {"topic": "1"}).status_code == 403
    other = make_campaign("Other")
    assert signed_in("Other-ada").post(DROP, {"topic": "1"}).status_code == 404
    assert (len(numbers(campaign)), len(numbers(other))) == (3, 2)
