"""Tokens: made, found, ended, and never to be read again."""

from __future__ import annotations

import hashlib
import logging
import re
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core import serializers
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from campaigns.core.errors import Refusal
from campaigns.log.timeline import HistoryFilter, page_of
from campaigns.models import ApiToken, Campaign, Deed
from campaigns.pages.history_text import sentence_of
from campaigns.pages.history_text.sentences import CampaignLinks
from campaigns.people import members, tokens
from tests.campaigns.factories import holding, make_campaign, make_user, with_token

pytestmark = pytest.mark.django_db

PATH = "/api/v1/campaigns/small/"


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign("Small")


@pytest.fixture
def ada(campaign: Campaign) -> User:
    return User.objects.get(username="Small-ada")


def make(user: User, **wish: Any) -> tuple[ApiToken, str]:
    return tokens.make(**{"user": user, "name": "nightly", "scopes": ["read"], **wish})


def test_the_secret_is_random_known_by_its_beginning_and_stored_as_a_hash_alone(ada: User) -> None:
    token, secret = make(ada)
    assert re.fullmatch(r"assess_[A-Za-z0-9]{43}", secret)
    assert make(ada)[1] != secret
    assert token.secret_hash == hashlib.sha256(secret.encode()).hexdigest()
    assert token.prefix == secret[:11]
    rows = serializers.serialize("json", [*ApiToken.objects.all(), *Deed.objects.all()])
    assert secret[11:] not in rows


