from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from campaigns.core.errors import Refusal
from campaigns.judging.claims import renew
from campaigns.models import Campaign, Claim, Deed, Invitation, Judgment, Membership, TopicAssignment
from campaigns.pages.accounts import sign_in
from campaigns.people.invitations import accept, revoke_invitation
from tests.campaigns.factories import Api, make_campaign, make_user, signed_in

pytestmark = pytest.mark.django_db

PAGE = "/campaigns/small/people/"
LIST = "/campaigns/small/invitations/"
JOIN = "/join/"
NEW = {"username": "barbara", "password": "correct horse battery"}


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign()


@pytest.fixture
def ada(campaign: Campaign) -> Client:
    return signed_in("Small-ada")


def invite(ada: Client, **wish: Any) -> str:
    """The link's secret."""
    page = ada.post(PAGE, {"act": "invite", "role": "assessor", **wish}).content.decode()
    found = re.search(r'id="invitation-link"[^>]*value="http://testserver/join/#([^"]+)"', page)
    assert found is not None, page
    return found[1]


def follow(client: Client, secret: str) -> Any:
    """The page that the link opens, once its script has sent the secret."""
    return client.post(JOIN, {"secret": secret}, follow=True)


def opened(secret: str, client: Client | None = None) -> Client:
    client = client or Client()
    follow(client, secret)
    return client


def role_of(name: str) -> str | None:
    return Membership.objects.filter(user__username=name).values_list("role", flat=True).first()


def test_a_stranger_follows_the_link_and_is_in(ada: Client, campaign: Campaign) -> None:
    link = invite(ada, topics="1, 2")
    assert link not in ada.get(PAGE).content.decode()
    assert not Invitation.objects.filter(token_hash=link).exists()
    stranger = Client()
    page = follow(stranger, link)
    assert page.redirect_chain == [(JOIN, 302)]
    assert "invited to judge documents" in page.content.decode()
    assert "no-store" in page.headers["Cache-Control"]
    assert stranger.post(JOIN, NEW).headers["Location"] == "/judge/small/"
    assert stranger.get("/judge/small/").status_code == 200
    assert User.objects.get(username="barbara").check_password(NEW["password"])
    assert role_of("barbara") == "assessor"
    assert TopicAssignment.objects.filter(assessor__username="barbara").count() == 2
    assert "used by barbara" in ada.get(LIST).content.decode()
    noted = Deed.objects.filter(campaign=campaign, kind__in=("invited", "joined")).order_by("id")
    assert [(deed.kind, deed.actor_name) for deed in noted] == [
        ("invited", "Small-ada"),
        ("joined", "barbara"),
    ]
    history = ada.get("/campaigns/small/history/").content.decode()
    for told_there in ("followed an invitation", "became an assessor", "took on topics 1, 2"):
        assert told_there in history


def test_a_new_account_gets_the_address_its_owner_leaves_in_the_form(ada: Client, campaign: Campaign) -> None:
    link = invite(ada, address="barbara@example.org")
    stranger = opened(link)
    assert 'value="barbara@example.org"' in stranger.get(JOIN).content.decode()
    refused = stranger.post(JOIN, {**NEW, "address": "nowhere"})
    assert refused.status_code == 400
    assert "“nowhere” is not an email address" in refused.content.decode()
    assert not User.objects.filter(username="barbara").exists()
    stranger.post(JOIN, {**NEW, "address": " liskov@example.org "})
    assert User.objects.get(username="barbara").email == "liskov@example.org"


def test_a_new_account_needs_no_address(ada: Client, campaign: Campaign) -> None:
    opened(invite(ada, address="barbara@example.org")).post(JOIN, {**NEW, "address": ""})
    assert User.objects.get(username="barbara").email == ""


def test_somebody_with_an_account_joins_with_it(ada: Client, campaign: Campaign) -> None:
    link = invite(ada, role="organiser")
    make_user("edsger")
    edsger = signed_in("edsger")
    assert "Join as edsger" in follow(edsger, link).content.decode()
    assert edsger.post(JOIN).headers["Location"] == "/campaigns/small/"
    assert role_of("edsger") == "organiser"


