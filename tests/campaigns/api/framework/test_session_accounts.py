"""The account of a session, read together with its role below a campaign."""

from __future__ import annotations

import pytest
from django.contrib.auth import HASH_SESSION_KEY
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from campaigns.models import Campaign
from campaigns.people.members import account_with_role, role_of
from tests.campaigns.factories import Api, make_campaign, make_user, signed_in

pytestmark = pytest.mark.django_db

PATH = "/api/v1/campaigns/small/"


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign("Small")


def fields_of(account: User) -> dict[str, object]:
    return {field.attname: getattr(account, field.attname) for field in account._meta.concrete_fields}


def test_an_account_is_read_as_the_orm_reads_it_and_with_its_role(campaign: Campaign) -> None:
    stored = User.objects.get(username="Small-ada")
    account = account_with_role(user=stored.id, slug="small")
    assert account is not None
    assert fields_of(account) == fields_of(stored)
    with CaptureQueriesContext(connection) as queries:
        role = role_of(user=account, slug="small")
    assert len(queries) == 0
    assert role == role_of(user=stored, slug="small")
    assert role is not None
    assert (role.user, role.campaign) == (account, campaign)


def test_the_role_read_with_an_account_is_taken_once(campaign: Campaign) -> None:
    account = account_with_role(user=User.objects.get(username="Small-grace").id, slug="small")
    assert account is not None
    assert role_of(user=account, slug="small") is not None
    campaign.memberships.filter(user=account).delete()
    assert role_of(user=account, slug="small") is None


def test_strangers_and_unknown_accounts_have_no_role(campaign: Campaign) -> None:
    stranger = account_with_role(user=make_user("stranger").id, slug="small")
    assert stranger is not None
    assert role_of(user=stranger, slug="small") is None
    ada = account_with_role(user=User.objects.get(username="Small-ada").id, slug="other")
    assert ada is not None
    assert role_of(user=ada, slug="other") is None
    assert role_of(user=ada, slug="small") is not None
    assert account_with_role(user=0, slug="small") is None


def test_a_request_reads_account_and_role_by_one_statement(campaign: Campaign) -> None:
    ada = Api(campaign, "Small-ada")
    ada.get("")
    with CaptureQueriesContext(connection) as queries:
        assert ada.get("").status_code == 200
    asked = [query["sql"] for query in queries.captured_queries]
    assert len([sql for sql in asked if "account_and_role" in sql]) == 1
    assert not [sql for sql in asked if '"auth_user"' in sql or "EXECUTE role " in sql]


def test_a_session_of_an_old_password_is_signed_out(campaign: Campaign) -> None:
    client = signed_in("Small-ada")
    assert client.get(PATH).status_code == 200
    User.objects.filter(username="Small-ada").update(password="!changed")
    assert client.get(PATH).status_code == 401
    assert not client.session.keys()


def test_a_session_of_an_older_secret_stays_and_is_signed_again(
    campaign: Campaign, settings: Settings
) -> None:
    client = signed_in("Small-ada")
    before = client.session[HASH_SESSION_KEY]
    settings.SECRET_KEY_FALLBACKS, settings.SECRET_KEY = [settings.SECRET_KEY], "another secret"
    assert client.get(PATH).status_code == 200
    assert client.session[HASH_SESSION_KEY] != before


def test_a_deactivated_account_and_a_foreign_backend_are_refused(campaign: Campaign) -> None:
    client = signed_in("Small-grace")
    User.objects.filter(username="Small-grace").update(is_active=False)
    assert client.get(PATH).status_code == 401
    other = Client()
    other.force_login(User.objects.get(username="Small-alan"))
    session = other.session
    session["_auth_user_backend"] = "no.such.Backend"
    session.save()
    assert other.get(PATH).status_code == 401
