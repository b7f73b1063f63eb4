"""Training: items, attempts, and that nothing of it reaches the judgments."""

from __future__ import annotations

import uuid
from typing import Any

import pytest

from campaigns.core.errors import Refusal
from campaigns.log.current import current_qrels
from campaigns.models import Campaign, Claim, Judgment, TrainingAnswer, TrainingItem
from campaigns.quality import training
from campaigns.quality.training_attempts import kappa_of
from campaigns.setup import campaigns as services
from tests.campaigns.factories import Api, make_campaign

pytestmark = pytest.mark.django_db

EXPECTED = {"a": 2, "b": 0, "c": 1, "d": 0, "e": 2}


def train_on(campaign: Campaign, grades: dict[str, int] = EXPECTED, *, topic: str = "1") -> None:
    for docno, grade in grades.items():
        training.add_item(campaign=campaign, topic=topic, docno=docno, grade=grade, reason=f"{docno} is so")


@pytest.fixture
def campaign() -> Campaign:
    campaign = make_campaign("Small", opened=False)
    train_on(campaign)
    services.change_settings(campaign=campaign, training_required=True)
    services.open_campaign(campaign=campaign)
    return campaign


@pytest.fixture
def grace(campaign: Campaign) -> Api:
    return Api(campaign, "Small-grace")


def say(api: Api, turn: dict[str, Any], grade: int, **more: Any) -> Any:
    wish = {"id": str(uuid.uuid4()), "item": turn["next"]["id"], "attempt": turn["attempt"], "grade": grade}
    return api.post("training/", wish | more)


def go_through(api: Api, grades: dict[str, int] = EXPECTED, *, again: bool = False) -> Any:
    turn = api.get("training/", **({"again": "1"} if again else {})).json()
    for grade in grades.values():
        reply = say(api, turn, grade)
        assert reply.status_code == 201, reply.content
        turn = reply.json()
    return turn


def test_who_has_not_trained_is_served_nothing_and_judges_nothing(grace: Api) -> None:
    for reply in (grace.get("next/", topic="1"), grace.judge("1", "a", 1)):
        assert (reply.status_code, reply.json()["code"]) == (409, "training_first")
    assert not Judgment.objects.exists()
    assert not Claim.objects.exists()


def test_item_by_item_then_the_first_topic(grace: Api, campaign: Campaign) -> None:
    turn = grace.get("training/").json()
    assert (turn["attempt"], turn["items"], turn["answered"], turn["finished"]) == (1, 5, 0, False)
    assert turn["next"]["document"]["docno"] == "a"
    assert turn["next"]["topic"]["title"] == "title 1"
    reply = say(grace, turn, 1).json()
    assert reply["answer"] == {
        "item": turn["next"]["id"],
        "topic": "1",
        "docno": "a",
        "title": "",
        "grade": 1,
        "expected": 2,
        "reason": "a is so",
        "agreed": False,
    }
    assert (reply["answered"], reply["agreed"], reply["next"]["document"]["docno"]) == (1, 0, "b")
    assert grace.get("next/", topic="1").status_code == 409
    for grade in (0, 1, 0, 2):
        reply = say(grace, reply, grade).json()
    assert (reply["finished"], reply["agreed"], reply["next"]) == (True, 4, None)
    assert grace.get("next/", topic="1").status_code == 200
    assert grace.judge("1", "a", 1).status_code == 201
    assert list(current_qrels(campaign=campaign)) == [("1", "a", 1)]


def test_an_item_says_nothing_of_what_is_expected_before_it_is_answered(grace: Api) -> None:
    body = grace.get("training/").content.decode()
    assert "is so" not in body
    assert "expected" not in body


def test_training_makes_no_claim_and_no_judgment(grace: Api) -> None:
    assert go_through(grace)["finished"]
    assert not Claim.objects.exists()
    assert not Judgment.objects.exists()
    assert TrainingAnswer.objects.count() == 5


def test_an_answer_sent_twice_is_kept_once(grace: Api) -> None:
    turn = grace.get("training/").json()
    wish = {"id": str(uuid.uuid4()), "item": turn["next"]["id"], "attempt": 1, "grade": 0}
    first, second = grace.post("training/", wish), grace.post("training/", {**wish, "grade": 2})
    assert (first.status_code, second.status_code) == (201, 200)
    assert first.json() == second.json()
    assert TrainingAnswer.objects.get().grade == 0