def test_a_link_is_for_one(ada: Client, campaign: Campaign) -> None:
    link = invite(ada)
    make_user("edsger")
    late = opened(link)
    assert opened(link, signed_in("edsger")).post(JOIN).status_code == 302
    for method in ("get", "post"):
        reply = getattr(late, method)(JOIN, NEW)
        assert reply.status_code == 410
        assert "This link has already been used" in reply.content.decode()
    assert not User.objects.filter(username="barbara").exists()
    # Who used it is led inside.
    assert "You belong to this campaign" in follow(signed_in("edsger"), link).content.decode()


@pytest.mark.parametrize("end", ["expired", "revoked", "unknown"])
def test_a_link_that_does_not_hold_says_so(ada: Client, campaign: Campaign, end: str) -> None:
    link = invite(ada)
    if end == "expired":
        Invitation.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    elif end == "revoked":
        id = Invitation.objects.get().id
        assert ada.post(LIST, {"act": "revoke", "invitation": id}).status_code == 302
    else:
        link = link[:-4]
    said = {
        "expired": "It expired on",
        "revoked": "has taken it back",
        "unknown": "This invitation does not exist",
    }[end]
    for reply in (follow(Client(), link), opened(link).post(JOIN, NEW)):
        assert reply.status_code == (404 if end == "unknown" else 410)
        text = reply.content.decode()
        assert said in text
        assert "Ask the organiser for a new one." in text
    assert not User.objects.filter(username="barbara").exists()


@pytest.mark.parametrize(
    ("wish", "said"),
    [
        ({"username": "Small-grace"}, "“Small-grace” cannot be the name of a new account"),
        ({"username": "two words"}, "an account name has 1 to 150"),
        ({"username": ""}, "an account name has 1 to 150"),
        ({"password": "short"}, "too short"),
        ({"password": "password"}, "too common"),
        ({"password": "x" * 1001}, "at most 1000"),
    ],
)
def test_a_refused_account_leaves_the_link_as_it_was(ada: Client, wish: dict[str, str], said: str) -> None:
    link = invite(ada)
    reply = opened(link).post(JOIN, {**NEW, **wish})
    assert reply.status_code == 400
    assert said.lower() in reply.content.decode().lower()
    assert Invitation.objects.get().state == "open"
    assert not User.objects.filter(username="barbara").exists()


def test_who_belongs_already_uses_nothing_up(ada: Client) -> None:
    link = invite(ada, role="organiser")
    grace = signed_in("Small-grace")
    assert "The invitation is still unused" in follow(grace, link).content.decode()
    assert grace.post(JOIN).status_code == 409
    assert role_of("Small-grace") == "assessor"
    assert Invitation.objects.get().state == "open"


@pytest.mark.parametrize(
    ("wish", "said"),
    [
        ({"role": "king"}, "King is not a role"),
        ({"address": "nowhere"}, "“nowhere” is not an email address"),
        ({"topics": "1 7"}, "There is no topic 7"),
        ({"topics": "\0"}, "There is no topic"),
        ({"days": "0"}, "1 to 90 days"),
        ({"days": "soon"}, "1 to 90 days"),
        ({"days": "999999"}, "1 to 90 days"),
    ],
)
def test_what_no_invitation_is_made_of(ada: Client, wish: dict[str, str], said: str) -> None:
    if "\0" not in str(wish):
        page = ada.post(PAGE, {"act": "invite", "role": "assessor", **wish})
        assert page.status_code == 400
        assert said in page.content.decode()
    assert not Invitation.objects.exists()


def test_a_mail_goes_out_where_there_is_an_address(
    ada: Client, django_capture_on_commit_callbacks: Any
) -> None:
    with django_capture_on_commit_callbacks() as after:
        invite(ada)
    assert len(after) == 0
    with django_capture_on_commit_callbacks() as after:
        invite(ada, address="grace@example.org")
    assert len(after) == 1
    assert "grace@example.org" in ada.get(LIST).content.decode()


def test_only_organisers_invite(campaign: Campaign) -> None:
    grace = signed_in("Small-grace")
    assert grace.post(PAGE, {"act": "invite", "role": "organiser"}).status_code == 403
    assert not Invitation.objects.exists()


def test_nobody_tries_without_end(ada: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sign_in, "MOST_JOIN_TRIES", 3)
    link = invite(ada)
    replies = [Client().post(JOIN, {"secret": "guess"}) for _ in range(4)]
    assert [reply.status_code for reply in replies] == [404, 404, 404, 429]
    assert 0 < int(replies[-1].headers["Retry-After"]) <= 600
    assert Client().post(JOIN, {"secret": link}).status_code == 429
    assert Invitation.objects.get().state == "open"


