"""A campaign that its organiser deletes leaves no row, and no other campaign notices."""

from __future__ import annotations

import pytest
from django.db import connection

from campaigns.core.broker import broker, channel
from campaigns.core.database import Space
from campaigns.models import Campaign, Collection, Document
from campaigns.setup.campaigns import create, pause
from tests.campaigns.factories import Api, make_campaign, signed_in, with_token
from tests.campaigns.operations.everything import all_rows, full_campaign
from tests.plumbing.locks import held_elsewhere

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("as_site")]

PAGE = "/campaigns/small/delete/"
ADDRESS = "/api/v1/campaigns/small/"
# Accounts and their sessions stay; so does the collection that the other campaign's organiser shares.
ACCOUNTS = ("auth_user", "django_session", "campaigns_signedinsession", "campaigns_emailsoff")


@pytest.fixture
def paused() -> Campaign:
    campaign = make_campaign("Small")
    pause(campaign=campaign)
    return campaign


def test_deletion_leaves_no_row_in_any_table(django_capture_on_commit_callbacks: object) -> None:
    full_campaign("Other")
    before = all_rows(*ACCOUNTS)
    campaign = full_campaign("Small")
    Collection.objects.filter(name="Small-other").delete()
    broker().set(f"{channel(campaign.id)}:weights", "something")
    broker().set(f"{channel(campaign.id)}0:weights", "another campaign's")
    pause(campaign=campaign)
    with django_capture_on_commit_callbacks(execute=True):  # type: ignore[operator]
        reply = signed_in("Small-ada").post(PAGE, {"confirm": "small"})
    assert (reply.status_code, reply.headers["Location"]) == (302, "/campaigns/")
    assert all_rows(*ACCOUNTS) == before
    assert not broker().exists(f"{channel(campaign.id)}:weights")
    assert broker().delete(f"{channel(campaign.id)}0:weights") == 1
    assert signed_in("Small-ada").get("/campaigns/small/").status_code == 404


def test_a_long_log_is_deleted_without_a_time_limit(paused: Campaign) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL statement_timeout = '5min'")
        assert signed_in("Small-ada").post(PAGE, {"confirm": "small"}).status_code == 302
        # To the end of the transaction, which here is the test's own.
        cursor.execute("SHOW statement_timeout")
        assert cursor.fetchone() == ("0",)


def test_documents_that_another_campaign_reads_stay(paused: Campaign) -> None:
    create(organiser=paused.collection.owner, name="Second", collection=paused.collection)
    documents = Document.objects.filter(collection=paused.collection).count()
    assert documents > 0
    assert b"no documents: another campaign reads them" in signed_in("Small-ada").get(PAGE).content
    assert signed_in("Small-ada").post(PAGE, {"confirm": "small"}).status_code == 302
    assert Document.objects.filter(collection=paused.collection).count() == documents


@pytest.mark.parametrize("typed", ["", "Small", "small-2", "другой"])
def test_only_the_typed_address_deletes(paused: Campaign, typed: str) -> None:
    ada = signed_in("Small-ada")
    reply = ada.post(PAGE, {"confirm": typed})
    assert reply.status_code == 400
    assert b"Type the campaign" in reply.content
    assert ada.delete(ADDRESS, query_params={"confirm": typed} if typed else None).status_code == 400
    assert Campaign.objects.filter(slug="small").exists()


def test_an_open_campaign_is_refused() -> None:
    make_campaign("Small")
    ada = signed_in("Small-ada")
    reply = ada.post(PAGE, {"confirm": "small"})
    assert reply.status_code == 409
    assert b"The campaign is open: pause or close it first." in reply.content
    answer = ada.delete(f"{ADDRESS}?confirm=small")
    assert (answer.status_code, answer.json()["code"]) == (409, "campaign_open")


def test_a_campaign_that_the_worker_writes_is_busy(paused: Campaign) -> None:
    with held_elsewhere(Space.COMPUTING, paused.id):
        answer = signed_in("Small-ada").delete(f"{ADDRESS}?confirm=small")
    assert (answer.status_code, answer.json()["code"]) == (409, "busy")
    assert Campaign.objects.filter(slug="small").exists()


def test_only_organisers_delete_by_the_api(paused: Campaign) -> None:
    make_campaign("Else")
    assert Api(paused, "Small-grace").client.delete(f"{ADDRESS}?confirm=small").status_code == 403
    assert Api(paused, "Else-ada").client.delete(f"{ADDRESS}?confirm=small").status_code == 404
    reader = with_token("Small-ada", "read", "judge")
    assert reader.delete(f"{ADDRESS}?confirm=small").status_code == 403
    ada = signed_in("Small-ada")
    assert ada.delete(ADDRESS).status_code == 400
    assert ada.delete(f"{ADDRESS}?confirm=small&force=1").status_code == 400
    with_body = ada.delete(f"{ADDRESS}?confirm=small", {"all": True}, content_type="application/json")
    assert with_body.status_code == 400
    assert with_token("Small-ada", "organise").delete(f"{ADDRESS}?confirm=small").status_code == 204
    assert not Campaign.objects.filter(slug="small").exists()
