"""A campaign with teams from the invitation to the leaderboard, by the pages; and who sees none of it."""

from __future__ import annotations

import hashlib
import io
import re
from datetime import timedelta
from threading import Thread
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext

from campaigns.collection.run_changes import set_contributes
from campaigns.computing.tasks import recompute
from campaigns.core.errors import Refusal
from campaigns.log.tallies import judged_in
from campaigns.models import HandIn, Run, Submission
from campaigns.participants import rules
from campaigns.participants.admission import admit, first_priorities
from campaigns.participants.leaderboard import leaderboard_of
from campaigns.participants.publication import publish_leaderboard, release_scores
from campaigns.participants.team_scores import own_runs
from campaigns.people.invitations import accept, create
from campaigns.people.members import add_member
from campaigns.people.teams import join_team
from campaigns.results.score_ranges import score_ranges_of
from tests.campaigns.concurrency import somebody_waits
from tests.campaigns.factories import Api, make_campaign, make_user, run_text, signed_in
from tests.campaigns.participants.team_campaigns import LISTS, end, handed_in, now, team_campaign, team_of
from tests.plumbing.idle import wait_for

pytestmark = pytest.mark.django_db

TEAM, TEAMS, SCORES, BOARD = "team/", "teams/", "team/scores/", "leaderboard/"


def page(client: Client, path: str, **form: Any) -> Any:
    address = f"/campaigns/small/{path}"
    return client.post(address, form) if form else client.get(address)


def file(content: bytes, name: str) -> io.BytesIO:
    opened = io.BytesIO(content)
    opened.name = name
    return opened


def test_from_the_invitation_to_the_leaderboard() -> None:
    campaign = make_campaign("Small")
    ada = signed_in("Small-ada")
    later = (now() + timedelta(days=1)).strftime("%Y-%m-%dT%H:%M")
    assert page(ada, TEAMS, act="rules", deadline=later, most_runs=2).status_code == 302

    # A person of the team follows the link, with a new account.
    shown = page(ada, TEAMS, act="invite", team="Delft", days=7).content.decode()
    (secret,) = re.findall(r"/join/#([\w-]+)", shown)
    carl = Client()
    carl.post("/join/", {"secret": secret})
    assert "team Delft" in carl.get("/join/").content.decode()
    reply = carl.post("/join/", {"username": "carl", "password": "long enough 4 it"})
    assert reply.headers["Location"] == "/campaigns/small/team/"
    assert "/campaigns/small/team/" in carl.get("/campaigns/").content.decode()

    # A bad file changes nothing and is named by line and value.
    bad = page(carl, TEAM, act="hand_in", priority=1, file=file(b"1 Q0 a 1 high t\n", "bad.run"))
    assert bad.status_code == 400
    assert "line 1" in bad.content.decode()
    assert "high" in bad.content.decode()

    first = file(run_text("delft1", {"1": ["a"]}), "delft1.run")
    assert page(carl, TEAM, act="hand_in", priority=1, description="BM25", file=first).status_code == 302
    content = run_text("delft1", LISTS)
    old = Submission.objects.get()
    again = file(content, "delft1.run")
    page(carl, TEAM, act="hand_in", priority=1, submission=old.id, file=again)
    other = file(run_text("delft2", {"1": ["h", "a"]}), "delft2.run")
    page(carl, TEAM, act="hand_in", priority=2, file=other)
    own, second = Submission.objects.standing().order_by("priority")
    receipt = page(carl, f"team/runs/{own.id}/receipt.txt").content.decode()
    assert hashlib.sha256(content).hexdigest() in receipt
    assert "Delft" in page(carl, f"team/runs/{own.id}/receipt/").content.decode()
    assert b"".join(page(carl, f"team/runs/{own.id}/")) == content

    # Before the deadline the organiser sees who has handed in, and chooses nothing.
    assert hashlib.sha256(content).hexdigest() in page(ada, TEAMS).content.decode()
    assert page(ada, TEAMS, act="admit", submission=own.id).status_code == 409
    page(ada, TEAMS, act="close")
    assert page(carl, TEAM, act="withdraw", submission=own.id).status_code == 409
    ticked = page(ada, f"{TEAMS}?first=1").content.decode()
    assert re.findall(r'value="(\d+)" form="admission" data-row checked', ticked) == [str(own.id)]
    page(ada, TEAMS, act="admit", submission=own.id)
    page(ada, TEAMS, act="score_only", submission=second.id)
    rows = campaign.runs.filter(group="Delft").order_by("tag")
    assert [(run.tag, run.contributes_to_pool) for run in rows] == [("delft1", True), ("delft2", False)]

    # Judged and released: the team's figures are those of the organiser's page.
    assert Api(campaign, "Small-grace").judge("1", "a", 2).status_code == 201
    recompute(campaign.id)
    assert "No scores yet" in page(carl, SCORES).content.decode()
    page(ada, TEAMS, act="release")
    shown = page(carl, SCORES).content.decode()
    assert "delft1" in shown
    assert "Small-grace" not in shown
    means = {row.run: row for row in score_ranges_of(campaign=campaign)}
    topics = list(campaign.topics.values_list("id", flat=True))
    for run in own_runs(team_of(campaign, "Delft"), topics=topics):
        assert run.mean == means[run.submission.tag]
        assert sum(topic.base for topic in run.topics) / 2 == pytest.approx(run.mean.base)
        assert [topic.number for topic in run.topics] == ["1", "2"]

    assert page(carl, BOARD).status_code == 404
    page(ada, TEAMS, act="publish", leaderboard="public")
    board = page(Client(), BOARD)
    assert board.status_code == 200
    assert ">1 judged document<" in board.content.decode()
    assert "Delft" in board.content.decode()
    page(ada, TEAMS, act="publish", leaderboard="none")
    assert page(Client(), BOARD).status_code == 302
    history = page(ada, "history/?kind=teams").content.decode()
    for said in ("handed in delft1", "released the scores", "took the leaderboard back", "the team"):
        assert said in history


