"""Runs that come late, propose nothing, or are withdrawn: what each changes, and what it must not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from campaigns.collection.run_changes import reinstate, set_contributes, set_group, withdraw
from campaigns.collection.runs import remove_run
from campaigns.computing.tasks import recompute
from campaigns.computing.worker import caught_up_copy
from campaigns.core.errors import Refusal
from campaigns.models import Campaign, Computed, Event, Interval, Priority, Run, Snapshot
from campaigns.models.packed import unpack_runs, unpack_weights
from campaigns.results.score_ranges import score_ranges_of
from campaigns.setup import campaigns as services
from campaigns.stopping.advice import stopping_advice_of
from campaigns.stopping.advice_computation import write_advice
from tests.campaigns.computing.test_fold import assert_right, judge_at_random
from tests.campaigns.factories import THREE_RUNS, Api, Lists, add_run, make_campaign

pytestmark = pytest.mark.django_db

FOUR_RUNS: Lists = {**THREE_RUNS, "w": {"1": ["v", "h", "a"], "2": ["q", "n", "k"]}}
METHODS = ["pooling", "A", "B", "C", "mtc", "mtf", "hedge", "maxmean"]


def queues(campaign: Campaign) -> list[tuple[list[str], list[float], int, int]]:
    docnos = dict(campaign.collection.documents.values_list("id", "docno"))
    rows = Priority.objects.filter(topic__campaign=campaign).order_by("topic__position")
    return [
        (
            [docnos[int(i)] for i in memoryview(row.documents).cast("i")],
            unpack_weights(row.weights).tolist(),
            row.remaining,
            row.pool_size,
        )
        for row in rows
    ]


def judge_some(campaign: Campaign) -> None:
    grace = Api(campaign, f"{campaign.name}-grace")
    for topic, docno, grade in (("1", "a", 2), ("1", "h", 0), ("2", "k", 1), ("1", "b", 1)):
        assert grace.judge(topic, docno, grade).status_code == 201


@pytest.mark.parametrize("method", METHODS)
def test_queues_are_as_if_a_withdrawn_run_had_never_come(method: str) -> None:
    one, other = make_campaign("With", FOUR_RUNS, method=method), make_campaign("Without", method=method)
    withdraw(run=one.runs.get(tag="w"))
    for campaign in (one, other):
        judge_some(campaign)
        recompute(campaign.id)
    assert queues(one) == queues(other)
    shown = [(row.run, row.base, row.residual) for row in score_ranges_of(campaign=one)]
    assert shown == [(row.run, row.base, row.residual) for row in score_ranges_of(campaign=other)]


def test_a_withdrawn_run_is_scored_on_and_comes_back_as_if_it_had_never_left() -> None:
    campaign = make_campaign("Small", FOUR_RUNS)
    judge_at_random(campaign, 12, seed=1)
    recompute(campaign.id)
    before = queues(campaign)
    withdraw(run=campaign.runs.get(tag="w"))
    recompute(campaign.id)
    judge_at_random(campaign, 12, seed=2)
    recompute(campaign.id)
    every = score_ranges_of(campaign=campaign, withdrawn=True)
    assert [(row.run, row.withdrawn) for row in every] == [
        ("x", False),
        ("y", False),
        ("z", False),
        ("w", True),
    ]
    reinstate(run=campaign.runs.get(tag="w"))
    recompute(campaign.id)
    campaign.refresh_from_db()
    assert_right(campaign, FOUR_RUNS)
    assert before != queues(campaign)


def test_a_withdrawn_run_is_in_no_picture_event_or_advice() -> None:
    campaign = make_campaign("Small", FOUR_RUNS)
    run = campaign.runs.get(tag="w")
    withdraw(run=run)
    judge_some(campaign)
    recompute(campaign.id)
    assert {row.run for row in score_ranges_of(campaign=campaign)} == set("xyz")
    event_data = Event.objects.filter(campaign=campaign, kind="intervals").latest("id").data
    assert run.id not in {row[0] for row in event_data["runs"]}
    live = caught_up_copy(campaign.id)
    assert live is not None
    write_advice(live)
    advice = stopping_advice_of(campaign=campaign)
    assert advice is not None
    assert {name for pair in advice.pairs for name in (pair.run, pair.other)} == set("xyz")


def test_whether_a_run_proposes_documents_can_change() -> None:
    campaign = make_campaign("Small", FOUR_RUNS)
    judge_some(campaign)
    recompute(campaign.id)
    run = campaign.runs.get(tag="w")
    set_contributes(run=run, contributes=False)
    recompute(campaign.id)
    assert all("v" not in served and "q" not in served for served, *_ in queues(campaign))
    [row] = [row for row in score_ranges_of(campaign=campaign) if row.run == "w"]
    assert not row.contributes
    set_contributes(run=run, contributes=True)
    recompute(campaign.id)
    campaign.refresh_from_db()
    assert_right(campaign, FOUR_RUNS)


def test_the_last_run_that_proposes_stays() -> None:
    campaign = make_campaign("Small", {"x": {"1": ["a", "b"]}})
    add_run(campaign, "late", {"1": ["c"]}, contributes=False)
    run = campaign.runs.get(tag="x")
    acts: list[Any] = [lambda: withdraw(run=run), lambda: set_contributes(run=run, contributes=False)]
    for act in acts:
        with pytest.raises(Refusal, match="last contributing run"):
            act()
    # The one that proposes nothing may go.
    withdraw(run=campaign.runs.get(tag="late"))


def test_a_run_that_mtc_compares_stays() -> None:
    campaign = make_campaign()
    services.change_settings(campaign=campaign, method="mtc", options={"first": 1, "second": 2})
    with pytest.raises(Refusal, match="is selected for comparison"):
        withdraw(run=campaign.runs.get(tag="y"))


def test_what_was_done_is_not_done_twice() -> None:
    campaign = make_campaign()
    run = campaign.runs.get(tag="x")
    with pytest.raises(Refusal, match="not withdrawn"):
        reinstate(run=run)
    withdraw(run=run)
    with pytest.raises(Refusal, match="withdrawn already"):
        withdraw(run=run)


def test_a_run_that_served_is_not_deleted_but_can_be_withdrawn() -> None:
    campaign = make_campaign()
    recompute(campaign.id)
    grace = Api(campaign, "Small-grace")
    served = grace.get("next/", topic="1").json()["document"]["docno"]
    grace.judge("1", served, 1)
    add_run(campaign, "late", {"1": ["a", "k"]})
    run = campaign.runs.get(tag="x")
    with pytest.raises(Refusal, match="withdraw it instead"):
        remove_run(run=run)
    withdraw(run=run)
    # Nothing was served since the late one came.
    remove_run(run=campaign.runs.get(tag="late"))
    assert set(campaign.runs.values_list("tag", flat=True)) == set("xyz")


def test_a_late_run_is_marked() -> None:
    campaign = make_campaign()
    judge_some(campaign)
    add_run(campaign, "late", {"1": ["a"]})
    assert [(row.run, row.late) for row in score_ranges_of(campaign=campaign)] == [
        ("x", False),
        ("y", False),
        ("z", False),
        ("late", True),
    ]


def test_the_group_can_be_named_later() -> None:
    run = make_campaign().runs.get(tag="x")
    set_group(run=run, group=" Athens ")
    assert Run.objects.get(id=run.id).group == "Athens"
    for wrong in ("a\nb", "g" * 201):
        with pytest.raises(Refusal):
            set_group(run=run, group=wrong)


def test_the_same_file_twice_is_recognised() -> None:
    campaign = make_campaign()
    ada = Api(campaign, "Small-ada")
    content = b"1 Q0 a 1 3 mine\n1 Q0 b 2 2 mine\n"
    assert ada.upload("runs/", content, "mine.run").status_code == 201
    again = ada.upload("runs/", content, "copy.run").json()
    assert "this very file is here already, as the run mine" in again["errors"][0]["detail"]
    other = ada.upload("runs/", content.replace(b"b", b"c"), "mine.run").json()
    assert "another run tagged mine already, uploaded as" in other["errors"][0]["detail"]
    assert "a tag of its own" in other["errors"][0]["detail"]
    withdraw(run=campaign.runs.get(tag="mine"))
    assert "brought back" in ada.upload("runs/", content, "mine.run").json()["errors"][0]["detail"]


def test_snapshots_are_of_the_present_runs_and_settings() -> None:
    campaign = make_campaign()
    recompute(campaign.id)
    for docno in "abcdef":
        Api(campaign, "Small-grace").judge("1", docno, 1)
        recompute(campaign.id)
    add_run(campaign, "late", {"1": ["f", "a"], "2": ["k"]})
    services.change_settings(campaign=Campaign.objects.get(id=campaign.id), p=0.5)
    recompute(campaign.id)
    rows = list(Snapshot.objects.filter(campaign=campaign).order_by("as_of"))
    assert [row.judged for row in rows] == [1, 2, 3, 4, 5, 6]
    late = campaign.runs.get(tag="late").id
    bases = [dict(zip(unpack_runs(row.runs), unpack_weights(row.bases), strict=True))[late] for row in rows]
    # At p = 0.5 the late run's second document weighs 1/4, its first 1/2; over two topics, at half gain.
    assert bases == [0.0625] * 5 + [0.1875]
    computed = Computed.objects.get(campaign=campaign)
    assert bytes(rows[-1].bases) == bytes(computed.bases)
    assert Interval.objects.get(run=late, topic__number="1").base == 0.375


def test_the_command_line_stores_only_what_a_bundle_brings(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    campaign = make_campaign()
    file = tmp_path / "a\nb"
    file.write_text("1 Q0 a 1 2.0 fresh\n")
    for group in ("x" * 201, "a\nb"):
        with pytest.raises(CommandError):
            call_command("import_runs", "small", str(file), group=group)
        assert "at most 200 printable characters" in capsys.readouterr().err
    assert not campaign.runs.filter(tag="fresh").exists()
    call_command("import_runs", "small", str(file), group=" Group ")
    run = campaign.runs.get(tag="fresh")
    assert (run.group, run.file_name) == ("Group", "a b")