def test_it_is_never_logged(ada: User, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        _, secret = make(ada)
        assert holding(secret).get(PATH).status_code == 200
        assert holding(secret[:-1]).get(PATH).status_code == 401
    said = "\n".join(record.getMessage() for record in caplog.records)
    assert said
    assert secret[11:-1] not in said


@pytest.mark.parametrize(
    ("wish", "code", "field"),
    [
        ({"name": ""}, "no_name", "name"),
        ({"name": "  "}, "no_name", "name"),
        ({"name": "n" * 101}, "bad_name", "name"),
        ({"name": "a\0b"}, "bad_name", "name"),
        ({"scopes": []}, "no_scope", "scopes"),
        ({"scopes": ["read", "everything"]}, "unknown_scope", "scopes"),
        ({"days": 0}, "bad_days", "days"),
        ({"days": 100_000}, "bad_days", "days"),
    ],
)
def test_refusals_make_nothing(ada: User, wish: dict[str, Any], code: str, field: str) -> None:
    with pytest.raises(Refusal) as refused:
        make(ada, **wish)
    assert (refused.value.code, refused.value.field) == (code, field)
    assert not ApiToken.objects.exists()


def test_not_for_a_campaign_of_others(campaign: Campaign) -> None:
    with pytest.raises(Refusal, match="no role"):
        make(make_user("eve"), campaign=campaign)


def test_nobody_hoards_them(ada: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "MOST_GOOD", 2)
    first, _ = make(ada)
    make(ada)
    with pytest.raises(Refusal, match="revoke one first"):
        make(ada)
    tokens.revoke_token(user=ada, token=first.id)
    make(ada)


def ended(how: str, ada: User) -> str:
    token, secret = make(ada, days=1)
    match how:
        case "revoked":
            tokens.revoke_token(user=ada, token=token.id)
        case "expired":
            ApiToken.objects.filter(id=token.id).update(expires_at=timezone.now() - timedelta(seconds=1))
        case "its owner's account is closed":
            User.objects.filter(id=ada.id).update(is_active=False)
        case "unknown":
            return secret[:-1] + ("a" if secret[-1] != "a" else "b")
        case "no secret at all":
            return ""
        case "two":
            return f"{secret} {secret}"
        case "not ASCII":
            return f"{secret}é".encode().decode("latin-1")
        case "longer":
            return secret * 1000
    return secret


ENDS = [
    *("revoked", "expired", "unknown", "its owner's account is closed"),
    *("no secret at all", "two", "not ASCII", "longer"),
]


@pytest.mark.parametrize("how", ENDS)
def test_one_that_does_not_hold_is_answered_like_any_other(ada: User, how: str) -> None:
    reply = holding(ended(how, ada)).get(PATH)
    assert reply.status_code == 401
    assert reply.headers["WWW-Authenticate"] == "Token"
    assert reply.headers["Content-Type"] == "application/problem+json"
    detail = "this token is not known, has expired, or was revoked"
    assert reply.json() == {"code": "bad_token", "detail": detail, "errors": []}


def test_a_bad_token_is_not_made_good_by_a_session(ada: User) -> None:
    client = Client()
    client.force_login(ada)
    assert client.get(PATH).status_code == 200
    assert client.get(PATH, headers={"Authorization": "Token assess_nothing"}).status_code == 401


def test_nothing_at_all_asks_for_a_token(campaign: Campaign) -> None:
    reply = Client().get(PATH)
    assert (reply.status_code, reply.headers["WWW-Authenticate"]) == (401, "Token")
    assert reply.json()["code"] == "not_authenticated"


def test_the_pages_take_no_tokens(ada: User) -> None:
    _, secret = make(ada)
    reply = holding(secret).get("/campaigns/small/people/")
    assert (reply.status_code, reply.headers["Location"][:9]) == (302, "/sign-in/")


def test_only_the_session_needs_a_csrf_token(ada: User) -> None:
    session = Client(enforce_csrf_checks=True)
    session.force_login(ada)
    refused = session.patch(PATH, {"budget": 5}, content_type="application/json")
    assert refused.status_code == 403
    assert "CSRF" in refused.json()["detail"]
    program = with_token("Small-ada", "organise")
    assert program.patch(PATH, {"budget": 5}, content_type="application/json").status_code == 200


def test_what_is_done_by_a_token_is_its_owners_deed(ada: User, campaign: Campaign) -> None:
    program = with_token("Small-ada", "organise")
    program.patch(PATH, {"budget": 5}, content_type="application/json")
    deed = campaign.deeds.latest("id")
    assert (deed.kind, deed.actor) == ("settings", ada)


def test_whoever_is_removed_takes_their_tokens_along(campaign: Campaign) -> None:
    bound, free = (with_token("Small-grace", "read", campaign=one) for one in (campaign, None))
    assert [program.get(PATH).status_code for program in (bound, free)] == [200, 200]
    members.remove_member(campaign=campaign, username="Small-grace")
    assert [program.get(PATH).status_code for program in (bound, free)] == [404, 404]


def test_a_token_made_for_another_page_is_refused(ada: User) -> None:
    _, secret = make(ada)
    reply = holding(secret).get(PATH, headers={"X-Assessor": "0", "Authorization": f"Token {secret}"})
    assert (reply.status_code, reply.json()["code"]) == (401, "not_authenticated")


def test_its_use_is_noted_but_not_at_every_request(
    ada: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    token, secret = make(ada)
    program = holding(secret)
    with django_assert_num_queries(4):  # the token, its use, the membership, the collection
        program.get(PATH)
    token.refresh_from_db()
    first = token.used_at
    assert first is not None
    with django_assert_num_queries(3):
        program.get(PATH)
    token.refresh_from_db()
    assert token.used_at == first
    ApiToken.objects.update(used_at=first - tokens.USED_EVERY)
    program.get(PATH)
    token.refresh_from_db()
    assert token.used_at is not None
    assert token.used_at > first


def test_revoking_is_for_the_owner_and_once(ada: User) -> None:
    token, _ = make(ada)
    for user, code in ((make_user("eve"), "unknown_token"), (ada, ""), (ada, "revoked_already")):
        if not code:
            assert tokens.revoke_token(user=user, token=token.id).state == "revoked"
            continue
        with pytest.raises(Refusal) as refused:
            tokens.revoke_token(user=user, token=token.id)
        assert refused.value.code == code


def test_the_history_of_its_campaign_tells(ada: User, campaign: Campaign) -> None:
    token, _ = make(ada, campaign=campaign, scopes=["organise", "read"], days=30)
    tokens.revoke_token(user=ada, token=token.id)
    before = Deed.objects.count()
    make(ada)
    assert Deed.objects.count() == before
    lines, _ = page_of(campaign=campaign, wanted=HistoryFilter(kind="people"))
    assert [sentence_of(line, CampaignLinks("small")).plain for line in lines[:2]] == [
        "revoked the API token “nightly”",
        "made the API token “nightly”: read, organise; for 30 days",
    ]
