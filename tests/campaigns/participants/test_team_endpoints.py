"""The addresses of teams: who may use which, and what a bad file or a wrong wish is answered."""

from __future__ import annotations

import io
from typing import Any

import pytest
from django.test import Client

from campaigns.core.errors import Refusal
from campaigns.formats.topics import read_topics
from campaigns.models import Campaign, HandIn, Submission
from campaigns.participants.publication import publish_leaderboard
from campaigns.setup.archive import archive, unarchive
from campaigns.setup.campaigns import pause
from tests.campaigns.factories import Api, make_campaign, make_user, run_text, with_token
from tests.campaigns.participants.team_campaigns import LISTS, end, handed_in, team_campaign, team_of

pytestmark = pytest.mark.django_db

TEAMS = (
    "team/",
    "team/topics.xml",
    "team/runs/",
    "team/runs/{id}/",
    "team/runs/{id}/receipt/",
    "team/runs/{id}/file/",
)
ORGANISERS = ("teams/", "hand-in/", "submissions/", "submissions/{id}/file/")


@pytest.fixture
def campaign() -> Campaign:
    make_campaign("Other")
    make_user("eve")
    return team_campaign()


@pytest.fixture
def submission(campaign: Campaign) -> int:
    return handed_in(team_of(campaign, "Delft"), "delft1").id


@pytest.mark.parametrize("path", TEAMS)
def test_only_the_own_team_reads_its_addresses(campaign: Campaign, submission: int, path: str) -> None:
    path = path.format(id=submission)
    assert Api(campaign, "Small-carl").get(path).status_code == 200
    expected = {"Small-ada": 403, "Small-grace": 403, "Other-ada": 404, "eve": 404}
    expected |= {"Small-dora": 404} if str(submission) in path else {}
    for name, status in expected.items():
        assert Api(campaign, name).get(path).status_code == status, name
    assert Client().get(f"/api/v1/campaigns/small/{path}").status_code == 401


@pytest.mark.parametrize("path", ORGANISERS)
def test_only_organisers_read_all_teams(campaign: Campaign, submission: int, path: str) -> None:
    path = path.format(id=submission)
    expected = {"Small-ada": 200, "Small-grace": 403, "Small-carl": 404, "Other-ada": 404, "eve": 404}
    for name, status in expected.items():
        assert Api(campaign, name).get(path).status_code == status, name


def test_only_the_own_team_changes_its_runs(campaign: Campaign, submission: int) -> None:
    for name, status in {"Small-ada": 403, "Small-grace": 403, "Small-dora": 404, "Other-ada": 404}.items():
        api = Api(campaign, name)
        address = f"{api.root}team/runs/{submission}/"
        assert api.client.delete(address).status_code == status
        change: Any = {"description": "mine"}
        assert api.client.patch(address, change, content_type="application/json").status_code == status
    for name in ("Small-carl", "Small-grace", "Other-ada"):
        api = Api(campaign, name)
        assert api.post("submissions/admission/", {"first": 1}).status_code in (403, 404)
        wish: Any = {"scores_released": True}
        reply = api.client.patch(f"{api.root}hand-in/", wish, content_type="application/json")
        assert reply.status_code in (403, 404)
    assert Submission.objects.get().state == "handed in"


def test_a_bad_file_is_named_by_line_and_value_and_not_stored(campaign: Campaign) -> None:
    reply = Api(campaign, "Small-carl").upload("team/runs/", b"1 Q0 a 1 9 t\n1 Q0 b 2 high t\n", "bad.run")
    assert reply.status_code == 400
    (error,) = reply.json()["errors"]
    assert error["line"] == 2
    assert "high" in error["detail"]
    assert not Submission.objects.exists()


def test_the_deadline_and_a_wrong_choice_have_codes(campaign: Campaign, submission: int) -> None:
    ada, carl = Api(campaign, "Small-ada"), Api(campaign, "Small-carl")
    assert ada.post("submissions/admission/", {"first": 1}).json()["code"] == "before_deadline"
    end(campaign)
    late = carl.upload("team/runs/", run_text("late", LISTS), "late.run", priority=2)
    assert (late.status_code, late.json()["code"]) == (409, "deadline_passed")
    for wrong in ({}, {"first": 1, "submissions": [submission]}):
        assert ada.post("submissions/admission/", wrong).json()["code"] == "one_choice"
    assert ada.post("submissions/admission/", {"submissions": [submission + 1]}).status_code == 404
    assert carl.get("team/scores/").json()["code"] == "scores_not_released"


