"""Tables and qrels: what is written is what the rows say, and our own readers take it."""

from __future__ import annotations

import csv
import io
import json
import sys
from pathlib import Path

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from campaigns.collection.topics import set_method
from campaigns.computing.tasks import recompute
from campaigns.log.current import current_qrels
from campaigns.log.judgments import LOG_COLUMNS
from campaigns.models import Campaign, Deed, Interval, Judgment
from campaigns.people import members
from campaigns.results.score_ranges import score_ranges_of
from evaluation.measures.incomplete_judgments import inferred_ap
from tests.campaigns.factories import THREE_RUNS, Api, make_campaign, make_user, run_text, signed_in
from tests.campaigns.management.offline.command_files import run_json

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign("Small")


def written(campaign: Campaign, **options: object) -> str:
    out = io.StringIO()
    call_command("export_qrels", campaign.slug, stdout=out, **options)
    return out.getvalue()


def judged(campaign: Campaign) -> None:
    grace, alan = (Api(campaign, f"{campaign.name}-{name}") for name in ("grace", "alan"))
    grace.judge("1", "a", 2)
    grace.judge("1", "b", 1)
    grace.judge("1", "b", undo=True)
    alan.judge("1", "h", reason="other")
    alan.judge("2", "k", 0)


def test_the_log_is_the_same_as_csv_and_as_json_lines(campaign: Campaign) -> None:
    judged(campaign)
    log = [json.loads(line) for line in written(campaign, what="judgments").splitlines()]
    table = list(csv.DictReader(io.StringIO(written(campaign, what="judgments", csv=True), newline="")))
    assert [list(row) for row in (*log, *table)] == [list(LOG_COLUMNS)] * 10
    said = {None: "", True: "true", False: "false"}
    as_text = [
        {name: said[v] if v is None or v is True or v is False else str(v) for name, v in row.items()}
        for row in log
    ]
    assert as_text == table
    rows = Judgment.objects.filter(campaign=campaign).order_by("sequence").select_related("document")
    assert [row["docno"] for row in log] == [row.document.docno for row in rows] == ["a", "b", "b", "h", "k"]
    assert [row["grade"] for row in log] == [2, 1, None, None, 0]
    assert log[2]["supersedes"] == log[1]["id"]
    assert log[3]["assessor"] == "Small-alan"
    assert log[3]["reason"] == rows[3].reason


def test_scores_are_the_intervals_to_the_last_bit(campaign: Campaign) -> None:
    judged(campaign)
    recompute(campaign.id)
    table = list(csv.DictReader(io.StringIO(written(campaign, what="scores"))))
    assert [(row["run"], row["topic"]) for row in table] == [
        (run, topic) for run in ("x", "y", "z") for topic in ("1", "2", "all")
    ]
    means = {row.run: row for row in score_ranges_of(campaign=campaign)}
    for row in table:
        found = [float(row[name]) for name in ("base", "residual", "top", "projected")]
        if row["topic"] == "all":
            mean = means[row["run"]]
            assert found == [mean.base, mean.residual, mean.top, mean.projected]
        else:
            cell = Interval.objects.get(run__tag=row["run"], topic__number=row["topic"])
            assert found[:3] == [cell.base, cell.residual, cell.base + cell.residual]
        assert (row["measure"], row["as_of"]) == ("RBP(p=0.8)", "5")


@pytest.mark.parametrize("gains", [(0.0, 0.5, 1.0), (0.1, 1 / 3, 0.7)])
def test_evaluate_finds_the_sites_own_scores_in_its_exports(tmp_path: Path, gains: tuple[float, ...]) -> None:
    scale = [
        {"grade": grade, "label": f"grade {grade}", "gain": gain, "key": str(grade)}
        for grade, gain in enumerate(gains)
    ]
    campaign = make_campaign("Scale", grades=scale)
    grace = Api(campaign, "Scale-grace")
    judgments = [("1", "a", 2), ("1", "b", 1), ("1", "c", 0), ("2", "k", 1), ("2", "m", 2)]
    for topic, docno, grade in judgments:
        assert grace.judge(topic, docno, grade).status_code == 201
    junk = tmp_path / "junk"
    junk.write_text("1 0 d -2\n")
    call_command("import_qrels", campaign.slug, str(junk), stdout=io.StringIO())
    recompute(campaign.id)
    for what in ("qrels", "gains"):
        (tmp_path / what).write_text(written(campaign, what=what))
    for tag, lists in THREE_RUNS.items():
        (tmp_path / f"{tag}.run").write_bytes(run_text(tag, lists))
    runs = [tmp_path / f"{tag}.run" for tag in THREE_RUNS]
    asked = ["--runs", *runs, "--qrels", tmp_path / "qrels", "--gains", tmp_path / "gains"]
    found = run_json("evaluate", *asked, "--per-topic")
    means = {row["run"]: [row[name] for name in ("base", "residual", "projected")] for row in found["means"]}
    live = {row.run: [row.base, row.residual, row.projected] for row in score_ranges_of(campaign=campaign)}
    assert means == live
    cells = {(row["run"], row["topic"]): (row["base"], row["residual"]) for row in found["scores"]}
    kept = Interval.objects.filter(run__campaign=campaign)
    assert {(one.run.tag, one.topic.number): (one.base, one.residual) for one in kept} == cells
    assert max(base for base, _ in cells.values()) > 0
    # Without the file, grades 1 and 2 are worth the same.
    assert run_json("evaluate", *asked[:-2])["scores"] != found["means"]


