"""All accounts: for administrators alone."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.campaigns.factories import make_campaign, make_user, signed_in

pytestmark = pytest.mark.django_db

PAGE = "/accounts/"


@pytest.fixture(autouse=True)
def root() -> User:
    return User.objects.create_superuser("root", email="root@example.org")


@pytest.fixture
def grace() -> User:
    make_campaign()
    return User.objects.get(username="Small-grace")


def act(kind: str, user: User, by: str = "root") -> Any:
    return signed_in(by).post(PAGE, {"act": kind, "account": user.id})


def test_accounts_are_found_by_name_and_address(grace: User) -> None:
    root = signed_in("root")
    assert "Small-grace" in root.get(PAGE).content.decode()
    found = root.get(PAGE, {"words": "ROOT@example"}).content.decode()
    assert "root@example.org" in found
    assert "Small-grace" not in found
    assert "No account has this" in root.get(PAGE, {"words": "nobody"}).content.decode()


def test_long_lists_have_pages(django_assert_num_queries: Any) -> None:
    root = signed_in("root")
    for count in (1, 60):
        User.objects.bulk_create(User(username=f"user{count:02}-{n:02}") for n in range(count))
        with django_assert_num_queries(5):
            page = root.get(PAGE)
    assert page.content.decode().count("Make a reset link") == 49
    assert root.get(PAGE, {"page": "2"}).content.decode().count("Make a reset link") == 12
    assert root.get(PAGE, {"page": "x"}).status_code == 200


def test_deactivated_and_undone(grace: User) -> None:
    assert "Small-grace is deactivated" in act("deactivate", grace).content.decode()
    grace.refresh_from_db()
    assert not grace.is_active
    assert act("deactivate", grace).status_code == 409
    assert "Small-grace is active again" in act("reactivate", grace).content.decode()
    assert act("reactivate", grace).status_code == 409


def test_a_campaign_left_alone_is_named(grace: User) -> None:
    page = act("deactivate", User.objects.get(username="Small-ada")).content.decode()
    assert "No active organiser is left in Small." in page


def test_a_reset_link_is_shown_once(grace: User) -> None:
    page = act("reset", grace)
    assert re.search(
        r'id="reset-link"[^>]*value="http://testserver/reset/open/#[^"]+"', page.content.decode()
    )
    assert "no-store" in page.headers["Cache-Control"]
    assert 'id="reset-link"' not in signed_in("root").get(PAGE).content.decode()


@pytest.mark.parametrize("account", ["", "x", "0", "9" * 30])
def test_unknown_accounts(account: str) -> None:
    assert signed_in("root").post(PAGE, {"act": "deactivate", "account": account}).status_code == 404


def test_wrong_acts_and_methods(root: User, grace: User) -> None:
    assert act("burn", grace).status_code == 400
    assert act("deactivate", root).status_code == 409
    assert signed_in("root").delete(PAGE).status_code == 405


@pytest.mark.parametrize("kind", ["deactivate", "reactivate", "reset"])
def test_only_administrators_come_in(grace: User, kind: str) -> None:
    make_user("edsger")
    for by in ("Small-ada", "edsger"):
        assert act(kind, grace, by).status_code == 403
        assert signed_in(by).get(PAGE).status_code == 403
    assert Client().post(PAGE, {"act": kind, "account": grace.id}).status_code == 302
    grace.refresh_from_db()
    assert grace.is_active
