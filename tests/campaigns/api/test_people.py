from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

import pytest
from django.core import mail
from django.test import Client

from campaigns.models import Campaign, Invitation, Membership
from tests.campaigns.factories import Api, make_campaign, make_user, with_token

pytestmark = pytest.mark.django_db

ROOT = "/api/v1/campaigns/small/"
JSON = "application/json"


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign("Small")


@pytest.fixture
def api(campaign: Campaign) -> Api:
    return Api(campaign, "Small-ada")


def test_a_link_is_told_once_and_holds(api: Api, campaign: Campaign) -> None:
    reply = api.post("invitations/", {"role": "assessor", "topics": ["2"], "days": 3})
    assert reply.status_code == 201
    made = reply.json()
    assert (made["role"], made["topics"], made["state"], made["invited_by"]) == (
        "assessor",
        ["2"],
        "open",
        "Small-ada",
    )
    (listed,) = api.get("invitations/").json()["results"]
    assert listed == {name: value for name, value in made.items() if name != "link"}
    link = urlsplit(made["link"])
    browser = Client()
    browser.post(link.path, {"secret": link.fragment})
    browser.post(link.path, {"username": "edsger", "password": "a long enough secret"})
    assert api.get("invitations/").json()["results"][0]["used_by"] == "edsger"
    members = {row["username"]: row for row in api.get("members/").json()["results"]}
    assert set(members) == {"Small-ada", "Small-grace", "Small-alan", "edsger"}
    assert (members["edsger"]["role"], members["edsger"]["paused_at"]) == ("assessor", None)


def test_with_an_address_it_is_mailed(api: Api, django_capture_on_commit_callbacks: Any) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        reply = api.post("invitations/", {"role": "organiser", "address": "edsger@example.org"})
    assert reply.json()["address"] == "edsger@example.org"
    assert [sent.to for sent in mail.outbox] in ([["edsger@example.org"]], [])


def test_taken_back_it_holds_no_more(api: Api) -> None:
    made = api.post("invitations/", {"role": "assessor"}).json()
    path = f"{ROOT}invitations/{made['id']}/"
    assert api.client.delete(path).status_code == 204
    link = urlsplit(made["link"])
    assert Client().post(link.path, {"secret": link.fragment}, follow=True).status_code == 410
    reply = api.client.delete(path)
    assert (reply.status_code, reply.json()["code"]) == (410, "invitation_revoked")
    assert api.client.delete(f"{ROOT}invitations/{10**30}/").status_code == 404


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "role"),
        ({"role": "king"}, "role"),
        ({"role": 1}, "role"),
        ({"role": "assessor", "days": 0}, "days"),
        ({"role": "assessor", "days": 91}, "days"),
        ({"role": "assessor", "days": "14"}, "days"),
        ({"role": "assessor", "address": "nobody"}, "address"),
        ({"role": "assessor", "topics": ["9"]}, "topics"),
        ({"role": "assessor", "topics": "1"}, "topics"),
        ({"role": "assessor", "name": "x"}, "name"),
        ({"role": "assessor", "capacity": 0}, "capacity"),
        ({"role": "assessor", "capacity": 1001}, "capacity"),
        ({"role": "organiser", "capacity": 2}, "role"),
        ({"role": "assessor", "capacity": 2, "address": "a@example.org"}, "address"),
    ],
)
def test_bad_wishes_make_nothing(api: Api, body: dict[str, Any], field: str) -> None:
    reply = api.post("invitations/", body)
    assert reply.status_code == 400
    assert [error["field"] for error in reply.json()["errors"]] == [field]
    assert not Invitation.objects.exists()


def test_a_list_is_checked_then_sent(api: Api) -> None:
    text = "new@example.org,assessor,1\nother@example.org"
    checked = api.post("invitations/list/", {"text": text, "check_only": True})
    assert (checked.status_code, checked.json()["sent"]) == (200, 0)
    assert [(line["state"], line["link"]) for line in checked.json()["lines"]] == [("new", None)] * 2
    assert not Invitation.objects.exists()
    sent = api.post("invitations/list/", {"text": text, "days": 3})
    assert (sent.status_code, sent.json()["sent"]) == (201, 2)
    link = urlsplit(sent.json()["lines"][0]["link"])
    assert Client().post(link.path, {"secret": link.fragment}).status_code == 302
    again = api.post("invitations/list/", {"text": text}).json()
    assert (again["sent"], {line["state"] for line in again["lines"]}) == (0, {"invited"})


def test_a_wrong_line_is_named_and_nothing_sent(api: Api) -> None:
    text = "a@example.org\nb@example.org,king\nc@example.org,assessor,9"
    reply = api.post("invitations/list/", {"text": text})
    assert (reply.status_code, reply.json()["code"]) == (400, "wrong_lines")
    said = reply.json()["detail"]
    assert "line 2: king is not a role; line 3: there is no topic 9" in said
    assert not Invitation.objects.exists()
    lines = api.post("invitations/list/", {"text": text, "check_only": True}).json()["lines"]
    assert [line["state"] for line in lines] == ["new", "wrong", "wrong"]


def test_several_invitations_are_revoked_and_restored(api: Api) -> None:
    made = [api.post("invitations/", {"role": "assessor"}).json()["id"] for _ in range(2)]
    acts = "invitations/acts/"
    done = api.post(acts, {"act": "revoke", "invitations": [*made, 10**30]}).json()
    assert done == {"changed": made, "skipped": [10**30]}
    assert api.post(acts, {"act": "revoke", "invitations": made}).status_code == 409
    assert api.post(acts, {"act": "restore", "invitations": made}).json()["changed"] == made
    # Without an address no person can be reminded.
    assert api.post(acts, {"act": "remind", "invitations": made}).status_code == 409
    for wrong in ({"act": "dance", "invitations": made}, {"act": "revoke", "invitations": []}, {}):
        assert api.post(acts, wrong).status_code == 400
    assert {row["state"] for row in api.get("invitations/").json()["results"]} == {"open"}


def test_only_organisers_and_none_of_another_campaign(campaign: Campaign) -> None:
    make_user("stranger")
    theirs = make_campaign("Other")
    made = Api(theirs, "Other-ada").post("invitations/", {"role": "assessor"}).json()
    for name, status in (("Small-grace", 403), ("stranger", 404)):
        api = Api(campaign, name)
        assert api.get("members/").status_code == status
        assert api.get("invitations/").status_code == status
        assert api.post("invitations/", {"role": "assessor"}).status_code == status
        assert api.post("invitations/list/", {"text": "a@example.org"}).status_code == status
        assert api.post("invitations/acts/", {"act": "revoke", "invitations": [1]}).status_code == status
        assert api.client.delete(f"{ROOT}invitations/1/").status_code == status
    ours = Api(campaign, "Small-ada")
    assert ours.client.delete(f"{ROOT}invitations/{made['id']}/").status_code == 404
    assert Invitation.objects.get().state == "open"
    assert Membership.objects.filter(campaign=campaign).count() == 3


def test_a_token_that_only_reads_cannot_invite(campaign: Campaign) -> None:
    reading = with_token("Small-ada", "read")
    assert reading.get(f"{ROOT}members/").status_code == 200
    reply = reading.post(f"{ROOT}invitations/", {"role": "assessor"}, content_type=JSON)
    assert (reply.status_code, reply.json()["code"]) == (403, "scope")
    assert reading.put(f"{ROOT}members/", {}, content_type=JSON).status_code in (403, 405)
