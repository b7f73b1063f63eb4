"""Small standings for sentences."""

from __future__ import annotations

from itertools import count
from math import comb
from typing import Any

import numpy as np

from campaigns.predictions.prediction import MissingPrediction, RunPrediction, ScorePrediction
from campaigns.predictions.standings import RunStanding, Standings

IDS = count(1)


def standing(run: str, *, base: float = 0.1, top: float = 0.9, **values: Any) -> RunStanding:
    return RunStanding(next(IDS), run, "", base, top, False, True, **values)


def standings(*rows: RunStanding, unpredicted: MissingPrediction | None = None) -> Standings:
    return Standings("all", as_of=9, judged=9, length=9, rows=rows, prediction=None, unpredicted=unpredicted)


def predicted(*rows: RunStanding, confidence: float = 0.5, early: bool = False) -> Standings:
    """`confidence`: that the run of the earlier row has the higher final score, of every pair."""
    runs = [RunPrediction(row.id, 0.5, 0.2, 0.8, row.best) for row in rows]
    pairs = np.full(comb(len(rows), 2), confidence)
    prediction = ScorePrediction(as_of=9, topics=3, early=early, runs=runs, pairs=pairs)
    return Standings("all", as_of=9, judged=9, length=9, rows=rows, prediction=prediction)
