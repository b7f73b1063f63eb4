"""The table of campaign settings: each row is a column, stands once on a page, is copied and shown."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.http import QueryDict

from campaigns.core.errors import Refusal
from campaigns.models import Campaign
from campaigns.pages.setup.forms import FORM_PARTS, form_of, save_form
from campaigns.setup.campaigns import change_settings
from campaigns.setup.copies import copy_settings
from campaigns.setup.setting import Choice, FieldNames, Flag, Number, Setting, Whole
from campaigns.setup.settings import CAMPAIGN_SETTINGS, SETTINGS, check_settings
from tests.campaigns.factories import make_campaign, signed_in
from tests.docs.generated.campaign_settings import PAGE, page

pytestmark = pytest.mark.django_db

PLAIN = [one for one in SETTINGS if isinstance(one.kind, Flag | Whole | Number | Choice)]
# The parts of all forms; settings without a field of their own are in none.
PARTS = {part for parts in FORM_PARTS.values() for part in parts} | {"flags", ""}


def other_value(setting: Setting, value: Any) -> Any:
    """Return a value that the setting may have and does not have now."""
    match setting.kind:
        case Flag():
            return not value
        case Choice(choices):
            return next(one for one, _ in choices if one != value)
        case Whole():
            # In every range, and a grade of the scale.
            return 3 if value == 2 else 2
        case Number(least, most, typed):
            low, high = typed or (least, most)
            return low if value != low else high
    raise TypeError(setting.kind)


@pytest.fixture
def draft() -> Campaign:
    return make_campaign("Small", opened=False)


def test_every_setting_is_a_column_and_in_a_part_of_the_pages() -> None:
    columns = {column.name for column in Campaign._meta.concrete_fields}
    assert set(CAMPAIGN_SETTINGS) <= columns
    assert {one.form for one in SETTINGS} <= PARTS


def test_every_setting_stands_once_on_its_page(draft: Campaign) -> None:
    ada = signed_in("Small-ada")
    setup = ada.get("/campaigns/small/setup/").content.decode()
    quality = ada.get("/campaigns/small/quality/").content.decode()
    for one in SETTINGS:
        # Fields of documents are offered once there are some.
        if one.form and not isinstance(one.kind, FieldNames):
            html = quality if one.form == "flags" else setup
            fields = re.findall(rf'<(?:input|select|textarea)[^>]* name="{one.name}"[^>]*>', html)
            radio = bool(fields) and all('type="radio"' in field for field in fields)
            assert radio or len(fields) == 1, one.name


@pytest.mark.parametrize("setting", PLAIN, ids=lambda one: one.name)
def test_a_changed_setting_is_copied_shown_and_in_the_history(draft: Campaign, setting: Setting) -> None:
    value = other_value(setting, getattr(draft, setting.name))
    change_settings(campaign=draft, **{setting.name: value})
    draft.refresh_from_db()
    assert getattr(draft, setting.name) == value
    ada = User.objects.get(username="Small-ada")
    copy = copy_settings(campaign=draft, organiser=ada, name="Copy")
    assert (getattr(copy, setting.name) == value) or setting.name == "anchors" or not setting.copied
    organiser, assessor = (
        signed_in(name).get("/api/v1/campaigns/small/").json() for name in ("Small-ada", "Small-grace")
    )
    assert organiser[setting.name] == value
    assert (setting.name in assessor) == (not setting.organisers_only)
    assert str(setting.label) in signed_in("Small-ada").get("/campaigns/small/history/").content.decode()


@pytest.mark.parametrize("setting", PLAIN, ids=lambda one: one.name)
def test_a_value_outside_the_range_is_refused_by_name(setting: Setting) -> None:
    if not isinstance(setting.kind, Whole | Number) or not setting.check:
        return
    for value in (setting.kind.least - 1, setting.kind.most + 1):
        with pytest.raises(Refusal) as refused:
            check_settings({setting.name: value})
        assert refused.value.field == setting.name


@pytest.mark.parametrize("part", FORM_PARTS)
def test_a_form_sent_back_as_it_was_changes_nothing(draft: Campaign, part: str) -> None:
    form = form_of(draft, part)
    posted = QueryDict(mutable=True)
    for name in form.fields:
        value = form[name].value()
        if isinstance(value, list):
            posted.setlist(name, value)
            continue
        posted[name] = "on" if value is True else "" if value in (None, False) else str(value)
    if part == "grades":
        posted["scale"] = "three"
    before = {name: getattr(draft, name) for name in CAMPAIGN_SETTINGS}
    form = form_of(draft, part, posted)
    assert save_form(draft, form, posted, part) is None, form.errors
    draft.refresh_from_db()
    assert {name: getattr(draft, name) for name in CAMPAIGN_SETTINGS} == before


def test_settings_page_is_that_of_the_table() -> None:
    assert PAGE.read_text() == page(), "run make error-codes"