def test_answers_come_in_the_items_order_and_stay(grace: Api) -> None:
    turn = grace.get("training/").json()
    later = TrainingItem.objects.get(document__docno="c").id
    fresh = {"id": str(uuid.uuid4()), "attempt": 1, "grade": 0}
    assert grace.post("training/", {**fresh, "item": later}).json()["code"] == "answered"
    say(grace, turn, 0)
    reply = grace.post("training/", {**fresh, "item": turn["next"]["id"]})
    assert (reply.status_code, reply.json()["code"]) == (409, "answered")


@pytest.mark.parametrize(
    ("change", "status", "code"),
    [
        ({"grade": 7}, 400, "grade_outside_scale"),
        ({"grade": "high"}, 400, "invalid"),
        ({"attempt": 2}, 409, "wrong_attempt"),
        ({"item": 2**40}, 404, "unknown_item"),
        ({"id": "me"}, 400, "invalid"),
        ({"reason": "so"}, 400, "invalid"),
    ],
)
def test_odd_answers_are_refused(grace: Api, change: dict[str, Any], status: int, code: str) -> None:
    reply = say(grace, grace.get("training/").json(), **{"grade": 0, **change})
    assert (reply.status_code, reply.json()["code"]) == (status, code)
    assert not TrainingAnswer.objects.exists()


def test_an_id_is_nobody_elses(grace: Api, campaign: Campaign) -> None:
    wish = {"id": str(uuid.uuid4()), "item": grace.get("training/").json()["next"]["id"]}
    wish |= {"attempt": 1, "grade": 0}
    grace.post("training/", wish)
    reply = Api(campaign, "Small-alan").post("training/", wish)
    assert (reply.status_code, reply.json()["code"]) == (409, "id_taken")


def test_training_again_is_a_further_attempt_and_locks_nobody_out(grace: Api) -> None:
    go_through(grace, dict.fromkeys(EXPECTED, 0))
    turn = grace.get("training/", again="true").json()
    assert (turn["attempt"], turn["answered"]) == (2, 0)
    assert say(grace, turn, 2).json()["agreed"] == 1
    assert grace.get("training/").json()["attempt"] == 2
    assert grace.get("next/", topic="1").status_code == 200
    # An attempt under way continues.
    assert grace.get("training/", again="true").json()["answered"] == 1


def test_an_answer_of_the_attempt_before_that_comes_again_is_known(grace: Api) -> None:
    turn = grace.get("training/").json()
    wish = {"id": str(uuid.uuid4()), "item": turn["next"]["id"], "attempt": 1, "grade": 0}
    turn = grace.post("training/", wish).json()
    while turn["next"]:
        turn = say(grace, turn, 0).json()
    say(grace, grace.get("training/", again="true").json(), 2)
    reply = grace.post("training/", wish)
    assert (reply.status_code, reply.json()["answer"]["grade"], reply.json()["attempt"]) == (200, 0, 2)


def test_an_item_added_later_calls_nobody_back_who_judges(grace: Api, campaign: Campaign) -> None:
    alan = Api(campaign, "Small-alan")
    go_through(grace)
    go_through(alan)
    assert grace.judge("1", "h", 1).status_code == 201
    train_on(campaign, {"f": 0})
    assert grace.get("next/", topic="1").status_code == 200
    assert alan.get("next/", topic="1").json()["code"] == "training_first"
    # What is refused is rolled back: it is no judgment that would admit the next.
    assert alan.judge("1", "i", 1).status_code == 409
    assert alan.judge("1", "i", 1).status_code == 409


def test_kappa_of_the_grades_said_and_expected() -> None:
    assert kappa_of([(1, 1), (0, 0), (2, 2)]) == 1.0
    assert kappa_of([(0, 0), (0, 1), (1, 1), (1, 1)]) == pytest.approx(0.5)
    assert kappa_of([(1, 1)]) is None
    assert kappa_of([(1, 1), (1, 1)]) is None


