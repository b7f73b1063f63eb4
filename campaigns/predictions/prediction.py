"""Final scores that the worker predicted last, as pages, API and webhooks show them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, astuple, dataclass, field
from functools import cached_property
from itertools import combinations
from math import floor
from typing import Any, Literal

import numpy as np
from django.db.models import QuerySet

from campaigns.log.judgments import length_of
from campaigns.models import Campaign, Prediction
from campaigns.models.campaign import Status
from campaigns.models.packed import DIFFERENCES, unpack_probabilities, unpack_runs
from campaigns.results.topic_scope import SCOPES, TopicScope
from evaluation.arrays import FloatArray
from selection.simulation.relevance.relevance_model import MODEL_VERSION

_PAIRS: dict[TopicScope, str] = {"all": "pairs", "judged": "judged_pairs"}
DIGITS = 4
# Stands among the watched runs for one that scores 0: no run has this id.
ZERO_RUN = 0
# Pairs are looked at among so many first runs, and separated from this probability on.
TOP_RUNS, SEPARATED = 10, 0.95
# Points of the curve of separated pairs; beyond, every other one is dropped.
MOST_HISTORY = 240
# Hundredths that arithmetic may lose.
NOISE = 1e-9
# Of so many distinct runs or fewer, each has its P(best). Of more, the leaders are named: a P(best) of a half
# is too rare there to be measured.
MOST_WITH_BEST = 40
# A prediction interval is shown unless it takes up a larger part of the score range, in score ranges that are
# wider than the second.
WIDEST_SHARE, NARROW_RANGE = 0.6, 0.1
# Of 100 runs in tests on collections left out, so many had their score inside the prediction interval: over
# all collections, and in the collection of the fewest. docs/evidence/calibration.md has the measurement.
HELD, HELD_WORST = 95, 89

# Why nothing is predicted: there are no two runs, or no judgments; the worker has yet to; the judgments hold
# one kind of grade, or no document that a run ranks; there is too much; the campaign is a draft or archived,
# and the worker leaves it alone.
Reason = Literal[
    "empty", "few_runs", "computing", "all_relevant", "none_relevant", "unranked", "too_large", "inactive"
]


@dataclass(frozen=True)
class MissingPrediction:
    """Reason why nothing is predicted. `judged`, `relevant`: the numbers of current judgments and of relevant
    ones, where they are the reason."""

    reason: Reason
    judged: int = 0
    relevant: int = 0


def is_too_wide(base: float, low: float, high: float, top: float) -> bool:
    """True if a prediction interval is hardly narrower than the score range, so that it is too early to show
    it.

    >>> is_too_wide(0.1, 0.2, 0.7, 0.8), is_too_wide(0.1, 0.2, 0.5, 0.8), is_too_wide(0.1, 0.1, 0.15, 0.15)
    (True, False, False)
    """
    certain = top - base
    return certain > NARROW_RANGE and high - low > WIDEST_SHARE * certain + NOISE


@dataclass(frozen=True)
class PredictedScores:
    """Means over so many `topics`, a number for each predicted run. `best`: the probability of the highest
    score. `early`: too early for probabilities of these means. `sampled`: topics that were predicted; None
    in older rows, which predicted all."""

    topics: int
    expected: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    best: tuple[float, ...]
    early: bool = False
    sampled: int | None = None

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> PredictedScores:
        expected, low, high, best = (tuple(row[name]) for name in ("expected", "low", "high", "best"))
        return cls(row["topics"], expected, low, high, best, row.get("early", False), row.get("sampled"))


@dataclass(frozen=True)
class SeparatedPairs:
    """Pairs of the first `TOP_RUNS` runs by expected score: the number of certain ones, and of those
    separated with a probability of `SEPARATED` or more, once `judged` documents were judged."""

    judged: int
    pairs: int
    certain: int
    likely: int

    @property
    def separated(self) -> int:
        return self.certain + self.likely


@dataclass(frozen=True)
class PredictionContent:
    """`Prediction.content`. `scores`: nothing where nothing is predicted, and `reason` says why; of judgments
    that are all of one kind, `judged` and `relevant` have the numbers. `seconds`: what it took.
    `learned_from`: how many finished campaigns of this site corrected the model. `model`: its version, 1 in
    older rows. `history`: by scope, what earlier predictions for these runs and settings separated, and this
    one. `same`: runs, by id, that rank the same documents in the same order in every topic. `watched`,
    `watched_topics`: ids of the runs whose differences are stored by topic, and of these topics; `asked`:
    which of them people asked for, the latest first."""

    seconds: float = 0.0
    learned_from: int = 0
    model: int = MODEL_VERSION
    scores: Mapping[str, PredictedScores] | None = None
    history: Mapping[str, tuple[SeparatedPairs, ...]] | None = None
    same: tuple[tuple[int, ...], ...] = ()
    watched: tuple[int, ...] = ()
    watched_topics: tuple[int, ...] = ()
    asked: tuple[int, ...] = ()
    reason: Reason | Literal[""] = ""
    judged: int = 0
    relevant: int = 0

    def to_json(self) -> dict[str, Any]:
        scores = {topics: one.to_json() for topics, one in (self.scores or {}).items()}
        history = {topics: [astuple(one) for one in past] for topics, past in (self.history or {}).items()}
        about = {name: getattr(self, name) for name in ("seconds", "learned_from", "model")}
        watched = {name: list(getattr(self, name)) for name in _WATCHED}
        same = [list(runs) for runs in self.same]
        why = {name: getattr(self, name) for name in _WHY}
        return {**about, "scores": scores, "history": history, "same": same, **watched, **why}

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> PredictionContent:
        scores = {topics: PredictedScores.from_json(one) for topics, one in row["scores"].items()}
        # Older rows have no history, nor identical or watched runs, nor a reason.
        history = {
            topics: tuple(SeparatedPairs(*one) for one in past)
            for topics, past in row.get("history", {}).items()
        }
        same = tuple(tuple(runs) for runs in row.get("same", ()))
        others: dict[str, Any] = {name: tuple(row.get(name, ())) for name in _WATCHED}
        others |= {name: row[name] for name in _WHY if name in row}
        about = row["seconds"], row["learned_from"], row.get("model", 1)
        return cls(*about, scores, history, same, **others)


_WATCHED = ("watched", "watched_topics", "asked")
_WHY = ("reason", "judged", "relevant")


@dataclass(frozen=True)
class RunPrediction:
    """`low` to `high` is the prediction interval, inside the score range of the same judgments. `best`: the
    probability that no run has a higher final score, the same for identical runs; None while it is too early
    to say, and of more than `MOST_WITH_BEST` runs. `topics_half`: half width of the interval for topics like
    these; None for few topics."""

    id: int
    expected: float
    low: float
    high: float
    best: float | None
    topics_half: float | None = None


@dataclass(frozen=True, eq=False)
class ScorePrediction:
    """Final scores of the runs that take part, in the order of their upload: means over `topics` topics, once
    every ranked document is judged. `early`: the begun topics have too few judgments for probabilities.
    `learned_from`: how many finished campaigns of this site corrected the model. `history`: what
    was separated when. `same`: identical runs, by id, those of one group in the order of their upload.
    `chances`: P(best) by the run's id, also where it is not shown: leaders are chosen by it. `like_these`:
    as `half_widths_of`, None also while it is early. `sampled`: the
    number of topics that were predicted; fewer than `topics` where these are a random sample."""

    as_of: int
    topics: int
    early: bool
    runs: Sequence[RunPrediction]
    pairs: FloatArray
    learned_from: int = 0
    history: tuple[SeparatedPairs, ...] = ()
    same: tuple[tuple[int, ...], ...] = ()
    chances: Mapping[int, float] = field(default_factory=dict)
    like_these: FloatArray | None = None
    sampled: int = 0

    @cached_property
    def first_of(self) -> dict[int, int]:
        """First identical run, by id, for each run that is identical to one uploaded before it."""
        return {run: first for first, *others in self.same for run in others}

    @cached_property
    def distinct(self) -> list[RunPrediction]:
        """`order` with one run of each group of identical ones."""
        return [run for run in self.order if run.id not in self.first_of]

    @cached_property
    def order(self) -> list[RunPrediction]:
        """Highest expected score first; ties by who came first."""
        return sorted(self.runs, key=lambda run: (-run.expected, run.id))

    def confidence(self, run: int, other: int) -> float | None:
        """The probability that `run` has a higher final score than `other`, by their ids; 0 or 1 only where
        that is certain. None for a run that takes no part, and for open pairs while it is too early."""
        places = self._places.get(run), self._places.get(other)
        if places[0] is None or places[1] is None or run == other:
            return None
        first, second = sorted((places[0], places[1]))
        probability = float(self.pairs[first * (2 * len(self.runs) - first - 1) // 2 + second - first - 1])
        if self.early and 0 < probability < 1:
            return None
        return round(probability if first == places[0] else 1 - probability, DIGITS)

    def difference_for_topics_like_these(self, run: int, other: int) -> tuple[float, float] | None:
        """The expected difference of `run` less `other`, by their ids, over topics like these, and half the
        width of its 95% interval; None for few topics, while it is early, and for runs without a
        prediction."""
        places = self._places.get(run), self._places.get(other)
        if self.like_these is None or places[0] is None or places[1] is None or run == other:
            return None
        expected = self.runs[places[0]].expected - self.runs[places[1]].expected
        return expected, float(self.like_these[places[0], places[1]])

    def separated(self, judged: int) -> SeparatedPairs:
        """Separated pairs of the first runs, once so many documents are judged."""
        confidences = [
            self.confidence(run.id, other.id) for run, other in combinations(self.distinct[:TOP_RUNS], 2)
        ]
        certain = sum(one in (0, 1) for one in confidences)
        likely = sum(one is not None and max(one, 1 - one) >= SEPARATED for one in confidences) - certain
        return SeparatedPairs(judged, len(confidences), certain, likely)

    @cached_property
    def _places(self) -> dict[int, int]:
        return {run.id: place for place, run in enumerate(self.runs)}


def earlier_history(row: Prediction | None, configuration: int) -> Mapping[str, tuple[SeparatedPairs, ...]]:
    """History by scope, of the same runs and settings only; thinned before it grows too long."""
    if row is None or row.configuration != configuration:
        return {}
    past = PredictionContent.from_json(row.content).history or {}
    return {topics: points[::2] if len(points) >= MOST_HISTORY else points for topics, points in past.items()}


NO_PREDICTION = ScorePrediction(0, 0, False, (), np.zeros(0))


def present_predictions(campaign: int, configuration: int) -> QuerySet[Prediction]:
    """The stored prediction of these runs and settings, by the present model."""
    rows = Prediction.objects.filter(campaign=campaign, configuration=configuration)
    return rows.filter(content__model=MODEL_VERSION)


def prediction_of(*, campaign: Campaign, topics: TopicScope = "all") -> ScorePrediction | None:
    """None before the first judgment, and while none is of the campaign's present runs and settings."""
    rows = present_predictions(campaign.id, campaign.configuration)
    row = rows.only("as_of", "content", "runs", "like_these", _PAIRS[topics]).first()
    return None if row is None else read_prediction(row, topics)


