"""The organiser's page of the guidelines' examples."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest
from django.test import Client

from campaigns.models import Campaign, GuidelineExample
from tests.campaigns.factories import make_campaign, make_user, signed_in

pytestmark = pytest.mark.django_db

PAGE = "/campaigns/small/examples/"
WISH = {"act": "add", "topic": "", "docno": "a", "grade": "2", "reason": "says how"}


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign("Small")


@pytest.fixture
def client(campaign: Campaign) -> Client:
    return signed_in("Small-ada")


def words(reply: Any) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", reply.content.decode())).split())


def docnos() -> str:
    return "".join(GuidelineExample.objects.values_list("document__docno", flat=True))


def test_examples_are_added_changed_moved_and_deleted(client: Client) -> None:
    assert PAGE in client.get("/campaigns/small/setup/?step=judging").content.decode()
    assert "have no examples yet" in words(client.get(PAGE))
    page = words(client.post(PAGE, WISH, follow=True))
    assert "a is an example in the guidelines now. The list says in which topics" in page
    assert "in the pool Assessors may be asked to judge it in topic 1." in page
    page = words(client.post(PAGE, {**WISH, "docno": ["k", "l"], "topic": "1"}, follow=True))
    assert "2 documents are examples in the guidelines now." in page
    row = {one.document.docno: one for one in GuidelineExample.objects.select_related("document")}
    client.post(PAGE, {"act": "up", "example": row["l"].id})
    assert docnos() == "alk"
    form = client.get(f"{PAGE}?change={row['k'].id}").content.decode()
    assert '<option value="1" selected>' in form
    assert "says how</textarea>" in form
    changes = {"act": "change", "example": row["k"].id, "topic": "", "grade": "0", "reason": "no"}
    assert "The example k is changed." in words(client.post(PAGE, changes, follow=True))
    row["k"].refresh_from_db()
    assert (row["k"].grade, row["k"].reason, row["k"].topic) == (0, "no", None)
    client.post(PAGE, {"act": "remove", "example": row["a"].id})
    assert docnos() == "lk"


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"docno": "none"}, "no document none"),
        ({"docno": ""}, "Select a document or enter a docno"),
        ({"docno": "a\0"}, "NUL"),
        ({"reason": "a\0"}, "NUL"),
        ({"topic": "9"}, "no topic 9"),
        ({"grade": "9"}, "9 is not a grade here: 0, 1, 2"),
        ({"grade": "high"}, "not “high”"),
        ({"reason": " "}, "Give a reason for the grade"),
        ({"act": "remove", "example": "7"}, "no such example"),
        ({"act": "change", "example": "7"}, "no such example"),
        ({"act": "up", "example": "-1"}, "not “-1”"),
        ({"act": "dance"}, "no action “dance”"),
    ],
)
def test_what_is_wrong_is_said_and_what_was_typed_stays(
    client: Client, wrong: dict[str, str], says: str
) -> None:
    reply = client.post(PAGE, {**WISH, **wrong})
    assert reply.status_code in (400, 404)
    assert says in words(reply)
    if "reason" not in wrong:
        assert "says how</textarea>" in reply.content.decode()
    assert not GuidelineExample.objects.exists()


def test_wrong_change_keeps_the_form_of_its_example(client: Client) -> None:
    client.post(PAGE, WISH)
    row = GuidelineExample.objects.get()
    reply = client.post(PAGE, {**WISH, "act": "change", "example": row.id, "topic": "9", "reason": "<b>new"})
    assert reply.status_code == 400
    assert "Change the example a" in words(reply)
    assert "&lt;b&gt;new</textarea>" in reply.content.decode()


def test_examples_of_another_campaign_are_out_of_reach(client: Client) -> None:
    make_campaign("Other")
    signed_in("Other-ada").post("/campaigns/other/examples/", WISH)
    row = GuidelineExample.objects.get()
    assert client.post(PAGE, {"act": "remove", "example": row.id}).status_code == 404
    assert "have no examples yet" in words(client.get(f"{PAGE}?change={row.id}"))
    assert docnos() == "a"


def test_who_may_see_and_write(campaign: Campaign) -> None:
    make_user("eve")
    for name, status in (("eve", 404), ("Small-grace", 403)):
        for reply in (signed_in(name).get(PAGE), signed_in(name).post(PAGE, WISH)):
            assert reply.status_code == status
    assert Client().get(PAGE).headers["Location"].startswith("/sign-in/")
    assert signed_in("Small-ada").put(PAGE).status_code == 405
    assert not GuidelineExample.objects.exists()
