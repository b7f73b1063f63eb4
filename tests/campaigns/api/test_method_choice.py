"""Methods, their options, and which grades are relevant: by campaign and by topic."""

from __future__ import annotations

from typing import Any

import pytest

from campaigns.collection.runs import remove_run
from campaigns.collection.topics import set_method
from campaigns.core.errors import Refusal
from campaigns.models import Campaign
from campaigns.setup import campaigns as services
from tests.campaigns.factories import Api, add_run, make_campaign, make_user, signed_in

pytestmark = pytest.mark.django_db

ALL = "/api/v1/campaigns/"
OF_C = {"run_weights": "equal", "between_topics": False, "power": 3}


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign()


@pytest.fixture
def ada(campaign: Campaign) -> Api:
    return Api(campaign, "Small-ada")


def patch(api: Api, body: Any, path: str = "") -> Any:
    return api.client.patch(api.root + path, body, content_type="application/json")


def test_a_method_is_stored_with_all_its_options(ada: Api, campaign: Campaign) -> None:
    reply = patch(ada, {"method": "hedge", "options": {"beta": 0.3}})
    assert (reply.status_code, reply.json()["options"]) == (200, {"beta": 0.3})
    assert patch(ada, {"method": "mm-ns"}).json()["options"] == {"rho": 0.0}
    assert patch(ada, {"options": {"rho": 1}}).json()["options"] == {"rho": 1.0}
    assert patch(ada, {"method": "mm-ns"}).json()["options"] == {"rho": 1.0}
    assert patch(ada, {"method": "C"}).json()["options"] == OF_C
    campaign.refresh_from_db()
    assert (campaign.method, campaign.options) == ("C", OF_C)


def test_what_changes_nothing_is_computed_from_as_it_was(ada: Api, campaign: Campaign) -> None:
    patch(ada, {"method": "hedge"})
    campaign.refresh_from_db()
    patch(ada, {"method": "hedge", "options": {"beta": "0.1"}, "relevant_from": None})
    assert Campaign.objects.get().configuration == campaign.configuration
    patch(ada, {"options": {"beta": 0.2}})
    assert Campaign.objects.get().configuration == campaign.configuration + 1


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"method": "hedge", "options": {"beta": 1}}, "options.beta"),
        ({"method": "hedge", "options": {"beta": "often"}}, "options.beta"),
        ({"method": "hedge", "options": {"beta": "nan"}}, "options.beta"),
        ({"method": "hedge", "options": {"beta": 10**400}}, "options.beta"),
        ({"method": "hedge", "options": {"beta": [1]}}, "options.beta"),
        ({"method": "hedge", "options": {"beta": None}}, "options.beta"),
        ({"method": "hedge", "options": {"bet\x00a": 0.1}}, "options"),
        ({"method": "hedge", "options": {"beta": 0.2, "speed": 3}}, "options.speed"),
        ({"method": "C", "options": {"beta": 0.2}}, "options.beta"),
        ({"method": "hedge", "options": "beta"}, "options"),
        ({"method": "hedge", "options": None}, "options"),
        ({"options": {"beta": 0.2}}, "options.beta"),
        ({"method": "mtc", "options": {"first": 0, "second": 3}}, "options.second"),
        ({"method": "mtc", "options": {"measure": "P@" + "9" * 200}}, "options.measure"),
        ({"relevant_from": 0}, "relevant_from"),
        ({"relevant_from": 7}, "relevant_from"),
        ({"relevant_from": -1}, "relevant_from"),
        ({"relevant_from": "high"}, "relevant_from"),
        ({"seed": -1}, "seed"),
        ({"seed": 2**31}, "seed"),
    ],
)
def test_bad_choices_are_named_and_change_nothing(
    ada: Api, campaign: Campaign, body: Any, field: str
) -> None:
    reply = patch(ada, body)
    assert reply.status_code == 400, reply.content
    assert [error["field"] for error in reply.json()["errors"]] == [field]
    campaign.refresh_from_db()
    assert (campaign.method, campaign.options, campaign.configuration) == (
        "C",
        OF_C,
        Campaign.objects.get().configuration,
    )


def test_relevance_from_a_grade(ada: Api, campaign: Campaign) -> None:
    before = campaign.configuration
    assert patch(ada, {"relevant_from": 2}).json()["relevant_from"] == 2
    campaign.refresh_from_db()
    assert campaign.configuration == before + 1
    assert (campaign.is_relevant(1), campaign.is_relevant(2)) == (False, True)
    two = [
        {"grade": 0, "label": "no", "gain": 0, "key": "0"},
        {"grade": 1, "label": "yes", "gain": 1, "key": "1"},
    ]
    reply = patch(ada, {"grades": two})
    assert (reply.status_code, reply.json()["code"]) == (400, "bad_relevant_from")
    assert patch(ada, {"grades": two, "relevant_from": 1}).status_code == 200
    equal = [*two, {"grade": 2, "label": "very", "gain": 1, "key": "2"}]
    assert "worth no more" in patch(ada, {"grades": equal, "relevant_from": 2}).json()["detail"]


def test_the_seed_of_a_draft() -> None:
    make_user("ada")
    client = signed_in("ada")
    made = client.post(ALL, {"name": "News", "seed": 7}, content_type="application/json")
    assert made.json()["seed"] == 7
    changed = client.patch(f"{ALL}news/", {"seed": 8}, content_type="application/json")
    assert (changed.json()["seed"], Campaign.objects.get().configuration) == (8, 2)