def test_gains_are_the_same_by_command_and_api(campaign: Campaign) -> None:
    organiser = Api(campaign, "Small-ada")
    assert written(campaign, what="gains") == "-2 0.0\n0 0.0\n1 0.5\n2 1.0\n"
    response = organiser.get("exports/gains/")
    assert b"".join(response).decode() == written(campaign, what="gains")
    assert "Small.gains.txt".lower() in response["Content-Disposition"].lower()
    assert Api(campaign, "Small-grace").get("exports/gains/").status_code in (403, 404)


def test_before_the_first_computation_every_score_is_open(campaign: Campaign) -> None:
    rows = list(csv.DictReader(io.StringIO(written(campaign, what="scores"))))
    assert {(row["base"], row["residual"], row["top"]) for row in rows} == {("0.0", "1.0", "1.0")}


def sampled(tmp_path: Path, **options: object) -> tuple[Campaign, dict[str, float]]:
    """A campaign in random order of which some is judged, and infAP by our evaluate on what it exports."""
    campaign = make_campaign("Drawn", method="random", options=options)
    grace = Api(campaign, "Drawn-grace")
    for topic, docno, grade in (("1", "a", 2), ("1", "i", 0), ("1", "g", 1), ("2", "l", 0), ("2", "m", 1)):
        assert grace.judge(topic, docno, grade).status_code == 201
    qrels = tmp_path / "pooled.txt"
    qrels.write_text(written(campaign, pooled=True))
    for tag, lists in THREE_RUNS.items():
        (tmp_path / f"{tag}.run").write_bytes(run_text(tag, lists))
    runs = [str(tmp_path / f"{tag}.run") for tag in THREE_RUNS]
    found = run_json("evaluate", "--runs", *runs, "--qrels", str(qrels), "--measure", "infAP", "--per-topic")
    return campaign, {f"{row['run']} {row['topic']}": row["score"] for row in found["scores"]}


@pytest.mark.parametrize("depth", [None, 3])
def test_inf_ap_of_the_pooled_qrels_is_the_kernels(tmp_path: Path, depth: int | None) -> None:
    campaign, scores = sampled(tmp_path, depth=depth)
    grades = {(topic, docno): grade for topic, docno, grade in current_qrels(campaign=campaign)}
    for tag, lists in THREE_RUNS.items():
        for topic in ("1", "2"):
            ranking = lists.get(topic, [])
            judged = {docno: grade for (of, docno), grade in grades.items() if of == topic}
            drawn_from = {docno for run in THREE_RUNS.values() for docno in run.get(topic, [])[:depth]}
            gains = np.array([float(judged[docno] > 0) if docno in judged else np.nan for docno in ranking])
            pooled = np.array([docno in drawn_from | judged.keys() for docno in ranking], dtype=bool)
            relevant = sum(grade > 0 for grade in judged.values())
            expected = float(inferred_ap(gains, pooled, relevant)) if ranking else 0.0
            assert scores[f"{tag} {topic}"] == pytest.approx(expected, abs=1e-12)


def test_pooled_lines_are_what_nobody_judged_and_only_of_random_topics(campaign: Campaign) -> None:
    judged(campaign)
    assert written(campaign, pooled=True) == written(campaign)
    topic = campaign.topics.get(number="2")
    set_method(campaign=campaign, topics=[topic], method="random")
    assert written(campaign, pooled=True) == written(campaign) + "2 0 l -1\n2 0 m -1\n2 0 n -1\n"
    api = Api(campaign, "Small-ada")
    assert b"".join(api.get("qrels/", pooled="true")).decode() == written(campaign, pooled=True)
    assert b"".join(api.get("qrels/", pooled="false")).decode() == written(campaign)
    wrong = api.get("qrels/", pooled="perhaps")
    assert wrong.status_code == 400
    assert wrong.json()["errors"][0]["field"] == "pooled"


