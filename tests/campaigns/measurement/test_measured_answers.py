"""API, export and the commands on exported files return the same scores by a campaign's measures."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from campaigns.computing import worker
from campaigns.computing.live import LiveCampaign
from campaigns.exchange.exports import EXPORTS
from campaigns.formats.tables import FileFormat
from campaigns.measurement.measure_computation import write_measured
from campaigns.models import Campaign, Event
from tests.campaigns.exchange.test_prels import judge_all, wide_lists
from tests.campaigns.factories import Api, make_campaign
from tests.campaigns.management.offline.command_files import run_json
from tests.campaigns.measurement.test_measured_scores import exported, judged_campaign, rows_of

pytestmark = pytest.mark.django_db

LISTS = wide_lists(topics=4, runs=5, documents=40)


def answer(campaign: Campaign, path: str = "measures/", **query: Any) -> Any:
    reply = Api(campaign, f"{campaign.name}-ada").get(path, **query)
    assert reply.status_code == 200, reply.content
    return reply.json()


def export_rows(campaign: Campaign) -> list[dict[str, Any]]:
    lines = b"".join(EXPORTS["measures"].pieces(campaign, "", FileFormat.JSON_LINES)).decode()
    return [json.loads(line) for line in lines.splitlines()]


def look_alike(campaign: Campaign) -> None:
    """Each value of the API stands in the export, and no other."""
    rows = {(row["run"], row["measure"], row["statement"]): row for row in export_rows(campaign)}
    said = answer(campaign)
    for measure in said["measures"]:
        about = {one["kind"]: one for one in measure["estimates"]}
        for run in measure["runs"]:
            place = run["run"], measure["measure"]
            plain = rows.pop((*place, "score"))
            assert (plain["score"], plain["topics"]) == (run["score"], measure["topics"])
            if run["base"] is not None:
                certain = rows.pop((*place, "certain"))
                assert (certain["low"], certain["high"]) == (run["base"], run["top"])
            for one in run["estimates"]:
                row = rows.pop((*place, one["kind"]))
                assert {name: row[name] for name in one if name != "kind"} | {"kind": row["statement"]} == one
                assert {row[name] == about[one["kind"]][name] for name in ("by", "topics", "early")} == {True}
            assert {row["as_of"] for row in (plain,)} == {said["as_of"]}
    assert not rows


def test_answer_and_export_are_what_evaluate_and_compare_find(tmp_path: Path) -> None:
    campaign = judged_campaign(LISTS, "AP nDCG@10 P@5", method="mtc")
    write_measured(campaign)
    look_alike(campaign)
    said = answer(campaign)
    assert (said["primary"], said["reason"], said["as_of"] > 0) == ("AP", "", True)
    files = exported(campaign, LISTS, tmp_path)
    for measure in said["measures"]:
        found = run_json("evaluate", *files, "--measure", measure["computed"])
        for name in ("score", "base", "top"):
            values = {run["run"]: run[name] for run in measure["runs"]}
            assert values == rows_of(found, measure["computed"], name)
    expected = {run["run"]: run["estimates"][0]["score"] for run in said["measures"][0]["runs"]}
    found = run_json("evaluate", *files, "--measure", "EAP(calibrated)")
    assert expected == rows_of(found, "EAP(calibrated)", "score")
    assert list(expected) == sorted(expected, key=lambda run: -(expected[run] or 0))
    compared = run_json("compare", *files, "--measure", "EAP(calibrated)", "--top-share", "1")["comparisons"]
    pairs = answer(campaign, "measures/pairs/")["results"]
    values = {}
    for pair in pairs:
        (estimate,) = pair["estimates"]
        values[pair["run"], pair["other"]] = estimate["values"]
        values[pair["other"], pair["run"]] = estimate["reverse"]
    assert (len(values), len(compared)) == (20, 10)
    for pair in compared:
        place = pair["better"], pair["worse"]
        for name, theirs in (("calibrated", "confidence"), ("published", "published_confidence")):
            assert values[place][name] == pytest.approx(pair[theirs], abs=1e-12)


def test_a_samples_estimates_have_intervals() -> None:
    options = {"size": 12}
    campaign = make_campaign("Measured", LISTS, measures="AP P@5 RR", method="statap", options=options)
    worker.bring_up_to_date(LiveCampaign.from_rows(campaign))
    judge_all(campaign, np.random.default_rng(5))
    write_measured(campaign)
    look_alike(campaign)
    precision, share, rank = answer(campaign)["measures"]
    assert [one["kind"] for one in precision["estimates"]] == ["sampled", "expected"]
    assert [one["by"] for one in share["estimates"]] == ["statPC@5"]
    assert rank["estimates"] == []
    for run in precision["runs"]:
        sampled, expected = run["estimates"]
        assert sampled["low"] < sampled["score"] < sampled["high"]
        assert {expected[name] for name in ("low", "high", "topics_low", "topics_high")} == {None}
        assert (run["base"], run["top"]) == (None, None)


def test_one_measure_and_pages_of_its_pairs() -> None:
    campaign = judged_campaign(LISTS, "nDCG@10 AP")
    write_measured(campaign)
    assert [one["measure"] for one in answer(campaign, measure="AP")["measures"]] == ["AP"]
    assert answer(campaign, "measures/pairs/")["results"] == []
    every = answer(campaign, "measures/pairs/", measure="AP")["results"]
    page = answer(campaign, "measures/pairs/", measure="AP", limit=4)
    assert page["results"] == every[:4]
    assert page["next"]
    of_one = answer(campaign, "measures/pairs/", measure="AP", run="run1")["results"]
    assert of_one == [pair for pair in every if "run1" in (pair["run"], pair["other"])]
    between = answer(campaign, "measures/pairs/", measure="AP", run=["run1", "run2"])["results"]
    assert [{pair["run"], pair["other"]} for pair in between] == [{"run1", "run2"}]


def test_an_event_says_that_scores_are_new() -> None:
    campaign = judged_campaign(LISTS, "nDCG@10 AP")
    write_measured(campaign)
    event = Event.objects.filter(campaign=campaign).latest("id")
    said = answer(campaign)
    assert (event.kind, event.data) == (
        "measured",
        {"measure": "nDCG@10", "as_of": said["as_of"], "reason": ""},
    )


def test_nothing_is_measured_yet() -> None:
    campaign = make_campaign("Measured", LISTS, measures="AP")
    said = answer(campaign)
    assert (said["as_of"], said["reason"], said["measures"]) == (0, "computing", [])
    assert answer(campaign, "measures/pairs/")["reason"] == "computing"
    assert export_rows(campaign) == []


def test_wrong_requests_are_refused() -> None:
    campaign = judged_campaign(LISTS, "nDCG@10 AP")
    make_campaign("Other")
    for path in ("measures/", "measures/pairs/", "exports/measures/"):
        assert Api(campaign, "Measured-grace").get(path).status_code == 403
        assert Api(campaign, "Other-ada").get(path).status_code == 404
        assert Api(campaign, "Measured-ada").post(path, {}).status_code == 405
        assert Api(campaign, "Measured-ada").get(path, topic="1").status_code == 400
    for path in ("measures/", "measures/pairs/"):
        wrong = Api(campaign, "Measured-ada").get(path, measure="nDCG@20").json()
        assert (wrong["code"], wrong["errors"][0]["field"]) == ("unknown_measure", "measure")
        assert "nDCG@10, AP" in wrong["detail"]
