"""Studies of Moffat and Zobel 2008: the paper's examples, and slow references on small random data."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest
import scipy.stats

from selection.studies.interface import PaperStudy, StudySettings, found_as_kept
from selection.studies.known_collection import KnownCollection
from selection.studies.known_scores import run_scores
from selection.studies.rank_biased_precision import (
    PRECISION_STUDIES,
    PairTests,
    PersistenceBounds,
    run_pair_tests,
    run_persistence,
)
from tests.selection.studies.known_collections import (
    graded_collection,
    known_collection,
    known_topic,
    random_collection,
)

SETTINGS = StudySettings(depth=10)


def done(
    study: PaperStudy, known: KnownCollection, settings: StudySettings = SETTINGS
) -> tuple[list[Any], list[Any]]:
    results = {trial: found_as_kept(study.run(known, trial)) for trial in study.trials(known, settings)}
    return study.rows(known, settings, results), study.points(known, settings, results)


@pytest.mark.parametrize(
    ("p", "low", "high"), [(0.5, 0.766113, 0.766305), (0.8, 0.447011, 0.488909), (0.95, 0.166126, 0.599303)]
)
def test_bounds_of_the_papers_ranking(p: float, low: float, high: float) -> None:
    """Relevant at 1, 2, 6, 11 and 17, of 20; 13, 14 and one more below are not judged (section 4.4)."""
    gains = np.zeros(20)
    gains[[0, 1, 5, 10]] = 1
    gains[[12, 13, 16]] = np.nan
    known = known_collection([known_topic("1", [list(range(20))], gains.tolist())])
    ((base, top),) = run_persistence(known, PersistenceBounds(p, 20, None, (0,)))
    assert [base, top] == pytest.approx([low, high], abs=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_bounds_are_those_counted_rank_by_rank(seed: int) -> None:
    known, p = random_collection(seed), 0.8
    for depth, ranks in ((1, None), (4, 3), (12, None)):
        found = run_persistence(known, PersistenceBounds(p, depth, ranks, (4, 0)))
        for run, (base, top) in zip((4, 0), found, strict=True):
            slow = np.zeros(2)
            for topic in known.topics:
                inside = {
                    int(d) for ranking in topic.rankings if ranking is not None for d in ranking[:depth]
                }
                ranking = topic.rankings[run]
                judged = residual = 0.0
                for at, document in enumerate([] if ranking is None else ranking[:ranks].tolist()):
                    if document in inside and not np.isnan(topic.gains[document]):
                        judged += (1 - p) * p**at * topic.gains[document]
                        residual += (1 - p) * p**at
                slow += [judged, judged + 1 - residual]
            assert [base, top] == pytest.approx((slow / len(known.topics)).tolist())


def test_pool_depth_compares_orders_with_the_deepest() -> None:
    known = random_collection(4, runs=8)
    rows, points = done(PRECISION_STUDIES["pool-depth"], known)
    assert [row["pool depth"] for row in rows] == [1, 2, 5]
    deep = run_scores(known, "AP", 10).mean(axis=1)
    for row in rows:
        means = run_scores(known, "AP", row["pool depth"]).mean(axis=1)
        assert row["tau AP"] == pytest.approx(scipy.stats.kendalltau(means, deep).statistic)
        assert row["AP higher"] == pytest.approx((means > deep + 1e-12).mean())
    assert rows[0]["judgments"] < rows[1]["judgments"] < rows[2]["judgments"]
    assert {one["panel"] for one in points} == {"AP", "RBP(p=0.5)", "RBP(p=0.8)", "RBP(p=0.95)"}
    assert all(one["deep"] >= one["shallow"] - 1e-12 for one in points if str(one["panel"]).startswith("RBP"))


def test_correlation_names_the_reference_most_like() -> None:
    known = random_collection(6, runs=8)
    rows, points = done(PRECISION_STUDIES["metric-correlation"], known)
    assert [(row["measure"], row["pool depth"]) for row in rows] == [
        ("RR", 1),
        ("P@10", 1),
        ("Rprec", 10),
        ("RBP(p=0.5)", 1),
        ("RBP(p=0.8)", 1),
        ("RBP(p=0.95)", 1),
        ("RBP(p=0.95)", 10),
        ("nDCG", 10),
    ]
    one, other = (run_scores(known, name, 10).mean(axis=1) for name in ("Rprec", "P@10"))
    assert rows[2]["P@10"] == pytest.approx(scipy.stats.kendalltau(one, other).statistic)
    assert rows[2]["Rprec"] == 1.0
    assert rows[2]["most like"] != "Rprec"
    assert len(points) == 8 * 4


@pytest.mark.parametrize("test", ["wilcoxon", "t"])
def test_pairs_that_differ_are_counted_one_by_one(test: Any) -> None:
    known = graded_collection(7, runs=5)
    scores = np.round(run_scores(known, "AP", 12), 12)
    p = []
    for first, second in combinations(scores, 2):
        differences = first - second
        if test == "t":
            p.append(scipy.stats.ttest_rel(first, second).pvalue)
        else:
            p.append(scipy.stats.wilcoxon(differences).pvalue)
    counts = run_pair_tests(known, PairTests("AP", 12, test))
    assert counts == [sum(value < level for value in p) for level in (0.05, 0.01)]
    assert counts[0] > 0


def test_separability_of_measures_has_the_papers_columns() -> None:
    rows, points = done(PRECISION_STUDIES["metric-separability"], random_collection(8, runs=5))
    assert [row["measure"] for row in rows[:4]] == ["RR", "P@10", "Rprec", "AP"]
    assert list(rows[0])[1:] == ["wilcoxon 95%", "wilcoxon 99%", "t 95%", "t 99%", "of pairs"]
    assert rows[0]["of pairs"] == 10
    assert all(row["t 99%"] <= row["t 95%"] for row in rows)
    assert len(points) == 8 * 4


def test_sweep_shows_the_best_run_and_the_middle_one() -> None:
    known = random_collection(9, runs=5)
    rows, points = done(PRECISION_STUDIES["p-sweep"], known)
    order = np.argsort(-run_scores(known, "AP").mean(axis=1), kind="stable")
    assert list(dict.fromkeys(row["run"] for row in rows)) == [f"r{order[0]}", f"r{order[2]}"]
    for row in rows:
        assert row["base, depth 1"] <= row["base, depth 10"] + 1e-12
        assert row["top, depth 10"] <= row["top, depth 1"] + 1e-12
    by_ranks = [one for one in points if one["panel"] == "ranks" and (one["p"], one["depth"]) == (0.8, 10)]
    widths = [one["high"] - one["low"] for one in by_ranks]
    assert widths == sorted(widths, reverse=True)


@pytest.mark.parametrize("name", PRECISION_STUDIES)
def test_topics_without_relevant_documents(name: str) -> None:
    """Every run ties: no order, no difference, and nothing undefined."""
    known = known_collection([known_topic(n, [[0, 1], [1, 0], [0]], [0, 0]) for n in "ab"])
    rows, points = done(PRECISION_STUDIES[name], known, StudySettings(depth=2))
    found_as_kept([rows, points])
    if name == "metric-separability":
        assert {row["wilcoxon 95%"] for row in rows} == {0}
    if name == "metric-correlation":
        assert {row["AP"] for row in rows} == {0.0}


def test_one_depth_is_refused() -> None:
    for name in ("pool-depth", "p-sweep", "metric-correlation"):
        with pytest.raises(ValueError, match="depth 1: pools of two depths are compared"):
            PRECISION_STUDIES[name].trials(random_collection(1), StudySettings(depth=1))
