"""The table of options knows every option of every method, and nothing else."""

from __future__ import annotations

import re
from dataclasses import fields
from typing import Any

import pytest
from django.http import QueryDict
from django.test import Client

from campaigns.configuration.methods import RUN_OPTIONS, complete_options
from campaigns.models import Campaign
from campaigns.pages.setup.methods import LABELS, OPTION_CHOICES, as_word, fields_of, read_options
from selection.registry import METHODS
from tests.campaigns.factories import make_campaign, signed_in
from tests.campaigns.pages.setup.test_settings import FILLED, SETTINGS, save_settings


@pytest.mark.parametrize("method", METHODS)
def test_every_option_is_named_and_explained_once(method: str) -> None:
    known = {field.name for field in fields(METHODS[method].options)}
    assert set(LABELS.get(method, {})) == known
    labels = [label for label, _ in LABELS.get(method, {}).values()]
    assert len(set(labels)) == len(labels)
    assert all(field.id.count(" ") == 0 and "+" not in field.id for field in fields_of(method, {}))


@pytest.mark.parametrize("method", METHODS)
def test_what_the_form_offers_is_what_the_method_takes(method: str) -> None:
    offered = {field.name: field.value for field in fields_of(method, {})}
    posted = QueryDict(mutable=True)
    posted.update(offered)
    assert complete_options(method, read_options(posted, method)) == complete_options(method, {})
    for option, choices in OPTION_CHOICES.get(method, {}).items():
        assert as_word(complete_options(method, {})[option]) in [value for value, _ in choices]
        for value, _ in choices:
            assert as_word(complete_options(method, {option: value})[option]) == value


def test_fields_carry_what_was_typed_then_what_is_stored() -> None:
    typed = QueryDict("hedge.beta=fast&mm-ns.rho=1")
    assert [field.value for field in fields_of("hedge", {"beta": 0.3}, typed)] == ["fast"]
    assert [field.value for field in fields_of("hedge", {"beta": 0.3})] == ["0.3"]
    assert [field.value for field in fields_of("hedge", {})] == ["0.1"]
    assert [field.value for field in fields_of("C", {"power": 2})] == ["equal", "false", "2"]
    assert read_options(typed, "hedge") == {"beta": "fast"}
    assert read_options(QueryDict("hedge.beta=++"), "hedge") == {}


def test_runs_are_chosen_by_their_tags() -> None:
    found = {field.name: field.choices for field in fields_of("mtc", {}, runs=["x", "y"])}
    assert found["mtc.first"] == [("", "none"), ("0", "x"), ("1", "y")]
    using = {method for method in METHODS if set(RUN_OPTIONS) & set(LABELS.get(method, {}))}
    assert using == {"mtc", "mtc+statap"}


@pytest.mark.parametrize(
    ("value", "word"),
    [(None, ""), (True, "true"), (False, "false"), (0.1, "0.1"), (1e-9, "1e-09"), (40, "40")],
)
def test_values_as_words(value: Any, word: str) -> None:
    assert as_word(value) == word


@pytest.fixture
def client(db: None) -> Client:
    make_campaign("Small", opened=False)
    return signed_in("Small-ada")


def test_any_method_can_be_chosen(client: Client) -> None:
    page = client.get(SETTINGS).content.decode()
    for method in METHODS:
        assert f'value="{method}"' in page
        assert save_settings(client, {**FILLED, "method": method}).status_code == 302, method
        campaign = Campaign.objects.get()
        assert (campaign.method, campaign.options) == (method, complete_options(method, {}))


def test_the_chosen_methods_options_alone_are_read(client: Client) -> None:
    filled = {**FILLED, "method": "statap", "statap.size": "25", "mtc+statap.size": "-3", "seed": "77"}
    assert save_settings(client, filled).status_code == 302
    campaign = Campaign.objects.get()
    assert (campaign.options, campaign.seed) == ({"size": 25}, 77)
    page = client.get(SETTINGS).content.decode()
    assert 'name="statap.size" class="short" type="number" step="1" value="25"' in page
    assert 'name="seed"' in page


def test_a_wrong_option_is_said_beside_it(client: Client) -> None:
    reply = save_settings(client, {**FILLED, "method": "statap", "statap.size": "0"})
    page = reply.content.decode()
    assert reply.status_code == 400
    assert "size = 0 is below 1" in page
    assert re.search(r'<div\s+class="field option wrong"\s*>\s*<label for="option-statap-size">', page)
    assert Campaign.objects.get().method == "C"


@pytest.mark.django_db
def test_relevance_and_seed_on_the_page() -> None:
    campaign = make_campaign("Small")
    client = signed_in("Small-ada")
    page = client.get(SETTINGS).content.decode()
    assert 'name="seed"' not in page
    assert "All judgments are kept" in page
    filled = {**FILLED, "scale": "three", "seed": "5"}
    assert save_settings(client, {**filled, "relevant_from": "2"}).status_code == 302
    campaign.refresh_from_db()
    assert (campaign.relevant_from, campaign.seed) == (2, 1)
    reply = save_settings(client, {**filled, "relevant_from": "0"})
    assert "worth no more than a grade" in reply.content.decode()
    before = campaign.configuration
    save_settings(client, {**filled, "relevant_from": "2"})
    campaign.refresh_from_db()
    assert campaign.configuration == before
