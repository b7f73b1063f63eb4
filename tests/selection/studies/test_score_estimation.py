"""Estimated scores (Ravana and Moffat 2010) against slow loops, and their tables on small collections."""

from __future__ import annotations

from math import log2
from typing import Any

import numpy as np
import pytest
import scipy.stats

from evaluation.estimation.points import estimates, estimates_of_each
from selection.studies.background_rates import BACKGROUND_STUDY, NAMED, WHOLE
from selection.studies.held_out_runs import held_out_half
from selection.studies.interface import PaperStudy, StudySettings, TrialMean, found_as_kept
from selection.studies.known_collection import KnownCollection
from selection.studies.partial_judgments import (
    BUDGET_SHARES,
    EstimationTrial,
    budgets_of,
    judging_order,
    run_estimation,
)
from selection.studies.score_estimation import ESTIMATION_STUDIES
from tests.selection.studies.random_collections import random_collection

SETTINGS = StudySettings(trials=3, seed=2, depth=10, budgets=(10, 60))
Scores = np.ndarray[Any, np.dtype[np.float64]]


def results_of(study: PaperStudy, known: KnownCollection, settings: StudySettings) -> dict[Any, Any]:
    return {trial: found_as_kept(study.run(known, trial)) for trial in study.trials(known, settings)}


def rows_of(study: PaperStudy, known: KnownCollection, settings: StudySettings) -> list[Any]:
    return study.rows(known, settings, results_of(study, known, settings))


def test_estimates_of_many_scores_are_those_of_each() -> None:
    base = np.array([0.2, 0.0, 0.0, 0.4])
    residual = np.array([0.3, 1.0, 0.3, 0.0])
    found = estimates_of_each(base, residual)
    for place, (b, r) in enumerate(zip(base.tolist(), residual.tolist(), strict=True)):
        for name, value in vars(estimates(b, r)).items():
            assert found[name][place] == pytest.approx(value)


def test_documents_are_judged_from_the_tops_of_contributing_lists() -> None:
    known = random_collection(1, missing=0.2)
    contributing = np.array([True, True, False, True, False, False])
    turns, count = judging_order(known, contributing, 4, np.random.default_rng(0))
    order: dict[float, int] = {}
    for topic, of in zip(known.topics, turns, strict=True):
        tops = [
            one[:4].tolist()
            for one, asks in zip(topic.rankings, contributing, strict=True)
            if asks and one is not None
        ]
        assert of[-1] == np.inf
        for document, turn in enumerate(of[:-1].tolist()):
            ranks = [top.index(document) for top in tops if document in top]
            assert np.isfinite(turn) == bool(ranks)
            if ranks:
                order[turn] = min(ranks)
    assert sorted(order) == list(range(count))
    assert [order[turn] for turn in sorted(order)] == sorted(order.values())


def test_budgets_are_shares_of_the_pool_unless_given() -> None:
    known = random_collection(1, runs=2, topics=2, depth=15)
    tops = [set(np.concatenate([one[:10] for one in t.rankings if one is not None])) for t in known.topics]
    size = sum(map(len, tops))
    assert 20 <= size <= 40
    assert budgets_of(known, StudySettings(depth=10), (0.03, 0.5)) == (1, int(float(f"{size / 2:.0e}")))
    assert budgets_of(known, SETTINGS, BUDGET_SHARES) == (10, 60)


def slow_scores(known: KnownCollection, turns: list[Any], budget: float) -> dict[str, tuple[Scores, Scores]]:
    """Base and residual (runs, topics) of each measure, document by document."""
    weights = {
        "P@10": [0.1] * 10,
        "SDCG@100": [1 / max(1.0, log2(rank)) for rank in range(1, 101)],
        "RBP 0.9": [0.1 * 0.9**rank for rank in range(100)],
    }
    weights["SDCG@100"] = [one / sum(weights["SDCG@100"]) for one in weights["SDCG@100"]]
    made = {}
    for name, of in weights.items():
        base, residual = np.zeros((2, len(known.runs), len(known.topics)))
        for at, topic in enumerate(known.topics):
            for run, ranking in enumerate(topic.rankings):
                judged = 0.0
                for weight, document in zip(of, [] if ranking is None else ranking.tolist(), strict=False):
                    if turns[at][document] < budget:
                        judged += weight
                        base[run, at] += weight * np.nan_to_num(topic.gains[document])
                residual[run, at] = 1 - judged
        made[name] = base, residual
    return made


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_scores_and_significant_pairs_match_slow_loops(seed: int) -> None:
    known = random_collection(seed, runs=8, topics=6, named=0.6, missing=0.1)
    trial = EstimationTrial(seed, 10, (20,), (0.9,))
    found = run_estimation(known, trial)
    new = held_out_half(known.groups, seed, 2)
    turns, pooled = judging_order(known, ~new, 10, np.random.default_rng([seed, 10]))
    assert found["judged"] == [20, pooled]
    full = slow_scores(known, [np.zeros_like(one) for one in turns], 1)
    for stage, budget in enumerate(found["judged"]):
        for measure, (base, residual) in slow_scores(known, turns, budget).items():
            for group, runs in (("contributing", ~new), ("new", new)):
                one = found["measures"][group][measure]
                assert one["residual"][stage] == pytest.approx(residual[runs].mean(), abs=1e-6)
                assert one["full"] == pytest.approx(full[measure][0][runs].mean(), abs=1e-6)
                check_estimates(one, stage, base[runs], residual[runs], full[measure][0][runs])


