"""Which language a page is in, and that nothing made for machines follows it."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client
from django.utils import translation

from campaigns.core.phrases import reason_text
from campaigns.exchange.exports import EXPORTS
from campaigns.models import Campaign, PreferredLanguage
from campaigns.models.judgment import REASONS
from tests.campaigns.factories import Api, make_campaign, signed_in

pytestmark = pytest.mark.django_db

GERMAN = {"accept-language": "de"}


@pytest.fixture(autouse=True)
def _english_afterwards() -> Iterator[None]:
    """Requests of the test's client leave their language behind."""
    with translation.override("en"):
        yield


@pytest.fixture
def campaign() -> Campaign:
    campaign = make_campaign(p=0.85)
    api = Api(campaign, "Small-grace")
    for _ in range(3):
        docno = api.get("next/?topic=1").json()["document"]["docno"]
        api.judge("1", docno, 1)
    return campaign


def language(page: bytes) -> str:
    found = re.search(rb'<html lang="([^"]*)"', page)
    assert found
    return found[1].decode()


def test_the_browser_asks_and_the_choice_below_the_page_decides() -> None:
    client = Client()
    assert language(client.get("/sign-in/").content) == "en"
    german = client.get("/sign-in/", headers=GERMAN)
    assert language(german.content) == "de"
    assert "Anmelden" in german.content.decode()
    assert language(client.get("/sign-in/", headers={"accept-language": "xx, fr;q=0.5"}).content) == "en"
    chosen = client.post("/language/", {"language": "en", "next": "/sign-in/?next=/judge/"}, headers=GERMAN)
    assert (chosen.status_code, chosen.headers["Location"]) == (302, "/sign-in/?next=/judge/")
    assert language(client.get("/sign-in/", headers=GERMAN).content) == "en"
    assert client.cookies["django_language"]["max-age"] == settings.LANGUAGE_COOKIE_AGE


def test_a_choice_changes_nothing_else_and_leads_nowhere_else() -> None:
    strict = Client(enforce_csrf_checks=True)
    assert strict.post("/language/", {"language": "de"}).status_code == 403
    client = Client()
    client.get("/language/?language=de")
    client.post("/language/", {"language": "tlh", "next": "/sign-in/"})
    assert language(client.get("/sign-in/").content) == "en"
    away = client.post("/language/", {"language": "de", "next": "https://elsewhere.example/"})
    assert away.headers["Location"] == "/"


@pytest.mark.parametrize("what", EXPORTS)
def test_exports_are_the_same_in_every_language(campaign: Campaign, what: str) -> None:
    wish = {"id": str(uuid.uuid4()), "topic": "1", "docno": "a", "note": "so"}
    assert Api(campaign, "Small-grace").post("annotations/", wish).status_code == 201
    organiser = signed_in("Small-ada")
    english = organiser.get(f"/campaigns/small/exports/{what}/")
    german = organiser.get(f"/campaigns/small/exports/{what}/", headers=GERMAN)
    assert english.status_code == german.status_code == 200
    content = english.getvalue()
    assert content == german.getvalue()
    # No topic of the campaign is sampled in strata.
    assert bool(content) == (what != "strata")


@pytest.mark.parametrize(
    "path", ["", "qrels/", "prels/", "intervals/", "priorities/?topic=1", "pairs/", "predictions/"]
)
def test_answers_for_programs_are_the_same_in_every_language(campaign: Campaign, path: str) -> None:
    organiser = signed_in("Small-ada")
    address = f"/api/v1/campaigns/small/{path}"
    english, german = organiser.get(address), organiser.get(address, headers=GERMAN)
    assert english.status_code == german.status_code == 200
    assert english.getvalue() == german.getvalue()


def test_an_error_keeps_its_code_and_is_said_in_the_language_asked_for(campaign: Campaign) -> None:
    assessor = signed_in("Small-grace")
    address = "/api/v1/campaigns/small/claims/"
    claim = {"topic": "1", "docno": "nowhere"}
    problems = [
        assessor.post(address, claim, content_type="application/json", headers=asked).json()
        for asked in ({}, GERMAN)
    ]
    assert problems[0]["code"] == problems[1]["code"] == "no_claim"
    assert problems[0]["detail"] == "nowhere is not open on your screen"
    assert problems[1]["detail"] == "nowhere ist bei Ihnen nicht offen"


def test_numbers_in_forms_are_what_the_browser_reads(campaign: Campaign) -> None:
    organiser = signed_in("Small-ada")
    form = organiser.get("/campaigns/small/setup/", headers=GERMAN).content.decode()
    assert '<input type="number" name="p" value="0.85" min="0.01" max="0.99" step="any" required' in form
    assert 'name="gain" inputmode="decimal" aria-label="Gewinn" value="0.5"' in form
    assert "0,85" in organiser.get("/campaigns/small/", headers=GERMAN).content.decode()


def test_the_words_of_the_scripts_come_with_the_page(campaign: Campaign) -> None:
    assessor = signed_in("Small-grace")
    assert b'id="words"' not in assessor.get("/judge/small/1/").content
    german = assessor.get("/judge/small/1/", headers=GERMAN).content.decode()
    assert '"saved": "gespeichert"' in german


def test_every_reason_has_a_name() -> None:
    assert [reason_text(reason) for reason in REASONS] == list(REASONS)


def test_a_language_goes_with_its_reader() -> None:
    User.objects.create_user("ada", password="correct horse battery")
    filled = {"username": "ada", "password": "correct horse battery"}
    first = Client()
    # A person who never chose is written to in the language of the page they signed in on.
    first.post("/sign-in/", filled, headers=GERMAN)
    assert "django_language" not in first.cookies
    assert PreferredLanguage.objects.get().code == "de"
    first.post("/language/", {"language": "en"}, headers=GERMAN)
    assert PreferredLanguage.objects.get().code == "en"
    elsewhere = Client()
    elsewhere.post("/sign-in/", filled, headers=GERMAN)
    assert language(elsewhere.get("/campaigns/", headers=GERMAN).content) == "en"
    # What was chosen in the browser before is the latest choice.
    other = Client()
    other.post("/language/", {"language": "de"})
    other.post("/sign-in/", filled)
    assert PreferredLanguage.objects.get().code == "de"
    assert language(other.get("/campaigns/").content) == "de"


def test_strangers_choices_are_nobodys() -> None:
    Client().post("/language/", {"language": "de"})
    assert not PreferredLanguage.objects.exists()
