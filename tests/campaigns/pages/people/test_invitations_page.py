"""The page of invitations: lists, the link of a class, and acts on several at once."""

from __future__ import annotations

import re
from datetime import timedelta
from threading import Thread
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.db import connection, transaction
from django.test import Client
from django.utils import timezone

from campaigns.models import Campaign, Deed, Invitation, Membership, TopicAssignment, WaitingEmail
from campaigns.notifications.outbox import send_due_emails
from campaigns.pages.accounts import sign_in
from campaigns.people import invitations as services
from campaigns.people.invitation_lists import send_list
from campaigns.people.members import remove_member
from tests.campaigns.concurrency import somebody_waits
from tests.campaigns.factories import make_campaign, make_user, signed_in
from tests.plumbing.idle import wait_for

pytestmark = pytest.mark.django_db

PAGE = "/campaigns/small/invitations/"
JOIN = "/join/"
PASSWORD = "correct horse battery"
LIST = "email,role,topics\nNew@example.org, assessor, 1 2\nChief <chief@example.org>,organiser\n"


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign()


@pytest.fixture
def ada(campaign: Campaign) -> Client:
    return signed_in("Small-ada")


def post(client: Client, act: str, **given: Any) -> str:
    return " ".join(client.post(PAGE, {"act": act, **given}, follow=True).content.decode().split())


def class_link(ada: Client, capacity: int = 2, **given: Any) -> str:
    """The link's secret."""
    page = post(ada, "link", capacity=capacity, **given)
    found = re.search(r'id="class-link-\d+"[^>]*value="http://testserver/join/#([^"]+)"', page)
    assert found is not None, page
    return found[1]


def join(secret: str, name: str) -> Any:
    client = Client()
    client.post(JOIN, {"secret": secret})
    return client.post(JOIN, {"username": name, "password": PASSWORD})


def invite(campaign: Campaign, address: str = "new@example.org") -> Invitation:
    ada = User.objects.get(username="Small-ada")
    made, _ = services.create(
        campaign=campaign, role="assessor", inviter=ada, link_of=lambda one: f"join/#{one}", address=address
    )
    return made


def sent_secret() -> str:
    send_due_emails()
    return mail.outbox[-1].body.split("join/#")[1].split()[0]


def test_a_list_is_shown_before_anything_is_sent(ada: Client) -> None:
    page = post(ada, "preview", text=LIST, days="7")
    assert "Nothing has been sent yet." in page
    assert page.count("gets an email with a link") == 2
    assert "Invite 2 people" in page
    assert not Invitation.objects.exists()
    assert "2 invitations are emailed." in post(ada, "send", text=LIST, days="7")
    made = Invitation.objects.order_by("id")
    assert [(one.address, one.role, one.topics) for one in made] == [
        ("New@example.org", "assessor", ["1", "2"]),
        ("chief@example.org", "organiser", []),
    ]
    assert (made[0].expires_at - timezone.now()).days == 6
    again = post(ada, "preview", text=LIST)
    assert again.count("has an open invitation: left as it is") == 2
    assert "there is nothing to send" in again


def test_one_wrong_line_holds_all_back(ada: Client) -> None:
    User.objects.filter(username="Small-grace").update(email="grace@example.org")
    text = (
        "ok@example.org\nnobody\nx@example.org; king\ny@example.org,assessor,1 9\n"
        "OK@example.org\n,assessor\nGrace@example.org"
    ).replace("; king", ",king")
    for act in ("preview", "send"):
        page = post(ada, act, text=text)
        assert "5 lines are wrong. Nothing has been sent" in page
        for said in (
            "“nobody” is not an email address",
            "King is not a role",
            "There is no topic 9",
            "“OK@example.org” is in line 1 already",
            "The email address is missing",
            "is a member: left as it is",
        ):
            assert said in page
    assert not Invitation.objects.exists()


@pytest.mark.parametrize("text", ["", "\n \n", "email,role\n", "x" * 200_001, "a@example.org\n" * 1001])
def test_texts_that_are_no_list_are_refused(ada: Client, text: str) -> None:
    assert ada.post(PAGE, {"act": "preview", "text": text}).status_code == 400


def test_a_semicolon_or_a_tab_separates_too(ada: Client) -> None:
    for text in ("a@example.org;assessor;1,2", 'b@example.org\tassessor\t1\t2\n"c@example.org\tassessor'):
        page = post(ada, "preview", text=text)
        assert "1, 2" in page