READ = [TEAM, SCORES, "team/runs/{id}/", "team/runs/{id}/receipt/", "team/runs/{id}/receipt.txt"]


def test_only_the_own_team_sees_its_pages() -> None:
    campaign = team_campaign()
    id = handed_in(team_of(campaign, "Delft"), "delft1").id
    make_campaign("Other")
    make_user("eve")
    for path in READ:
        address = f"/campaigns/small/{path.format(id=id)}"
        assert signed_in("Small-carl").get(address).status_code == 200
        for name in ("Small-ada", "Small-grace", "Other-ada", "eve"):
            assert signed_in(name).get(address).status_code == 404, (name, path)
        assert Client().get(address).headers["Location"].startswith("/sign-in/")
        if "{id}" in path:
            assert signed_in("Small-dora").get(address).status_code == 404
    assert "delft1" not in page(signed_in("Small-dora"), TEAM).content.decode()
    assert page(signed_in("Small-dora"), TEAM, act="withdraw", submission=id).status_code == 404
    assert page(signed_in("Small-ada"), TEAM, act="withdraw", submission=id).status_code == 404


def test_only_organisers_see_all_teams() -> None:
    campaign = team_campaign()
    id = handed_in(team_of(campaign, "Delft"), "delft1").id
    make_campaign("Other")
    for path in (TEAMS, f"teams/runs/{id}/"):
        assert page(signed_in("Small-ada"), path).status_code == 200
        assert page(signed_in("Small-grace"), path).status_code == 403
        for name in ("Small-carl", "Other-ada"):
            assert page(signed_in(name), path).status_code == 404
    assert page(signed_in("Small-carl"), TEAMS, act="release").status_code == 404
    assert page(signed_in("Small-grace"), TEAMS, act="release").status_code == 403


@pytest.mark.parametrize(
    "path", ["", "runs/", "topics/", "people/", "history/", "exports/qrels/", "document/?docno=a", "setup/"]
)
def test_participants_are_strangers_to_the_organisers_pages(path: str) -> None:
    team_campaign()
    assert page(signed_in("Small-carl"), path).status_code == 404


