"""Random runs and qrels, and their scores by our measures through the evaluation order."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from evaluation.measure import GradedRankings, Rankings
from evaluation.measures.ordering import ranking_order
from evaluation.names import parse_measure

Qrels = dict[str, dict[str, int]]
Run = dict[str, dict[str, float]]
NOT_JUDGED = -1


def random_qrels(rng: np.random.Generator, *, highest: int, not_judged: bool = False) -> Qrels:
    """Topics with none to many relevant documents; topic 5 has none."""
    lowest = NOT_JUDGED if not_judged else 0
    return {
        str(topic): {
            f"d{n}": int(rng.integers(lowest, (highest if topic != 5 else 0) + 1))
            for n in rng.choice(120, int(rng.integers(1, 60)), replace=False)
        }
        for topic in range(12)
    }


def random_run(rng: np.random.Generator) -> Run:
    """Many ties; some topics missing, some short, some not in the qrels."""
    return {
        str(topic): {
            f"d{n}": float(rng.integers(0, 12)) / 4
            for n in rng.choice(120, int(rng.integers(1, 100)), replace=False)
        }
        for topic in range(2, 14)
    }


def scores_of(name: str, qrels: Qrels, run: Run, highest: int = 1) -> dict[str, float]:
    """By topic, for the topics in both."""
    measure = parse_measure(name)
    return {
        topic: float(measure.scores(rankings_of(qrels[topic], run[topic], highest)).score[0])
        for topic in qrels.keys() & run.keys()
    }


def rankings_of(grades: Mapping[str, int], scores: Mapping[str, float], highest: int) -> Rankings:
    docnos = list(scores)
    order = ranking_order(np.array(list(scores.values()), dtype=np.float64), docnos)
    ranked = [grades.get(docnos[i]) for i in order]
    gains = [np.nan if grade is None or grade == NOT_JUDGED else max(grade, 0) / highest for grade in ranked]
    judged = [max(grade, 0) / highest for grade in grades.values() if grade != NOT_JUDGED]
    pooled = np.array([[grade is not None for grade in ranked]])
    graded = GradedRankings(
        np.array([[np.nan if grade in (None, NOT_JUDGED) else grade for grade in ranked]], dtype=np.float64),
        np.array([grade for grade in grades.values() if grade != NOT_JUDGED], dtype=np.float64),
    )
    return Rankings(
        np.array([gains], dtype=np.float64), np.array(judged, dtype=np.float64), pooled, graded=graded
    )
