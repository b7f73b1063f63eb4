"""The organiser's training items."""

from __future__ import annotations

import io
import re
from html import unescape
from typing import Any

import pytest
from django.test import Client

from campaigns.models import Campaign, TrainingItem
from tests.campaigns.factories import Api, make_campaign, make_user, signed_in
from tests.campaigns.quality.test_training import EXPECTED, go_through, train_on

pytestmark = pytest.mark.django_db

PAGE = "/campaigns/small/training/"
ITEM = {"act": "add", "topic": "1", "docno": "a", "grade": "2", "reason": "says how"}


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign("Small")


@pytest.fixture
def client(campaign: Campaign) -> Client:
    return signed_in("Small-ada")


def words(reply: Any) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", reply.content.decode())).split())


def docnos() -> str:
    return "".join(TrainingItem.objects.values_list("document__docno", flat=True))


def test_item_by_item_until_there_are_enough(client: Client) -> None:
    assert "At least 5 items are needed" in words(client.get(PAGE))
    for docno in "abcd":
        assert client.post(PAGE, {**ITEM, "docno": docno}).headers["Location"] == PAGE
    assert "1 more is needed" in words(client.get(PAGE))
    client.post(PAGE, {**ITEM, "docno": "e"})
    assert "Assessors may train if they like" in words(client.get(PAGE))
    assert docnos() == "abcde"


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"docno": "none"}, "no document none"),
        ({"docno": "a\0"}, "NUL"),
        ({"topic": "9"}, "no topic 9"),
        ({"grade": "9"}, "9 is not a grade here: 0, 1, 2"),
        ({"grade": "high"}, "not “high”"),
        ({"reason": " "}, "why this grade is expected"),
        ({"act": "upload"}, "Choose a file"),
        ({"act": "remove", "item": "7"}, "no such training item"),
        ({"act": "up", "item": "-1"}, "not “-1”"),
        ({"act": "dance"}, "no action “dance”"),
    ],
)
def test_what_is_wrong_is_said_and_what_was_typed_stays(
    client: Client, change: dict[str, str], says: str
) -> None:
    reply = client.post(PAGE, {**ITEM, **change})
    assert reply.status_code in (400, 404)
    assert says in words(reply)
    if change.get("reason") is None and "act" not in change:
        assert "says how</textarea>" in reply.content.decode()
    assert not TrainingItem.objects.exists()


def test_order_and_removal(client: Client, campaign: Campaign) -> None:
    train_on(campaign)
    item = {name: str(TrainingItem.objects.get(document__docno=name).id) for name in EXPECTED}
    client.post(PAGE, {"act": "down", "item": item["a"]})
    client.post(PAGE, {"act": "up", "item": item["e"]})
    assert docnos() == "baced"
    client.post(PAGE, {"act": "remove", "item": item["c"]})
    assert docnos() == "baed"


def test_a_file_with_errors_is_refused_line_by_line(client: Client) -> None:
    file = io.BytesIO(b"1\ta\t2\twhy\n1\tb\tmany\twhy\n1\tc\n")
    file.name = "items.tsv"
    reply = client.post(PAGE, {"act": "upload", "file": file})
    assert reply.status_code == 400
    assert "Nothing was stored of items.tsv:" in words(reply)
    assert "line 2: a grade is a whole number, not 'many'" in words(reply)
    assert "line 3: 2 fields between tabs" in words(reply)
    file = io.BytesIO(b"1\ta\t2\twhy\n")
    file.name = "items.tsv"
    assert client.post(PAGE, {"act": "upload", "file": file}).status_code == 302
    assert docnos() == "a"


def test_who_has_trained_and_how(client: Client, campaign: Campaign) -> None:
    train_on(campaign)
    go_through(Api(campaign, "Small-grace"), {**EXPECTED, "a": 0})
    assert re.search(r"Small-grace 1 5 of 5 4 0\.\d\d just now", words(client.get(PAGE)))


def test_items_of_another_campaign_are_out_of_reach(client: Client) -> None:
    other = make_campaign("Other")
    train_on(other)
    item = other.training_items.first()
    assert item is not None
    assert client.post(PAGE, {"act": "remove", "item": str(item.id)}).status_code == 404
    assert other.training_items.count() == 5


def test_hostile_reasons_are_text(client: Client) -> None:
    client.post(PAGE, {**ITEM, "reason": "<script>alert(1)</script>"})
    assert "<script>alert" not in client.get(PAGE).content.decode()


def test_who_may_see_and_write(campaign: Campaign) -> None:
    make_user("eve")
    for name, status in (("eve", 404), ("Small-grace", 403)):
        for reply in (signed_in(name).get(PAGE), signed_in(name).post(PAGE, ITEM)):
            assert reply.status_code == status
    assert Client().get(PAGE).headers["Location"].startswith("/sign-in/")
    assert signed_in("Small-ada").put(PAGE).status_code == 405
    assert not TrainingItem.objects.exists()


def test_a_campaign_without_topics_has_no_form(client: Client) -> None:
    make_campaign("Bare", {}, opened=False)
    page = words(signed_in("Bare-ada").get("/campaigns/bare/training/"))
    assert "Each training document belongs to a topic." in page
    assert "Expected grade" not in page
    assert "Expected grade" in words(client.get(PAGE))
