"""Signing in by an identity provider: a real one on a local port, through every redirect."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
import requests
from allauth.socialaccount.models import SocialAccount
from django.contrib.auth.models import User
from django.test import Client
from pytest_django import Settings

from campaigns.models import Membership, TemporaryPassword, WaitingEmail
from campaigns.pages.accounts import openid
from campaigns.people import invitations, second_factors
from tests.campaigns.factories import make_campaign, signed_in, with_token
from tests.campaigns.pages.accounts.test_second_factor import App
from tests.plumbing.servers.openid_provider import (
    CLIENT_ID,
    CLIENT_SECRET,
    Provider,
    new_key,
    running_provider,
)

pytestmark = pytest.mark.django_db

START, BACK = "/sign-in/openid/", "/sign-in/openid/back/"
PASSWORD = "correct horse battery"
ADA = {"sub": "1815", "email": "ada@example.org", "email_verified": True, "preferred_username": "ada"}


@pytest.fixture
def provider(settings: Settings) -> Iterator[Provider]:
    with running_provider() as provider:
        provider.person = dict(ADA)
        settings.OPENID = {
            "issuer": provider.issuer,
            "client_id": CLIENT_ID,
            "client_secret": CLIENT_SECRET,
            "name": "Example University",
        }
        yield provider


def to_provider(client: Client, **query: str) -> str:
    """The address at which the provider asks the person."""
    answer = client.get(START, query)
    assert answer.status_code == 302
    return str(answer.headers["Location"])


def approve(address: str) -> str:
    """Where the provider sends the browser back to: path and query."""
    answer = requests.get(address, allow_redirects=False, timeout=10)
    parts = urlsplit(answer.headers["Location"])
    assert parts.netloc == "testserver"
    return f"{parts.path}?{parts.query}"


def come_in(client: Client | None = None, **query: str) -> Any:
    client = client or Client()
    return client.get(approve(to_provider(client, **query)))


def is_in(client: Client) -> bool:
    return client.get("/account/").status_code == 200


def refused(answer: Any, status: int, words: str) -> None:
    assert answer.status_code == status
    assert words in answer.content.decode()
    assert not is_in(answer.client)


def test_somebody_new_gets_an_account(provider: Provider) -> None:
    client = Client()
    assert come_in(client).headers["Location"] == "/"
    ada = User.objects.get()
    assert (ada.username, ada.email, ada.has_usable_password()) == ("ada", "ada@example.org", False)
    assert not ada.is_superuser
    assert is_in(client)
    assert "You sign in there" in client.get("/account/").content.decode()
    again = Client()
    come_in(again)
    assert is_in(again)
    assert User.objects.count() == 1
    identity = SocialAccount.objects.get()
    assert (identity.provider, identity.uid, identity.extra_data) == (provider.issuer, "1815", {})


def test_a_page_that_was_wanted_follows(provider: Provider) -> None:
    page = Client().get("/sign-in/?next=/judge/").content.decode()
    assert f'href="{START}?next=/judge/"' in page
    assert "Sign in with Example University" in page
    assert come_in(next="/judge/").headers["Location"] == "/judge/"
    for other in ("https://evil.test/", "//evil.test/", "javascript:alert(1)"):
        assert come_in(next=other).headers["Location"] == "/"


def test_the_request_holds_state_nonce_and_challenge(provider: Provider) -> None:
    client = Client()
    first, second = (parse_qs(urlsplit(to_provider(client)).query) for _ in range(2))
    for name in ("state", "nonce", "code_challenge"):
        assert len(first[name][0]) >= 16
        assert first[name] != second[name]
    assert first["redirect_uri"] == [f"http://testserver{BACK}"]


@pytest.mark.parametrize(
    ("wanted", "name"),
    [
        ("ada", "ada-2"),
        ("ADA", "ADA-2"),
        ("a<b>d a", "abda"),
        ("", "a.d-a"),
        (None, "a.d-a"),
        (7, "a.d-a"),
        ("é" * 999, "é" * 140),
    ],
)
def test_names_are_free_and_valid(provider: Provider, wanted: Any, name: str) -> None:
    User.objects.create_user("ada")
    User.objects.create_user("ada-3")
    provider.person |= {"preferred_username": wanted, "email": "a.d-a@example.org"}
    assert come_in().status_code == 302
    assert User.objects.latest("id").username == name


def test_an_account_with_the_verified_address_changes_hands(provider: Provider) -> None:
    """A person who set it up with another's address, and knows its password, is out."""
    ada = User.objects.create_user("lovelace", email="Ada@example.org", password=PASSWORD)
    TemporaryPassword.objects.create(user=ada)
    session, program = signed_in("lovelace"), with_token("lovelace", "read")
    client = Client()
    assert come_in(client).status_code == 302
    assert is_in(client)
    assert SocialAccount.objects.get().user == ada
    ada.refresh_from_db()
    assert not ada.has_usable_password()
    assert not is_in(session)
    assert program.get("/api/v1/campaigns/").status_code == 401
    email = WaitingEmail.objects.get()
    assert (email.address, email.subject) == ("Ada@example.org", "You now sign in by your provider")
    # Only once: later sign-ins leave other sessions alone.
    come_in()
    assert is_in(client)