def read_prediction(row: Prediction, topics: TopicScope) -> ScorePrediction | None:
    content = PredictionContent.from_json(row.content)
    if not content.scores:
        return None
    scores = content.scores[topics]
    ids = unpack_runs(row.runs).tolist()
    best = dict(zip(ids, scores.best, strict=True))
    for group in content.same:
        # Draws in which identical runs are first count for each of them in part.
        best |= dict.fromkeys(group, min(sum(best[run] for run in group), 1.0))
    numbers = zip(ids, scores.expected, scores.low, scores.high, strict=True)
    distinct = len(ids) - sum(len(group) - 1 for group in content.same)
    with_best = not scores.early and distinct <= MOST_WITH_BEST
    like_these = None if scores.early else half_widths_of(row, topics)
    halves = [None] * len(ids) if like_these is None else np.diag(like_these).tolist()
    return ScorePrediction(
        as_of=row.as_of,
        topics=scores.topics,
        early=scores.early,
        runs=[
            RunPrediction(run, expected, low, high, best[run] if with_best else None, half)
            for (run, expected, low, high), half in zip(numbers, halves, strict=True)
        ],
        pairs=unpack_probabilities(getattr(row, _PAIRS[topics])),
        learned_from=content.learned_from,
        history=(content.history or {}).get(topics, ()),
        same=content.same,
        chances=best,
        like_these=like_these,
        sampled=scores.topics if scores.sampled is None else scores.sampled,
    )