def test_participants_are_strangers_to_judging() -> None:
    campaign = team_campaign()
    carl = signed_in("Small-carl")
    assert carl.get("/judge/small/").status_code == 404
    assert carl.get("/judge/small/1/").status_code == 404
    assert "small" not in carl.get("/judge/").content.decode()
    api = Api(campaign, "Small-carl")
    paths = ("", "next/?topic=1", "topics/", "documents/a/", "judgments/", "runs/", "intervals/", "status/")
    for path in paths:
        assert api.get(path).status_code == 404, path
    assert api.judge("1", "a", 1).status_code == 404


@pytest.mark.parametrize("audience", ["none", "participants", "public"])
def test_the_leaderboard_is_shown_to_its_audience(audience: str) -> None:
    campaign = team_campaign()
    make_campaign("Other")
    publish_leaderboard(campaign=campaign, audience=audience)
    public, participants = audience == "public", audience != "none"
    seen = {
        name: page(signed_in(name), BOARD).status_code == 200
        for name in ("Small-ada", "Small-carl", "Small-grace", "Other-ada")
    }
    assert seen == {
        "Small-ada": True,
        "Small-carl": participants,
        "Small-grace": public,
        "Other-ada": public,
    }
    assert page(Client(), BOARD).status_code == (200 if public else 302)
    nowhere = Client().get("/campaigns/nowhere/leaderboard/")
    assert nowhere.status_code == 302


def test_ranks_are_left_open_before_a_prediction() -> None:
    """Those after it are the overview's: tests/campaigns/pages/test_counts.py."""
    campaign = make_campaign("Small", {"best": {"1": ["a"]}, "none": {"1": ["b"]}}, p=0.01)
    Api(campaign, "Small-grace").judge("1", "a", 2)
    recompute(campaign.id)
    found = leaderboard_of(campaign)
    assert {(row.run, row.first, row.last) for row in found.rows} == {
        ("best", None, None),
        ("none", None, None),
    }
    assert (found.as_of, found.judged, found.topics, found.all_topics) == (1, 1, 1, 1)


def test_an_anonymous_leaderboard_names_nobody() -> None:
    campaign = team_campaign()
    handed_in(team_of(campaign, "Delft"), "delft1")
    end(campaign)
    ada = User.objects.get(username="Small-ada")
    admit(campaign=campaign, submissions=first_priorities(campaign, 1), user=ada, contributes=True)
    publish_leaderboard(campaign=campaign, audience="public", anonymous=True)
    shown = page(Client(), BOARD).content.decode()
    assert "System 4" in shown
    for name in ("delft1", "Delft", "Small-carl"):
        assert name not in shown
    assert {row.run for row in leaderboard_of(campaign).rows} == {f"System {n}" for n in (1, 2, 3, 4)}


def test_runs_of_one_tag_are_admitted_behind_their_teams_names() -> None:
    campaign = team_campaign()
    for team in ("Delft", "Essen"):
        handed_in(team_of(campaign, team), "bm25")
    handed_in(team_of(campaign, "Essen"), "x", 2)
    end(campaign)
    ada = User.objects.get(username="Small-ada")
    admit(campaign=campaign, submissions=first_priorities(campaign, 2), user=ada, contributes=True)
    assert set(campaign.runs.exclude(group="").values_list("tag", flat=True)) == {
        "delft.bm25",
        "essen.bm25",
        "essen.x",
    }


def test_an_admitted_run_stays_when_the_deadline_is_moved() -> None:
    campaign = team_campaign()
    team = team_of(campaign, "Delft")
    row = handed_in(team, "delft1")
    end(campaign)
    ada = User.objects.get(username="Small-ada")
    admit(campaign=campaign, submissions=[row.id], user=ada, contributes=True)
    rules.set_rules(campaign=campaign, deadline=now() + timedelta(hours=1))
    with pytest.raises(Refusal, match="has admitted delft1"):
        handed_in(team, "delft1", replaces=row.id)
    handed_in(team, "delft2", 2)
    # A run that is taken out again is handed in once more.
    set_contributes(run=Run.objects.get(tag="delft1"), contributes=False)
    assert Submission.objects.get(id=row.id).state == "non-contributing"
    Run.objects.filter(tag="delft1").delete()
    assert Submission.objects.get(id=row.id).state == "handed in"


