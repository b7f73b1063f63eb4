from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client

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
    assert "The form had gone stale" in forbidden.content.decode()
