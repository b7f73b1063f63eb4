"""A campaign served by strata: its strata file and prels, and what commands estimate from them."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.core.management import call_command

from campaigns.computing import worker
from campaigns.computing.live import LiveCampaign
from campaigns.formats.grading import Grading
from campaigns.formats.prels import PrelMethod, format_stratum, read_strata
from campaigns.measurement.measure_computation import write_measured
from campaigns.models import Campaign, Document, Judgment
from evaluation.estimation.statap import JudgedSample, stat_ap
from evaluation.estimation.strata import StratifiedPool, stratified_ap, stratified_ndcg
from selection.methods.strata import StrataOptions, draw_strata
from tests.campaigns.exchange.test_prels import (
    judge_all,
    judge_as,
    lines,
    load,
    search_and_judge,
    wide_lists,
)
from tests.campaigns.factories import Api, Lists, add_run, make_campaign, run_text, signed_in
from tests.campaigns.management.offline.command_files import run_json
from tests.evaluation.estimation.test_stratified import slow_ap

pytestmark = pytest.mark.django_db

STRATA = "3:1,15:0.3"
LISTS = wide_lists(topics=2, runs=3, documents=30)


def make(name: str = "Strata", **settings: Any) -> tuple[Campaign, LiveCampaign]:
    campaign = make_campaign(name, LISTS, method="strata", options={"strata": STRATA}, **settings)
    live = LiveCampaign.from_rows(campaign)
    worker.bring_up_to_date(live)
    return campaign, live


def strata_file(campaign: Campaign) -> str:
    return b"".join(Api(campaign, f"{campaign.name}-ada").get("exports/strata/")).decode()


def rows(campaign: Campaign) -> dict[tuple[str, str], tuple[int, int]]:
    """Stratum and grade by topic and docno."""
    split = (line.split() for line in strata_file(campaign).splitlines())
    return {(topic, docno): (int(stratum), int(grade)) for topic, _, docno, stratum, grade in split}


def best_ranks(lists: Lists, topic: str) -> dict[str, int]:
    ranks: dict[str, int] = {}
    for by_topic in lists.values():
        for rank, docno in enumerate(by_topic[topic], 1):
            ranks[docno] = min(rank, ranks.get(docno, 99))
    return ranks


def order_of(live: LiveCampaign) -> list[str]:
    """Docnos of topic 1's sample in serving order."""
    ids = live.documents(0, live.state.queue(0, 99))
    names = dict(Document.objects.filter(id__in=ids).values_list("id", "docno"))
    return [names[one] for one in ids]


def scores(campaign: Campaign, folder: Path, what: str, *measures: str) -> dict[tuple[str, str, str], float]:
    """By run, measure and topic, as the command estimates from what the campaign exports."""
    result = evaluated(campaign, folder, what, *measures, "--per-topic")
    return {(row["run"], row["measure"], row["topic"]): row["score"] for row in result["scores"]}


def evaluated(campaign: Campaign, folder: Path, what: str, *asked: str) -> Any:
    """What `evaluate` finds by these measures and options."""
    (folder / "runs").mkdir(exist_ok=True)
    for tag, by_topic in LISTS.items():
        (folder / "runs" / tag).write_bytes(run_text(tag, by_topic))
    for name in ("qrels", what):
        (folder / name).write_bytes(b"".join(Api(campaign, "Strata-ada").get(f"exports/{name}/")))
    given = ["--runs", folder / "runs", "--qrels", folder / "qrels", f"--{what}", folder / what]
    words = [word for one in asked for word in ([one] if one.startswith("--") else ["--measure", one])]
    return run_json("evaluate", *given, *words)


