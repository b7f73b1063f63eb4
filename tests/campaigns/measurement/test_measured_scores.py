"""Scores by a campaign's measures are those of `evaluate` and `compare` on its exported files, to the last
bit."""

from __future__ import annotations

import html
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from campaigns.collection.run_changes import withdraw
from campaigns.computing import worker
from campaigns.computing.live import LiveCampaign
from campaigns.core.errors import Refusal
from campaigns.exchange.exports import EXPORTS
from campaigns.formats.grading import Grading, read_gains
from campaigns.formats.prels import read_prels
from campaigns.management.offline.files import read_files
from campaigns.management.offline.sampled_columns import COLUMNS
from campaigns.measurement import measure_computation
from campaigns.measurement.measure_computation import write_measured
from campaigns.measurement.measured_scores import (
    CALIBRATED,
    DIFFERENCE,
    HALF_WIDTH,
    PUBLISHED,
    TOPICS_HALF_WIDTH,
    Estimate,
    MeasuredCampaign,
    MeasureScores,
    measured_of,
)
from campaigns.measurement.measured_standings import Span, measured_standings
from campaigns.measurement.tasks import REST, measure
from campaigns.models import Campaign, Computed, Document, Measured
from campaigns.pages.sentences.measures import difference_figure
from campaigns.results.rested import rested_campaigns
from campaigns.scoring.statap_pairs import statap_pairs
from campaigns.setup.campaigns import change_settings
from evaluation.arrays import FloatArray
from tests.campaigns.exchange.test_prels import judge_all, load, wide_lists
from tests.campaigns.factories import Api, Lists, make_campaign, run_text, signed_in
from tests.campaigns.management.offline.command_files import run_json

pytestmark = pytest.mark.django_db

MEASURES = "AP nDCG@10 P@5 RR ERR@20 DCG@10 RBP(p=0.95) Judged@10"


def judged_campaign(lists: Lists, measures: str = MEASURES, **settings: Any) -> Campaign:
    """A third of what the first run ranks is judged, and a document that no run ranks."""
    campaign = make_campaign("Measured", lists, measures=measures, **settings)
    draw = np.random.default_rng(5)
    lines = [
        f"{topic} 0 {docno} {draw.integers(3)}\n"
        for topic, docnos in next(iter(lists.values())).items()
        for docno in docnos[::3]
    ]
    documents = [Document(collection=campaign.collection, docno="elsewhere")]
    Document.objects.bulk_create(documents)
    load(campaign, "".join([*lines, "1 0 elsewhere 2\n"]))
    return campaign


def measured(campaign: Campaign) -> MeasuredCampaign:
    write_measured(campaign)
    return measured_of(campaign=campaign)


def exported(campaign: Campaign, lists: Lists, folder: Path) -> list[Any]:
    """The campaign's files, as arguments of a command."""
    (folder / "runs").mkdir()
    for tag, by_topic in lists.items():
        (folder / "runs" / tag).write_bytes(run_text(tag, by_topic))
    for name in ("qrels", "gains", "prels"):
        (folder / name).write_text("".join(EXPORTS[name].lines(campaign, "")))
    return [
        "--runs",
        folder / "runs",
        *(part for name in ("qrels", "gains") for part in (f"--{name}", folder / name)),
    ]


def by_run(found: MeasuredCampaign, campaign: Campaign, column: Any) -> dict[str, float | None]:
    tags = dict(campaign.runs.values_list("id", "tag"))
    return {tags[run]: value for run, value in zip(found.runs, column, strict=True)}


def rows_of(result: Mapping[str, Any], measure: str, column: str) -> dict[str, float | None]:
    return {row["run"]: row[column] for row in result["scores"] if row["measure"] == measure}


@pytest.mark.parametrize("relevant_from", [None, 2])
def test_scores_are_those_of_the_command(tmp_path: Path, relevant_from: int | None) -> None:
    lists = wide_lists(topics=4, runs=5, documents=40)
    campaign = judged_campaign(lists, relevant_from=relevant_from)
    found = measured(campaign)
    assert [one.name for one in found.content.measures] == MEASURES.split()
    files = exported(campaign, lists, tmp_path)
    for one in found.content.measures:
        result = run_json("evaluate", *files, "--measure", one.computed)
        assert by_run(found, campaign, one.score) == rows_of(result, one.computed, "score")
        if one.has_bounds:
            assert by_run(found, campaign, one.base) == rows_of(result, one.computed, "base")
            assert by_run(found, campaign, one.top) == rows_of(result, one.computed, "top")
        else:
            assert set(rows_of(result, one.computed, "base").values()) == {None}
    bounded = {one.name for one in found.content.measures if one.has_bounds}
    assert bounded == {"P@5", "DCG@10", "RBP(p=0.95)"}


