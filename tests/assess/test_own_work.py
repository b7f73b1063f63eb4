"""An assessor's own page in a campaign."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from campaigns.models import Campaign
from tests.campaigns.factories import Api, make_campaign, signed_in

pytestmark = pytest.mark.django_db

WORK = "/judge/small/work"
DOCNOS = [f"d{number:02}" for number in range(24)]


@pytest.fixture
def campaign() -> Campaign:
    lists = {"x": {"1": DOCNOS}}
    return make_campaign("Small", lists, min_judgments=40)


def text(username: str) -> str:
    page = signed_in(username).get(WORK).content.decode()
    return " ".join(re.sub("<[^>]+>", " ", page).split())


def judge(campaign: Campaign, who: str, docnos: list[str], differs: int = 0) -> None:
    api = Api(campaign, f"Small-{who}")
    for place, docno in enumerate(docnos):
        grade = (place % 3 + 1) % 3 if place < differs else place % 3
        assert api.judge("1", docno, grade).status_code == 201


def test_page_shows_today_pace_and_what_is_left(campaign: Campaign) -> None:
    assert "0 judgments , 0 made or revised today." in text("Small-grace")
    judge(campaign, "grace", DOCNOS[:10])
    page = text("Small-grace")
    assert "10 judgments , 10 made or revised today. Median time of a judgment: 1.2 s." in page
    assert "30 judgments until your topics have their minimum. About 1 minute at your pace." in page
    assert "10 judgments" not in text("Small-alan")


def test_agreement_shows_from_twenty_documents_and_to_one_digit(campaign: Campaign) -> None:
    judge(campaign, "grace", DOCNOS)
    judge(campaign, "alan", DOCNOS[:19], differs=6)
    assert "too few documents in common" in text("Small-grace")
    judge(campaign, "alan", DOCNOS[19:20])
    shown = re.search(r"all other assessors together (\S+) (\S+) – (\S+)", text("Small-grace"))
    assert shown is not None
    kappa, low, high = map(float, shown.groups())
    assert all(re.fullmatch(r"-?\d\.\d", one.replace("−", "-")) for one in shown.groups())
    assert low <= kappa <= high
    # None of the other's grades, counts or names.
    assert "alan" not in text("Small-grace")


def test_page_is_for_members(campaign: Campaign) -> None:
    make_campaign("Other")
    assert signed_in("Other-grace").get(WORK).status_code == 404
    assert signed_in("Small-grace").post(WORK).status_code == 405
    assert Client().get(WORK).headers["Location"].startswith("/sign-in/")
    assert f'href="{WORK}"' in signed_in("Small-grace").get("/judge/small/").content.decode()
