"""Names of accounts: one form, one script, one account whatever the case."""

from __future__ import annotations

from importlib import import_module

import pytest
from django.contrib.auth.models import User
from django.core.checks import run_checks
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client

from campaigns.core.errors import Refusal
from campaigns.models import Membership
from campaigns.pages.accounts.sign_in import MOST_OF_A_NAME
from campaigns.people.accounts import (
    checked_name,
    folded_name,
    free_name,
    make_account,
    names_alike,
    signing_in_as,
)
from campaigns.people.members import create_account
from tests.campaigns.factories import make_campaign

pytestmark = pytest.mark.django_db
PASSWORD = "correct horse battery staple"


OF_ONE_LANGUAGE = (
    *("grace", "José", "Ирина", "山田たろう", "佐々木", "佐々木ユリ", "ジョージ", "김철수", "金철수"),
    *("Kaʻiulani", "o.brien@x-y_z+1"),
)


@pytest.mark.parametrize("name", OF_ONE_LANGUAGE)
def test_names_of_one_script_are_taken(name: str) -> None:
    assert checked_name(name) == name


def test_names_are_stored_composed() -> None:
    assert checked_name("Jose\u0301") == "José"
    assert checked_name("ｇｒａｃｅ") == "grace"


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("gr\u0430ce", "bad_username"),
        ("p\u03bfl", "bad_username"),
        ("김たろう", "bad_username"),
        ("grace々木", "bad_username"),
        ("x" * 151, "bad_username"),
        ("e\u0301\u0323" * 50_000, "bad_username"),
        (".", "bad_username"),
        ("..", "bad_username"),
        ("", "bad_username"),
        ("a b", "bad_username"),
        ("GRACE", "user_exists"),
        ("grace", "user_exists"),
    ],
)
def test_names_that_mislead_are_refused(name: str, code: str) -> None:
    User.objects.create_user("Grace")
    with pytest.raises(Refusal) as refused:
        checked_name(name)
    assert refused.value.code == code


def test_organisers_make_no_account_that_differs_by_case_alone() -> None:
    campaign = make_campaign()
    create_account(campaign=campaign, username="Grace", role=Membership.Role.ASSESSOR)
    with pytest.raises(Refusal) as refused:
        create_account(campaign=campaign, username="gRACE", role=Membership.Role.ASSESSOR)
    assert refused.value.code == "user_exists"


def test_the_command_makes_no_account_that_differs_by_case_alone() -> None:
    User.objects.create_user("Grace")
    with pytest.raises(CommandError, match="grace"):
        call_command("createsuperuser", "--noinput", "--username=grace", "--email=g@example.org")
    call_command("createsuperuser", "--noinput", "--username=ada", "--email=a@example.org")
    assert User.objects.get(username="ada").is_superuser


def sign_in(name: str) -> Client:
    client = Client()
    client.post("/sign-in/", {"username": name, "password": PASSWORD})
    return client


def signed_in(client: Client) -> str:
    id = client.session.get("_auth_user_id")
    return User.objects.get(pk=id).username if id else ""


@pytest.mark.parametrize("typed", ["Grace", "grace", "GRACE", " grace ", "ｇrace"])
def test_a_name_is_found_in_any_case(typed: str) -> None:
    User.objects.create_user("Grace", password=PASSWORD)
    assert signed_in(sign_in(typed)) == "Grace"


def test_two_old_accounts_that_differ_by_case_sign_in_exactly() -> None:
    with connection.cursor() as cursor:
        cursor.execute("DROP INDEX auth_user_folded")
    for name in ("Grace", "grace"):
        User.objects.create_user(name, password=PASSWORD)
        assert signed_in(sign_in(name)) == name
    assert signed_in(sign_in("Grace")) == "Grace"
    assert signed_in(sign_in("GRACE")) == ""
    assert signing_in_as("a\0b") == "a\0b"


@pytest.mark.parametrize(
    ("stored", "typed"), [("ian", "ıan"), ("Straße", "STRASSE"), ("strasse", "Straße"), ("Μάρκος", "μάρκοσ")]
)
def test_accounts_sign_in_and_tries_fold_names_alike(stored: str, typed: str) -> None:
    User.objects.create_user(stored, password=PASSWORD)
    assert signed_in(sign_in(typed)) == stored
    assert folded_name(typed) == folded_name(stored)
    with pytest.raises(Refusal) as refused:
        checked_name(typed)
    assert refused.value.code == "user_exists"
    assert free_name(typed) == f"{typed}-2"


def test_tries_are_counted_by_the_account_however_it_is_written() -> None:
    User.objects.create_user("ian", password=PASSWORD)
    tries = [
        Client()
        .post("/sign-in/", {"username": "ıan" if each % 2 else "IAN", "password": "wrong"})
        .status_code
        for each in range(MOST_OF_A_NAME + 1)
    ]
    assert tries == [200] * MOST_OF_A_NAME + [429]


TWINS = [("Grace", "grace"), ("STRASSE", "straße"), ("Ångström", "ångström"), ("ΣΊΣΥΦΟΣ", "σίσυφος")]


@pytest.mark.parametrize(("one", "other"), TWINS)
def test_the_database_holds_a_name_once_in_whatever_case(one: str, other: str) -> None:
    make_account(username=one)
    # As it is where both looked for the name before either had it.
    with pytest.raises(Refusal) as refused:
        make_account(username=other)
    assert refused.value.code == "user_exists"
    assert User.objects.filter(username__in=(one, other)).count() == 1
    make_account(username=f"{other}-2")


def test_older_accounts_that_differ_in_case_alone_stay_and_are_named() -> None:
    with connection.cursor() as cursor:
        cursor.execute("DROP INDEX auth_user_folded")
        for name in ("Grace", "grace", "GRACE", "alan"):
            User.objects.create(username=name)
        cursor.execute(import_module("campaigns.migrations.0015_document_revisions").ACCOUNTS_ONCE)
    assert names_alike() == [["GRACE", "Grace", "grace"]]
    found = run_checks(tags=["database"], databases=["default"])
    [warning] = [one for one in found if one.id == "campaigns.W002"]
    assert "GRACE, Grace, grace" in warning.msg
    with pytest.raises(Refusal):
        make_account(username="Alan")
    User.objects.filter(username__in=["Grace", "GRACE"]).delete()
    assert names_alike() == []
