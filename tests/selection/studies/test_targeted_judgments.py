"""Studies of Moffat, Webber and Zobel 2007: the paper's example, and slow references on small random data."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.stats

from selection.studies.interface import PaperStudy, StudySettings, found_as_kept
from selection.studies.known_collection import KnownCollection
from selection.studies.targeted_judgments import (
    ALL_AP,
    ALL_RBP,
    TARGETED_STUDIES,
    good_runs,
    range_panels,
)
from selection.studies.targeted_replays import (
    METHODS,
    JudgingOrder,
    TargetedReplay,
    bounds_of,
    budgets_of,
    run_replay,
)
from tests.selection.studies.known_collections import (
    TABLE_1,
    graded_collection,
    known_collection,
    known_topic,
    random_collection,
)

SETTINGS = StudySettings(budgets=(2, 5, 9))


def done(study: PaperStudy, known: KnownCollection, settings: StudySettings) -> tuple[list[Any], list[Any]]:
    """Rows and points, with results as they are kept."""
    results = {trial: found_as_kept(study.run(known, trial)) for trial in study.trials(known, settings)}
    return study.rows(known, settings, results), study.points(known, settings, results)


def example(relevant: str = "even") -> KnownCollection:
    gains = [float(relevant == "even" and document % 2 == 0) for document in range(88)]
    return known_collection([known_topic("1", TABLE_1, gains)])


@pytest.mark.parametrize(
    ("method", "relevant", "order"),
    [
        ("pooling", "even", [18, 22, 21, 10, 35, 15, 11, 16, 13, 19]),
        ("A", "even", [18, 22, 11, 10, 21, 13, 38, 35]),
        ("B", "even", [18, 22, 11, 10, 21, 35, 13, 38]),
        ("C", "even", [18, 22, 11, 10, 13, 21, 38, 19]),
        ("C", "none", [18, 11, 22, 21, 10, 35, 13, 38]),
    ],
)
def test_replays_judge_the_papers_example_in_its_order(method: str, relevant: str, order: list[int]) -> None:
    found = run_replay(example(relevant), TargetedReplay(method, 0.8, len(order)))
    assert found["documents"] == order
    assert found["handled"] == list(range(1, len(order) + 1))


def test_bounds_of_the_papers_example_after_six_judgments() -> None:
    known = example()
    order = JudgingOrder.of(run_replay(known, TargetedReplay("A", 0.8, 8)))
    bounds = bounds_of(known, order.judged(1, 6), 0.8)
    assert bounds.residual[0] == pytest.approx([0.403251, 0.446464, 0.645171, 0.344064], abs=1e-6)
    assert bounds.means()[1].mean() == pytest.approx(0.459738, abs=1e-6)


def slow_bounds(known: KnownCollection, judged: list[set[int]], p: float) -> np.ndarray[Any, Any]:
    """Base and residual (2, topics, runs)."""
    out = np.zeros((2, len(known.topics), len(known.runs)))
    for place, topic in enumerate(known.topics):
        for run, ranking in enumerate(topic.rankings):
            out[1, place, run] = 1.0
            for at, document in enumerate([] if ranking is None else ranking.tolist()):
                if document in judged[place]:
                    out[0, place, run] += (1 - p) * p**at * float(np.nan_to_num(topic.gains[document]))
                    out[1, place, run] -= (1 - p) * p**at
    return out


@pytest.mark.parametrize("seed", range(4))
def test_bounds_after_some_judgments_are_those_counted_rank_by_rank(seed: int) -> None:
    known = random_collection(seed)
    found = run_replay(known, TargetedReplay("C", 0.8, 20))
    for judgments, p in ((1, 0.5), (7, 0.8), (20, 0.95)):
        judged: list[set[int]] = [set() for _ in known.topics]
        for topic, document in list(zip(found["topics"], found["documents"], strict=True))[:judgments]:
            judged[topic].add(document)
        bounds = bounds_of(known, JudgingOrder.of(found).judged(len(known.topics), judgments), p)
        slow = slow_bounds(known, judged, p)
        np.testing.assert_allclose(bounds.base, slow[0], atol=1e-12)
        np.testing.assert_allclose(bounds.residual, slow[1], atol=1e-12)


def test_relevant_found_counts_documents_and_those_bypassed() -> None:
    # The first and the third document of each list are not judged.
    known = known_collection([known_topic(n, [[0, 1, 2, 3]] * 6, [np.nan, 1, np.nan, 0]) for n in "ab"])
    rows, points = done(TARGETED_STUDIES["relevant-found"], known, StudySettings(budgets=(1, 2, 4)))
    for method in METHODS:
        assert [row[method] for row in rows] == [1, 2, 2]
        assert [row[f"{method} handled"] for row in rows] == [3, 4, 8]
    ends = [one for one in points if one["judgments"] == 4]
    assert [one["relevant"] for one in ends] == [2] * 4


@pytest.mark.parametrize("seed", range(3))
def test_overlap_is_the_common_part_of_two_replays(seed: int) -> None:
    known = random_collection(seed)
    rows, points = done(TARGETED_STUDIES["persistence-overlap"], known, SETTINGS)
    assert [(row["judged with"], row["judgments"]) for row in rows[:3]] == [
        ("p = 0.5", 2),
        ("p = 0.8", 2),
        ("p = 0.95", 2),
    ]
    firsts = {}
    for p in (0.5, 0.8, 0.95):
        found = run_replay(known, TargetedReplay("C", p, 9))
        firsts[f"p = {p:g}"] = list(zip(found["topics"], found["documents"], strict=True))
    for row in rows:
        for name, order in firsts.items():
            own = firsts[str(row["judged with"])]
            both = set(own[: row["judgments"]]) & set(order[: row["judgments"]])
            assert row[name] == len(both)
    last = [one for one in points if one["judgments"] == 9]
    assert len(last) == 3
    assert all(0 <= one["common"] <= 1 for one in last)


def test_residual_is_that_of_the_best_third_by_ap() -> None:
    known = random_collection(2)
    rows, _ = done(TARGETED_STUDIES["persistence-residual"], known, SETTINGS)
    assert [row["judged by"] for row in rows[:4]] == [
        "Method C, p = 0.5",
        "Method C, p = 0.8",
        "Method C, p = 0.95",
        "Pooling",
    ]
    assert len(good_runs(known)) == 2
    found = run_replay(known, TargetedReplay("C", 0.95, 9))
    judged: list[set[int]] = [set() for _ in known.topics]
    for topic, document in list(zip(found["topics"], found["documents"], strict=True))[:5]:
        judged[topic].add(document)
    slow = slow_bounds(known, judged, 0.5)[1].mean(axis=0)[good_runs(known)].mean()
    assert rows[4 + 2]["p = 0.5"] == pytest.approx(slow)


def test_separability_tests_each_pair_of_good_runs() -> None:
    known = graded_collection(5, runs=12, topics=8)
    rows, points = done(TARGETED_STUDIES["separability"], known, StudySettings(budgets=(20, 60)))
    assert [(row["method"], row["judgments"]) for row in rows[:4]] == [(m, 20) for m in METHODS]
    assert [row["method"] for row in rows[-2:]] == [ALL_RBP, ALL_AP]
    assert rows[-1]["base to top"] == "–"
    assert len(points) == 8 * 3 + 3 + 1
    found = run_replay(known, TargetedReplay("A", 0.8, 60))
    judged: list[set[int]] = [set() for _ in known.topics]
    for topic, document in zip(found["topics"], found["documents"], strict=True):
        judged[topic].add(document)
    base, residual = slow_bounds(known, judged, 0.8)
    good = sorted(good_runs(known).tolist(), key=lambda run: -base[:, run].mean())
    pairs = [(a, b) for at, a in enumerate(good) for b in good[at + 1 :]]
    assert len(pairs) == 6
    for contrast, against in (
        ("base to base", base),
        ("base to top", base + residual),
        ("base to projected", base / (1 - residual)),
    ):
        better = 0
        for a, b in pairs:
            differences = np.round(base[:, a] - against[:, b], 12)
            if differences.any():
                p = scipy.stats.wilcoxon(differences, alternative="greater").pvalue
                better += bool(p < 0.05 and differences.mean() > 0)
        (row,) = (row for row in rows if row["method"] == "A" and row["judgments"] == 60)
        assert row[contrast] == pytest.approx(better / 6)
    assert rows[-2]["base to base"] > 0
    assert all(row["base to top"] <= row["base to projected"] <= row["base to base"] for row in rows[:-1])


def test_score_ranges_are_the_papers_panels() -> None:
    known = random_collection(1, topics=4)
    rows, points = done(TARGETED_STUDIES["score-ranges"], known, SETTINGS)
    assert [(row["figure"], row["method"], row["judgments"], row["p"], row["to"]) for row in rows[3:]] == [
        ("1 (d)", "C", 2, "0.8", "top"),
        ("2 (a)", "C", 9, "0.8", "top"),
        ("2 (b)", "C", 9, "0.8", "projected"),
        ("3 (a)", "C", 9, "0.95", "projected"),
        ("3 (b)", "all", rows[-1]["judgments"], "0.95", "projected"),
    ]
    assert len(points) == 8 * len(known.runs)
    assert all(one["low"] <= one["high"] + 1e-12 for one in points)
    assert [one["place"] for one in points[:6]] == [1, 2, 3, 4, 5, 6]
    panel = [one for one in points if one["panel"] == "2 (a)"]
    reach = sum(one["high"] >= max(other["low"] for other in panel) for one in panel)
    assert rows[4]["may be best"] == reach
    own = range_panels(known, StudySettings(p=(0.7,), budgets=(4,)))
    assert {panel.p for panel in own} == {0.7}
    assert [panel.judgments for panel in own[:-1]] == [4] * 7


def test_budgets_are_the_papers_a_run_and_topic() -> None:
    lists = [list(range(700))] * 129
    paper = known_collection([known_topic(str(n), lists, [0.0] * 700) for n in range(50)])
    assert budgets_of(paper, StudySettings()) == (2500, 5000, 10_000, 20_000)
    few = known_collection(
        [known_topic(str(n), [[0, 1, 2, 3]] * 129, [0.0, 1, 0, np.nan]) for n in range(50)]
    )
    assert budgets_of(few, StudySettings()) == (18, 37, 75, 150)
    assert budgets_of(few, StudySettings(budgets=(7, 150))) == (7, 150)
    with pytest.raises(ValueError, match=r"a budget of 151 judgments is too large: the qrels judge 150"):
        budgets_of(few, StudySettings(budgets=(7, 151)))


def test_no_judged_document_that_a_run_ranks_is_refused() -> None:
    known = known_collection([known_topic("1", [[0, 1]] * 5, [np.nan, np.nan], unranked=[0.0])])
    with pytest.raises(ValueError, match=r"too few judged documents \(0\) that a run ranks"):
        budgets_of(known, StudySettings())


def test_several_persistences_are_refused_where_one_is_used() -> None:
    known = random_collection(1)
    for name in ("relevant-found", "separability"):
        with pytest.raises(ValueError, match="2 persistences: this study takes one"):
            TARGETED_STUDIES[name].trials(known, StudySettings(p=(0.5, 0.8)))
    with pytest.raises(ValueError, match="3 persistences: this study takes one or two"):
        TARGETED_STUDIES["score-ranges"].trials(known, StudySettings(p=(0.5, 0.8, 0.9)))


@pytest.mark.parametrize("name", TARGETED_STUDIES)
def test_topics_without_relevant_documents(name: str) -> None:
    """Every run ties; nothing is significant and nothing is undefined."""
    known = known_collection([known_topic(n, [[0, 1, 2], [2, 1, 0]] * 3, [0, 0, 0]) for n in "ab"])
    rows, points = done(TARGETED_STUDIES[name], known, StudySettings(budgets=(1, 6)))
    found_as_kept([rows, points])
    if name == "separability":
        assert {row["base to base"] for row in rows} == {0.0}


def test_studies_share_replays() -> None:
    known = random_collection(1)
    by_study = {name: set(study.trials(known, StudySettings())) for name, study in TARGETED_STUDIES.items()}
    assert by_study["separability"] < by_study["score-ranges"]
    assert by_study["persistence-overlap"] < by_study["persistence-residual"]