def test_expected_ap_and_its_confidences_are_those_of_the_commands(tmp_path: Path) -> None:
    lists = wide_lists(topics=4, runs=5, documents=40)
    campaign = judged_campaign(lists, method="mtc")
    found = measured(campaign)
    primary = found.primary
    assert primary is not None
    assert primary.name == "AP"
    estimate = primary.estimate("expected")
    assert estimate is not None
    assert primary.estimate("sampled") is None
    files = exported(campaign, lists, tmp_path)
    result = run_json("evaluate", *files, "--measure", "EAP(calibrated)")
    assert by_run(found, campaign, estimate.score) == rows_of(result, "EAP(calibrated)", "score")
    compared = run_json("compare", *files, "--measure", "EAP(calibrated)", "--top-share", "1")
    place = {tag: found.place[id] for id, tag in campaign.runs.values_list("id", "tag")}
    calibrated, published = (found.matrix(primary, estimate, name) for name in (CALIBRATED, PUBLISHED))
    assert len(compared["comparisons"]) == 10
    for pair in compared["comparisons"]:
        at = place[pair["better"]], place[pair["worse"]]
        assert calibrated[at] == pytest.approx(pair["confidence"], abs=1e-12)
        assert published[at] == pytest.approx(pair["published_confidence"], abs=1e-12)
    # The calibrated one is a lower bound, both ways.
    assert (calibrated + calibrated.T <= 1 + 1e-12).all()
    assert np.allclose(published + published.T, 1)


def test_a_statap_sample_estimates_what_it_can(tmp_path: Path) -> None:
    lists = wide_lists(topics=4, runs=5, documents=40)
    measures, options = "AP P@5 Rprec nDCG@10 RR", {"size": 12}
    campaign = make_campaign("Measured", lists, measures=measures, method="statap", options=options)
    worker.bring_up_to_date(LiveCampaign.from_rows(campaign))
    judge_all(campaign, np.random.default_rng(5))
    found = measured(campaign)
    files = exported(campaign, lists, tmp_path)
    files += ["--prels", tmp_path / "prels"]
    names = {"AP": "statAP", "P@5": "statPC@5", "Rprec": "statRprec", "nDCG@10": "statNDCG@10"}
    for one in found.content.measures:
        estimate = one.estimate("sampled")
        assert (estimate and estimate.by) == names.get(one.name)
        if estimate is None:
            continue
        result = run_json("evaluate", *files, "--measure", estimate.by)
        assert by_run(found, campaign, estimate.score) == rows_of(result, estimate.by, "score")
        if one.name == "AP":
            for end in ("low", "high"):
                assert by_run(found, campaign, getattr(estimate, end)) == rows_of(result, "statAP", end)


def test_a_statap_sample_states_intervals_of_pairs(tmp_path: Path) -> None:
    lists = wide_lists(topics=9, runs=4, documents=30)
    options = {"size": 8}
    campaign = make_campaign("Measured", lists, measures="AP P@5", method="statap", options=options)
    worker.bring_up_to_date(LiveCampaign.from_rows(campaign))
    judge_all(campaign, np.random.default_rng(5))
    found = measured(campaign)
    precision, share = found.content.measures
    estimate, other = precision.estimate("sampled"), share.estimate("sampled")
    assert estimate is not None
    assert other is not None
    assert (estimate.pairs, estimate.early, other.pairs) == ((DIFFERENCE, HALF_WIDTH), "", ())
    difference, half = (found.matrix(precision, estimate, name) for name in estimate.pairs)
    scores = np.array(estimate.score, dtype=np.float64)
    assert (difference == scores[:, None] - scores).all()
    upper = np.triu_indices(4, 1)
    assert (half[upper] > 0).all()
    # The exported files give the same widths, whatever their order of lines.
    exported(campaign, lists, tmp_path)
    grading = Grading(read_gains(tmp_path / "gains"))
    files = read_files(sorted((tmp_path / "runs").iterdir()), tmp_path / "qrels", grading)
    drawn = files.with_samples(read_prels(tmp_path / "prels", grading))
    theirs, early = statap_pairs(drawn, grading)
    assert early is None
    tags = dict(campaign.runs.values_list("id", "tag"))
    places = [files.runs.index(tags[run]) for run in found.runs]
    assert theirs is not None
    assert half == pytest.approx(theirs[np.ix_(places, places)], abs=1e-12)
    check_shown_pair(campaign, found, half)


