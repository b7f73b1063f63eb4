"""Two runs beside each other: topic by topic, by significance tests, and by what may still separate them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from campaigns.log.current import GradesByTopic, grades_of
from campaigns.models import Campaign, Document, Interval, Ranking
from campaigns.models.packed import unpack_ids
from campaigns.results.score_ranges import UNKNOWN_BOUNDS, RunScoreRange
from campaigns.results.topic_scope import TopicScope, topics_in
from evaluation.arrays import FloatArray, IntArray
from evaluation.comparison.pair_decisions import by_differences, by_score_ranges
from evaluation.comparison.pairs import Rule, verdicts
from evaluation.measures.bounds import begun_projections, mean_of_known
from evaluation.measures.weights import exact_rank_weights

# Of more topics the rankings are not read in a request.
MOST_PAIR_TOPICS = 300
MOST_DECISIVE_DOCUMENTS = 10


@dataclass(frozen=True)
class TopicPair:
    """`id`: of the topic. `better`, `worse`: base and residual of each run. `least`, `most`: by how much the
    better run is ahead in the topic."""

    id: int
    number: str
    title: str
    better: tuple[float, float]
    worse: tuple[float, float]

    @property
    def difference(self) -> float:
        return self.better[0] - self.worse[0]

    @property
    def least(self) -> float:
        return self.better[0] - sum(self.worse)

    @property
    def most(self) -> float:
        return sum(self.better) - self.worse[0]

    @property
    def decided(self) -> str:
        return "better" if self.least > 0 else "worse" if self.most < 0 else ""


@dataclass(frozen=True)
class TestRow:
    """The better run's base against what the worse one is credited with, over `topics` topics: against the
    projection without those in which nothing of the worse run is judged. None: cannot be computed."""

    versus: str
    difference: float | None
    topics: int
    wilcoxon: float | None
    t: float | None


@dataclass(frozen=True)
class DecisiveDocument:
    """An unjudged document that the two runs weigh differently; `shift`: how far it can part their means."""

    number: str
    docno: str
    title: str
    better_rank: int | None
    worse_rank: int | None
    shift: float


@dataclass(frozen=True)
class PairDetails:
    """`decided`: "intervals", "difference" or "" while open; `telling`: None where there are too many topics
    to read their rankings."""

    topics: list[TopicPair]
    tests: list[TestRow]
    decided: str
    telling: list[DecisiveDocument] | None


def pair_of(
    *,
    campaign: Campaign,
    better: RunScoreRange,
    worse: RunScoreRange,
    scope: TopicScope = "all",
) -> PairDetails:
    """The run of the higher base comes first. Both are means over the topics of the scope."""
    rows = topics_in(campaign=campaign, scope=scope).order_by("position")
    topics = list(rows.values_list("id", "number", "title"))
    cells = _cells((better.id, worse.id))
    nothing = UNKNOWN_BOUNDS
    lines = [
        TopicPair(id, number, title, cells.get((better.id, id), nothing), cells.get((worse.id, id), nothing))
        for id, number, title in topics
    ]
    means = np.array([better.base, worse.base]), np.array([better.residual, worse.residual])
    decided = "intervals" if by_score_ranges(*means).better[0, 1] else ""
    telling: list[DecisiveDocument] | None = [] if len(topics) <= MOST_PAIR_TOPICS else None
    if 0 < len(topics) <= MOST_PAIR_TOPICS:
        grades = grades_of(campaign=campaign)
        read = _Rankings(campaign, [id for id, _, _ in topics], (better.id, worse.id), grades)
        shared = np.array([[0.0, read.shared], [read.shared, 0.0]])
        if not decided and by_differences(*means, shared).better[0, 1]:
            decided = "difference"
        telling = read.telling({id: number for id, number, _ in topics})
    return PairDetails(lines, _tests(lines), decided, telling)


def _cells(runs: Sequence[int]) -> dict[tuple[int, int], tuple[float, float]]:
    rows = Interval.objects.filter(run__in=runs).values_list("run_id", "topic_id", "base", "residual")
    return {(run, topic): (base, residual) for run, topic, base, residual in rows}


def bases_against_projections(
    *, campaign: Campaign, runs: Sequence[int], scope: TopicScope
) -> tuple[FloatArray, IntArray]:
    """Mean of each run's base less each other run's projection, and the number of topics, both (runs, runs).
    Topics in which nothing of the other run is judged are left out, NaN where none is left."""
    cells = _cells(runs)
    topics = topics_in(campaign=campaign, scope=scope).values_list("id", flat=True)
    bounds = np.array([[cells.get((run, topic), UNKNOWN_BOUNDS) for run in runs] for topic in topics])
    base, residual = np.moveaxis(bounds.reshape(-1, len(runs), 2), 2, 0)
    return mean_of_known(base[:, :, None] - begun_projections(base, residual)[:, None, :])


def _tests(lines: list[TopicPair]) -> list[TestRow]:
    """Base against base, top and projection (Moffat, Webber and Zobel 2007, section 5)."""
    if not lines:
        return []
    better = np.array([line.better for line in lines]).T
    worse = np.array([line.worse for line in lines]).T
    against = {
        "base": worse[0],
        "projected": begun_projections(worse[0], worse[1]),
        "top": worse[0] + worse[1],
    }
    return [_test(versus, better[0], np.asarray(credited)) for versus, credited in against.items()]


def _test(versus: str, scores: FloatArray, credited: FloatArray) -> TestRow:
    pair = np.array([0]), np.array([1])
    rows = np.array([scores, scores]), np.array([credited, credited])
    wilcoxon = verdicts(*rows, *pair, Rule())
    t = verdicts(*rows, *pair, Rule(test="t")).p if len(scores) > 1 else [np.nan]
    figures = (float(of[0]) for of in (wilcoxon.difference, wilcoxon.p, t))
    difference, *ps = (None if np.isnan(figure) else figure for figure in figures)
    return TestRow(versus, difference, int(wilcoxon.topics[0]), *ps)


# By how much, topic, document, both ranks.
_Apart = tuple[float, int, int, int | None, int | None]


class _Rankings:
    """Both runs' lists, a pair of them for each topic."""

    def __init__(
        self, campaign: Campaign, topics: list[int], runs: tuple[int, int], grades: GradesByTopic
    ) -> None:
        self._topics, self._grades = topics, grades
        self._assumes_not_relevant = campaign.unjudged_not_relevant
        none = np.zeros(0, dtype=np.int32)
        rows = Ranking.objects.filter(run__in=runs).values_list("run_id", "topic_id", "documents")
        held = {(run, topic): unpack_ids(packed) for run, topic, packed in rows}
        self._lists = {
            topic: (held.get((runs[0], topic), none), held.get((runs[1], topic), none)) for topic in topics
        }
        depth = max((len(ids) for both in self._lists.values() for ids in both), default=0)
        self._weights = exact_rank_weights(campaign.p, depth)

    @property
    def shared(self) -> float:
        """Mean over topics of what the two have in common among the unjudged; it cancels."""
        total = 0.0
        for topic, (one, other) in self._lists.items():
            both, at, there = np.intersect1d(one, other, return_indices=True)
            grades = self._grades.get(topic, {})
            if grades and self._assumes_not_relevant:
                continue
            open_ = ~np.isin(both, list(grades))
            total += float(np.minimum(self._weights[at], self._weights[there])[open_].sum())
        return total / len(self._topics)

    def telling(self, numbers: dict[int, str]) -> list[DecisiveDocument]:
        shifts: list[_Apart] = []
        for topic, both in self._lists.items():
            shifts += self._apart(topic, *both)
        shifts = sorted(shifts, key=lambda row: (-row[0], row[1], row[2]))[:MOST_DECISIVE_DOCUMENTS]
        documents = Document.objects.only("docno", "title").in_bulk([row[2] for row in shifts])
        topics = len(self._topics)
        return [
            DecisiveDocument(
                numbers[topic],
                documents[id].docno,
                documents[id].title,
                one,
                other,
                shift / topics,
            )
            for shift, topic, id, one, other in shifts
        ]

    def _apart(self, topic: int, one: IntArray, other: IntArray) -> list[_Apart]:
        documents = np.union1d(one, other)
        ranks = np.zeros((2, len(documents)), dtype=np.int64)
        for row, ids in zip(ranks, (one, other), strict=True):
            row[np.searchsorted(documents, ids)] = np.arange(1, len(ids) + 1)
        weights = np.concatenate([[0.0], self._weights])[ranks]
        shift = np.abs(weights[0] - weights[1])
        shift[np.isin(documents, list(self._grades.get(topic, {})))] = 0.0
        best = np.argsort(-shift, kind="stable")[:MOST_DECISIVE_DOCUMENTS]
        return [
            (
                float(shift[at]),
                topic,
                int(documents[at]),
                int(ranks[0, at]) or None,
                int(ranks[1, at]) or None,
            )
            for at in best
            if shift[at] > 0
        ]


def order_by_base(one: RunScoreRange, other: RunScoreRange) -> tuple[RunScoreRange, RunScoreRange]:
    """The better one by base first, as the advice has it; ties by who came first."""
    return (other, one) if round(other.base, 12) > round(one.base, 12) else (one, other)


def runs_by_base(rows: list[RunScoreRange]) -> list[RunScoreRange]:
    return sorted(rows, key=lambda row: (-round(row.base, 12), row.id))
