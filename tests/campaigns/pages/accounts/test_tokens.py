from __future__ import annotations

import html
import re
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from campaigns.models import ApiToken, Campaign, Deed
from campaigns.pages.accounts.tokens import MOST_ENDED_TOKENS
from campaigns.people import tokens
from tests.campaigns.factories import holding, make_campaign, make_user, signed_in

pytestmark = pytest.mark.django_db

PAGE = "/tokens/"
WISH = {"act": "make", "name": "notebook", "scopes": ["read"], "campaign": "", "days": "90"}


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign("Small")


@pytest.fixture
def ada(campaign: Campaign) -> Client:
    return signed_in("Small-ada")


def shown(reply: Any) -> tuple[str, str]:
    """The secret and the command to try it with."""
    page = reply.content.decode()
    secret = re.search(r'id="token-secret"[^>]* value="([^"]*)"', page)
    line = re.search(r'id="token-line"[^>]* value="([^"]*)"', page)
    return (secret[1] if secret else "", html.unescape(line[1]) if line else "")


def test_a_token_is_made_and_shown_once(ada: Client) -> None:
    reply = ada.post(PAGE, WISH)
    assert "no-store" in reply.headers["Cache-Control"]
    secret, line = shown(reply)
    assert line == f'curl --header "Authorization: Token {secret}" http://testserver/api/v1/campaigns/'
    assert holding(secret).get("/api/v1/campaigns/").status_code == 200
    again = ada.get(PAGE).content.decode()
    assert "notebook" in again
    assert secret[:11] in again
    assert secret not in again
    token = ApiToken.objects.get()
    assert token.expires_at is not None
    assert abs(token.expires_at - timezone.now() - timedelta(days=90)) < timedelta(minutes=1)


def test_for_one_campaign_and_without_an_end(ada: Client, campaign: Campaign) -> None:
    _, line = shown(ada.post(PAGE, {**WISH, "campaign": "small", "days": ""}))
    assert line.endswith("/api/v1/campaigns/small/")
    token = ApiToken.objects.get()
    assert (token.campaign, token.expires_at) == (campaign, None)
    assert Deed.objects.latest("id").kind == "token made"
    assert "until revoked" in ada.get(PAGE).content.decode()


def test_one_that_cannot_read_has_no_command(ada: Client) -> None:
    secret, line = shown(ada.post(PAGE, {**WISH, "scopes": ["judge", "organise"]}))
    assert secret
    assert not line


@pytest.mark.parametrize(
    ("wish", "status", "says"),
    [
        ({"name": ""}, 400, "nter a name for the token"),
        ({"name": "n" * 101}, 400, "up to 100 characters"),
        ({"scopes": []}, 400, "say what the token may do"),
        ({"scopes": ["all"]}, 400, "no scope"),
        ({"campaign": "other"}, 400, "no role in this campaign"),
        ({"campaign": "a\0b"}, 400, "no role in this campaign"),
        ({"days": "0"}, 400, "1 to 3660 days"),
        ({"days": "for ever"}, 400, "1 to 3660 days"),
        ({"act": "steal"}, 400, "no act"),
        ({"act": "revoke", "token": "1"}, 404, "no such token"),
        ({"act": "revoke", "token": "one"}, 404, "no such token"),
        ({"act": "revoke"}, 404, "no such token"),
    ],
)
def test_refusals_are_said_and_make_nothing(
    ada: Client, wish: dict[str, Any], status: int, says: str
) -> None:
    make_campaign("Other")
    reply = ada.post(PAGE, {**WISH, **wish})
    assert (reply.status_code, says.lower() in reply.content.decode().lower()) == (status, True)
    assert not ApiToken.objects.exists()


def test_what_was_typed_stays_after_a_refusal(ada: Client) -> None:
    page = ada.post(PAGE, {**WISH, "name": "my <name>", "scopes": [], "campaign": "small", "days": "7"})
    text = page.content.decode()
    assert 'value="my &lt;name&gt;"' in text
    assert '<option value="small" selected>' in text
    assert '<option value="7" selected>' in text


def test_revoking_ends_it_at_once(ada: Client) -> None:
    secret, _ = shown(ada.post(PAGE, WISH))
    program = holding(secret)
    assert program.get("/api/v1/campaigns/").status_code == 200
    reply = ada.post(PAGE, {"act": "revoke", "token": ApiToken.objects.get().id})
    assert "are now rejected" in reply.content.decode()
    assert program.get("/api/v1/campaigns/").status_code == 401


def test_tokens_of_others_are_neither_shown_nor_revoked(ada: Client) -> None:
    eve = make_user("eve")
    token, secret = tokens.make(user=eve, name="hers", scopes=["read"])
    assert "hers" not in ada.get(PAGE).content.decode()
    assert ada.post(PAGE, {"act": "revoke", "token": token.id}).status_code == 404
    assert holding(secret).get("/api/v1/campaigns/").status_code == 200


def test_an_assessor_has_tokens_too(campaign: Campaign) -> None:
    grace = signed_in("Small-grace")
    secret, _ = shown(grace.post(PAGE, {**WISH, "scopes": ["read", "judge", "organise"]}))
    program = holding(secret)
    assert program.get("/api/v1/campaigns/small/next/", {"topic": "1"}).status_code == 200
    assert program.get("/api/v1/campaigns/small/intervals/").status_code == 403


def test_wrong_people_and_methods(campaign: Campaign) -> None:
    assert Client().get(PAGE).headers["Location"] == "/sign-in/?next=/tokens/"
    assert Client().post(PAGE, WISH).status_code == 302
    assert signed_in("Small-ada").put(PAGE).status_code == 405
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(User.objects.get(username="Small-ada"))
    assert strict.post(PAGE, WISH).status_code == 403
    assert not ApiToken.objects.exists()


def test_htmx_gets_the_part_alone(ada: Client) -> None:
    reply = ada.post(PAGE, {**WISH, "name": ""}, headers={"HX-Request": "true"})
    assert reply.status_code == 200
    assert reply.content.decode().strip().startswith('<div id="tokens-part">')


def test_of_those_that_ended_the_newest_are_listed(ada: Client) -> None:
    user = User.objects.get(username="Small-ada")
    made = [tokens.make(user=user, name=f"t{n:02}", scopes=["read"])[0] for n in range(MOST_ENDED_TOKENS + 2)]
    for token in made[:-1]:
        tokens.revoke_token(user=user, token=token.id)
    page = ada.get(PAGE).content.decode()
    names = re.findall(r'<th scope="row">(t\d\d)', page)
    assert names == [made[-1].name, *(token.name for token in made[-2:0:-1])]
    assert page.count('name="token"') == 1


def test_the_page_asks_as_often_for_one_token_as_for_three(
    ada: Client, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    user = User.objects.get(username="Small-ada")
    campaign = Campaign.objects.get()
    for more in (1, 2):
        for _ in range(more):
            tokens.make(user=user, name="t", scopes=["read"], campaign=campaign)
        with django_assert_num_queries(7):
            ada.get(PAGE)