def test_the_command_estimates_from_the_exports_as_slow_references_do(tmp_path: Path) -> None:
    campaign, live = make()
    grades = judge_all(campaign, np.random.default_rng(2), live=live)
    found = rows(campaign)
    estimated = scores(campaign, tmp_path, "strata", "xinfAP")
    sampled = scores(campaign, tmp_path, "prels", "statAP")
    for topic in ("1", "2"):
        ranks = best_ranks(LISTS, topic)
        expected = {docno: 1 if rank <= 3 else 2 for docno, rank in ranks.items()}
        of = {docno: one for (number, docno), one in found.items() if number == topic}
        assert {docno: stratum for docno, (stratum, _) in of.items()} == expected
        assert {d: grade for d, (_, grade) in of.items() if grade >= 0} == {
            docno: grade for (number, docno), grade in grades.items() if number == topic
        }
        sizes = {s: sum(stratum == s for stratum, _ in of.values()) for s in (1, 2)}
        judged = {s: sum(stratum == s and grade >= 0 for stratum, grade in of.values()) for s in (1, 2)}
        assert judged == {1: sizes[1], 2: -(-3 * sizes[2] // 10)}
        pool = read_pool(of)
        for tag in LISTS:
            ranking = LISTS[tag][topic]
            gains = [np.nan if of[docno][1] < 0 else float(of[docno][1] > 0) for docno in ranking]
            strata = [of[docno][0] - 1 for docno in ranking]
            assert estimated[tag, "xinfAP", topic] == pytest.approx(slow_ap(gains, strata, pool), abs=1e-9)
            chances = np.array([judged[of[d][0]] / sizes[of[d][0]] for d in ranking])
            seen = np.array([(grade > 0, judged[s] / sizes[s]) for s, grade in of.values() if grade >= 0])
            sample = JudgedSample(seen[:, 0].astype(float), seen[:, 1])
            inclusion = np.where(np.isnan(gains), np.nan, chances)
            expected_ap = float(stat_ap(np.array(gains), inclusion, sample))
            assert sampled[tag, "statAP", topic] == pytest.approx(expected_ap)


def test_estimates_of_the_site_and_of_the_command_have_the_same_bits(tmp_path: Path) -> None:
    """The site estimates by the prels. The strata's own measures exist in the command alone: they are those
    of the campaign's rows."""
    campaign, live = make(measures="AP nDCG@10 P@5 Rprec")
    judge_all(campaign, np.random.default_rng(2), live=live)
    write_measured(campaign)
    names = {"AP": "statAP", "nDCG@10": "statNDCG@10", "P@5": "statPC@5", "Rprec": "statRprec"}
    sampled = mean_scores(campaign, tmp_path, "prels", *names.values())
    said = Api(campaign, "Strata-ada").get("measures/").json()
    for measure in said["measures"]:
        for run in measure["runs"]:
            estimate = next(one for one in run["estimates"] if one["kind"] == "sampled")
            assert estimate["score"] == sampled[run["run"], names[measure["measure"]]]
    inferred = scores(campaign, tmp_path, "strata", "infNDCG", "xinfAP")
    for topic in ("1", "2"):
        strata, gains = rows_of_topic(campaign, topic)
        pool = StratifiedPool(np.array(list(strata.values())), np.array([gains[docno] for docno in strata]))
        for tag in LISTS:
            docnos = LISTS[tag][topic]
            seen, places = (np.array([of[docno] for docno in docnos]) for of in (gains, strata))
            assert inferred[tag, "infNDCG", topic] == float(stratified_ndcg(seen, places, pool))
            assert inferred[tag, "xinfAP", topic] == float(stratified_ap(seen, places, pool))


def rows_of_topic(campaign: Campaign, topic: str) -> tuple[dict[str, int], dict[str, float]]:
    """Stratum and gain of each pooled document, from the ranks of the runs and the judgments; NaN where it is
    not judged."""
    ranks = best_ranks(LISTS, topic)
    grades = dict(
        Judgment.objects.filter(campaign=campaign, topic__number=topic).values_list(
            "document__docno", "grade"
        )
    )
    docnos = sorted(ranks)
    return (
        {docno: 0 if ranks[docno] <= 3 else 1 for docno in docnos},
        {docno: (grades.get(docno) or 0) / 2 if docno in grades else np.nan for docno in docnos},
    )


def mean_scores(
    campaign: Campaign, folder: Path, what: str, *measures: str
) -> dict[tuple[str, str], float | None]:
    result = evaluated(campaign, folder, what, *measures)
    return {(row["run"], row["measure"]): row["score"] for row in result["scores"]}


def read_pool(of: dict[str, tuple[int, int]]) -> StratifiedPool:
    return StratifiedPool(
        np.array([stratum - 1 for stratum, _ in of.values()]),
        np.array([np.nan if grade < 0 else float(grade > 0) for _, grade in of.values()]),
    )


def test_judgments_keep_the_probability_and_assessors_see_none_of_it() -> None:
    campaign, live = make()
    drawn = draw_strata(live.state.setting, 0, StrataOptions(STRATA))
    assert drawn.order.inclusion is not None
    chances = dict(zip(order_of(live), drawn.order.inclusion.tolist(), strict=True))
    reply = Api(campaign, "Strata-grace").get("next/", topic="1").json()
    assert "inclusion" not in str(reply)
    judge_all(campaign, np.random.default_rng(3), most=4, live=live)
    for judgment in Judgment.objects.filter(topic__number="1").select_related("document"):
        assert judgment.method == "strata"
        assert judgment.inclusion_probability == chances[judgment.document.docno]


def test_a_part_of_the_sample_has_the_probabilities_of_what_is_judged() -> None:
    campaign, live = make()
    order, ranks = order_of(live), best_ranks(LISTS, "1")
    for docno in order[:5]:
        judge_as("strata", campaign, "1", docno, 1)
    load(campaign, f"1 0 {order[6]} 2\n")
    found = lines(campaign)
    top = {docno for docno, rank in ranks.items() if rank <= 3}
    for docno in order[:5]:
        stratum = top if docno in top else ranks.keys() - top
        judged = len(stratum & set(order[:5]))
        share = judged / len(stratum - {order[6]})
        assert found["1", docno][:2] == (1, PrelMethod.SAMPLE)
        assert found["1", docno][2] == pytest.approx(share)
    # What a file brought is certain, and no part of the sample before its turn.
    assert found["1", order[6]] == (2, PrelMethod.BOTH, 1.0)
    assert rows(campaign)["1", order[6]][1] == -1
    judge_as("strata", campaign, "1", order[7], 0)
    assert rows(campaign)["1", order[6]][1] == 2


def test_a_document_found_by_search_counts_once_its_turn_has_come() -> None:
    campaign, live = make(search_judging=True)
    first, second, third = order_of(live)[:3]
    search_and_judge(campaign, "1", second, 2)
    judge_as("strata", campaign, "1", first, 1)
    assert (rows(campaign)["1", second][1], ("1", second) in lines(campaign)) == (-1, False)
    judge_as("strata", campaign, "1", third, 1)
    assert rows(campaign)["1", second][1] == 2
    assert lines(campaign)["1", second][:2] == (2, PrelMethod.SAMPLE)


def test_late_runs_change_the_strata_and_what_is_no_longer_drawn_is_left_out() -> None:
    campaign, live = make()
    judge_all(campaign, np.random.default_rng(2), live=live)
    before = rows(campaign)
    add_run(campaign, "late", {"1": [f"n{place}" for place in range(3)] + ["d1-0", "d1-1", "d1-2"]})
    after = rows(campaign)
    assert all(after["1", f"n{place}"] == (1, -1) for place in range(3))
    assert {key for key in before if key[0] == "2"} == {key for key in after if key[0] == "2"}
    drawn = {key for key, (_, grade) in after.items() if grade >= 0}
    assert drawn <= {key for key, (_, grade) in before.items() if grade >= 0}
    assert set(lines(campaign)) == drawn


def test_page_command_and_api_give_the_same(tmp_path: Path) -> None:
    campaign, live = make()
    judge_all(campaign, np.random.default_rng(2), most=3, live=live)
    client = signed_in("Strata-ada")
    content = b"".join(client.get("/campaigns/strata/exports/strata/")).decode()
    assert content == strata_file(campaign)
    out = io.StringIO()
    call_command("export_qrels", "strata", what="strata", stdout=out)
    assert out.getvalue() == content
    (tmp_path / "strata").write_text(content)
    read = read_strata(tmp_path / "strata", Grading())
    assert sum(one.grade is not None for topic in read.values() for one in topic.values()) == 6
    page = client.get("/campaigns/strata/exports/").content.decode()
    assert "adjudicated.strata" in page
    assert "Each probability is the judged share of a stratum" in page
    assert Api(campaign, "Strata-grace").get("exports/strata/").status_code == 403
    make_campaign("Other")
    assert Api(campaign, "Other-ada").get("exports/strata/").status_code == 404
    assert Api(campaign, "Strata-ada").post("exports/strata/", {}).status_code == 405
    assert (
        "adjudicated.strata" not in signed_in("Other-ada").get("/campaigns/other/exports/").content.decode()
    )


@pytest.mark.parametrize(
    ("wrong", "why"),
    [("10:2", "rate 2 is outside"), ("ten", "is not a depth and a rate"), (7, "strata = 7")],
)
def test_the_api_refuses_wrong_strata(wrong: object, why: str) -> None:
    campaign = make_campaign("Strata", opened=False)
    api = Api(campaign, "Strata-ada")
    reply = api.client.patch(
        api.root, {"method": "strata", "options": {"strata": wrong}}, content_type="application/json"
    )
    assert reply.status_code == 400
    assert reply.json()["errors"][0]["field"] == "options.strata"
    assert why in reply.json()["errors"][0]["detail"]
    campaign.refresh_from_db()
    assert campaign.method == "C"


def test_no_line_with_a_name_of_two_words() -> None:
    assert format_stratum("1", "a", 2, None) == "1 0 a 2 -1\n"
    for topic, docno in (("1 2", "a"), ("1", "a b")):
        with pytest.raises(ValueError, match=r"topic|docno"):
            format_stratum(topic, docno, 1, 0)
