"""Assessors' questions to the organisers: asked, answered, seen, and who may do which."""

from __future__ import annotations

import re
import uuid
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from campaigns.judging.questions import LONGEST_QUESTION
from campaigns.models import Campaign, Question
from campaigns.operations.campaign_deletion import delete_campaign
from campaigns.operations.person_deletion import delete_person
from campaigns.setup.archive import archive
from campaigns.setup.campaigns import pause
from tests.campaigns.factories import Api, make_campaign, make_user, signed_in

pytestmark = pytest.mark.django_db

PAGE = "/campaigns/small/questions/"
WORK = "/judge/small/work"


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign("Small")


@pytest.fixture
def grace(campaign: Campaign) -> Api:
    return Api(campaign, "Small-grace")


@pytest.fixture
def ada(campaign: Campaign) -> Api:
    return Api(campaign, "Small-ada")


def wish(**more: Any) -> dict[str, Any]:
    return {"key": str(uuid.uuid4()), "topic": "1", "docno": "a", "text": "Does a remake count?", **more}


def asked(api: Api, **more: Any) -> int:
    reply = api.post("questions/", wish(**more))
    assert reply.status_code == 201
    return int(reply.json()["id"])


def shown(username: str, path: str) -> str:
    page = signed_in(username).get(path).content.decode()
    return " ".join(re.sub("<[^>]+>", " ", page).split())


def test_a_question_is_answered_and_shown_as_new_once(campaign: Campaign, grace: Api, ada: Api) -> None:
    question = asked(grace)
    assert "1 open question" in signed_in("Small-ada").get(PAGE).content.decode()
    assert "Does a remake count?" in shown("Small-ada", PAGE)
    assert "new answer" not in shown("Small-grace", "/judge/small/")
    reply = signed_in("Small-ada").post(PAGE, {"question": question, "answer": "Yes,\r\nit does."})
    assert (reply.status_code, reply.headers["Location"]) == (302, PAGE)
    assert "No question is open." in shown("Small-ada", PAGE)
    assert "seen by the assessor" not in shown("Small-ada", PAGE)
    for path in ("/judge/", "/judge/small/"):
        assert "1 new answer to your questions" in shown("Small-grace", path)
        assert "new answer" not in shown("Small-alan", path)
    screen = signed_in("Small-grace").get("/judge/small/1/").context["data"]["questions"]
    assert screen == [{"document__docno": "a", "text": "Does a remake count?", "answer": "Yes,\nit does."}]
    assert "new answer Does a remake count? Yes, it does." in shown("Small-grace", WORK)
    assert "new answer" not in shown("Small-grace", WORK)
    assert "new answer" not in shown("Small-grace", "/judge/small/")
    assert "seen by the assessor" in shown("Small-ada", PAGE)
    kinds = list(campaign.deeds.order_by("id").values_list("kind", "actor_name"))[-2:]
    assert kinds == [("question asked", "Small-grace"), ("question answered", "Small-ada")]
    history = shown("Small-ada", "/campaigns/small/history/?kind=questions")
    assert "asked about document a of topic 1" in history
    assert "answered Small-grace about document a of topic 1" in history


def test_what_is_sent_again_is_stored_once(campaign: Campaign, grace: Api) -> None:
    one = wish()
    assert [grace.post("questions/", one).status_code for _ in range(2)] == [201, 200]
    assert Question.objects.count() == campaign.deeds.filter(kind="question asked").count() == 1
    reply = Api(campaign, "Small-alan").post("questions/", one)
    assert (reply.status_code, reply.json()["code"]) == (409, "id_taken")


def test_an_answer_is_given_once(grace: Api, ada: Api) -> None:
    question = asked(grace)
    path = f"questions/{question}/answer/"
    first = ada.post(path, {"answer": "Yes."}).json()
    assert (first["answer"], first["answered_by"]) == ("Yes.", "Small-ada")
    assert ada.post(path, {"answer": "No."}).status_code == 409
    page = signed_in("Small-ada").post(PAGE, {"question": question, "answer": "No."})
    assert (page.status_code, "has answered this question" in page.content.decode()) == (409, True)
    assert Question.objects.get().answer == "Yes."


def test_assessors_list_their_own_and_organisers_all(campaign: Campaign, grace: Api, ada: Api) -> None:
    mine, other = asked(grace), asked(Api(campaign, "Small-alan"), docno="b")
    ada.post(f"questions/{mine}/answer/", {"answer": "Yes."})
    assert [row["id"] for row in ada.get("questions/").json()["results"]] == [other, mine]
    [row] = grace.get("questions/").json()["results"]
    assert (row["id"], row["answer"], row["answered_by"]) == (mine, "Yes.", None)


@pytest.mark.parametrize(
    ("more", "status", "code"),
    [
        ({"text": "x" * (LONGEST_QUESTION + 1)}, 400, "invalid"),
        ({"text": " "}, 400, "invalid"),
        ({"text": 3}, 400, "invalid"),
        ({"key": "1"}, 400, "invalid"),
        ({"colour": "red"}, 400, "invalid"),
        ({"docno": "nothing"}, 400, "not_in_pool"),
        ({"topic": "9"}, 404, "unknown_topic"),
    ],
)
def test_bad_questions_are_refused(grace: Api, more: dict[str, Any], status: int, code: str) -> None:
    reply = grace.post("questions/", wish(**more))
    assert (reply.status_code, reply.json()["code"]) == (status, code)
    assert not Question.objects.exists()