def test_without_a_mail_server_the_links_are_shown(ada: Client, settings: Any) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.console.EmailBackend"
    page = post(ada, "send", text=LIST)
    secret = page.split("New@example.org http://testserver/join/#")[1].split()[0]
    assert join(secret, "barbara").status_code == 302
    assert "http://testserver/join/#" not in post(ada, "preview", text=LIST)
    assert (
        ada.post(PAGE, {"act": "remind", "invitation": Invitation.objects.latest("id").id}).status_code == 409
    )


def test_a_class_joins_by_one_link_until_it_is_full(ada: Client, campaign: Campaign) -> None:
    secret = class_link(ada, topics="2")
    assert not Invitation.objects.filter(token_hash=secret).exists()
    late = Client()
    late.post(JOIN, {"secret": secret})
    assert join(secret, "barbara").headers["Location"] == "/judge/small/"
    assert "1 of 2 joined" in ada.get(PAGE).content.decode()
    make_user("edsger")
    edsger = signed_in("edsger")
    edsger.post(JOIN, {"secret": secret})
    assert edsger.post(JOIN).status_code == 302
    reply = late.post(JOIN, {"username": "tony", "password": PASSWORD})
    assert reply.status_code == 410
    assert "As many people as may have joined" in reply.content.decode()
    assert not User.objects.filter(username="tony").exists()
    assert set(TopicAssignment.objects.values_list("assessor__username", flat=True)) == {"barbara", "edsger"}
    assert list(Deed.objects.filter(kind="joined").order_by("id").values_list("actor_name", flat=True)) == [
        "barbara",
        "edsger",
    ]
    assert "joined: barbara, edsger" in ada.get(f"{PAGE}?show=all").content.decode()
    assert (
        "made a link by which 2 assessors can join" in ada.get("/campaigns/small/history/").content.decode()
    )


def test_the_link_of_a_class_is_shown_again_with_its_code(ada: Client, campaign: Campaign) -> None:
    secret = class_link(ada, capacity=5)
    row = Invitation.objects.get()
    assert secret not in row.sealed
    page = ada.get(PAGE).content.decode()
    assert f"http://testserver/join/#{secret}" in page
    assert page.count("<svg:svg") + len(re.findall(r'<div class="code"><svg', page)) == 1
    assert "0 of 5 joined" in page
    # Another site key, or an earlier version, leaves nothing to show; the link still works.
    Invitation.objects.update(sealed=row.sealed[:-8] + "AAAAAAA=")
    assert secret not in ada.get(PAGE).content.decode()
    assert join(secret, "barbara").status_code == 302
    Invitation.objects.update(sealed=row.sealed)
    assert secret in ada.get(PAGE).content.decode()
    post(ada, "revoke", invitation=row.id)
    assert secret not in ada.get(PAGE).content.decode()
    assert signed_in("Small-grace").get(PAGE).status_code == 403


def test_only_the_link_of_a_class_is_kept(campaign: Campaign) -> None:
    assert invite(campaign).sealed == ""
    assert services.class_secrets(campaign=campaign) == []


def test_a_removed_member_does_not_come_back_by_the_link(ada: Client, campaign: Campaign) -> None:
    secret = class_link(ada, capacity=5)
    make_user("edsger")
    edsger = signed_in("edsger")
    edsger.post(JOIN, {"secret": secret})
    edsger.post(JOIN)
    remove_member(campaign=campaign, username="edsger")
    edsger.post(JOIN, {"secret": secret})
    reply = edsger.post(JOIN)
    assert reply.status_code == 409
    assert "has joined by this link before" in reply.content.decode()
    assert Invitation.objects.get().joined == 1


@pytest.mark.parametrize(
    "given", [{"capacity": 1}, {"capacity": 1001}, {"capacity": "x"}, {"days": 91}, {"topics": "9"}]
)
def test_links_that_are_refused(ada: Client, given: dict[str, Any]) -> None:
    assert ada.post(PAGE, {"act": "link", "capacity": 2, **given}).status_code == 400
    assert not Invitation.objects.exists()


def test_the_selected_are_reminded_by_a_new_link(ada: Client, campaign: Campaign) -> None:
    one, other = invite(campaign), invite(campaign, "")
    first = sent_secret()
    page = post(ada, "remind", invitation=[one.id, other.id])
    assert "One reminder is emailed, with a new link. One was left as it was." in page
    second = sent_secret()
    assert "This is a reminder." in mail.outbox[-1].body
    assert first != second
    assert Client().post(JOIN, {"secret": first}).status_code == 404
    assert join(second, "barbara").status_code == 302
    assert ada.post(PAGE, {"act": "remind", "invitation": other.id}).status_code == 409


