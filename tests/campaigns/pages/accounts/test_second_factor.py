"""A second factor: codes of an authenticator app and recovery codes, set up, asked for, lost, turned off."""

from __future__ import annotations

import re
from itertools import count
from typing import Any
from urllib.parse import urlsplit

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from campaigns.models import ApiToken, Campaign, TemporaryPassword, WaitingEmail
from campaigns.operations.person_deletion import delete_person
from campaigns.pages.accounts import account, sign_in
from campaigns.people import second_factors
from tests.campaigns.factories import make_campaign, signed_in, with_token

pytestmark = pytest.mark.django_db

PAGE, SIGN_IN, CODE = "/account/second-factor/", "/sign-in/", "/sign-in/code/"
PASSWORD = "correct horse battery"
EVIL = f"{PAGE}?next=https://evil.test/"


class App:
    """An authenticator app and the site's clock, which goes on by 30 seconds with each code."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.step = 1000
        self.secret = ""
        self.recovery: list[str] = []
        clock = "yield_hotp_counters_from_time"
        monkeypatch.setattr(second_factors, clock, lambda: iter(range(self.step - 1, self.step + 2)))

    def shown(self, later: int = 0) -> str:
        code: str = format_hotp_value(hotp_value(self.secret, self.step + later))
        return code

    def code(self) -> str:
        self.step += 1
        return self.shown()

    def wrong(self) -> str:
        valid = {self.shown(later) for later in (-1, 0, 1)}
        return next(code for n in count() if (code := f"{n:06}") not in valid)

    def scan(self, client: Client) -> str:
        page = client.get(PAGE).content.decode()
        found = re.search(r'totp-key">([A-Z2-7 ]+)<', page)
        assert found
        self.secret = found[1].replace(" ", "")
        return page

    def turn_on(self, client: Client) -> Any:
        self.scan(client)
        answer = client.post(PAGE, {"act": "on", "code": self.code(), "password": PASSWORD})
        self.recovery = re.findall(r"\b\d{8}\b", answer.content.decode())
        return answer


@pytest.fixture(autouse=True)
def ada() -> User:
    return User.objects.create_user("ada", email="ada@example.org", password=PASSWORD)


@pytest.fixture
def app(monkeypatch: pytest.MonkeyPatch) -> App:
    return App(monkeypatch)


@pytest.fixture
def protected(app: App) -> App:
    """Of ada, who has it on."""
    app.turn_on(signed_in("ada"))
    return app


def enter_password(client: Client, next_page: str = "") -> Any:
    return client.post(SIGN_IN, {"username": "ada", "password": PASSWORD, "next": next_page})


def at_code(next_page: str = "") -> Client:
    client = Client()
    assert enter_password(client, next_page).headers["Location"] == CODE
    return client


def enter(client: Client, code: str) -> Any:
    return client.post(CODE, {"code": code})


def is_in(client: Client) -> bool:
    return client.get("/account/").status_code == 200


def test_it_is_set_up_by_a_first_code(app: App, ada: User) -> None:
    here, there = signed_in("ada"), signed_in("ada")
    page = app.scan(here)
    assert "<svg" in page
    assert "style=" not in page
    # Reloading shows the same key, so that what was scanned stays valid.
    assert app.secret in app.scan(here).replace(" ", "")
    answer = app.turn_on(here)
    assert answer.status_code == 200
    assert "no-store" in answer.headers["Cache-Control"]
    assert len(set(app.recovery)) == 10
    assert (is_in(here), is_in(there)) == (True, False)
    again = here.get(PAGE).content.decode()
    assert "10 unused recovery codes are left" in again
    assert not set(re.findall(r"\b\d{8}\b", again)) & set(app.recovery)
    email = WaitingEmail.objects.get()
    assert (email.address, email.subject) == ("ada@example.org", "Your second factor was turned on")


def test_secrets_are_sealed_in_the_database(protected: App) -> None:
    stored = str(list(Authenticator.objects.values_list("data", flat=True)))
    assert protected.secret not in stored
    assert not any(code in stored for code in protected.recovery)


@pytest.mark.parametrize(
    "typed", [{"code": ""}, {"code": "x" * 1000}, {"code": "٠٠٠٠٠٠"}, {"password": "wrong"}]
)
def test_it_is_not_set_up_by_a_wrong_code_or_password(app: App, typed: dict[str, str]) -> None:
    here, there = signed_in("ada"), signed_in("ada")
    app.scan(here)
    good = {"act": "on", "code": app.code(), "password": PASSWORD}
    assert here.post(PAGE, {**good, **typed}).status_code == 400
    assert here.post(PAGE, {**good, "code": app.wrong()}).status_code == 400
    assert not Authenticator.objects.exists()
    assert is_in(there)
    assert here.post(PAGE, good).status_code == 200
    assert here.post(PAGE, good).status_code == 409


def test_the_password_alone_does_not_sign_in(protected: App) -> None:
    client = at_code("/judge/")
    assert not is_in(client)
    assert client.get("/api/v1/campaigns/").status_code == 401
    assert client.get(CODE).status_code == 200
    wrong = enter(client, protected.wrong())
    assert "This code is not valid" in wrong.content.decode()
    assert not is_in(client)
    assert enter(client, protected.code()).headers["Location"] == "/judge/"
    assert is_in(client)


def test_the_session_gets_a_new_key_at_each_step(protected: App) -> None:
    client = Client()
    client.get("/join/")
    session = client.session
    session["invitation"] = 1
    session.save()
    keys = [session.session_key]
    enter_password(client)
    keys.append(client.session.session_key)
    enter(client, protected.code())
    keys.append(client.session.session_key)
    assert len(set(keys)) == 3
    # What the session knew, such as an opened invitation, is still there.
    assert client.session["invitation"] == 1
    assert sign_in.PENDING not in client.session


def test_a_code_is_valid_once_and_no_earlier_one_after_it(protected: App) -> None:
    code = protected.code()
    assert enter(at_code(), code).status_code == 302
    again = at_code()
    assert enter(again, code).status_code == 200
    assert enter(again, protected.shown(-1)).status_code == 200
    assert enter(again, f" {protected.shown(1)[:3]} {protected.shown(1)[3:]} ").status_code == 302


def test_codes_of_another_time_are_refused(protected: App) -> None:
    client = at_code()
    protected.step += 10
    for later in (-2, 2):
        assert enter(client, protected.shown(later)).status_code == 200
    assert enter(client, protected.shown(-1)).status_code == 302


def test_a_clock_set_back_locks_nobody_out(protected: App) -> None:
    protected.step -= 500
    assert enter(at_code(), protected.shown()).status_code == 302


def test_a_recovery_code_is_valid_once(protected: App) -> None:
    first, second, *_ = protected.recovery
    client = at_code()
    assert enter(client, f"{first[:4]} {first[4:]}").status_code == 302
    assert "9 unused recovery codes are left" in client.get(PAGE).content.decode()
    again = at_code()
    assert enter(again, first).status_code == 200
    assert enter(again, second).status_code == 302


def test_new_recovery_codes_replace_the_old(protected: App) -> None:
    client, old = signed_in("ada"), protected.recovery
    assert client.post(PAGE, {"act": "codes", "password": "wrong"}).status_code == 400
    new = re.findall(r"\b\d{8}\b", client.post(PAGE, {"act": "codes", "password": PASSWORD}).content.decode())
    assert len(set(new) - set(old)) == 10
    assert enter(at_code(), old[0]).status_code == 200
    assert enter(at_code(), new[0]).status_code == 302


def test_it_is_turned_off_by_the_password(protected: App) -> None:
    client = signed_in("ada")
    assert client.post(PAGE, {"act": "off", "password": "wrong"}).status_code == 400
    assert Authenticator.objects.count() == 2
    assert client.post(PAGE, {"act": "off", "password": PASSWORD}).status_code == 302
    assert not Authenticator.objects.exists()
    assert WaitingEmail.objects.latest("id").subject == "Your second factor was turned off"
    assert enter_password(Client()).headers["Location"] == "/"
    for act in ("off", "codes"):
        assert client.post(PAGE, {"act": act, "password": PASSWORD}).status_code == 409


def test_codes_are_not_tried_without_end(protected: App, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sign_in, "MOST_CODES", 2)
    # From several sessions and networks, and mixed with right passwords.
    tries = [enter(at_code(), protected.wrong()).status_code for _ in range(3)]
    assert tries == [200, 200, 429]
    refused = enter(at_code(), protected.code())
    assert refused.status_code == 429
    assert 0 < int(refused.headers["Retry-After"]) <= sign_in.CODE_SPAN


def test_a_good_code_begins_the_tries_again(protected: App, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sign_in, "MOST_CODES", 2)
    for _ in range(2):
        client = at_code()
        assert enter(client, protected.wrong()).status_code == 200
        assert enter(client, protected.code()).status_code == 302


def test_the_step_ends_with_time_password_and_account(
    protected: App, ada: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    for change in ("password", "account", "time"):
        client = at_code()
        if change == "password":
            ada.set_password(PASSWORD)
            ada.save()
        elif change == "account":
            User.objects.update(is_active=False)
        else:
            monkeypatch.setattr(sign_in, "PENDING_SECONDS", -1)
        assert enter(client, protected.code()).headers["Location"] == SIGN_IN
        assert not is_in(client)
        User.objects.update(is_active=True)


def test_nobody_comes_to_the_second_step_without_the_first() -> None:
    assert Client().get(CODE).headers["Location"] == SIGN_IN
    assert enter(Client(), "000000").headers["Location"] == SIGN_IN


def test_failed_codes_are_logged(protected: App, caplog: pytest.LogCaptureFixture) -> None:
    code = protected.wrong()
    enter(at_code(), code)
    assert "sign-in as 'ada' failed" in caplog.text
    assert code not in caplog.text


def test_the_page_of_the_language_is_kept(protected: App) -> None:
    client = at_code()
    client.cookies.load({"django_language": "de"})
    assert "Code eingeben" in client.get(CODE).content.decode()
    enter(client, protected.code())
    assert User.objects.get(username="ada").preferred_language.code == "de"


def test_a_temporary_password_is_replaced_after_the_code(protected: App, ada: User) -> None:
    TemporaryPassword.objects.create(user=ada)
    client = at_code()
    enter(client, protected.code())
    assert client.get(PAGE).headers["Location"].startswith("/account/password/?next=")


def test_an_invitation_is_accepted_after_the_code(protected: App) -> None:
    client = at_code("/join/")
    assert enter(client, protected.code()).headers["Location"] == "/join/"


def test_api_tokens_need_no_code(protected: App) -> None:
    assert with_token("ada", "read").get("/api/v1/campaigns/").status_code == 200


def test_another_secret_key_lets_nobody_in(protected: App, settings: Settings) -> None:
    client = at_code()
    settings.SECRET_KEY = "another" * 8
    client = at_code()
    for code in (protected.code(), protected.recovery[0]):
        assert enter(client, code).status_code == 200
    assert signed_in("ada").get(PAGE).status_code == 200


@pytest.fixture
def root() -> User:
    return User.objects.create_superuser("root")


def remove_factor(user: User, by: str = "root") -> Any:
    return signed_in(by).post("/accounts/", {"act": "remove-factor", "account": user.id})


def test_an_administrator_removes_a_lost_one(protected: App, ada: User, root: User) -> None:
    campaign: Campaign = make_campaign()
    campaign.memberships.create(user=ada, role="assessor")
    chip = '<span class="chip">second factor</span>'
    assert signed_in("root").get("/accounts/").content.decode().count(chip) == 1
    answer = remove_factor(ada).content.decode()
    assert "ada signs in without a second factor from now on" in answer
    assert chip not in answer
    assert enter_password(Client()).headers["Location"] == "/"
    assert campaign.deeds.latest("id").kind == "second factor removed"
    assert (
        "removed the second factor of"
        in signed_in("Small-ada").get("/campaigns/small/history/").content.decode()
    )
    assert remove_factor(ada).status_code == 409
    assert remove_factor(ada, by="Small-ada").status_code == 403


def test_it_goes_with_its_account(protected: App, ada: User, root: User) -> None:
    delete_person(person=ada, administrator=root, confirmation="ada")
    assert not Authenticator.objects.exists()


def test_the_page_is_for_its_owner(protected: App) -> None:
    for method in ("get", "post"):
        assert getattr(Client(), method)(PAGE).headers["Location"] == f"/sign-in/?next={PAGE}"
    client = signed_in("ada")
    assert [getattr(client, method)(PAGE).status_code for method in ("put", "delete")] == [405, 405]
    assert [getattr(Client(), method)(CODE).status_code for method in ("put", "delete")] == [405, 405]
    assert client.post(PAGE, {"act": "burn", "password": PASSWORD}).status_code == 400
    for path in (PAGE, CODE):
        assert Client(enforce_csrf_checks=True).post(path).status_code == 403
    assert with_token("ada", "read").get(PAGE).status_code == 302


def test_its_passwords_are_not_tried_without_end(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(account, "MOST_PASSWORD_TRIES", 2)
    client = signed_in("ada")
    tries = [client.post(PAGE, {"act": "off", "password": "wrong"}).status_code for _ in range(3)]
    assert tries == [400, 400, 429]


def test_switched_off_there_is_none(protected: App, settings: Settings) -> None:
    pending = at_code()
    settings.SECOND_FACTOR = False
    client = Client()
    with CaptureQueriesContext(connection) as queries:
        assert enter_password(client).headers["Location"] == "/"
    assert not any("mfa_" in query["sql"] for query in queries)
    assert "Second factor" not in client.get("/account/").content.decode()
    for one in (client, pending):
        assert [
            getattr(one, method)(path).status_code for path in (PAGE, CODE) for method in ("get", "post")
        ] == [404] * 4
    # What was set up is asked for again once it is switched on.
    settings.SECOND_FACTOR = True
    assert enter_password(Client()).headers["Location"] == CODE


@pytest.fixture
def demanded(settings: Settings) -> None:
    settings.SECOND_FACTOR_REQUIRED = True


@pytest.mark.usefixtures("demanded")
def test_a_site_can_demand_it(app: App, ada: User) -> None:
    make_campaign().memberships.create(user=ada, role="assessor")
    client = Client()
    assert enter_password(client, "/judge/").headers["Location"] == "/judge/"
    for path in (
        "/judge/",
        "/judge/small/?a=1",
        "/tokens/",
        "/account/",
        "/account/password/",
        "/campaigns/",
    ):
        found = client.get(path)
        assert (found.status_code, urlsplit(found.headers["Location"]).path) == (302, PAGE)
    assert client.post("/tokens/", {"act": "make", "name": "x"}).headers["Location"].startswith(PAGE)
    assert not ApiToken.objects.exists()
    api = "/api/v1/campaigns/small/"
    for answer in (client.get(api), client.post(f"{api}judgments/", {}, content_type="application/json")):
        assert (answer.status_code, answer.json()["code"]) == (403, "second_factor_needed")
    assert "This site demands a second factor" in client.get(PAGE).content.decode()
    assert client.post("/language/", {"language": "en"}).status_code == 302
    app.turn_on(client)
    assert client.get("/judge/small/").status_code == 200
    assert client.get(api).status_code == 200
    assert enter(at_code("/judge/"), app.code()).headers["Location"] == "/judge/"


@pytest.mark.usefixtures("demanded")
def test_once_demanded_and_set_up_it_leads_back(app: App) -> None:
    client = signed_in("ada")
    asked = client.get("/tokens/?a=1").headers["Location"]
    assert asked == f"{PAGE}?next=%2Ftokens%2F%3Fa%3D1"
    for page, link in ((asked, '<a class="button primary" href="/tokens/?a=1">'), (EVIL, None)):
        app.scan(client)
        answer = client.post(page, {"act": "on", "code": app.code(), "password": PASSWORD}).content.decode()
        assert re.findall(r'<a class="button primary" href=.*?>', answer) == ([link] if link else [])
        client.post(PAGE, {"act": "off", "password": PASSWORD})
    # Turned off, it is demanded again at once, and signing out stays open.
    assert client.get("/judge/").headers["Location"].startswith(PAGE)
    assert client.post("/sign-out/").headers["Location"] == SIGN_IN


@pytest.mark.usefixtures("demanded")
def test_it_is_demanded_of_sessions_that_are_open(protected: App, ada: User, root: User) -> None:
    client = signed_in("ada")
    assert is_in(client)
    root.set_password(PASSWORD)
    root.save()
    administrator = signed_in("root")
    assert administrator.get("/accounts/").headers["Location"].startswith(PAGE)
    second_factors.remove(user=ada, administrator=root)
    assert client.get("/account/").headers["Location"].startswith(PAGE)


@pytest.mark.usefixtures("demanded")
def test_an_administrator_reads_that_a_new_one_is_demanded(protected: App, ada: User, root: User) -> None:
    answer = remove_factor(ada).content.decode()
    assert "The second factor of ada is removed. They must set up a new one first." in answer


@pytest.mark.usefixtures("demanded")
def test_it_is_not_demanded_of_tokens_and_accounts_without_a_password(ada: User) -> None:
    assert with_token("ada", "read").get("/api/v1/campaigns/").status_code == 200
    ada.set_unusable_password()
    ada.save()
    assert is_in(signed_in("ada"))


@pytest.mark.usefixtures("demanded")
def test_a_temporary_password_is_replaced_before_it_is_set_up(ada: User) -> None:
    TemporaryPassword.objects.create(user=ada)
    client = Client()
    enter_password(client)
    assert client.get("/judge/").headers["Location"].startswith("/account/password/?next=")
    new = {f"new_password{n}": "another horse battery" for n in (1, 2)}
    assert client.post("/account/password/", {"old_password": PASSWORD, **new}).status_code == 302
    assert client.get("/judge/").headers["Location"] == f"{PAGE}?next=%2Fjudge%2F"


@pytest.mark.parametrize(
    "path", ["login/", "signup/", "logout/", "email/", "password/reset/", "2fa/", "2fa/totp/activate/"]
)
def test_no_page_of_the_library_is_reachable(path: str) -> None:
    assert [signed_in("ada").get(f"/accounts/{path}").status_code, Client().get(f"/{path}").status_code] == [
        404
    ] * 2
