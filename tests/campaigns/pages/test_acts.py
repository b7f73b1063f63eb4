"""Pages with acts refuse wrong methods and unknown acts alike."""

from __future__ import annotations

import pytest
from django.test import Client

from campaigns.models import Deed
from tests.campaigns.factories import make_campaign, make_user, signed_in

pytestmark = pytest.mark.django_db

WITH_ACTS = ["training/", "quality/", "examples/", "people/", "invitations/", "teams/"]
ONE_ACT = ["imports/", "delete/", "questions/", "mails/", "webhooks/"]
OWN = ["/account/", "/tokens/"]
SENTENCE = "There is no action “fly” here."


def paths(*pages: str) -> list[str]:
    return [f"/campaigns/small/{page}" for page in pages]


@pytest.mark.parametrize("path", [*paths(*WITH_ACTS, *ONE_ACT), *OWN, "/lab/"])
def test_method_is_checked_before_the_person(path: str) -> None:
    make_campaign("Small")
    reply = Client().put(path)
    assert (reply.status_code, reply.headers["Allow"]) == (405, "GET, HEAD, POST")
    assert Client().post(path).status_code == 302


@pytest.mark.parametrize("path", [*paths(*WITH_ACTS), *OWN])
def test_unknown_act_is_refused_and_changes_nothing(path: str) -> None:
    make_campaign("Small")
    client, before = signed_in("Small-ada"), Deed.objects.count()
    reply = client.post(path, {"act": "fly"})
    assert (reply.status_code, SENTENCE in reply.content.decode()) == (400, True)
    assert Deed.objects.count() == before


@pytest.mark.parametrize("path", [*paths("people/"), "/tokens/"])
def test_htmx_gets_a_refusal_as_a_success(path: str) -> None:
    make_campaign("Small")
    reply = signed_in("Small-ada").post(path, {"act": "fly"}, headers={"HX-Request": "true"})
    assert (reply.status_code, SENTENCE in reply.content.decode()) == (200, True)


@pytest.mark.parametrize("page", [*WITH_ACTS, *ONE_ACT])
def test_pages_have_acts_for_organisers_alone(page: str) -> None:
    make_campaign("Small")
    make_user("eve")
    statuses = [
        signed_in(name).post(f"/campaigns/small/{page}").status_code for name in ("eve", "Small-grace")
    ]
    assert statuses == [404, 403]


def test_refusal_in_a_message_is_a_sentence() -> None:
    make_campaign("Small")
    client = signed_in("Small-ada")
    page = client.post("/campaigns/small/setup/drop-topics/", {"topic": "none"}, follow=True).content.decode()
    assert "There is no topic none." in page


@pytest.mark.parametrize("page", [*WITH_ACTS, *ONE_ACT])
def test_page_is_shown_and_shows_a_refusal(page: str) -> None:
    make_campaign("Small")
    client, path = signed_in("Small-ada"), f"/campaigns/small/{page}"
    assert client.get(path).status_code == 200
    if page != "mails/":
        assert 'id="refused"' in client.post(path).content.decode()
