"""Predicted final scores of a half-judged collection."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Unpack

from judged.collection import Notices, Reading, read_collection
from judged.qrels import QrelsSource
from judged.runs import RunsSource
from judged.tables import Row, Table, Value

if TYPE_CHECKING:
    from campaigns.scoring.predicted_scores import PredictedScores


class PredictedRun(Row):
    """A run's predicted score. `low` to `high` is the 95% prediction interval, inside `base` to `top`; `best`
    is the probability that no run has a higher score, None while it is too early to say."""

    __slots__ = ()
    run: str
    base: float
    low: float
    expected: float
    high: float
    top: float
    best: float | None


class Prediction(Table[PredictedRun]):
    """Predicted runs, found by name, the highest expected score first.

    `early`: there are too few judgments for probabilities. `pairs`: P(better) of each pair, found by run and
    other; None where it is too early and the pair is not certain.
    """

    def __init__(
        self,
        rows: Iterable[Mapping[str, Value]],
        pairs: Iterable[Mapping[str, Value]],
        early: bool,
        notices: Sequence[str],
    ) -> None:
        super().__init__(rows, ("run",), PredictedRun, notices=notices)
        self.early, self.pairs = early, Table(pairs, ("run", "other"), Row)

    def better(self, run: str, other: str) -> float | None:
        """The probability that `run` has the higher final score; 0 or 1 only where that is certain."""
        probability = self.pairs[run, other].probability
        return None if probability is None else float(probability)


def predict(
    runs: RunsSource, qrels: QrelsSource, *, p: float = 0.8, seed: int = 0, **reading: Unpack[Reading]
) -> Prediction:
    """Predict each run's mean RBP, were every ranked document judged, and which run would be best.

    The relevance of unjudged documents is drawn many times, by a model that is fitted to the judgments. The
    numbers are those that a site predicts for the same runs, judgments and seed.

    Parameters
    ----------
    runs : two or more, see `read_runs`
    qrels : judgments so far, see `read_qrels`
    p : persistence of RBP, inside (0, 1)
    seed : int, at least 0: the same seed and judgments, the same prediction
    **reading : see `Reading`; `topics` names the topics whose mean is predicted, and the model is fitted to
        all

    Raises
    ------
    FormatError
        For each wrong line or row.
    ValueError
        For a single run, or judgments that are all of one kind, to which no model can be fitted.

    Examples
    --------
    >>> ranked = {f"d{n}": float(-n) for n in range(20)}
    >>> runs = {"A": {"1": ranked}, "B": {"1": {docno: -score for docno, score in ranked.items()}}}
    >>> prediction = predict(runs, {"1": {f"d{n}": int(n < 10) for n in range(20) if n % 5}}, p=0.5)
    >>> prediction[0].run, prediction.better("A", "B"), prediction["A"].low <= prediction["A"].expected
    ('A', 1.0, True)
    """
    from campaigns.scoring.predicted_scores import predicted_scores

    topics = reading.pop("topics", "all")
    notices = Notices()
    collection, grading = read_collection(runs, qrels, notices, **reading)
    predicted = predicted_scores(collection, grading, p=p, seed=seed, topics=topics)
    return Prediction(
        _rows(collection.runs, predicted), _pairs(collection.runs, predicted), predicted.early, notices.warn()
    )


def _rows(runs: Sequence[str], of: PredictedScores) -> list[dict[str, Value]]:
    rows: list[dict[str, Value]] = [
        {
            "run": run,
            "base": float(of.base[at]),
            "low": float(of.low[at]),
            "expected": float(of.expected[at]),
            "high": float(of.high[at]),
            "top": float(of.base[at] + of.residual[at]),
            "best": None if of.early else float(of.best[at]),
        }
        for at, run in enumerate(runs)
    ]
    return [rows[at] for at in (-of.expected).argsort(kind="stable")]


def _pairs(runs: Sequence[str], of: PredictedScores) -> list[dict[str, Value]]:
    def shown(probability: float) -> float | None:
        return None if of.early and 0 < probability < 1 else probability

    return [
        {"run": run, "other": other, "probability": shown(float(of.better[row, column]))}
        for row, run in enumerate(runs)
        for column, other in enumerate(runs)
        if row != column
    ]
