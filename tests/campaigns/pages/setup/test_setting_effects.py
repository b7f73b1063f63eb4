"""The effect of saving is shown for every setting that matters to judgments already made."""

from __future__ import annotations

import pytest

from campaigns.setup.settings import SETTINGS
from tests.campaigns.factories import Api, make_campaign, signed_in

pytestmark = pytest.mark.django_db


def page() -> str:
    return signed_in("Small-ada").get("/campaigns/small/setup/").content.decode()


def test_every_setting_has_its_effect() -> None:
    named_settings = {name for one in SETTINGS if one.effect for name in (one.effect_of or one.name).split()}
    in_setup = {one.name for one in SETTINGS if one.form not in ("", "flags")}
    assert in_setup - named_settings == {"name", "seed"}
    assert {"scale", "grade", "gain", "."} <= named_settings


def test_a_draft_has_nothing_to_lose() -> None:
    make_campaign("Small", opened=False)
    assert "notice warn effects" not in page()
    assert "notice warn effects" not in signed_in("Small-ada").get("/campaigns/new/").content.decode()


def test_an_open_campaign_says_how_many_judgments_stay() -> None:
    campaign = make_campaign("Small")
    assert "Nothing has been judged so far." in page()
    Api(campaign, "Small-grace").judge("1", "a", 1)
    assert "The 1 log entry made so far stays." in page()
    Api(campaign, "Small-grace").judge("1", "b", 1)
    assert "All 2 log entries made so far stay." in page()
    assert '<li data-of="p">' in page()