def test_a_person_has_one_role() -> None:
    campaign = team_campaign()
    with pytest.raises(Refusal, match="is a participant here"):
        add_member(campaign=campaign, username="Small-carl", role="assessor")
    shown = page(signed_in("Small-ada"), TEAMS, act="invite", team="Delft").content.decode()
    assert "/join/#" in shown
    invitation = campaign.invitations.latest("id")
    with pytest.raises(Refusal, match="belongs to this campaign already"):
        accept(invitation_id=invitation.id, user=User.objects.get(username="Small-grace"))


@pytest.mark.django_db(transaction=True)
def test_of_two_links_followed_at_once_a_person_gets_one_role() -> None:
    campaign = team_campaign()
    ada, user = User.objects.get(username="Small-ada"), make_user("newcomer")
    to_team, _ = create(campaign=campaign, inviter=ada, link_of=str, role="participant", team="Delft")
    to_judge, _ = create(campaign=campaign, inviter=ada, link_of=str, role="assessor")
    refused: list[str] = []

    def judge() -> None:
        try:
            accept(invitation_id=to_judge.id, user=user)
        except Refusal as refusal:
            refused.append(refusal.code)
        finally:
            connection.close()

    other = Thread(target=judge)
    with transaction.atomic():
        accept(invitation_id=to_team.id, user=user)
        other.start()
        wait_for(lambda: somebody_waits() or not other.is_alive())
    other.join(30)
    assert refused == ["member_already"]
    assert not campaign.memberships.filter(user=user).exists()


def test_a_change_of_labels_leaves_the_audience_as_it_is() -> None:
    campaign = team_campaign()
    publish_leaderboard(campaign=campaign, audience="public")
    publish_leaderboard(campaign=campaign, anonymous=True)
    rules = HandIn.objects.get(campaign=campaign)
    assert (rules.leaderboard, rules.anonymous) == ("public", True)


def test_scores_are_withheld_again() -> None:
    campaign = team_campaign()
    release_scores(campaign=campaign, released=True)
    assert own_runs(team_of(campaign, "Delft"), topics=[]) == []
    release_scores(campaign=campaign, released=False)
    with pytest.raises(Refusal, match="not released"):
        own_runs(team_of(campaign, "Delft"), topics=[])


def test_counts_of_judgments_are_read_once_for_all_own_runs() -> None:
    campaign = team_campaign()
    team = team_of(campaign, "Delft")
    for priority in (1, 2):
        handed_in(team, f"delft{priority}", priority)
    end(campaign)
    ada, ids = User.objects.get(username="Small-ada"), team.submissions.values_list("id", flat=True)
    admit(campaign=campaign, submissions=list(ids), user=ada, contributes=True)
    release_scores(campaign=campaign, released=True)
    recompute(campaign.id)
    topics = list(campaign.topics.values_list("id", flat=True))
    judged_in(campaign=campaign)
    with CaptureQueriesContext(connection) as counting:
        judged_in(campaign=campaign)
    with CaptureQueriesContext(connection) as captured:
        assert len(own_runs(team, topics=topics)) == 2
    reads = [sum("campaigns_tally" in row["sql"] for row in one) for one in (counting, captured)]
    assert reads[0] == reads[1] > 0


def test_as_many_queries_for_many_teams_as_for_one() -> None:
    campaign = team_campaign()
    client = signed_in("Small-ada")
    page(client, TEAMS)
    counts = []
    for names in (["Delft"], ["Essen", "third", "fourth"]):
        for name in names:
            if not campaign.teams.filter(name=name).exists():
                join_team(team=campaign.teams.create(name=name), user=make_user(f"of-{name}"))
            handed_in(team_of(campaign, name), f"{name}1")
        with CaptureQueriesContext(connection) as captured:
            assert page(client, TEAMS).status_code == 200
        counts.append(len(captured))
    assert counts[0] == counts[1]
