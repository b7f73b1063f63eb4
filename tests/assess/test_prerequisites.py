"""What comes before the judging screen: training, the topic's wording, or a closed door."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from campaigns.collection import assignments
from campaigns.models import Campaign, Topic
from campaigns.quality import training
from campaigns.setup import campaigns as services
from tests.campaigns.factories import Api, make_campaign, make_user, signed_in
from tests.campaigns.quality.test_training import go_through

pytestmark = pytest.mark.django_db

TOPIC = "/judge/small/1/"
DEVELOP = "/judge/small/1/develop"
TRAINING = "/judge/small/training"
WORDS = {"description": "How?", "narrative": "Thus.", "based_on": "1"}


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign("Small")


@pytest.fixture
def client(campaign: Campaign) -> Client:
    return signed_in("Small-grace")


def text(reply: Any) -> str:
    return " ".join(reply.content.decode().split())


def require_training(campaign: Campaign) -> None:
    for docno in "abcde":
        training.add_item(campaign=campaign, topic="1", docno=docno, grade=1, reason="so")
    services.change_settings(campaign=campaign, training_required=True)


def test_training_comes_first_and_is_shown_the_way_to(campaign: Campaign, client: Client) -> None:
    require_training(campaign)
    assert client.get(TOPIC).headers["Location"] == TRAINING
    for path in ("/judge/", "/judge/small/"):
        page = text(client.get(path))
        assert f'href="{TRAINING}"' in page
        assert f'href="{TOPIC}"' not in page
    assert client.get(TRAINING).status_code == 200
    go_through(Api(campaign, "Small-grace"), dict.fromkeys("abcde", 1))
    assert client.get(TOPIC).status_code == 200
    assert f'href="{TOPIC}"' in text(client.get("/judge/small/"))


def test_without_items_the_training_page_says_so(client: Client) -> None:
    assert "No training here" in text(client.get(TRAINING))
    assert TRAINING not in text(client.get("/judge/small/"))


def test_topics_of_others_are_closed_doors_where_topics_are_assigned(
    campaign: Campaign, client: Client
) -> None:
    services.change_settings(campaign=campaign, topic_choice="assigned")
    reply = client.get(TOPIC)
    assert (reply.status_code, "not yours to judge" in text(reply)) == (409, True)
    assert "No topic is waiting for you" in text(client.get("/judge/small/"))
    topics = list(campaign.topics.filter(number="1"))
    ada = User.objects.get(username="Small-ada")
    assignments.assign(campaign=campaign, topics=topics, username="Small-grace", organiser=ada)
    assert client.get(TOPIC).status_code == 200
    for path in ("/judge/", "/judge/small/"):
        page = text(client.get(path))
        assert "Assigned to you" in page
        assert "Start the recommended topic" not in page
        assert "/judge/small/2/" not in page


def test_a_closed_topic_is_shown_closed(campaign: Campaign, client: Client) -> None:
    services.change_settings(campaign=campaign, min_judgments=1)
    grace = Api(campaign, "Small-grace")
    grace.judge("1", "a", 1)
    Api(campaign, "Small-ada").post("topics/1/close/")
    reply = client.get(TOPIC)
    assert (reply.status_code, "Topic 1 is closed" in text(reply)) == (409, True)
    page = text(client.get("/judge/small/"))
    assert ">closed<" in page
    assert f'href="{TOPIC}"' not in page


def test_where_asked_for_the_topic_is_written_out_first(campaign: Campaign, client: Client) -> None:
    services.change_settings(campaign=campaign, development_required=True)
    assert client.get(TOPIC).headers["Location"] == DEVELOP
    page = text(client.get(DEVELOP))
    assert "title 1" in page
    assert "Skip and start judging" not in page
    assert client.post(DEVELOP, WORDS).headers["Location"] == TOPIC
    topic = Topic.objects.get(number="1")
    assert (topic.description, topic.narrative, topic.revision) == ("How?", "Thus.", 2)
    assert client.get(TOPIC).status_code == 200


def test_newer_words_are_shown_and_the_second_saving_decides(campaign: Campaign, client: Client) -> None:
    signed_in("Small-alan").post(DEVELOP, {**WORDS, "description": "Newer?"})
    reply = client.post(DEVELOP, {**WORDS, "description": "Mine?"})
    page = text(reply)
    assert (reply.status_code, "Newer?" in page, "Mine?</textarea>" in page) == (409, True, True)
    assert 'name="based_on" value="2"' in page
    assert Topic.objects.get(number="1").description == "Newer?"
    assert client.post(DEVELOP, {**WORDS, "description": "Mine?", "based_on": "2"}).status_code == 302
    assert Topic.objects.get(number="1").description == "Mine?"


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"description": " "}, "Describe the information need behind this query"),
        ({"description": "x" * 20_001}, "At most 20,000 characters"),
        ({"based_on": "one"}, "has since been revised"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_lost(client: Client, change: dict[str, str], says: str) -> None:
    reply = client.post(DEVELOP, {**WORDS, **change})
    assert reply.status_code in (400, 409)
    assert says in text(reply)
    assert "Thus.</textarea>" in text(reply)
    assert Topic.objects.get(number="1").revision == 1


@pytest.mark.parametrize("path", [TRAINING, DEVELOP])
def test_who_sees_these_pages(campaign: Campaign, path: str) -> None:
    make_user("eve")
    assert Client().get(path).headers["Location"].startswith("/sign-in/")
    assert signed_in("eve").get(path).status_code == 404
    for name in ("grace", "ada"):
        assert signed_in(f"Small-{name}").get(path).status_code == 200
    assert signed_in("Small-grace").put(path).status_code == 405
    assert signed_in("Small-grace").get(path.replace("small/1", "small/99")).status_code in (200, 404)


def test_a_topic_may_be_called_training(campaign: Campaign, client: Client) -> None:
    Topic.objects.create(campaign=campaign, number="training", title="odd one", position=9)
    assert "odd one" in text(client.get("/judge/small/training/"))