def check_estimates(one: Any, stage: int, base: Scores, residual: Scores, full: Scores) -> None:
    cases = {
        "simplistic": base,
        "background": base + 0.01 * residual,
        "interpolated": np.where(residual < 1 - 1e-9, base / np.maximum(1 - residual, 1e-9), 0.01),
        "smoothed": base * (1 + residual) + 0.01 * residual**2,
    }
    for name, scores in cases.items():
        assert one["score"][name][stage] == pytest.approx(scores.mean(), abs=2e-6)
        error = np.abs(scores.mean(axis=1) - full.mean(axis=1)).mean()
        assert one["error"][name][stage] == pytest.approx(error, abs=2e-6)
        assert one["agreed"][name][stage][stage] == slow_pairs(scores[:, None] - scores[None, :])
    top = base + residual
    gap = np.maximum(base[:, None] - top[None, :], 0) - np.maximum(base[None, :] - top[:, None], 0)
    assert one["agreed"]["pessimistic"][stage][stage] == slow_pairs(gap)


def slow_pairs(differences: Scores) -> int:
    """How many ordered pairs of differences (runs, runs, topics) are significant."""
    count = 0
    for row in np.round(differences, 12).reshape(-1, differences.shape[-1]):
        if np.ptp(row) == 0:
            count += int(row[0] > 0)
        else:
            count += int(scipy.stats.ttest_1samp(row, 0, alternative="greater").pvalue < 0.01)
    return count


@pytest.mark.parametrize("name", ESTIMATION_STUDIES)
def test_tables_have_the_papers_layout(name: str) -> None:
    known = random_collection(4, runs=8)
    rows = rows_of(ESTIMATION_STUDIES[name], known, SETTINGS)
    stages = ["10", "60", "all"]
    if name == "score-estimates":
        parts = [part for part in ("simplistic", "residual", "interpolated", "smoothed") for _ in stages]
        assert [row["part"] for row in rows] == [*parts, "full"]
        assert [row["judgments"] for row in rows] == stages * 4 + ["qrels"]
        assert isinstance(rows[0]["SDCG@100, new"], TrialMean)
    elif name == "convergence":
        assert [row["judgments"] for row in rows] == stages[:-1] * 12
        assert ["lost at 60" in row for row in rows[:2]] == [True, False]
    else:
        assert [row["judgments"] for row in rows] == stages * 6
        assert all(row["pessimistic"].mean <= row["simplistic"].mean for row in rows)


def test_without_relevant_documents_nothing_is_separated() -> None:
    known = random_collection(3, runs=8, relevant=0)
    for row in rows_of(ESTIMATION_STUDIES["pessimistic-separability"], known, SETTINGS):
        assert row["simplistic"].mean == row["pessimistic"].mean == 0
    for row in rows_of(ESTIMATION_STUDIES["score-estimates"], known, SETTINGS):
        if row["part"] == "simplistic":
            assert row["P@10, new"].mean == 0
    for row in rows_of(ESTIMATION_STUDIES["convergence"], known, SETTINGS):
        # Other estimates also differ by how much of a list is judged.
        assert row["estimate"] != "simplistic" or row["lost at all"].mean == 0


def test_runs_of_one_participant_cannot_be_parted() -> None:
    known = random_collection(3, runs=8, groups=1)
    for study in (*ESTIMATION_STUDIES.values(), BACKGROUND_STUDY):
        with pytest.raises(ValueError, match="8 runs in 1 groups cannot be parted"):
            study.trials(known, SETTINGS)


def test_background_rates_count_requests() -> None:
    known = random_collection(5, runs=8, topics=6, named=0.5, depth=12)
    settings = StudySettings(trials=2, depth=8)
    trials = BACKGROUND_STUDY.trials(known, settings)
    for trial in trials:
        found = BACKGROUND_STUDY.run(known, trial)
        asks = np.ones(8, bool) if trial.seed is None else ~held_out_half(known.groups, trial.seed, 4)
        requests: dict[int, list[bool]] = {}
        unasked: list[bool] = []
        for topic in known.topics:
            tops = [one[:8] for one in topic.rankings if one is not None]
            for document in {int(one) for top in tops for one in top}:
                number = sum(document in top for top, of in zip(tops, asks, strict=True) if of)
                where = requests.setdefault(number, []) if number else unasked
                where.append(topic.gains[document] == 1)
        one = found[WHOLE]
        assert dict(zip(one["requests"], one["documents"], strict=True)) == {
            number: len(of) for number, of in requests.items()
        }
        assert one["rate"] == pytest.approx([np.mean(requests[n]) for n in one["requests"]], abs=1e-6)
        assert (one["unasked"], one["unasked rate"]) == (
            len(unasked),
            pytest.approx(np.mean(unasked) if unasked else 0, abs=1e-6),
        )
        assert sum(found[NAMED]["documents"]) < sum(one["documents"])


def test_background_rate_of_judged_documents_needs_some_that_are_not_relevant() -> None:
    known = random_collection(5, runs=8, topics=6, named=0.0, depth=12)
    settings = StudySettings(trials=2, depth=8)
    assert [row["documents"] for row in rows_of(BACKGROUND_STUDY, known, settings)] == [WHOLE] * 2
    named = random_collection(5, runs=8, topics=6, named=0.5, depth=12)
    found = rows_of(BACKGROUND_STUDY, named, settings)
    assert [row["documents"] for row in found] == [WHOLE, WHOLE, NAMED, NAMED]
    assert ["rate unasked" in row for row in found] == [False, True] * 2