def test_the_same_person_is_reminded_once_a_day(ada: Client, campaign: Campaign) -> None:
    one = invite(campaign)
    assert "One reminder" in post(ada, "remind", invitation=one.id)
    assert ada.post(PAGE, {"act": "remind", "invitation": one.id}).status_code == 409
    Invitation.objects.update(reminded_at=timezone.now() - timedelta(hours=25))
    assert "One reminder" in post(ada, "remind", invitation=one.id)


def test_revoking_several_is_undone(ada: Client, campaign: Campaign) -> None:
    made = [invite(campaign, f"{name}@example.org") for name in "abc"]
    services.accept(invitation_id=made[2].id, user=make_user("edsger"))
    page = post(ada, "revoke", invitation=[one.id for one in made])
    assert "2 invitations are revoked: their links no longer work. One was left as it was." in page
    undo = re.search(r'name="undo" value="([^"]+)"', page)
    assert undo is not None
    assert "2 invitations are open again." in post(ada, "undo", undo=undo[1])
    assert services.open_invitations(campaign=campaign).count() == 2
    assert ada.post(PAGE, {"act": "undo", "undo": undo[1]}).status_code == 409
    assert ada.post(PAGE, {"act": "undo", "undo": "x"}).status_code == 400
    kinds = list(campaign.deeds.values_list("kind", flat=True))
    assert kinds.count("invitation revoked") == kinds.count("invitation restored") == 2


def test_only_own_invitations_and_only_by_organisers(ada: Client, campaign: Campaign) -> None:
    theirs = invite(campaign)
    make_campaign("Other")
    other = signed_in("Other-ada")
    assert (
        other.post("/campaigns/other/invitations/", {"act": "revoke", "invitation": theirs.id}).status_code
        == 409
    )
    assert other.get(PAGE).status_code == 404
    assert signed_in("Small-grace").post(PAGE, {"act": "revoke", "invitation": theirs.id}).status_code == 403
    assert ada.post(PAGE, {"act": "revoke"}).status_code == 400
    assert ada.post(PAGE, {"act": "dance", "invitation": theirs.id}).status_code == 400
    assert ada.post(PAGE, {"act": "revoke", "invitation": 10**30}).status_code == 409
    assert ada.put(PAGE).status_code == 405
    assert Invitation.objects.get().state == "open"


def test_no_table_holds_a_secret_not_even_on_its_way(campaign: Campaign) -> None:
    invite(campaign)
    stored = WaitingEmail.objects.get().body
    secret = sent_secret()
    assert secret not in stored
    assert Invitation.objects.get().token_hash == services.hash_secret(secret)
    assert join(secret, "barbara").status_code == 302


def test_a_link_does_not_serve_to_find_accounts(ada: Client, campaign: Campaign, monkeypatch: Any) -> None:
    monkeypatch.setattr(sign_in, "MOST_NAMES", 1)
    secret = class_link(ada)
    replies = [join(secret, "Small-grace") for _ in range(4)]
    assert [reply.status_code for reply in replies] == [400, 400, 400, 429]
    assert "there is an account" not in replies[0].content.decode()


def test_open_invitations_are_counted_beside_people(ada: Client, campaign: Campaign) -> None:
    invite(campaign)
    for path in ("", "people/"):
        assert "1 open invitation</a>" in ada.get(f"/campaigns/small/{path}").content.decode()
    assert "2 assessors, 1 invited" in ada.get("/campaigns/small/setup/").content.decode()
    assert Membership.objects.filter(campaign=campaign).count() == 3


@pytest.mark.django_db(transaction=True)
def test_a_list_sent_twice_at_once_invites_each_person_once(campaign: Campaign) -> None:
    ada = User.objects.get(username="Small-ada")
    given: dict[str, Any] = {"campaign": campaign, "text": LIST, "inviter": ada, "link_of": str}
    made: list[Any] = []

    def send() -> None:
        try:
            made.extend(send_list(**given)[1])
        finally:
            connection.close()

    again = Thread(target=send)
    with transaction.atomic():
        send_list(**given)
        again.start()
        wait_for(lambda: somebody_waits() or not again.is_alive())
    again.join(30)
    assert (made, campaign.invitations.count()) == ([], 2)
