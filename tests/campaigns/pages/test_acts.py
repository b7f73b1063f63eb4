"""Pages with acts refuse wrong methods and unknown acts alike."""

from __future__ import annotations

from urllib.parse import quote

import pytest
from django.contrib.messages import get_messages
from django.contrib.messages.storage.fallback import FallbackStorage
from django.http import HttpRequest
from django.test import Client, RequestFactory

from campaigns.formats.errors import FormatError, LineError
from campaigns.models import Deed
from campaigns.pages.acts import act_address
from tests.campaigns.factories import Api, make_campaign, make_user, signed_in

pytestmark = pytest.mark.django_db

WITH_ACTS = ["training/", "quality/", "examples/", "people/", "invitations/", "teams/"]
ONE_ACT = ["delete/", "questions/", "mails/", "webhooks/"]
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


@pytest.mark.parametrize("page", ["topics/", "topics/1/"])
def test_htmx_gets_the_whole_page_of_a_refused_method(page: str) -> None:
    make_campaign("Small")
    form = {"method": "none", "topic": "1"}
    client, path = signed_in("Small-ada"), f"/campaigns/small/{page}"
    reply = client.post(path, form, headers={"HX-Request": "true"})
    assert (reply.status_code, 'id="refused"' in reply.content.decode()) == (200, True)
    assert client.post(path, form).status_code == 400


@pytest.mark.parametrize("number", ["a?b", "x#y", "%41"])
def test_act_leads_back_to_the_topic_it_was_asked_of(number: str) -> None:
    make_campaign("Small", {"x": {number: ["a", "b"], "A": ["c"]}})
    path = f"/campaigns/small/topics/{quote(number)}/"
    reply = signed_in("Small-ada").post(path, {"method": ""})
    assert (reply.status_code, reply.headers["Location"]) == (302, path)


@pytest.mark.parametrize("number", ["a?b", "x#y", "%41"])
def test_tables_link_to_the_page_that_they_are_on(number: str) -> None:
    campaign = make_campaign("Small", {"x": {number: ["a", "b"], "A": ["c"]}})
    Api(campaign, "Small-grace").judge(number, "a", 1)
    path = f"/campaigns/small/topics/{quote(number)}/"
    assert f'href="{path}?sort=' in signed_in("Small-ada").get(path).content.decode()


def test_errors_of_a_file_become_a_short_message() -> None:
    def act(_request: HttpRequest) -> str:
        raise FormatError("a.run", [LineError(line, "no rank") for line in range(1, 101)], 250)

    request = RequestFactory().post("/")
    request.session = {}  # type: ignore[assignment]
    request._messages = FallbackStorage(request)  # type: ignore[attr-defined]
    reply = act_address(back=lambda _request: "/elsewhere/")(act)(request)
    lines = "\n".join(map(str, get_messages(request))).splitlines()
    assert (reply.status_code, reply.headers["Location"]) == (302, "/elsewhere/")
    assert lines == [*(f"a.run:{n}: no rank" for n in (1, 2, 3)), "a.run: and 247 more errors"]


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