def check_shown_pair(campaign: Campaign, found: MeasuredCampaign, half: FloatArray) -> None:
    """Page and API have the interval of the difference of the first two runs."""
    one, other = found.runs[:2]
    pair = measured_standings(campaign=campaign, measured=found)
    rows = pair.row(one), pair.row(other)
    assert rows[0] is not None
    assert rows[1] is not None
    interval = pair.pair(rows[0], rows[1]).interval
    assert interval is not None
    assert (interval.high - interval.low) / 2 == pytest.approx(half[0, 1])
    tags = dict(campaign.runs.values_list("id", "tag"))
    asked = f"one={one}&other={other}&measure=AP"
    page = signed_in("Measured-ada").get(f"/campaigns/measured/pair/?{asked}")
    ahead = interval if (rows[0].score or 0) >= (rows[1].score or 0) else Span(-interval.high, -interval.low)
    assert difference_figure(ahead) in html.unescape(page.content.decode())
    query = {"measure": "AP", "run": [tags[one], tags[other]]}
    (said,) = Api(campaign, "Measured-ada").get("measures/pairs/", **query).json()["results"]
    values = next(each["values"] for each in said["estimates"] if each["kind"] == "sampled")
    assert values["half_width"] == half[0, 1]
    assert set(values) == {"difference", "half_width"}


@pytest.mark.parametrize(
    ("topics", "method", "early"), [(4, "statap", "topics"), (9, "mtc+statap", "")], ids=str
)
def test_a_statap_sample_states_no_intervals_of_pairs(topics: int, method: str, early: str) -> None:
    """Of too few topics there is none yet; beside certain documents there never is."""
    lists = wide_lists(topics=topics, runs=3, documents=30)
    options = {"size": 8}
    campaign = make_campaign("Measured", lists, measures="AP", method=method, options=options)
    live = LiveCampaign.from_rows(campaign)
    worker.bring_up_to_date(live)
    judge_all(campaign, np.random.default_rng(5), most=6, live=live)
    primary = measured(campaign).primary
    assert primary is not None
    estimate = primary.estimate("sampled")
    assert estimate is not None
    assert (estimate.pairs, estimate.early) == ((), early)


def test_a_random_sample_estimates_as_the_command_does(tmp_path: Path) -> None:
    lists = wide_lists(topics=16, runs=4, documents=40)
    options = {"size": 5}
    measures = "nDCG@20 AP P@5 RBP(p=0.8) RR"
    campaign = make_campaign("Measured", lists, measures=measures, method="sample", options=options)
    worker.bring_up_to_date(LiveCampaign.from_rows(campaign))
    judge_all(campaign, np.random.default_rng(5), most=5)
    found = measured(campaign)
    files = [*exported(campaign, lists, tmp_path), "--prels", tmp_path / "prels"]
    columns = dict(zip(("score", "low", "high", "topics_low", "topics_high"), COLUMNS, strict=True))
    for one in found.content.measures:
        estimate = one.estimate("sampled")
        assert (estimate is None) == (one.name == "RR")
        if estimate is None:
            continue
        result = run_json("evaluate", *files, "--measure", one.computed)
        for name, column in columns.items():
            assert by_run(found, campaign, getattr(estimate, name)) == rows_of(result, one.computed, column)
        # A sample for RBP at 0.8 hardly draws what nDCG weighs down to rank 20.
        early = "depth" if one.name.startswith("nDCG") else ""
        assert (estimate.by, estimate.topics, estimate.early) == ("sample", 16, early)
        assert estimate.approximate == one.name.startswith("nDCG")
        assert (estimate.low[0] is None) == (one.name in ("AP", "nDCG@20"))
        if estimate.pairs:
            check_pairs(found, one, estimate)
    planner = "/campaigns/measured/planner/"
    assert "±" not in signed_in("Measured-ada").get(planner).content.decode()
    change_settings(campaign=campaign, measures="P@5")
    campaign.refresh_from_db()
    (_, _, these, like_these), *_ = (measured(campaign).content.measures[0].estimates[0]).planned
    page = signed_in("Measured-ada").get(planner).content.decode()
    assert f"±{these:.3f}<br>" in page
    assert f"±{like_these:.3f}</span>" in page


def check_pairs(found: MeasuredCampaign, one: MeasureScores, estimate: Estimate) -> None:
    difference, half, topics_half = (
        found.matrix(one, estimate, name) for name in (DIFFERENCE, HALF_WIDTH, TOPICS_HALF_WIDTH)
    )
    assert (difference == -difference.T).all()
    assert np.allclose(half, half.T, atol=1e-12)
    assert not half.diagonal().any()
    assert np.isfinite(topics_half).all()
    upper = np.triu_indices(len(half), 1)
    assert (topics_half[upper] > 0).all()
    check_plan(estimate, float(np.median(half[upper])))