def test_the_seed_of_an_open_campaign_stays(ada: Api) -> None:
    reply = patch(ada, {"seed": 9})
    assert (reply.status_code, reply.json()["code"]) == (409, "seed_fixed")
    assert patch(ada, {"seed": 1}).status_code == 200


def test_a_topic_has_a_method_of_its_own(ada: Api, campaign: Campaign) -> None:
    before = campaign.configuration
    reply = patch(ada, {"method": "hedge", "options": {"beta": 0.4}}, "topics/1/")
    assert reply.status_code == 200, reply.content
    assert reply.json() == {
        "number": "1",
        "title": "title 1",
        "description": "",
        "narrative": "",
        "further_fields": [],
        "revision": 1,
        "method": "hedge",
        "options": {"beta": 0.4},
        "closed_at": None,
    }
    assert ada.get("topics/1/").json() == reply.json()
    assert ada.get("topics/2/").json()["method"] == ""
    assert Campaign.objects.get().configuration == before + 1
    again = patch(ada, {"method": "hedge", "options": {"beta": 0.4}}, "topics/1/")
    assert (again.status_code, Campaign.objects.get().configuration) == (200, before + 1)
    assert patch(ada, {"method": ""}, "topics/1/").json()["options"] == {}


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"method": "D"}, "method"),
        ({"method": "hedge", "options": {"rho": 1}}, "options.rho"),
        ({"method": "", "options": {"beta": 0.2}}, "options"),
        ({"method": "C", "title": "other"}, "title"),
        ([], ""),
    ],
)
def test_bad_choices_for_a_topic(ada: Api, campaign: Campaign, body: Any, field: str) -> None:
    reply = patch(ada, body, "topics/1/")
    assert reply.status_code == 400, reply.content
    assert field in [error["field"].replace("non_field_errors", "") for error in reply.json()["errors"]]
    assert Campaign.objects.get().configuration == campaign.configuration
    assert ada.get("topics/1/").json()["method"] == ""


def test_who_may_choose(ada: Api, campaign: Campaign) -> None:
    make_campaign("Other")
    for username, status in (("Small-grace", 403), ("Other-ada", 404)):
        api = Api(campaign, username)
        assert api.get("topics/1/").status_code == status
        assert patch(api, {"method": "A"}, "topics/1/").status_code == status
    assert ada.client.post(f"{ada.root}topics/1/", {}).status_code == 405
    assert patch(ada, {"method": "A"}, "topics/77/").status_code == 404
    assert patch(ada, {"method": "A"}, "topics/%00/").status_code == 400
    assert set(campaign.topics.values_list("method", flat=True)) == {""}


def test_topics_are_given_a_method_together(campaign: Campaign) -> None:
    both = list(campaign.topics.all())
    before = campaign.configuration
    assert set_method(campaign=campaign, topics=both, method="A") == 2
    assert set_method(campaign=campaign, topics=both, method="A") == 0
    assert Campaign.objects.get().configuration == before + 1
    other = make_campaign("Other")
    assert set_method(campaign=campaign, topics=list(other.topics.all()), method="B") == 0
    assert set(other.topics.values_list("method", flat=True)) == {""}


def test_an_assessor_sees_nothing_of_it(campaign: Campaign) -> None:
    services.change_settings(campaign=campaign, method="hedge", relevant_from=2)
    set_method(campaign=campaign, topics=list(campaign.topics.all()), method="mm-ns")
    grace = Api(campaign, "Small-grace")
    replies = [
        grace.get(""),
        grace.client.get(ALL),
        grace.get("next/", topic="1"),
        grace.get("judgments/", topic="1"),
    ]
    replies.append(grace.judge("1", "a", 1))
    pages = [grace.client.get("/judge/small/"), grace.client.get("/judge/small/1/")]
    for reply in (*replies, *pages):
        assert reply.status_code in (200, 201)
        text = reply.content.decode().lower()
        for secret in ("hedge", "mm-ns", "relevant_from", '"rho"', '"options"', "inclusion", '"method"'):
            assert secret not in text, (secret, text)


def test_a_method_that_is_not_known_is_refused_by_the_service(campaign: Campaign) -> None:
    with pytest.raises(Refusal) as refused:
        services.change_settings(campaign=campaign, method="oracle")
    assert refused.value.field == "method"


def test_two_runs_are_named_that_contribute(ada: Api, campaign: Campaign) -> None:
    add_run(campaign, "late", {"1": ["a"]}, contributes=False)
    assert patch(ada, {"method": "mtc", "options": {"first": 0, "second": 2}}).status_code == 200
    reply = patch(ada, {"options": {"first": 0, "second": 3}})
    assert (reply.status_code, reply.json()["errors"][0]["field"]) == (400, "options.second")
    assert "does not contribute" in reply.json()["detail"]


def test_taking_a_run_out_moves_the_pair_that_mtc_compares() -> None:
    campaign = make_campaign()
    services.change_settings(campaign=campaign, method="mtc", options={"first": 1, "second": 2})
    first, second, _ = campaign.runs.order_by("id")
    with pytest.raises(Refusal, match="is selected for comparison"):
        remove_run(run=second)
    remove_run(run=first)
    campaign.refresh_from_db()
    assert (campaign.options["first"], campaign.options["second"]) == (0, 1)
