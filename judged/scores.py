"""Scores of runs with their bounds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Unpack

from judged.collection import Notices, Reading, read_collection
from judged.measures import AnyMeasure, measures_of
from judged.qrels import QrelsSource
from judged.runs import RunsSource
from judged.tables import Row, Table, Value

if TYPE_CHECKING:
    import altair

    from evaluation.measure import Measure

RelevanceModel = Literal["model", "constant", "smoothed", "experts"]


class RunScore(Row):
    """A run's score by a measure, as a mean or on one topic; None where the measure has no bounds."""

    __slots__ = ()
    run: str
    measure: str
    score: float | None
    base: float | None
    residual: float | None
    top: float | None
    projected: float | None
    simplistic: float | None
    background: float | None
    interpolated: float | None
    smoothed: float | None


class ScoreTable(Table[RunScore]):
    """Mean scores, found by run and measure: `scores["BM25", "nDCG@10"].score`.

    `per_topic`: the scores of each topic, found by run, measure and topic. `background`: the expected gain of
    an unjudged document, given or fitted. `gains`: the gain of each grade, where a choice was made.
    """

    def __init__(
        self,
        means: Iterable[Mapping[str, Value]],
        by_topic: Callable[[], list[dict[str, Value]]],
        *,
        background: float,
        gains: Mapping[str, float],
        notices: Sequence[str],
    ) -> None:
        super().__init__(means, ("run", "measure"), RunScore, notices=notices, spelled=_spelled)
        self.background, self.gains, self._by_topic = background, dict(gains), by_topic

    @property
    def per_topic(self) -> Table[RunScore]:
        return Table(self._by_topic(), ("run", "measure", "topic"), RunScore, spelled=_spelled)

    def plot(self, measure: AnyMeasure | None = None, *, most: int = 30) -> altair.LayerChart:
        """Draw the score ranges of the best runs by a measure, best first: whiskers from base to top with the
        projection, or points where there are no bounds.

        Parameters
        ----------
        measure : default: the first
        most : number of runs that are drawn

        Raises
        ------
        ValueError : no run has a score by the measure.
        """
        import altair as alt

        from campaigns.figures.charts import inline

        name = self._rows[0].measure if measure is None else measures_of(measure)[0].name
        rows = [row for row in self if row.measure == name and row.score is not None]
        if not rows:
            raise ValueError(f"there are no scores by {name}")
        rows.sort(key=lambda row: -(row.score or 0))
        drawn = [{**row, "shown": row.score if row.base is None else row.projected} for row in rows[:most]]
        tips = ["run:N", "score:Q", "base:Q", "projected:Q", "top:Q"]
        base = alt.Chart(inline(drawn)).encode(y=alt.Y("run:N", sort=[row.run for row in rows], title=None))
        ranges = base.mark_rule(color="#000000").encode(
            x=alt.X("base:Q", title=name), x2="top:Q", tooltip=tips
        )
        points = base.mark_point(filled=True, color="#0072b2").encode(x="shown:Q", tooltip=tips)
        return alt.LayerChart(layer=[ranges, points])


def _spelled(column: str, key: object) -> Value:
    return measures_of(key)[0].name if column == "measure" else str(key)


