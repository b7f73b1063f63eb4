"""The set-up as a walk: what each step says of itself, and what saving one does."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from django.test import Client

from campaigns.collection.run_changes import set_contributes
from campaigns.models import Campaign, Membership
from campaigns.setup import campaigns as services
from campaigns.setup import steps
from tests.campaigns.factories import Api, add_run, make_campaign, make_user, signed_in

pytestmark = pytest.mark.django_db

MEASURE = {"p": "0.9", "method": "A", "scope": "campaign", "batch": "1", "seed": "7"}
JUDGING = {"min_judgments": "10", "budget": "500", "guidelines": "Read all.", "training_required": "on"}


@pytest.fixture
def bare() -> Campaign:
    return services.create(organiser=make_user("ada"), name="Bare")


@pytest.fixture
def client(bare: Campaign) -> Client:
    return signed_in("ada")


def states(campaign: Campaign) -> dict[str, str]:
    campaign.refresh_from_db()
    return {step.name: step.state.value for step in steps.steps_of(campaign=campaign)}


def words(campaign: Campaign, name: str) -> str:
    return next(step.words for step in steps.steps_of(campaign=campaign) if step.name == name)


def open_step(client: Client, path: str = "/campaigns/bare/setup/") -> str:
    page = client.get(path).content.decode()
    found = re.findall(r'id="(\w+)" name="step" open', page)
    assert len(found) == 1
    return str(found[0])


def save(client: Client, step: str, filled: dict[str, str] | None = None, **headers: Any) -> Any:
    return client.post(f"/campaigns/bare/setup/save/{step}/", filled or {}, **headers)


def test_a_bare_draft(bare: Campaign) -> None:
    assert states(bare) == {
        "collection": "proposed",
        "topics": "todo",
        "runs": "todo",
        "measure": "proposed",
        "grades": "proposed",
        "judging": "proposed",
        "people": "proposed",
        "open": "todo",
    }
    assert words(bare, "measure") == "RBP(p=0.8), Method C"
    assert words(bare, "open") == "something is missing"
    page = signed_in("ada").get("/campaigns/bare/setup/").content.decode()
    assert "open the campaign as it is" not in page


def test_what_is_there_is_done() -> None:
    campaign = make_campaign("Small", opened=False)
    there = states(campaign)
    assert {there[name] for name in ("topics", "runs", "people")} == {"done"}
    assert there["open"] == "proposed"
    assert (words(campaign, "topics"), words(campaign, "runs")) == ("2 topics", "3 runs")
    assert (words(campaign, "people"), words(campaign, "open")) == ("2 assessors", "everything is there")
    assert words(campaign, "collection").endswith("docnos, no texts")
    page = signed_in("Small-ada").get("/campaigns/small/setup/").content.decode()
    assert "open the campaign as it is" in page
    services.open_campaign(campaign=campaign)
    assert set(states(campaign).values()) == {"done"}


def test_topics_that_no_run_ranks_are_a_problem() -> None:
    campaign = make_campaign("Small", {"x": {"1": ["a"]}}, opened=False)
    assert words(campaign, "runs") == "one run; a comparison takes two"
    run = campaign.runs.get()
    set_contributes(run=run, contributes=False)
    assert (states(campaign)["runs"], words(campaign, "open")) == ("problem", "something is missing")
    set_contributes(run=run, contributes=True)
    upload(campaign, b"1\tone\n2\ttwo\n")
    assert states(campaign)["runs"] == "problem"
    assert "one topic is in none of them" in words(campaign, "runs")
    add_run(campaign, "y", {"2": ["b"]})
    assert (states(campaign)["runs"], words(campaign, "runs")) == ("done", "2 runs")


def upload(campaign: Campaign, topics: bytes) -> None:
    assert Api(campaign, f"{campaign.name}-ada").upload("topics/", topics, "topics.tsv").status_code == 201


def test_required_training_without_items_keeps_it_closed(client: Client, bare: Campaign) -> None:
    assert save(client, "judging", JUDGING).status_code == 302
    assert states(bare)["judging"] == "problem"
    assert "lacks 5 items" in words(bare, "judging")
    assert words(bare, "open") == "something is missing"


def test_saving_a_step_changes_its_settings_alone_and_goes_on(client: Client, bare: Campaign) -> None:
    reply = save(client, "measure", {**MEASURE, "min_judgments": "3", "name": "Other"})
    assert reply.status_code == 302
    assert reply.headers["Location"] == "/campaigns/bare/setup/?step=grades#grades"
    bare.refresh_from_db()
    assert (bare.p, bare.method, bare.seed, bare.min_judgments, bare.name) == (0.9, "A", 7, 40, "Bare")
    assert len(bare.grades) == 3
    assert bare.settled == ["measure"]
    assert save(client, "grades", {"scale": "two", "relevant_from": "1"}).status_code == 302
    bare.refresh_from_db()
    assert ([row["gain"] for row in bare.grades], bare.relevant_from, bare.p) == ([0.0, 1.0], 1, 0.9)
    there = states(bare)
    assert (there["measure"], there["grades"], there["judging"]) == ("done", "done", "proposed")


def test_saving_twice_settles_once(client: Client, bare: Campaign) -> None:
    for _ in range(2):
        save(client, "measure", MEASURE)
    bare.refresh_from_db()
    assert bare.settled == ["measure"]


def test_documents_and_people_can_be_left_out(client: Client, bare: Campaign) -> None:
    for step, following in (("collection", "topics"), ("people", "open")):
        reply = save(client, step, headers={"HX-Request": "true"})
        assert (reply.status_code, reply.content) == (204, b"")
        assert json.loads(reply.headers["HX-Trigger"])["saved-step"] == {"next": following}
        assert states(bare)[step] == "done"
    assert save(client, "topics", headers={"HX-Request": "true"}).status_code == 204
    assert states(bare)["topics"] == "todo"


def test_a_form_comes_back_as_stored(client: Client) -> None:
    reply = save(client, "measure", MEASURE, headers={"HX-Request": "true"})
    assert reply.status_code == 200
    assert 'value="0.9"' in reply.content.decode()
    assert "changed-settings" in reply.headers["HX-Trigger"]


@pytest.mark.parametrize(
    ("step", "filled", "says"),
    [
        ("measure", {**MEASURE, "p": "2"}, "less than or equal to 0.99"),
        ("measure", {**MEASURE, "method": "statap", "statap.size": "0"}, "size = 0 is below 1"),
        ("measure", {}, "required"),
        ("grades", {"scale": "custom"}, "at least two grades"),
        ("grades", {"scale": "two", "relevant_from": "7"}, "7"),
        ("judging", {**JUDGING, "overlap_share": "3"}, "less than or equal to 1"),
    ],
)
def test_what_is_wrong_is_said_in_the_step(
    client: Client, bare: Campaign, step: str, filled: dict[str, str], says: str
) -> None:
    before = Campaign.objects.values().get(id=bare.id)
    whole = save(client, step, filled)
    assert whole.status_code == 400
    page = whole.content.decode()
    body = page[page.index(f'id="{step}" name="step" open') :]
    assert says in body[: body.index("</form>")]
    swapped = save(client, step, filled, headers={"HX-Request": "true"})
    assert swapped.status_code == 200
    assert "HX-Trigger" not in swapped.headers
    assert says in swapped.content.decode()
    assert Campaign.objects.values().get(id=bare.id) == before


def test_the_walk_begins_at_the_first_step_to_do_and_goes_on_where_one_was(
    client: Client, bare: Campaign
) -> None:
    assert open_step(client) == "collection"
    assert client.post("/campaigns/bare/setup/at/", {"step": "grades"}).status_code == 204
    assert open_step(client) == "grades"
    assert open_step(client, "/campaigns/bare/setup/?step=people") == "people"
    assert open_step(client, "/campaigns/bare/setup/?step=nowhere") == "grades"
    save(client, "grades", {"scale": "two"})
    assert open_step(client) == "judging"


def test_each_organiser_has_a_place_of_their_own(client: Client, bare: Campaign) -> None:
    Membership.objects.create(user=make_user("bob"), campaign=bare, role=Membership.Role.ORGANISER)
    client.post("/campaigns/bare/setup/at/", {"step": "runs"})
    assert open_step(signed_in("bob")) == "collection"
    assert open_step(client) == "runs"


def test_wrong_steps_and_strangers(client: Client, bare: Campaign) -> None:
    assert save(client, "weather").status_code == 404
    assert client.post("/campaigns/bare/setup/at/", {"step": "weather"}).status_code == 400
    assert client.post("/campaigns/bare/setup/at/").status_code == 400
    assert client.get("/campaigns/bare/setup/save/grades/").status_code == 405
    make_user("eve")
    eve = signed_in("eve")
    assert save(eve, "grades", {"scale": "two"}).status_code == 404
    assert eve.post("/campaigns/bare/setup/at/", {"step": "runs"}).status_code == 404
    Membership.objects.create(user=make_user("grace"), campaign=bare, role=Membership.Role.ASSESSOR)
    assert save(signed_in("grace"), "grades", {"scale": "two"}).status_code == 403
    bare.refresh_from_db()
    assert (len(bare.grades), bare.settled) == (3, [])