def half_widths_of(row: Prediction, topics: TopicScope) -> FloatArray | None:
    """Half widths for topics like these, (runs, runs): of a run's mean on the diagonal, and of differences;
    None for few topics, and in older rows."""
    count, scope = len(unpack_runs(row.runs)), SCOPES.index(topics)
    half = np.frombuffer(row.like_these, dtype=DIFFERENCES).astype(np.float64)
    if not len(half):
        return None
    matrix = half.reshape(len(SCOPES), count, count)[scope]
    return None if np.isnan(matrix).any() else matrix


def unpredicted_of(*, campaign: Campaign) -> MissingPrediction | None:
    """None where final scores are predicted."""
    rows = present_predictions(campaign.id, campaign.configuration)
    row = rows.only("as_of", "content").first()
    length = length_of(campaign=campaign)
    return missing_prediction(campaign, row, length, campaign.runs.taking_part().count)


def missing_prediction(
    campaign: Campaign, row: Prediction | None, length: int, count_runs: Callable[[], int]
) -> MissingPrediction | None:
    """Reason why nothing is predicted, of the row in `present_predictions` and the length of the log."""
    content = PredictionContent() if row is None else PredictionContent.from_json(row.content)
    if content.scores:
        return None
    if content.reason:
        return MissingPrediction(content.reason, content.judged, content.relevant)
    if not length:
        return MissingPrediction("empty")
    if count_runs() < 2:
        return MissingPrediction("few_runs")
    if row is not None and row.as_of == length:
        return MissingPrediction("empty")
    waits = campaign.status != Status.DRAFT and campaign.archived_at is None
    return MissingPrediction("computing" if waits else "inactive")


def percent_of(confidence: float | None) -> int | None:
    """For people: rounded towards 50%, so that 95% is not shown of less. Of what is open, nothing is 0% or
    100% sure."""
    if confidence is None:
        return None
    surer = floor(100 * max(confidence, 1 - confidence) + NOISE)
    return max(min(surer if confidence >= 0.5 else 100 - surer, 99), 1)