def test_other_methods(ada: Client) -> None:
    assert Client().put(JOIN).status_code == 405


def test_services_refuse_what_is_over(ada: Client, campaign: Campaign) -> None:
    invite(ada)
    id = Invitation.objects.get().id
    membership = accept(invitation_id=id, user=make_user("edsger"))
    assert isinstance(membership, Membership)
    assert membership.role == "assessor"
    with pytest.raises(Refusal, match="has been used"):
        accept(invitation_id=id, user=make_user("tony"))
    with pytest.raises(Refusal, match="has been used"):
        revoke_invitation(campaign=campaign, invitation=id)


def test_who_is_paused_gets_nothing_and_what_they_sent_counts(ada: Client, campaign: Campaign) -> None:
    grace = Api(campaign, "Small-grace")
    served = grace.get("next/", topic="1").json()["docno"]
    page = ada.post(PAGE, {"act": "pause", "username": "Small-grace"}).content.decode()
    assert "Small-grace is paused" in page
    # Free for others at once.
    assert Api(campaign, "Small-alan").get("next/", topic="1").json()["docno"] == served
    refused = grace.get("next/", topic="1")
    assert refused.status_code == 409
    assert refused.json()["code"] == "paused"
    late = grace.judge("1", served, 1)
    assert late.status_code == 201
    assert late.json()["next"] is None
    browser = signed_in("Small-grace")
    assert "paused your work here" in browser.get("/judge/small/").content.decode()
    assert "paused your work here" in browser.get("/judge/").content.decode()
    assert "paused your work here" in browser.get("/judge/small/1/").content.decode()
    assert ada.post(PAGE, {"act": "pause", "username": "Small-grace"}).status_code == 409
    assert "can judge again" in ada.post(PAGE, {"act": "resume", "username": "Small-grace"}).content.decode()
    assert ada.post(PAGE, {"act": "resume", "username": "Small-grace"}).status_code == 409
    assert grace.get("next/", topic="1").status_code == 200
    kinds = list(campaign.deeds.values_list("kind", flat=True))
    assert kinds.count("person paused") == kinds.count("person resumed") == 1


def test_what_comes_late_of_the_paused_knows_its_method(ada: Client, campaign: Campaign) -> None:
    grace = Api(campaign, "Small-grace")
    served = grace.get("next/", topic="1").json()["docno"]
    ada.post(PAGE, {"act": "pause", "username": "Small-grace"})
    held = Claim.objects.get(document__docno=served)
    assert held.expires_at <= timezone.now()
    # The page that is still open cannot hold on to it.
    assert renew(topic=held.topic_id, document=held.document_id, assessor=held.assessor_id) is None
    assert grace.judge("1", served, 1).status_code == 201
    row = Judgment.objects.get()
    assert held.method
    assert (row.method, row.stale_claim) == (held.method, True)


def test_the_paused_are_dealt_nothing(ada: Client, campaign: Campaign) -> None:
    ada.post(PAGE, {"act": "pause", "username": "Small-grace"})
    ada.post("/campaigns/small/assign/", {"deal": ""})
    assert set(TopicAssignment.objects.values_list("assessor__username", flat=True)) == {"Small-alan"}


def test_the_table_says_who_did_how_much(ada: Client, campaign: Campaign) -> None:
    grace = Api(campaign, "Small-grace")
    for docno in "abc":
        grace.judge("1", docno, 1, milliseconds=4000)
    grace.judge("1", "c", undo=True)
    page = ada.get(PAGE).content.decode()
    row = re.search(r">Small-grace</a>.*?</tr>", page, re.DOTALL)
    assert row is not None
    cells = [
        " ".join(re.sub(r"<[^>]*>", " ", c).split()) for c in re.findall(r"<td.*?</td>", row[0], re.DOTALL)
    ]
    assert cells[:6] == ["assessor", "2", "2", "4.0 s", "1", "0 38 judgments left"]


def test_links_of_earlier_versions_still_lead_there(ada: Client) -> None:
    secret = invite(ada)
    assert Client().get(f"/join/{secret}/").headers["Location"] == f"/join/#{secret}"
    assert Client().post(f"/join/{secret}/").status_code == 405
