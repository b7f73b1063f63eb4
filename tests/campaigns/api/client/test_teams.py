"""Handing in, admission and publication by the client, as a program and as a command."""

from __future__ import annotations

import hashlib
from datetime import timedelta
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from campaigns.api.client import Client, Problem, main
from campaigns.computing.tasks import recompute
from campaigns.models import Campaign as Rows
from tests.campaigns.api.client.conftest import client_of
from tests.campaigns.factories import run_text
from tests.campaigns.participants.team_campaigns import LISTS, team_campaign


@pytest.fixture
def rows(live_site: str) -> Rows:
    return team_campaign()


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    for tag, lists in (("one", LISTS), ("two", {"1": ["h"]})):
        (tmp_path / f"{tag}.run").write_bytes(run_text(tag, lists))
    (tmp_path / "bad.run").write_bytes(b"1 Q0 a 1 high t\n")
    return tmp_path


def of(site: str, name: str) -> Client:
    return client_of(site, User.objects.get(username=f"Small-{name}"))


def test_a_team_and_its_organiser(live_site: str, rows: Rows, runs: Path) -> None:
    team = of(live_site, "carl").campaign("small")
    organiser = of(live_site, "ada").campaign("small")
    assert team.team()["team"] == "Delft"
    with pytest.raises(Problem) as refused:
        team.hand_in(runs / "bad.run")
    assert [(error.line, "high" in error.detail) for error in refused.value.errors] == [(1, True)]
    first = team.hand_in(runs / "two.run", description="BM25")
    second = team.hand_in(runs / "one.run", replaces=first["id"])
    assert second["sha256"] == hashlib.sha256((runs / "one.run").read_bytes()).hexdigest()
    assert second["sha256"] in team.receipt(second["id"])
    third = team.hand_in(runs / "two.run", priority=2)
    assert team.change_run(third["id"], priority=1)["priority"] == 1
    assert [(row["run"], row["priority"]) for row in team.team_runs()] == [("one", 2), ("two", 1)]
    with pytest.raises(Problem, match="runs are admitted after the deadline"):
        organiser.admit(first=1)
    organiser.hand_in_rules(deadline=timezone.now().isoformat())
    for act in (lambda: team.withdraw_run(third["id"]), lambda: team.hand_in(runs / "one.run")):
        with pytest.raises(Problem) as refused:
            act()
        assert refused.value.code == "deadline_passed"
    assert [row["admitted_as"] for row in organiser.admit(first=1)] == ["two"]
    assert [row["state"] for row in organiser.admit([second["id"]], contributes=False)] == [
        "non-contributing"
    ]
    assert {row["run"]: row["state"] for row in organiser.submissions()} == {
        "two": "contributing",
        "one": "non-contributing",
    }
    assert [(row["team"], row["members"], row["runs"]) for row in organiser.teams()] == [
        ("Delft", ["Small-carl"], 2),
        ("Essen", ["Small-dora"], 0),
    ]
    recompute(rows.id)
    with pytest.raises(Problem) as refused:
        team.team_scores()
    assert refused.value.code == "scores_not_released"
    organiser.hand_in_rules(scores_released=True, leaderboard="participants")
    own = team.team_scores()
    assert [(run["run"], len(run["topics"])) for run in own["runs"]] == [("two", 2), ("one", 2)]
    theirs = {row.run: (row.base, row.top) for row in organiser.intervals()}
    assert all(theirs[run["run"]] == (run["base"], run["top"]) for run in own["runs"])
    board = team.leaderboard()
    assert {row["run"] for row in board["runs"]} == {"x", "y", "z", "one", "two"}


def test_the_commands(
    live_site: str,
    rows: Rows,
    runs: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tokens = {name: of(live_site, name).token for name in ("ada", "carl")}

    def run(who: str, *words: str) -> str:
        monkeypatch.setenv("ASSESS_TOKEN", tokens[who])
        assert main(["--url", live_site, *words]) == 0
        return capsys.readouterr().out

    receipt = run("carl", "hand-in", "small", str(runs / "one.run"), "--description", "BM25")
    assert hashlib.sha256((runs / "one.run").read_bytes()).hexdigest() in receipt
    id = run("carl", "team-runs", "small").split("\t")[0]
    assert run("carl", "receipt", "small", id) == receipt
    run("carl", "withdraw", "small", id)
    run("carl", "hand-in", "small", str(runs / "one.run"))
    assert "/join/#" in run("ada", "invite", "small", "--role", "participant", "--team", "Delft")
    organiser = of(live_site, "ada").campaign("small")
    organiser.hand_in_rules(deadline=(timezone.now() - timedelta(minutes=1)).isoformat())
    organiser.admit(first=1)
    recompute(rows.id)
    organiser.hand_in_rules(scores_released=True, leaderboard="public", anonymous=True)
    assert "one\tall\t0.0\t1.0\t1.0" in run("carl", "team-scores", "small")
    assert "-\tSystem 1\t" in run("carl", "leaderboard", "small")
    assert "None" not in run("carl", "leaderboard", "small")