@pytest.mark.parametrize("text", ["", " \n", "a\0b", "x" * (LONGEST_QUESTION + 1)])
def test_bad_answers_are_refused(campaign: Campaign, grace: Api, ada: Api, text: str) -> None:
    question = asked(grace)
    assert ada.post(f"questions/{question}/answer/", {"answer": text}).status_code == 400
    reply = signed_in("Small-ada").post(PAGE, {"question": question, "answer": text})
    assert reply.status_code == 400
    assert Question.objects.get().answered_at is None


@pytest.mark.parametrize("question", ["", "x", "0", "9" * 30])
def test_answers_to_no_question_are_refused(campaign: Campaign, question: str) -> None:
    assert signed_in("Small-ada").post(PAGE, {"question": question, "answer": "a"}).status_code == 404


def test_questions_of_another_campaign_are_not_answered_here(campaign: Campaign, ada: Api) -> None:
    question = asked(Api(make_campaign("Other"), "Other-grace"))
    assert ada.post(f"questions/{question}/answer/", {"answer": "a"}).status_code == 404
    assert signed_in("Small-ada").post(PAGE, {"question": question, "answer": "a"}).status_code == 404


def test_each_role_has_its_way(campaign: Campaign, grace: Api) -> None:
    question = asked(grace)
    root = "/api/v1/campaigns/small/questions/"
    answers, body = f"{root}{question}/answer/", {"answer": "a"}
    make_user("eve")
    json: dict[str, Any] = {"content_type": "application/json"}
    for client, asks, reads, replies in (
        (Client(), 401, 401, 401),
        (signed_in("eve"), 404, 404, 404),
        (grace.client, 201, 200, 403),
    ):
        assert client.post(root, wish(), **json).status_code == asks
        assert client.get(root).status_code == reads
        assert client.post(answers, body, **json).status_code == replies
    assert grace.client.put(root, wish(), **json).status_code == 405
    assert Api(campaign, "Small-ada").client.get(answers).status_code == 405


def test_a_paused_campaign_takes_answers_and_an_archived_one_neither(
    campaign: Campaign, grace: Api, ada: Api
) -> None:
    first, second = asked(grace), asked(grace, docno="b")
    pause(campaign=campaign)
    reply = grace.post("questions/", wish())
    assert (reply.status_code, reply.json()["code"]) == (409, "campaign_not_open")
    assert ada.post(f"questions/{first}/answer/", {"answer": "Yes."}).status_code == 200
    archive(campaign=campaign)
    assert grace.post("questions/", wish()).json()["code"] == "archived"
    assert ada.post(f"questions/{second}/answer/", {"answer": "Yes."}).json()["code"] == "archived"
    assert signed_in("Small-ada").post(PAGE, {"question": second, "answer": "Yes."}).status_code == 409
    assert "Yes." in shown("Small-grace", WORK)


def test_questions_outlive_their_assessor_and_go_with_the_campaign(campaign: Campaign, grace: Api) -> None:
    asked(grace)
    root = User.objects.create(username="root", is_superuser=True, is_staff=True)
    person = User.objects.get(username="Small-grace")
    pseudonym = delete_person(person=person, administrator=root, confirmation="Small-grace")
    assert pseudonym in shown("Small-ada", PAGE)
    assert "Small-grace" not in shown("Small-ada", PAGE)
    pause(campaign=campaign)
    delete_campaign(campaign=campaign, confirmation="small")
    assert not Question.objects.exists()


def test_the_page_shows_a_hundred_questions_at_a_time(campaign: Campaign, grace: Api) -> None:
    asker = User.objects.get(username="Small-grace")
    topic, document = campaign.topics.get(number="1"), campaign.collection.documents.get(docno="a")
    here = {"campaign": campaign, "assessor": asker, "topic": topic, "document": document}
    Question.objects.bulk_create(Question(**here, text=f"question {number:03}?") for number in range(103))
    answered = {"answer": "Yes.", "answered_at": timezone.now()}
    Question.objects.filter(text__in=["question 000?", "question 101?"]).update(**answered)
    ada = signed_in("Small-ada")

    def shown(page: str = "") -> list[str]:
        text = ada.get(f"/campaigns/small/questions/{page}").content.decode()
        return re.findall(r"question (\d+)\?", text)

    assert shown() == [f"{number:03}" for number in range(1, 101)]
    assert shown("?page=2") == ["102", "101", "000"]
    text = ada.get("/campaigns/small/questions/?page=2").content.decode()
    assert "101–103 of 103" in text
    assert "No question is open." not in text
    last = Question.objects.get(text="question 102?").id
    # Answering stays on the page; without a second one, it is the first.
    reply = ada.post("/campaigns/small/questions/?page=2", {"question": last, "answer": "No."})
    assert reply.headers["Location"] == "/campaigns/small/questions/?page=2"
    Question.objects.filter(text__gt="question 050?").delete()
    assert len(shown("?page=2")) == 51