def check_plan(estimate: Estimate, present: float) -> None:
    """With the topics and judgments that there are, the plan states the present width."""
    widths = {(topics, judgments): rest for topics, judgments, *rest in estimate.planned}
    assert (not widths) == estimate.approximate
    if not widths:
        return
    assert widths[16, 5][0] == pytest.approx(present, rel=0.1)
    assert {topics for topics, _ in widths} == {16, 30, 50, 100, 200}
    for (topics, judgments), (these, like_these) in widths.items():
        assert like_these >= these >= 0
        if (topics, judgments + 5) in widths:
            assert widths[topics, judgments + 5][0] <= these
        assert widths[200, judgments][1] <= like_these


def test_a_sample_is_too_early_for_intervals() -> None:
    lists = wide_lists(topics=4, runs=3, documents=30)
    options = {"size": 5}
    campaign = make_campaign("Measured", lists, measures="P@5", method="sample", options=options)
    worker.bring_up_to_date(LiveCampaign.from_rows(campaign))
    judge_all(campaign, np.random.default_rng(5), most=4)
    primary = measured(campaign).primary
    assert primary is not None
    estimate = primary.estimate("sampled")
    assert estimate is not None
    assert (estimate.early, estimate.early_count, estimate.early_needed) == ("topics", 4, 8)
    assert (set(estimate.low), estimate.pairs) == ({None}, ())


def test_only_runs_that_take_part_are_measured() -> None:
    lists = wide_lists(topics=2, runs=3, documents=20)
    campaign = judged_campaign(lists)
    run = campaign.runs.first()
    assert run is not None
    withdraw(run=run)
    found = measured(campaign)
    assert found.runs == tuple(campaign.runs.exclude(id=run.id).values_list("id", flat=True))


def test_nothing_is_measured_without_judgments_or_of_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    campaign = make_campaign("Measured", wide_lists(topics=2, runs=3, documents=20), measures="AP")
    assert measured_of(campaign=campaign).content.reason == "computing"
    assert measured(campaign).content.reason == "empty"
    monkeypatch.setattr(measure_computation, "MOST_RANKED", 10)
    assert measured(campaign).content.reason == "too_large"


def test_measures_are_stored_by_their_usual_names_and_refused_by_name() -> None:
    campaign = make_campaign("Measured", wide_lists(topics=1, runs=2, documents=5))
    assert (campaign.measure, campaign.measure_names) == ("RBP(p=0.8)", ["RBP(p=0.8)"])
    change_settings(campaign=campaign, measures="  ndcg_cut_10 map; P_5  AP ")
    campaign.refresh_from_db()
    assert campaign.measures == "nDCG@10 AP P@5"
    assert campaign.measure == "nDCG@10"
    for wrong in ("nDGC@10", "statAP", "alpha_nDCG@10", "infNDCG", " ".join(f"P@{k}" for k in range(1, 10))):
        with pytest.raises(Refusal) as refused:
            change_settings(campaign=campaign, measures=wrong)
        assert (refused.value.code, refused.value.field) == ("bad_measures", "measures")


def test_the_worker_measures_what_is_behind() -> None:
    campaign = judged_campaign(wide_lists(topics=2, runs=3, documents=20))
    worker.bring_up_to_date(LiveCampaign.from_rows(campaign))
    assert rested_campaigns("measured", REST) == [campaign.id]
    measure(campaign.id)
    row = Measured.objects.get(campaign=campaign)
    assert row.as_of == Computed.objects.get(campaign=campaign).applied > 0
    assert rested_campaigns("measured", REST) == []
    change_settings(campaign=campaign, measures="P@5")
    campaign.refresh_from_db()
    assert measured_of(campaign=campaign).content.reason == "computing"
    measure(campaign.id)
    assert [one.name for one in measured_of(campaign=campaign).content.measures] == ["P@5"]
    Campaign.objects.filter(id=campaign.id).update(archived_at="2026-01-01T00:00Z")
    Measured.objects.all().delete()
    measure(campaign.id)
    assert not Measured.objects.exists()


def test_matrices_are_read_back_by_name() -> None:
    campaign = judged_campaign(wide_lists(topics=2, runs=4, documents=20), "AP nDCG@10")
    found = measured(campaign)
    names = found.content.matrices
    assert names == (
        "AP EAP(calibrated) calibrated",
        "AP EAP(calibrated) published",
        "AP EAP(calibrated) proved",
    )
    assert all(one < other for one, other in pairwise(found.runs))
