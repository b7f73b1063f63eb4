from __future__ import annotations

import secrets
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client

from campaigns.pages.accounts import sign_in

pytestmark = pytest.mark.django_db

PASSWORD = "correct horse battery"


@pytest.fixture(autouse=True)
def ada() -> User:
    return User.objects.create_user("ada", password=PASSWORD)


def test_signing_in_leads_back_to_where_one_wanted_to_go(client: Client) -> None:
    reply = client.post(
        "/sign-in/?next=/judge/", {"username": "ada", "password": PASSWORD, "next": "/judge/"}
    )
    assert (reply.status_code, reply.headers["Location"]) == (302, "/judge/")


def test_a_wrong_password_is_said_and_the_name_kept(client: Client) -> None:
    page = client.post("/sign-in/", {"username": "ada", "password": "wrong"}).content.decode()
    assert "do not match" in page
    assert 'value="ada"' in page


def somewhere() -> dict[str, Any]:
    """An address in a network that no other test comes from."""
    return {"REMOTE_ADDR": f"2001:db8:{secrets.token_hex(2)}:{secrets.token_hex(2)}::1"}


def test_who_tries_too_often_has_to_wait_whatever_is_tried(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sign_in, "MOST_OF_A_NAME", 2)
    here, there = somewhere(), somewhere()
    wrong, right = ({"username": "ada", "password": password} for password in ("wrong", PASSWORD))
    assert [client.post("/sign-in/", wrong, **here).status_code for _ in range(2)] == [200, 200]
    refused = client.post("/sign-in/", right, **here)
    assert refused.status_code == 429
    assert 0 < int(refused.headers["Retry-After"]) <= sign_in.SIGN_IN_SPAN
    assert "Too many tries" in refused.content.decode()
    # Others there, and the same person elsewhere, are let in.
    User.objects.create_user("eve", password=PASSWORD)
    assert client.post("/sign-in/", {**right, "username": "eve"}, **here).status_code == 302
    assert Client().post("/sign-in/", right, **there).status_code == 302


def test_who_tries_all_names_has_to_wait(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sign_in, "MOST_OF_ALL", 2)
    here = somewhere()
    tries = [{"username": name, "password": "wrong"} for name in ("a", "b", "x" * 10_000)]
    assert [client.post("/sign-in/", one, **here).status_code for one in tries] == [200, 200, 429]


def test_never_to_another_site(client: Client) -> None:
    reply = client.post("/sign-in/", {"username": "ada", "password": PASSWORD, "next": "https://evil.test/"})
    assert reply.headers["Location"] == "/"


def test_signing_out_is_a_post(client: Client) -> None:
    client.login(username="ada", password=PASSWORD)
    assert client.get("/sign-out/").status_code == 405
    assert client.post("/sign-out/").status_code == 302


def test_error_pages_wear_the_design(client: Client) -> None:
    page = client.get("/no/such/page/")
    assert page.status_code == 404
    assert "There is no such page" in page.content.decode()
    forbidden = Client(enforce_csrf_checks=True).post("/sign-in/", {"username": "a", "password": "b"})
    assert forbidden.status_code == 403
    assert "Please reload and try again" in forbidden.content.decode()


def test_what_is_too_large_or_asked_of_another_host_gets_the_same_page(client: Client) -> None:
    much = client.post("/sign-in/", {"username": "a" * (settings.DATA_UPLOAD_MAX_MEMORY_SIZE + 1)})
    elsewhere = client.get("/sign-in/", headers={"host": "elsewhere.example.org"})
    for reply in (much, elsewhere):
        assert reply.status_code == 400
        assert "Something in that request was wrong" in reply.content.decode()


def test_a_site_without_accounts_says_how_the_first_is_made(client: Client, ada: User) -> None:
    assert "createsuperuser" not in client.get("/sign-in/").content.decode()
    ada.delete()
    assert "createsuperuser" in client.get("/sign-in/").content.decode()