@pytest.mark.parametrize("verified", [False, None, "false", 1, "yes"])
@pytest.mark.parametrize("known", [True, False])
def test_an_unverified_address_is_refused(provider: Provider, verified: Any, known: bool) -> None:
    if known:
        User.objects.create_user("lovelace", email="ada@example.org", password=PASSWORD)
    provider.person["email_verified"] = verified
    refused(come_in(), 403, "does not vouch for your email address")
    assert User.objects.count() == known
    assert not SocialAccount.objects.exists()


@pytest.mark.parametrize(
    "address", [None, "", "nowhere", "a@b\n.org", "x" * 300 + "@example.org", ["ada@example.org"]]
)
def test_what_is_no_address_is_refused(provider: Provider, address: Any) -> None:
    provider.person["email"] = address
    refused(come_in(), 403, "does not vouch for your email address")


def test_two_accounts_with_the_address_are_refused(provider: Provider) -> None:
    for name in ("lovelace", "byron"):
        User.objects.create_user(name, email="ada@example.org", password=PASSWORD)
    refused(come_in(), 409, "Several accounts have your email address")
    assert all(user.has_usable_password() for user in User.objects.all())


def test_a_deactivated_account_stays_out(provider: Provider) -> None:
    User.objects.create_user("lovelace", email="ada@example.org", password=PASSWORD, is_active=False)
    refused(come_in(), 403, "Your account is deactivated")
    assert not SocialAccount.objects.exists()
    User.objects.update(is_active=True)
    assert come_in().status_code == 302
    User.objects.update(is_active=False)
    refused(come_in(), 403, "Your account is deactivated")
    assert User.objects.count() == 1


def test_a_new_address_of_the_provider_is_taken_over(provider: Provider) -> None:
    come_in()
    provider.person["email"] = "countess@example.org"
    come_in()
    assert User.objects.get().email == "countess@example.org"
    assert WaitingEmail.objects.get().address == "ada@example.org"
    provider.person |= {"email": "other@example.org", "email_verified": False}
    assert come_in().status_code == 302
    assert User.objects.get().email == "countess@example.org"


def test_the_same_subject_of_another_issuer_is_somebody_else(provider: Provider) -> None:
    come_in()
    SocialAccount.objects.update(provider="https://former.example.org")
    provider.person["email"] = "eve@example.org"
    come_in()
    assert User.objects.count() == 2


def test_a_wrong_state_is_refused(provider: Provider) -> None:
    client = Client()
    back = approve(to_provider(client))
    # In a browser that did not ask; made up; none; and used before.
    refused(Client().get(back), 403, "Signing in at the provider failed")
    code = parse_qs(urlsplit(back).query)["code"][0]
    for query in ({"code": code, "state": "made up"}, {"code": code}, {}):
        refused(client.get(BACK, query), 403, "Signing in at the provider failed")
    assert "/token" not in provider.asked
    assert client.get(back).status_code == 302
    assert client.get(back).status_code == 403


def test_a_code_of_another_session_is_refused(provider: Provider) -> None:
    """By PKCE: the code that an attacker planted was asked for with another verifier."""
    planted = parse_qs(urlsplit(approve(to_provider(Client()))).query)["code"][0]
    client = Client()
    state = parse_qs(urlsplit(to_provider(client)).query)["state"][0]
    refused(client.get(BACK, {"code": planted, "state": state}), 403, "failed")
    assert "/token" in provider.asked


@pytest.mark.parametrize(
    "changes",
    [
        {"nonce": "another"},
        {"nonce": None},
        {"nonce": ["x"]},
        {"aud": "another client"},
        {"aud": [CLIENT_ID, "another client"]},
        {"aud": [CLIENT_ID, "another client"], "azp": "another client"},
        {"aud": None},
        {"iss": "https://another.example.org"},
        {"iss": None},
        {"exp": 1_000_000_000},
        {"exp": None},
        {"iat": 4_000_000_000},
        {"sub": None},
        {"sub": ""},
        {"sub": 7},
        {"sub": "x" * 300},
    ],
)
def test_a_wrong_id_token_is_refused(provider: Provider, changes: dict[str, Any]) -> None:
    provider.changes = changes
    answer = come_in()
    assert answer.status_code == 403
    assert not is_in(answer.client)
    assert not User.objects.exists()