def test_an_archived_campaign_takes_no_change_of_a_run(campaign: Campaign, submission: int) -> None:
    pause(campaign=campaign)
    archive(campaign=campaign)
    carl = Api(campaign, "Small-carl")
    address: Any = f"{carl.root}team/runs/{submission}/"
    change: Any = {"description": "mine"}
    replies = [
        carl.upload("team/runs/", run_text("two", LISTS), "two.run", priority=2),
        carl.client.patch(address, change, content_type="application/json"),
        carl.client.delete(address),
    ]
    said = "“Small” is archived and read only; an organiser can restore it"
    for reply in replies:
        assert (reply.status_code, reply.json()["code"], reply.json()["detail"]) == (409, "archived", said)
    page = carl.client.post("/campaigns/small/team/", {"act": "withdraw", "submission": submission})
    assert page.status_code == 409
    assert said in page.content.decode()
    assert "Check and hand in" not in carl.client.get("/campaigns/small/team/").content.decode()
    assert Submission.objects.get().state == "handed in"
    # Reading stays possible.
    assert carl.get("team/topics.xml").status_code == 200
    unarchive(campaign=campaign)
    assert carl.client.delete(address).status_code == 204


def test_archiving_meanwhile_is_noticed(campaign: Campaign) -> None:
    team = team_of(campaign, "Delft")
    pause(campaign=campaign)
    archive(campaign=Campaign.objects.get(slug="small"))
    assert team.campaign.archived_at is None
    with pytest.raises(Refusal) as refused:
        handed_in(team, "late")
    assert refused.value.code == "archived"


def test_topics_are_read_back_from_each_form(campaign: Campaign) -> None:
    long = "What the film’s maker says.\n\nTwo & <three> paragraphs."
    campaign.topics.filter(number="1").update(title="films & makers", description=long, narrative="None.")
    carl = Api(campaign, "Small-carl")
    stored = [(one.number, one.title, one.description, one.narrative) for one in campaign.topics.all()]
    for form in ("xml", "jsonl", "tsv"):
        reply = carl.get(f"team/topics.{form}")
        assert reply.headers["Content-Disposition"] == f'attachment; filename="small.topics.{form}"'
        read = read_topics(io.BytesIO(reply.content), f"topics.{form}")
        found = [(one.number, one.title, one.description, one.narrative) for one in read]
        assert found == (stored if form != "tsv" else [(*one[:2], "", "") for one in stored])
        page = carl.client.get(f"/campaigns/small/team/topics.{form}")
        assert (page.status_code, page.content) == (200, reply.content)
    assert carl.get("team/topics.pdf").status_code == 404
    assert carl.post("team/topics.xml", {}).status_code == 405
    assert "/campaigns/small/team/topics.jsonl" in carl.client.get("/campaigns/small/team/").content.decode()


def test_topics_wait_until_runs_may_be_handed_in(campaign: Campaign) -> None:
    carl = Api(campaign, "Small-carl")
    end(campaign)
    assert carl.get("team/topics.xml").status_code == 200
    HandIn.objects.all().delete()
    reply = carl.get("team/topics.xml")
    assert (reply.status_code, reply.json()["code"]) == (409, "hand_in_not_open")
    assert carl.client.get("/campaigns/small/team/topics.xml").status_code == 404
    assert "topics.xml" not in carl.client.get("/campaigns/small/team/").content.decode()
    # No page of organisers or assessors.
    for name in ("Small-ada", "Small-grace", "eve"):
        assert Api(campaign, name).client.get("/campaigns/small/team/topics.xml").status_code == 404


def test_a_token_hands_in_only_with_the_scope_for_it(campaign: Campaign) -> None:
    address = "/api/v1/campaigns/small/team/runs/1/"
    for scopes, code in {("read", "judge", "organise"): "scope", ("submit",): "unknown_submission"}.items():
        reply = with_token("Small-carl", *scopes, campaign=campaign).delete(address)
        assert reply.json()["code"] == code


def test_the_leaderboard_needs_no_account_where_it_is_public(campaign: Campaign) -> None:
    address = "/api/v1/campaigns/small/leaderboard/"
    for audience, anonymous, participant, assessor in (
        ("none", 401, 404, 404),
        ("participants", 401, 200, 404),
        ("public", 200, 200, 200),
    ):
        publish_leaderboard(campaign=campaign, audience=audience)
        assert Client().get(address).status_code == anonymous
        assert Api(campaign, "Small-carl").get("leaderboard/").status_code == participant
        assert Api(campaign, "Small-grace").get("leaderboard/").status_code == assessor
        assert Api(campaign, "Small-ada").get("leaderboard/").status_code == 200
