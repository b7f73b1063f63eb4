"""MTC and statAP compared with average precision by all judgments (Carterette and others 2008), on small
collections and against slow loops."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from evaluation.comparison.rank_correlation import kendall
from evaluation.comparison.variance import variance_components
from selection.studies import thousands_of_queries as study
from selection.studies.interface import PaperStudy, StudySettings, found_as_kept
from selection.studies.known_collection import KnownCollection
from selection.studies.known_scores import judged_gains
from selection.studies.sampling_trials import (
    EXPERTS,
    HALF,
    MODEL,
    ConfidenceTrial,
    MtcTrial,
    OrderTrial,
    SampleTrial,
    cut_lists,
    run_sampling,
    topic_counts,
    topic_order,
)
from selection.studies.thousands_of_queries import AGREEMENT_STUDIES
from selection.studies.topic_numbers import NUMBER_STUDIES, hours
from tests.selection.studies.random_collections import random_collection

EVERY_STUDY = {**AGREEMENT_STUDIES, **NUMBER_STUDIES}
DEPTH = 12
# More than any pool has: everything is judged or drawn.
ALL = 100


def results_of(paper: PaperStudy, known: KnownCollection, settings: StudySettings) -> dict[Any, Any]:
    return {trial: found_as_kept(paper.run(known, trial)) for trial in paper.trials(known, settings)}


def rows_of(paper: PaperStudy, known: KnownCollection, settings: StudySettings) -> list[Any]:
    return paper.rows(known, settings, results_of(paper, known, settings))


def slow_ap(known: KnownCollection, depth: int) -> np.ndarray[Any, Any]:
    """(topics, runs), relevant documents being those that any list holds."""
    made = np.zeros((len(known.topics), len(known.runs)))
    for at, topic in enumerate(known.topics):
        lists = [[] if one is None else one[:depth].tolist() for one in topic.rankings]
        total = len({document for one in lists for document in one if topic.gains[document] == 1})
        for run, one in enumerate(lists):
            found = 0
            for rank, document in enumerate(one, 1):
                if topic.gains[document] == 1:
                    found += 1
                    made[at, run] += found / rank / total
    return made


def slow_deviation(known: KnownCollection) -> np.ndarray[Any, Any]:
    """Of statMAP, (runs,), by the published program where every document is drawn for certain: it does not
    become 0."""
    total = np.zeros(len(known.runs))
    for topic in known.topics[1:]:
        lists = [[] if one is None else one[:DEPTH].tolist() for one in topic.rankings]
        drawn = {document for one in lists for document in one}
        relevant = {document for document in drawn if topic.gains[document] == 1}
        for run, one in enumerate(lists):
            hits = np.cumsum([document in relevant for document in one])
            precision = [hits[at] / (at + 1) for at, document in enumerate(one) if document in relevant]
            ap = sum(precision) / len(relevant)
            errors = [each - ap for each in precision] + [-ap] * (len(relevant) - len(precision))
            scale = len(drawn) / (len(one) + 0.1) / len(relevant) ** 2
            total[run] += min(1.0, sum(each**2 for each in errors) / (len(drawn) - 1) * scale)
    return np.sqrt(total) / (len(known.topics) - 1)


def test_average_precision_of_cut_lists() -> None:
    known = random_collection(1, missing=0.2, named=0.5)
    np.testing.assert_allclose(cut_lists(known, DEPTH).ap, slow_ap(known, DEPTH))
    assert cut_lists(known, DEPTH) is cut_lists(known, DEPTH)


@pytest.mark.parametrize("seed", [0, 1])
def test_with_all_documents_judged_every_estimate_is_the_truth(seed: int) -> None:
    known = random_collection(seed, missing=0.1)
    ap = slow_ap(known, DEPTH)
    expected = run_sampling(known, MtcTrial(ALL, DEPTH))
    for kind in (EXPERTS, MODEL):
        np.testing.assert_allclose(expected[kind], ap, atol=1e-6)
    assert expected["unjudged"] == [0] * len(known.runs)
    sampled = run_sampling(known, SampleTrial(seed, ALL, DEPTH))
    # The first topic has no relevant document, and so no statAP.
    assert sampled["topics"] == len(known.topics) - 1
    np.testing.assert_allclose(sampled["statmap"], ap[1:].mean(axis=0), atol=1e-6)
    for end in ("low", "high"):
        np.testing.assert_allclose(sampled[end], sampled["statmap"], atol=1e-6)
    np.testing.assert_allclose(sampled["deviation"], slow_deviation(known), atol=1e-6)
    parts = variance_components(ap[1:].T)
    assert sampled["components"] == pytest.approx([parts.system, parts.topic, parts.interaction])
    true = ap.mean(axis=0)
    certain = run_sampling(known, ConfidenceTrial(ALL, DEPTH))
    for kind in (EXPERTS, HALF, MODEL):
        for stated, (one, other) in zip(certain[kind], combinations(true.tolist(), 2), strict=True):
            assert stated == (0.5 if one == pytest.approx(other) else float(one > other))


def test_samples_are_near_the_truth_on_average() -> None:
    known = random_collection(2, topics=6)
    found = [run_sampling(known, SampleTrial(seed, 12, DEPTH))["statmap"] for seed in range(40)]
    true = slow_ap(known, DEPTH)[1:].mean(axis=0)
    np.testing.assert_allclose(np.mean(found, axis=0), true, atol=0.05)
    assert run_sampling(known, SampleTrial(0, 12, DEPTH))["statmap"] == found[0] != found[1]


def test_orders_by_more_topics_end_at_the_full_order() -> None:
    known = random_collection(3, topics=8)
    found = run_sampling(known, OrderTrial(1, ALL, ALL, DEPTH))
    assert topic_counts(8) == tuple(range(1, 9))
    order, ap = topic_order(8, 1), slow_ap(known, DEPTH)
    valued = ap.sum(axis=1) > 0
    full = ap[valued].mean(axis=0)
    for count, tau in zip(topic_counts(8), found["tau"], strict=True):
        first = [topic for topic in order[:count] if valued[topic]]
        expected = kendall(full, ap[first].mean(axis=0)) if first else 0.0
        assert tau == pytest.approx(expected, abs=1e-6)
    assert found["tau"][-1] == pytest.approx(1)
    assert len(found["true"]) == 8


def test_confidence_in_the_next_run_reads_its_pair() -> None:
    # Of the pairs 0-1, 0-2 and 1-2, the confidence in the first.
    found = study._confidence_in_next(np.array([0.3, 0.1, 0.2]), np.array([0.9, 0.8, 0.25]))
    assert found == {1: 0.75, 2: pytest.approx(0.8)}


def test_tables_of_all_judgments_agree_with_average_precision() -> None:
    known = random_collection(4, runs=8)
    settings = StudySettings(trials=2, depth=DEPTH, budgets=(ALL,))
    paper = AGREEMENT_STUDIES["agreement"]
    rows = rows_of(paper, known, settings)
    assert [row["run"] for row in rows[8:]] == [
        "τ with MAP",
        "mean error",
        "share of the lists judged",
        "mean",
    ]
    assert [row["MAP"] for row in rows[:8]] == sorted(row["MAP"] for row in rows[:8])
    assert (rows[8]["EMAP"], rows[8]["calibrated"]) == (pytest.approx(1), pytest.approx(1))
    assert rows[9]["EMAP"] == pytest.approx(0, abs=1e-6)
    # statMAP leaves out the topic without relevant documents: it is higher by the same factor.
    assert rows[8]["statMAP"].mean == pytest.approx(1)
    assert rows[0]["statMAP"] == pytest.approx(rows[0]["MAP"] * 5 / 4, abs=1e-5)
    assert [row["run"] for row in rows if "confidence" not in row] == [row["run"] for row in rows[7:]]
    assert all(row["confidence"] in (0.5, 1) for row in rows[:7])


def test_long_tables_show_evenly_spaced_runs() -> None:
    assert study._evenly(5) == [0, 1, 2, 3, 4]
    found = study._evenly(143)
    assert (len(found), found[0], found[-1]) == (24, 0, 142)


def test_pairs_are_counted_by_confidence() -> None:
    known = random_collection(5, runs=7, topics=8)
    settings = StudySettings(depth=DEPTH, budgets=(2, 6))
    paper = AGREEMENT_STUDIES["reusability"]
    results = results_of(paper, known, settings)
    rows: list[Any] = paper.rows(known, settings, results)
    true = slow_ap(known, DEPTH).mean(axis=0)
    before, after = (results[ConfidenceTrial(each, DEPTH)] for each in (2, 6))
    for kind, name in study.KINDS.items():
        pairs = [
            (abs(first - 0.5) + 0.5, (first - 0.5) * (then - 0.5) < 0, (first - 0.5) * (one - other) < 0)
            for first, then, (one, other) in zip(
                before[kind], after[kind], combinations(true.tolist(), 2), strict=True
            )
            if first != 0.5
        ]
        surest = [pair for pair in pairs if pair[0] >= 0.95]
        assert rows[5][f"{name} pairs"] == len(surest)
        assert rows[5][f"{name} swapped"] == sum(swapped for _, swapped, _ in surest)
        assert rows[6][f"{name} pairs"] == len(pairs) == sum(row[f"{name} pairs"] for row in rows[:6])
        assert rows[6][f"{name} wrong"] == sum(wrong for _, _, wrong in pairs)
    with pytest.raises(ValueError, match="compares two numbers of judgments"):
        paper.trials(known, StudySettings(budgets=(5,)))


@pytest.mark.parametrize("named", [0.3, 1.0])
def test_wrong_pairs_are_open_if_unjudged_documents_can_undo_them(named: float) -> None:
    known = random_collection(5, runs=6, topics=4, named=named)
    lists = cut_lists(known, DEPTH)
    entries, judged = 0, 0
    first, second = np.triu_indices(6, 1)
    expected = np.zeros(len(first))
    for topic, gains in zip(known.topics, judged_gains(known), strict=True):
        cut = [[] if one is None else one[:DEPTH].tolist() for one in topic.rankings]
        pooled = {document for one in cut for document in one}
        entries += sum(map(len, cut))
        judged += sum(not np.isnan(gains[document]) for one in cut for document in one)
        for pair, (better, worse) in enumerate(zip(first.tolist(), second.tolist(), strict=True)):
            mine, theirs = cut[better], cut[worse]
            relevant = {
                document
                for document in pooled
                if gains[document] > 0
                or (
                    np.isnan(gains[document])
                    and document in mine
                    and (document not in theirs or mine.index(document) < theirs.index(document))
                )
            }
            for run, sign in ((mine, 1), (theirs, -1)):
                hits = np.cumsum([document in relevant for document in run])
                total = sum(hits[at] / (at + 1) for at, document in enumerate(run) if document in relevant)
                expected[pair] += sign * total / max(len(relevant), 1) / len(known.topics)
    assert lists.favourable_difference(first, second) == pytest.approx(expected)
    assert lists.judged_share == pytest.approx(judged / entries)
    rows = rows_of(AGREEMENT_STUDIES["agreement"], known, StudySettings(trials=2, depth=DEPTH, budgets=(3,)))
    assert [row["MAP"] for row in rows if row["run"] == "share of the lists judged"] == [lists.judged_share]


def test_hours_are_those_of_the_paper() -> None:
    assert hours(StudySettings(), 600, 10) == 85
    assert hours(StudySettings(), 200, 40) == pytest.approx(63, abs=0.5)
    assert hours(StudySettings(minutes_per_topic=0, seconds_per_judgment=9), 200, 40) == 20


def test_cost_is_of_the_fewest_topics_with_that_order() -> None:
    known = random_collection(6, runs=8, topics=10)
    settings = StudySettings(trials=3, depth=DEPTH, budgets=(1, ALL))
    paper = NUMBER_STUDIES["cost"]
    results = results_of(paper, known, settings)
    rows: list[Any] = paper.rows(known, settings, results)
    taus = np.mean([results[OrderTrial(seed, ALL, ALL, DEPTH)]["tau"] for seed in range(3)], axis=0)
    needed = next(count for count, tau in zip(topic_counts(10), taus, strict=True) if tau >= 0.9)
    assert (rows[1]["statAP topics"], rows[1]["statAP hours"]) == (needed, hours(settings, needed, ALL))
    dearer = replace(settings, minutes_per_topic=12.5, seconds_per_judgment=60)
    [_, again] = paper.rows(known, dearer, results)
    assert again["statAP hours"] == needed * (12.5 + ALL) / 60
    assert again["statAP topics"] == needed
    assert rows[1]["MTC τ, all topics"].mean == pytest.approx(1)
    assert rows[0]["statAP topics"] == "never"
    points = paper.points(known, settings, results)
    assert ("statAP", 1) not in {(one["method"], one["judgments"]) for one in points}


@pytest.mark.parametrize("name", EVERY_STUDY)
def test_collections_without_relevant_documents_have_tables(name: str) -> None:
    known = random_collection(7, topics=3, relevant=0)
    settings = StudySettings(trials=2, depth=DEPTH, budgets=(2, 4))
    results = results_of(EVERY_STUDY[name], known, settings)
    rows = EVERY_STUDY[name].rows(known, settings, results)
    assert rows
    found_as_kept([EVERY_STUDY[name].points(known, settings, results)])


def test_variance_of_all_judgments_is_that_of_average_precision() -> None:
    known = random_collection(8, topics=6)
    settings = StudySettings(trials=2, depth=DEPTH, budgets=(ALL,))
    paper = AGREEMENT_STUDIES["variance-components"]
    rows = rows_of(paper, known, settings)
    ap, mtc, model, statap = rows
    parts = variance_components(slow_ap(known, DEPTH).T)
    assert (ap["runs"], ap["topics"], ap["interaction"]) == pytest.approx(parts.shares)
    assert ap["topics for order"] == parts.topics_for_relative()
    for row in (mtc, model):
        assert row["interaction"] == pytest.approx(ap["interaction"], abs=1e-4)
    assert statap["runs"].mean > ap["runs"], "without the topic that has no relevant document"