def test_a_token_for_several_that_was_made_for_this_site_is_taken(provider: Provider) -> None:
    provider.changes = {"aud": [CLIENT_ID, "another client"], "azp": CLIENT_ID}
    assert come_in().status_code == 302


@pytest.mark.parametrize("algorithm", ["RS256", "none", "HS256"])
def test_a_wrong_signature_is_refused(provider: Provider, algorithm: str) -> None:
    provider.algorithm = algorithm
    provider.signing_key = new_key()
    refused(come_in(), 403, "Signing in at the provider failed")


def test_an_address_may_stand_in_userinfo_alone(provider: Provider) -> None:
    provider.thin = True
    assert come_in().status_code == 302
    assert User.objects.get().email == "ada@example.org"
    provider.userinfo_changes = {"sub": "another"}
    refused(come_in(), 403, "Signing in at the provider failed")


@pytest.mark.parametrize(
    "changes",
    [
        {"issuer": "https://another.example.org"},
        {"issuer": None},
        {"jwks_uri": None},
        {"token_endpoint": "x"},
    ],
)
def test_a_wrong_configuration_is_refused(provider: Provider, changes: dict[str, Any]) -> None:
    client = Client()
    back = approve(to_provider(client))
    provider.config_changes = changes
    assert client.get(back).status_code in (403, 503)
    assert not is_in(client)
    assert Client().get(START).status_code in (302, 503)


def test_whoever_turns_back_at_the_provider_is_told(provider: Provider) -> None:
    provider.cancels = True
    refused(come_in(), 403, "You did not sign in at the provider")


def test_a_provider_that_is_away_is_said(provider: Provider, settings: Settings) -> None:
    client = Client()
    back = approve(to_provider(client))
    settings.OPENID = {**settings.OPENID, "issuer": "http://127.0.0.1:9"}
    refused(Client().get(START), 503, "The provider does not answer")
    assert client.get(back).status_code == 403


def test_an_opened_invitation_is_accepted_after_it(provider: Provider) -> None:
    campaign = make_campaign()
    inviter = User.objects.get(username="Small-ada")
    _, secret = invitations.create(campaign=campaign, role="assessor", inviter=inviter, link_of=str)
    client = Client()
    assert client.post("/join/", {"secret": secret}).status_code == 302
    assert come_in(client, next="/join/").headers["Location"] == "/join/"
    assert client.post("/join/", {}).status_code == 302
    assert Membership.objects.get(user__username="ada").role == "assessor"


def test_a_second_factor_is_still_asked_for(provider: Provider, monkeypatch: pytest.MonkeyPatch) -> None:
    User.objects.create_user("lovelace", email="ada@example.org", password=PASSWORD)
    app = App(monkeypatch)
    app.turn_on(signed_in("lovelace"))
    assert second_factors.is_asked(User.objects.get())
    client = Client()
    assert come_in(client, next="/judge/").headers["Location"] == "/sign-in/code/"
    assert not is_in(client)
    assert client.post("/sign-in/code/", {"code": app.code()}).headers["Location"] == "/judge/"
    assert is_in(client)


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_no_other_site_signs_anybody_in(provider: Provider, site: str) -> None:
    client = Client(headers={"Sec-Fetch-Site": site})
    assert client.get(START).headers["Location"] == "/sign-in/"
    assert Client(headers={"Sec-Fetch-Site": "same-origin"}).get(START).status_code == 302
    assert provider.asked == ["/.well-known/openid-configuration"]


def test_the_way_there_is_limited(provider: Provider, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openid, "MOST_STARTS", 2)
    tries = [Client(REMOTE_ADDR="192.0.2.99").get(START).status_code for _ in range(3)]
    assert tries == [302, 302, 429]


def test_failures_are_logged_without_secrets(provider: Provider, caplog: pytest.LogCaptureFixture) -> None:
    client = Client(REMOTE_ADDR="192.0.2.7")
    back = approve(to_provider(client))
    provider.changes = {"nonce": "another"}
    client.get(back)
    client.get(BACK, {"error": "x\nroot signed in", "state": "y"})
    assert "sign-in by the provider failed from '192.0.2.7'" in caplog.text
    assert CLIENT_SECRET not in caplog.text
    assert parse_qs(urlsplit(back).query)["code"][0] not in "".join(
        record.getMessage() for record in caplog.records if record.name.startswith("campaigns")
    )


def test_without_a_provider_there_is_no_way() -> None:
    for path in (START, BACK):
        assert Client().get(f"{path}?{urlencode({'code': 'x', 'state': 'y'})}").status_code == 404
    assert START not in Client().get("/sign-in/").content.decode()


def test_other_methods_are_refused(provider: Provider) -> None:
    for path in (START, BACK):
        assert [getattr(Client(), method)(path).status_code for method in ("post", "put", "delete")] == [
            405
        ] * 3