def evaluate(
    runs: RunsSource,
    qrels: QrelsSource,
    measures: AnyMeasure | Iterable[AnyMeasure] = "RBP(p=0.8)",
    *,
    prels: str | PathLike[str] | None = None,
    sample_p: float | None = None,
    contributing: str | PathLike[str] | None = None,
    strata: str | PathLike[str] | None = None,
    subtopics: str | PathLike[str] | None = None,
    relevance: RelevanceModel = "model",
    background: float | Literal["fit"] = 0.01,
    smoothing: float | None = None,
    split: bool = False,
    **reading: Unpack[Reading],
) -> ScoreTable:
    """Score runs against qrels, with the bounds that unjudged documents leave.

    The numbers are those of the command `evaluate`, to the last bit.

    Parameters
    ----------
    runs : see `read_runs`
    qrels : see `read_qrels`
    measures : one or several of `RBP(p=0.8)`, "nDCG@10", measures of ir_measures
    prels : file of judgments with inclusion probabilities, for statAP, and for estimates from a random sample
    sample_p : persistence inside (0, 1) by which the sample in `prels` was drawn, 0.8 by default
    contributing : file of the runs whose documents were drawn; all by default
    strata : file of the pool with its strata, for xinfAP and infNDCG
    subtopics : file of judgments of subtopics, for alpha_nDCG and ERR_IA
    relevance : source of the probability that an unjudged document is relevant, for EAP
    background : expected gain of an unjudged document, in [0, 1], for the estimates; "fit" fits it
    smoothing : share of the interpolated estimate in the smoothed one, in [0, 1]; 1 - residual by default
    split : also give the two parts of the residual, `unjudged` and `tail`
    **reading : see `Reading`

    Returns
    -------
    ScoreTable
        Scores in [0, 1] for most measures: `base` counts unjudged documents as not relevant, `top` as fully
        relevant, `residual` is the difference; `projected` and what follows are estimates.

    Raises
    ------
    FormatError
        For each wrong line or row.
    ValueError
        For an unknown measure, or one that reads a file that is not given.

    Examples
    --------
    >>> runs = {"BM25": {"401": {"d1": 3.0, "d2": 2.0, "d3": 1.0}}}
    >>> scores = evaluate(runs, {"401": {"d1": 1, "d2": 0}}, ["RBP(p=0.5)", "AP"])
    >>> scores["BM25", "RBP(p=0.5)"].base, scores["BM25", "RBP(p=0.5)"].residual, scores["BM25", "AP"].score
    (0.5, 0.25, 1.0)
    """
    from campaigns.management.offline.sampled_columns import SampledColumns, reads_sample
    from campaigns.scoring.further_judgments import with_further_judgments
    from campaigns.scoring.measured_rankings import Relevance
    from campaigns.scoring.score_tables import EstimateOptions, ScoreRow, fitted_rate, score_runs
    from campaigns.scoring.scored_topics import gains_used

    chosen, notices = measures_of(measures), Notices()
    files = {"prels": prels, "strata": strata, "subtopics": subtopics}
    further = {name: None if file is None else Path(file) for name, file in files.items()}
    _check(chosen, further, relevance)
    collection, grading = read_collection(runs, qrels, notices, chosen, **reading)
    collection = with_further_judgments(collection, grading, **further)
    rate = fitted_rate(collection, grading, "qrels", notices.add) if background == "fit" else background
    if not 0 <= rate <= 1:
        raise ValueError(f"background = {rate} is outside [0, 1]")
    showing = EstimateOptions(rate, smoothing, split)
    outcome = score_runs(collection, chosen, grading, relevance=Relevance(relevance))
    sample = {**further, "sample_p": sample_p, "contributing": contributing and Path(contributing)}
    sampled = SampledColumns.of(collection, chosen, grading, sample) if reads_sample(chosen, sample) else None
    for notice in sampled.notices() if sampled else ():
        notices.add(notice)
    used = gains_used(collection, grading, [one.name for one in chosen if one.reads_gains], notices.add)

    def lines(rows: Sequence[ScoreRow]) -> list[dict[str, Value]]:
        return [row.as_dict(showing) | (sampled.columns(row) if sampled else {}) for row in rows]

    return ScoreTable(
        lines(outcome.means),
        lambda: lines(outcome.by_topic),
        background=rate,
        gains=used.get("gains", {}),
        notices=notices.warn(),
    )


def _check(measures: Sequence[Measure], given: Mapping[str, Path | None], relevance: RelevanceModel) -> None:
    from campaigns.management.offline.options import FILES_NEEDED
    from evaluation.names import CALIBRATED

    for measure in measures:
        if needed := FILES_NEEDED.get(measure.needs):
            name = needed[0].removeprefix("--")
            if given[name] is None:
                raise ValueError(f"{measure.name} reads {needed[1]}: give {name}")
        if measure.name == f"EAP({CALIBRATED})" and relevance != "model":
            raise ValueError(f"{measure.name} needs relevance='model'; EAP takes the others")
