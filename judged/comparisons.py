"""Tests of the differences of runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, Unpack

from judged.collection import Notices, Reading, read_collection
from judged.measures import AnyMeasure, measures_of
from judged.qrels import QrelsSource
from judged.runs import RunsSource
from judged.scores import RelevanceModel
from judged.tables import Row, Table, Value

if TYPE_CHECKING:
    from campaigns.management.offline.comparison import TestedScore
    from evaluation.comparison.significance import Correction, Test
    from evaluation.measure import Measure


class Pair(Row):
    """A pair of runs, the better by mean score first: differences, p-values and effect sizes. `confidence` is
    the probability that `better` is better, for EAP."""

    __slots__ = ()
    better: str
    worse: str
    cohen_d: float | None
    superiority: float | None
    rank_biserial: float | None
    confidence: float


class PairTable(Table[Pair]):
    """Tested pairs, found by their runs: `pairs["BM25", "QL"].base_p`. `fractions`: the share of significant
    pairs by each contrast. `topics`: number of topics tested on."""

    def __init__(
        self,
        pairs: Iterable[Mapping[str, Value]],
        *,
        measure: str,
        topics: int,
        fractions: Mapping[str, float | None],
        notices: Sequence[str],
    ) -> None:
        super().__init__(pairs, ("better", "worse"), Pair, notices=notices)
        self.measure, self.topics, self.fractions = measure, topics, dict(fractions)


def compare(
    runs: RunsSource,
    qrels: QrelsSource,
    measure: AnyMeasure = "RBP(p=0.8)",
    *,
    on: TestedScore = "score",
    test: Test = "wilcoxon",
    tails: Literal[1, 2] = 1,
    alpha: float = 0.05,
    correction: Correction = "none",
    top_share: float | None = None,
    top_by: AnyMeasure | None = None,
    pessimistic: bool = False,
    relevance: RelevanceModel = "model",
    seed: int = 0,
    **reading: Unpack[Reading],
) -> PairTable:
    """Test every pair of the best runs: is the base score of the better significantly above the base, the top
    and the projected score of the other?

    The numbers are those of the command `compare`, to the last bit.

    Parameters
    ----------
    runs : see `read_runs`
    qrels : see `read_qrels`
    measure : one that is a mean over topics
    on : score to test; "background", "interpolated", "smoothed" and "projected" are estimates of both runs
    test : paired test over topics: "wilcoxon", "t", "sign" or "randomisation"
    tails : 1 for whether a run is better, 2 for whether they differ
    alpha : significance level, inside (0, 1)
    correction : for the number of pairs: "none", "holm" or "bh"
    top_share : share of the runs to compare, the best by `top_by`; 0.333 by default, or all where that leaves
        fewer than two
    top_by : measure that chooses the best runs; the tested score by default
    pessimistic : also test the gaps between the two runs' score ranges
    relevance : source of the probability that an unjudged document is relevant, for EAP
    seed : of the randomisation test
    **reading : see `Reading`

    Raises
    ------
    FormatError
        For each wrong line or row.
    ValueError
        For a measure or test that these runs do not allow.

    Examples
    --------
    >>> topics = [str(number) for number in range(6)]
    >>> runs = {"A": {t: {"d1": 2, "d2": 1} for t in topics}, "B": {t: {"d1": 1, "d2": 2} for t in topics}}
    >>> pairs = compare(runs, {t: {"d1": 1, "d2": 0} for t in topics}, "RR")
    >>> pairs["A", "B"].base, pairs["A", "B"].base_significant, pairs.topics
    (0.5, True, 6)
    """
    from campaigns.management.offline.comparison import compare as tested
    from campaigns.management.offline.comparison import gather
    from campaigns.management.offline.options import the_measure
    from campaigns.scoring.measured_rankings import Relevance
    from campaigns.scoring.pair_confidences import pair_confidences
    from campaigns.scoring.score_tables import score_runs
    from campaigns.scoring.scored_topics import gains_used
    from evaluation.comparison.pairs import Rule

    rule = Rule(test, tails, alpha, correction, seed)
    chosen: list[Measure] = [the_measure(str(one), measures_of(one)) for one in (measure, top_by or measure)]
    asked = list({one.name: one for one in chosen}.values())
    notices, model = Notices(), Relevance(relevance)
    collection, grading = read_collection(runs, qrels, notices, asked, **reading)
    if any(one.needs == "expected" for one in asked):
        # Scores and confidences share one fit.
        model = model.fit(collection, grading)
    outcome = score_runs(collection, asked, grading, relevance=model)
    best = None if top_by is None else gather(outcome, chosen[1].name).base
    compared = tested(
        gather(outcome, chosen[0].name), rule, top_share, on=on, chosen_by=best, pessimistic=pessimistic
    )
    if chosen[0].needs == "expected":
        confidences = pair_confidences(collection, compared.runs, grading, model)
        compared = replace(compared, confidences=confidences)
    for notice in compared.notices(len(collection.topics)):
        notices.add(notice)
    gains_used(collection, grading, [one.name for one in asked if one.reads_gains], notices.add)
    return PairTable(
        compared.pairs(),
        measure=chosen[0].name,
        topics=len(compared.scores.topics),
        fractions=compared.fractions,
        notices=notices.warn(),
    )
