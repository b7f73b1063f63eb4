"""Final scores that the worker predicted last, as pages, API and webhooks show them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from campaigns.models import Campaign, Prediction
from campaigns.models.packed import unpack_probabilities, unpack_runs
from evaluation.arrays import FloatArray

# All topics, or those with a judgment.
PredictedTopics = Literal["all", "judged"]
_PAIRS: dict[PredictedTopics, str] = {"all": "pairs", "judged": "judged_pairs"}
DIGITS = 4


@dataclass(frozen=True)
class PredictedScores:
    """Means over so many `topics`, a number for each predicted run. `best`: the probability of the highest
    score."""

    topics: int
    expected: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    best: tuple[float, ...]

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> PredictedScores:
        return cls(row["topics"], *(tuple(row[name]) for name in ("expected", "low", "high", "best")))


@dataclass(frozen=True)
class PredictionContent:
    """`Prediction.content`. `scores`: nothing where nothing is predicted. `seconds`: what it took.
    `learned_from`: how many finished campaigns of this site corrected the model."""

    early: bool = False
    seconds: float = 0.0
    learned_from: int = 0
    scores: Mapping[str, PredictedScores] | None = None

    def to_json(self) -> dict[str, Any]:
        scores = {topics: one.to_json() for topics, one in (self.scores or {}).items()}
        about = {"early": self.early, "seconds": self.seconds, "learned_from": self.learned_from}
        return {**about, "scores": scores}

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> PredictionContent:
        scores = {topics: PredictedScores.from_json(one) for topics, one in row["scores"].items()}
        return cls(row["early"], row["seconds"], row["learned_from"], scores)


@dataclass(frozen=True)
class RunPrediction:
    """`low` to `high` is the 95% prediction interval, inside the score range of the same judgments. `best`:
    the probability that no run has a higher final score; None while it is too early to say."""

    id: int
    expected: float
    low: float
    high: float
    best: float | None


@dataclass(frozen=True, eq=False)
class ScorePrediction:
    """Final scores of the runs that take part, in the order of their upload: means over `topics` topics, once
    every ranked document is judged. `early`: the begun topics have too few judgments for probabilities.
    `learned_from`: how many finished campaigns of this site corrected the model."""

    as_of: int
    topics: int
    early: bool
    runs: Sequence[RunPrediction]
    pairs: FloatArray
    learned_from: int = 0

    def confidence(self, run: int, other: int) -> float | None:
        """The probability that `run` has a higher final score than `other`, by their ids; 0 or 1 only where
        that is certain. None for a run that takes no part, and for open pairs while it is too early."""
        places = self._places.get(run), self._places.get(other)
        if places[0] is None or places[1] is None or run == other:
            return None
        first, second = sorted((places[0], places[1]))
        found = float(self.pairs[first * (2 * len(self.runs) - first - 1) // 2 + second - first - 1])
        if self.early and 0 < found < 1:
            return None
        return round(found if first == places[0] else 1 - found, DIGITS)

    @cached_property
    def _places(self) -> dict[int, int]:
        return {run.id: place for place, run in enumerate(self.runs)}


NO_PREDICTION = ScorePrediction(0, 0, False, (), np.zeros(0))


def prediction_of(*, campaign: Campaign, topics: PredictedTopics = "all") -> ScorePrediction | None:
    """None before the first judgment, and while none is of the campaign's present runs and settings."""
    rows = Prediction.objects.filter(campaign=campaign, configuration=campaign.configuration)
    row = rows.only("as_of", "content", "runs", _PAIRS[topics]).first()
    content = PredictionContent.from_json(row.content) if row else PredictionContent()
    if row is None or not content.scores:
        return None
    scores = content.scores[topics]
    numbers = zip(
        unpack_runs(row.runs).tolist(), scores.expected, scores.low, scores.high, scores.best, strict=True
    )
    return ScorePrediction(
        as_of=row.as_of,
        topics=scores.topics,
        early=content.early,
        runs=[
            RunPrediction(run, expected, low, high, None if content.early else best)
            for run, expected, low, high, best in numbers
        ],
        pairs=unpack_probabilities(getattr(row, _PAIRS[topics])),
        learned_from=content.learned_from,
    )


def percent_of(confidence: float | None) -> int | None:
    """For people: of what is open, nothing is 0% or 100% sure."""
    return None if confidence is None else min(max(round(100 * confidence), 1), 99)