@pytest.mark.parametrize(
    ("what", "kind", "ending", "options"),
    [
        ("qrels", "text/plain", "adjudicated.qrels.txt", {}),
        ("qrels-pooled", "text/plain", "adjudicated.pooled.qrels.txt", {"pooled": True}),
        ("prels", "text/plain", "adjudicated.prels.txt", {"what": "prels"}),
        ("judgments-csv", "text/csv", "judgments.csv", {"what": "judgments", "csv": True}),
        ("judgments-jsonl", "application/x-ndjson", "judgments.jsonl", {"what": "judgments"}),
        ("scores-csv", "text/csv", "scores.csv", {"what": "scores"}),
    ],
)
def test_page_api_and_command_give_the_same(
    campaign: Campaign, what: str, kind: str, ending: str, options: dict[str, object]
) -> None:
    judged(campaign)
    path = f"/campaigns/small/exports/{what}/"
    reply = signed_in("Small-ada").get(path)
    assert reply.headers["Content-Type"] == f"{kind}; charset=utf-8"
    assert f'filename="small.{ending}"' in reply.headers["Content-Disposition"]
    assert b"".join(reply).decode() == written(campaign, **options)
    over_api = Api(campaign, "Small-ada").get(f"exports/{what}/")
    assert b"".join(over_api).decode() == written(campaign, **options)
    for name in ("Content-Type", "Content-Disposition"):
        assert over_api.headers[name] == reply.headers[name]
    assert signed_in("Small-ada").post(path).status_code == 405
    assert signed_in("Small-grace").get(path).status_code == 403
    make_user("stranger")
    assert signed_in("stranger").get(path).status_code == 404
    members.add_member(campaign=campaign, username="stranger", role="organiser")
    assert signed_in("stranger").get(path).status_code == 200


def test_an_export_that_is_not_there(campaign: Campaign) -> None:
    assert signed_in("Small-ada").get("/campaigns/small/exports/passwords/").status_code == 404
    ada, grace = Api(campaign, "Small-ada"), Api(campaign, "Small-grace")
    assert ada.get("exports/passwords/").status_code == 404
    assert grace.get("exports/qrels/").status_code == 403
    assert ada.post("exports/qrels/").status_code == 405
    wrong = ada.get("exports/qrels/", policy="loudest")
    assert (wrong.status_code, wrong.json()["errors"][0]["field"]) == (400, "policy")
    for name in ("scores-csv", "judgments-csv", "judgments-jsonl"):
        useless = ada.get(f"exports/{name}/", policy="latest")
        assert (useless.status_code, useless.json()["code"]) == (400, "no_policy"), name


@pytest.mark.parametrize(
    "options",
    [
        {"what": "qrels", "csv": True},
        {"what": "prels", "pooled": True},
        {"what": "judgments", "policy": "mean"},
        {"what": "bundle", "policy": "mean"},
    ],
)
def test_options_that_do_not_go_together(campaign: Campaign, options: dict[str, object]) -> None:
    with pytest.raises(CommandError, match="goes with") as refused:
        written(campaign, **options)
    assert refused.value.returncode == 2


def test_the_page_says_how_long_each_file_is_and_who_fetched_it_last(campaign: Campaign) -> None:
    judged(campaign)
    ada = signed_in("Small-ada")
    page = ada.get("/campaigns/small/exports/").content.decode()
    assert page.count("not fetched yet") == 10
    assert "2 lines · not fetched yet" in page
    assert "5 lines · not fetched yet" in page
    assert ada.get("/campaigns/small/exports/qrels/").getvalue()
    assert ada.get("/campaigns/small/exports/bundle/?pseudonyms=on").getvalue()
    page = ada.get("/campaigns/small/exports/").content.decode()
    assert page.count("by Small-ada") == 2
    assert page.count("not fetched yet") == 8


@pytest.mark.parametrize("what", ["qrels", "bundle"])
def test_a_full_disk_is_said_and_nothing_is_noted_as_exported(
    campaign: Campaign, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    judged(campaign)
    with Path("/dev/full").open("w") as full:
        monkeypatch.setattr(sys, "stdout", full)
        with pytest.raises(CommandError, match="not whole: no space left on device"):
            call_command("export_qrels", campaign.slug, what=what)
    assert not Deed.objects.filter(kind="exported").exists()
