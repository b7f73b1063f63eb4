"""Every run scored on every topic, and the means."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from math import fsum
from typing import Any

import numpy as np

from campaigns.offline.collection import OfflineCampaign, OfflineTopic
from campaigns.offline.grading import Grading
from evaluation.bounds import Bounds
from evaluation.estimates import estimates
from evaluation.measures import Measure, Scored

MISSING = np.zeros(0)


@dataclass(frozen=True)
class Row:
    """One line of the outcome; `topic` None is the mean over topics."""

    run: str
    measure: str
    topic: str | None
    scored: Scored

    def as_dict(self) -> dict[str, Any]:
        bounds = self.scored.bounds
        line: dict[str, Any] = {"run": self.run, "measure": self.measure}
        if self.topic is not None:
            line["topic"] = self.topic
        line["score"] = self.scored.score
        names = ("base", "residual", "top", "projected")
        line |= {name: None if bounds is None else getattr(bounds, name) for name in names}
        guesses = ("simplistic", "background", "interpolated", "smoothed")
        if bounds is None:
            return line | dict.fromkeys(guesses)
        return line | asdict(estimates(bounds.base, bounds.residual))


@dataclass(frozen=True)
class Outcome:
    means: list[Row]
    by_topic: list[Row]


def score_runs(
    campaign: OfflineCampaign,
    measures: Sequence[Measure],
    grading: Grading,
    progress: Callable[[], object] = lambda: None,
) -> Outcome:
    """Score all; `progress` is called after each topic. Where a run misses a topic, its ranking is empty."""
    scored: dict[tuple[int, int], list[Scored]] = {}
    for topic in campaign.topics:
        for place, cell in _score_topic(topic, measures, grading).items():
            scored.setdefault(place, []).append(cell)
        progress()
    means, by_topic = [], []
    for (run, measure), cells in sorted(scored.items()):
        names = campaign.runs[run], measures[measure].name
        means.append(Row(*names, None, mean(cells)))
        pairs = zip(campaign.topics, cells, strict=True)
        by_topic += [Row(*names, topic.number, cell) for topic, cell in pairs]
    return Outcome(means, by_topic)


def _score_topic(
    topic: OfflineTopic, measures: Sequence[Measure], grading: Grading
) -> dict[tuple[int, int], Scored]:
    gains = topic.gains(grading)
    judged = np.array([grading.gain(grade) for grade in topic.grades.values()])
    return {
        (run, place): measure.score(MISSING if ranking is None else gains[ranking], judged)
        for run, ranking in enumerate(topic.rankings)
        for place, measure in enumerate(measures)
    }


def mean(cells: Sequence[Scored]) -> Scored:
    """fsum, so that the mean is that of a live campaign's integer sums, to the last bit."""
    count = len(cells)
    bounds = [cell.bounds for cell in cells if cell.bounds is not None]
    return Scored(
        fsum(cell.score for cell in cells) / count,
        Bounds(fsum(b.base for b in bounds) / count, fsum(b.residual for b in bounds) / count)
        if len(bounds) == count
        else None,
    )