def test_five_items_before_training_can_be_required() -> None:
    campaign = make_campaign("Bare", opened=False, training_required=True)
    train_on(campaign, {"a": 1, "b": 0, "c": 0})
    with pytest.raises(Refusal, match="2 more training items"):
        services.open_campaign(campaign=campaign)
    services.change_settings(campaign=campaign, training_required=False)
    services.open_campaign(campaign=campaign)
    with pytest.raises(Refusal, match="2 more must be made first") as caught:
        services.change_settings(campaign=campaign, training_required=True)
    assert caught.value.field == "training_required"
    campaign.refresh_from_db()
    assert not campaign.training_required


def test_the_fifth_item_stays_while_it_is_needed(campaign: Campaign) -> None:
    item = campaign.training_items.first()
    assert item is not None
    ada = Api(campaign, "Small-ada")
    assert ada.client.delete(f"{ada.root}training/items/{item.id}/").json()["code"] == "too_few_items"
    train_on(campaign, {"f": 1})
    assert ada.client.delete(f"{ada.root}training/items/{item.id}/").status_code == 204
    assert [row["docno"] for row in ada.get("training/items/").json()["results"]] == ["b", "c", "d", "e", "f"]
    assert list(campaign.training_items.values_list("position", flat=True)) == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(("by", "order"), [(1, "bacde"), (9, "bcdea"), (0, "abcde"), (-1, "abcde")])
def test_items_are_put_in_order(campaign: Campaign, by: int, order: str) -> None:
    ada = Api(campaign, "Small-ada")
    item = TrainingItem.objects.get(document__docno="a").id
    assert ada.post(f"training/items/{item}/", {"by": by}).status_code == 200
    assert "".join(row["docno"] for row in ada.get("training/items/").json()["results"]) == order


def test_a_file_of_items_is_taken_whole_or_not_at_all(campaign: Campaign) -> None:
    ada = Api(campaign, "Small-ada")
    good = b"1\tf\t1\twhy\n2\tk\t0\twhy\n"
    bad = b"1\tg\t1\twhy\n1\tnone\t1\twhy\n9\tg\t1\twhy\n1\th\t7\twhy\n1\ta\t1\twhy\n"
    reply = ada.upload("training/items/", good, "items.tsv")
    assert (reply.status_code, reply.json()["taken"]) == (201, {"items": 2})
    reply = ada.upload("training/items/", bad, "items.tsv")
    assert reply.status_code == 400
    assert [(row["line"], row["field"]) for row in reply.json()["errors"]] == [
        (2, "docno"),
        (3, "topic"),
        (4, "grade"),
        (5, "docno"),
    ]
    assert campaign.training_items.count() == 7


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"topic": "9"}, "topic"),
        ({"docno": "none"}, "docno"),
        ({"grade": 9}, "grade"),
        ({"docno": "a"}, "docno"),
    ],
)
def test_an_item_that_cannot_be_is_refused(campaign: Campaign, change: dict[str, Any], field: str) -> None:
    wish = {"topic": "1", "docno": "f", "grade": 1, "reason": "why", **change}
    reply = Api(campaign, "Small-ada").post("training/items/", wish)
    assert reply.status_code == 400
    assert reply.json()["errors"][0]["field"] == field
    assert campaign.training_items.count() == 5


def test_a_grade_that_training_expects_stays_in_the_scale(campaign: Campaign) -> None:
    two = [row for row in campaign.grades if row["grade"] != 2]
    with pytest.raises(Refusal, match="training expects grade 2 of a"):
        services.change_settings(campaign=campaign, grades=two)


def test_the_organiser_sees_how_it_goes(grace: Api, campaign: Campaign) -> None:
    go_through(grace, {**EXPECTED, "a": 1})
    rows = Api(campaign, "Small-ada").get("training/standing/").json()["results"]
    assert [(row["username"], row["attempt"], row["answered"], row["agreed"]) for row in rows] == [
        ("Small-grace", 1, 5, 4)
    ]
    assert 0 < rows[0]["kappa"] < 1


@pytest.mark.parametrize("path", ["training/items/", "training/items/1/", "training/standing/"])
def test_items_are_the_organisers(campaign: Campaign, grace: Api, path: str) -> None:
    make_campaign("Other")
    for api, status in ((grace, 403), (Api(campaign, "Other-ada"), 404)):
        assert api.get(path).status_code == status
        assert api.post(path, {"by": 1}).status_code == status
    assert Api(campaign, "Other-grace").get("training/").status_code == 404
    assert grace.client.put(grace.root + "training/").status_code == 405
