"""Orders of the same runs, by measures, by judgments or given in a file, and how they agree."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import isfinite
from typing import Any

import numpy as np

from campaigns.management.offline.comparison import MeasureScores
from evaluation.agreement.kappa import overlap
from evaluation.arrays import FloatArray, IntArray
from evaluation.comparison.pairs import top_runs
from evaluation.comparison.rank_correlation import compare_orders


@dataclass(frozen=True, eq=False)
class RunOrder:
    """An order of runs: by their means in `scores`, or `given`, best first, as places among all runs. A given
    order may leave runs out."""

    name: str
    scores: MeasureScores | None = None
    given: IntArray | None = None

    @property
    def topics(self) -> tuple[str, ...] | None:
        """Topics with scores."""
        return None if self.scores is None else self.scores.topics

    def values(self, runs: IntArray, topics: Sequence[str]) -> FloatArray:
        """Scores (runs, topics) of these runs that order them; of a given order the same on every topic."""
        if self.scores is not None:
            place = {topic: n for n, topic in enumerate(self.scores.topics)}
            columns = np.array([place[topic] for topic in topics], dtype=np.int64)
            return np.asarray(self.scores.base[np.ix_(runs, columns)])
        assert self.given is not None
        rank = {int(run): n for n, run in enumerate(self.given)}
        values = np.array([-float(rank[int(run)]) for run in runs])
        return np.tile(values[:, None], max(len(topics), 2))


def agreements(
    orders: Sequence[RunOrder], share: float, seed: int, progress: Callable[[], object] = lambda: None
) -> list[dict[str, Any]]:
    """Agreement of each pair of orders: a line for each coefficient, with its interval.

    The first of a pair is the reference of tau_ap. Topics are drawn for the intervals, and runs for that of
    the overlap, which is of the best `share` of the runs by either order. ValueError if two orders share
    fewer than two runs or topics, or no run is in the share.
    """
    lines = []
    for first, second in combinations(orders, 2):
        names = {"first": first.name, "second": second.name}
        try:
            lines += [names | line for line in _agreement(first, second, share, seed)]
        except ValueError as error:
            raise ValueError(f"{first.name} and {second.name}: {error}") from error
        progress()
    return lines


def shared_topics(orders: Sequence[RunOrder]) -> tuple[str, ...]:
    """Topics, in order, on which all orders with scores have one."""
    known = [order.topics for order in orders if order.topics is not None]
    return tuple(topic for topic in known[0] if all(topic in of for of in known)) if known else ()


def _agreement(first: RunOrder, second: RunOrder, share: float, seed: int) -> list[dict[str, Any]]:
    runs, topics = _shared_runs(first, second), shared_topics((first, second))
    values = [order.values(runs, topics) for order in (first, second)]
    if values[0].shape != values[1].shape:
        raise ValueError(f"they share {len(topics)} topics; an order by scores needs two")
    agreement = compare_orders(*values, seed=seed)
    marks = np.zeros((len(runs), 2), dtype=np.int64)
    for column, of in enumerate(values):
        marks[top_runs(of.mean(axis=1), share), column] = 1
    # Pearson's r has no place here: a list of runs gives ranks and no scores.
    coefficients = {name: getattr(agreement, name) for name in ("kendall", "tau_ap", "spearman", "rbo")}
    coefficients["overlap"] = overlap(marks, seed=seed)
    return [
        {"coefficient": name, **{part: _finite(getattr(one, part)) for part in ("value", "low", "high")}}
        for name, one in coefficients.items()
    ]


def _shared_runs(first: RunOrder, second: RunOrder) -> IntArray:
    """Runs in both orders, in the first given order; else all."""
    given = [order.given for order in (first, second) if order.given is not None]
    if not given:
        assert first.scores is not None
        return np.arange(len(first.scores.runs))
    return given[0] if len(given) < 2 else given[0][np.isin(given[0], given[1])]


def _finite(value: float) -> float | None:
    return value if isfinite(value) else None
