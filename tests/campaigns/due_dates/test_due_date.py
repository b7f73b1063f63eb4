"""The due date as a setting: by form and API, in history, copies and bundles, and on pages."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta
from html import unescape
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone
from pytest_django import Settings

from campaigns.collection import assignments
from campaigns.models import Campaign
from campaigns.setup import campaigns as services
from campaigns.setup.copies import copy_settings
from tests.campaigns.exchange.bundles.bundle_copies import copied, packed
from tests.campaigns.factories import Api, make_campaign, make_user, signed_in

pytestmark = pytest.mark.django_db

DUE = datetime(2026, 11, 27, 17, 0, tzinfo=UTC)
API = "/api/v1/campaigns/small/"
SAVE = "/campaigns/small/setup/save/judging/"
WORK = "/judge/small/work"


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign("Small", min_judgments=4)


def patch(who: str, body: Any) -> Any:
    return signed_in(who).patch(API, body, content_type="application/json")


def shown(who: str, path: str) -> str:
    page = unescape(signed_in(who).get(path).content.decode())
    return " ".join(re.sub("<[^>]+>", " ", page).split())


def due(campaign: Campaign) -> datetime | None:
    campaign.refresh_from_db()
    return campaign.due_at


def given(campaign: Campaign) -> None:
    ada = User.objects.get(username="Small-ada")
    topics = list(campaign.topics.all())
    assignments.assign(campaign=campaign, topics=topics, username="Small-grace", organiser=ada)


def test_the_form_is_in_the_sites_time_zone(campaign: Campaign, settings: Settings) -> None:
    settings.TIME_ZONE = "Europe/Vienna"
    ada = signed_in("Small-ada")
    page = ada.get("/campaigns/small/setup/?step=judging").content.decode()
    assert "Europe/Vienna" in page
    body = {"min_judgments": 4, "due_at": "2026-11-27T18:00"}
    assert ada.post(SAVE, body).status_code == 302
    assert due(campaign) == DUE
    page = ada.get("/campaigns/small/setup/?step=judging").content.decode()
    assert 'value="2026-11-27T18:00"' in page
    assert "due 27 November" in page
    history = shown("Small-ada", "/campaigns/small/history/")
    assert "due date none → 27 November 2026, 18:00 CET" in history
    assert ada.post(SAVE, {"min_judgments": 4, "due_at": ""}).status_code == 302
    assert due(campaign) is None


@pytest.mark.parametrize("typed", ["tomorrow", "2026-13-27T18:00", "0001-01-01T00:00", "9" * 30])
def test_a_wrong_date_is_refused_in_the_form(campaign: Campaign, typed: str) -> None:
    reply = signed_in("Small-ada").post(SAVE, {"min_judgments": 4, "due_at": typed})
    assert (reply.status_code, due(campaign)) == (400, None)


def test_the_api_sets_and_clears_it_to_the_minute(campaign: Campaign) -> None:
    reply = patch("Small-ada", {"due_at": "2026-11-27T18:00:59.5+01:00"})
    assert (reply.status_code, reply.json()["due_at"]) == (200, "2026-11-27T17:00:00Z")
    assert due(campaign) == DUE
    assert Api(campaign, "Small-grace").get("").json()["due_at"] == "2026-11-27T17:00:00Z"
    assert patch("Small-ada", {"due_at": None}).json()["due_at"] is None
    made = signed_in("Small-ada").post(
        "/api/v1/campaigns/",
        {"name": "Other", "due_at": "2026-11-27T17:00:30Z"},
        content_type="application/json",
    )
    assert (made.status_code, made.json()["due_at"]) == (201, "2026-11-27T17:00:00Z")


@pytest.mark.parametrize(
    ("value", "code"),
    [("soon", "invalid"), (5, "invalid"), ("1999-12-31T00:00:00Z", "bad_due_at"), ([], "invalid")],
)
def test_the_api_refuses_wrong_dates(campaign: Campaign, value: Any, code: str) -> None:
    reply = patch("Small-ada", {"due_at": value})
    assert (reply.status_code, reply.json()["code"], due(campaign)) == (400, code, None)


def test_only_organisers_set_it(campaign: Campaign) -> None:
    make_campaign("Other")
    make_user("eve")
    body = {"due_at": "2026-11-27T17:00:00Z"}
    assert [patch(who, body).status_code for who in ("Small-grace", "Other-ada", "eve")] == [403, 404, 404]
    assert due(campaign) is None


def test_two_organisers_do_not_overwrite_each_other(campaign: Campaign) -> None:
    ada = signed_in("Small-ada")
    services.change_settings(campaign=campaign, due_at=DUE)
    page = ada.get("/campaigns/small/setup/?step=judging").content.decode()
    seen = unescape(next(one for one in re.findall(r'name="seen" value="([^"]*)"', page) if "due_at" in one))
    body = {"min_judgments": 4, "due_at": "2026-11-27T17:00", "seen": seen}
    # Untouched, it stays as the other organiser has it by now.
    services.change_settings(campaign=campaign, due_at=DUE + timedelta(days=1))
    assert ada.post(SAVE, body).status_code == 302
    assert due(campaign) == DUE + timedelta(days=1)
    reply = ada.post(SAVE, {**body, "due_at": "2026-12-01T00:00"})
    assert reply.status_code == 400
    page = reply.content.decode()
    assert "has since changed “due date” to: 28 November 2026, 17:00 UTC" in unescape(page)
    seen = unescape(next(one for one in re.findall(r'name="seen" value="([^"]*)"', page) if "11-28" in one))
    assert json.loads(seen)["due_at"].startswith("2026-11-28T17:00")
    assert ada.post(SAVE, {**body, "due_at": "2026-12-01T00:00", "seen": seen}).status_code == 302
    assert due(campaign) == datetime(2026, 12, 1, tzinfo=UTC)
    assert ada.post(SAVE, {**body, "seen": '{"due_at": 5}'}).status_code == 400


def test_a_copy_has_none_and_a_bundle_carries_it(campaign: Campaign) -> None:
    services.change_settings(campaign=campaign, due_at=DUE)
    ada = User.objects.get(username="Small-ada")
    assert copy_settings(campaign=campaign, organiser=ada, name="Next").due_at is None
    assert copied(packed(campaign)).due_at == DUE


def test_assessors_see_it_with_what_is_left_and_the_pace(campaign: Campaign) -> None:
    given(campaign)
    at = timezone.now().replace(second=0, microsecond=0) + timedelta(days=3, hours=1)
    services.change_settings(campaign=campaign, due_at=at)
    day = f"{at:%A} {at.day} {at:%B} {at.year}, {at:%H:%M} UTC"
    for path in ("/judge/", "/judge/small/"):
        assert f"8 judgments left to the minimum, due {day}: 2 a day." in shown("Small-grace", path)
        assert f"Due {day}." in shown("Small-alan", path)
    assert f"Due {day}: 2 judgments a day." in shown("Small-grace", WORK)
    assert f"Due {day}." in shown("Small-alan", WORK)
    assert f"Due {day}" in shown("Small-ada", "/campaigns/small/people/")
    services.change_settings(campaign=campaign, due_at=DUE - timedelta(days=365))
    assert "8 judgments left to the minimum. They were due Thursday 27 November 2025" in shown(
        "Small-grace", "/judge/"
    )
    assert "It was due Thursday 27 November 2025" in shown("Small-alan", WORK)
    services.close(campaign=campaign)
    for path in ("/judge/", "/judge/small/", WORK):
        assert "27 November 2025" not in shown("Small-grace", path)


def test_it_closes_nothing(campaign: Campaign) -> None:
    services.change_settings(campaign=campaign, due_at=timezone.now() - timedelta(days=1))
    assert Api(campaign, "Small-grace").judge("1", "a", 1).status_code == 201


def test_my_work_is_in_the_menu_of_assessors(campaign: Campaign) -> None:
    def menu(who: str, path: str) -> str:
        page = signed_in(who).get(path).content.decode()
        return page[page.index('id="account"') : page.index("</form>", page.index('id="account"'))]

    for path in ("/judge/small/", WORK):
        assert f'href="{WORK}"' in menu("Small-grace", path)
    assert "work" not in menu("Small-ada", "/campaigns/small/people/")
    assert f'href="{WORK}"' in signed_in("Small-grace").get("/judge/").content.decode()
