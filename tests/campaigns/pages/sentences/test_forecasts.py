"""Forecasts in words, and why there are none."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from campaigns.pages.sentences.forecasts import (
    effort_figure,
    effort_interval,
    next_pair_note,
    reach_interval,
    sample_sentence,
    unpredicted_phrase,
    unpredicted_sentence,
)
from campaigns.predictions.prediction import MissingPrediction
from campaigns.predictions.standings import Standings
from campaigns.stopping.advice import RemainingEffort, StoppingAdvice
from tests.campaigns.pages.sentences.standings import predicted, standing, standings

NOTHING = "nothing can be predicted"


@pytest.mark.parametrize(
    ("why", "sentence", "phrase"),
    [
        (
            MissingPrediction("computing"),
            "The prediction for the present runs, judgments and settings is being computed.",
            "being computed",
        ),
        (
            MissingPrediction("all_relevant", 1, 1),
            "The only judgment is relevant: nothing can be predicted.",
            NOTHING,
        ),
        (
            MissingPrediction("all_relevant", 1200, 1200),
            "All 1,200 judgments are relevant: nothing can be predicted.",
            NOTHING,
        ),
        (
            MissingPrediction("all_relevant", 1200, 1190),
            "1,190 of 1,200 judgments are relevant: nothing can be predicted.",
            NOTHING,
        ),
        (
            MissingPrediction("none_relevant", 1),
            "The only judgment is not relevant: nothing can be predicted.",
            NOTHING,
        ),
        (
            MissingPrediction("none_relevant", 8),
            "None of the 8 judgments is relevant: nothing can be predicted.",
            NOTHING,
        ),
        (
            MissingPrediction("few_runs"),
            "Fewer than two runs take part: there is nothing to compare.",
            NOTHING,
        ),
        (
            MissingPrediction("unranked"),
            "No run ranks a judged document: nothing can be predicted.",
            NOTHING,
        ),
        (MissingPrediction("too_large"), "The campaign is too large for a prediction.", NOTHING),
        (
            MissingPrediction("inactive"),
            "Nothing is predicted for a draft or an archived campaign.",
            NOTHING,
        ),
        (MissingPrediction("empty"), "Nothing is judged yet.", "nothing is judged yet"),
    ],
)
def test_missing_prediction_has_a_reason(why: MissingPrediction, sentence: str, phrase: str) -> None:
    assert (unpredicted_sentence(why), unpredicted_phrase(why)) == (sentence, phrase)


def effort(median: int | None, low: int | None, high: int | None, **values: Any) -> RemainingEffort:
    return RemainingEffort(median, low, high, horizon=5000, never=False, **values)


@pytest.mark.parametrize(
    ("forecast", "figure", "interval"),
    [
        (None, "–", ""),
        (effort(None, None, None), "> 5,000", ""),
        (effort(None, 1200, None), "> 5,000", "9 in 10: 1,200 or more"),
        (effort(1, 1, 1), "≤ 5", ""),
        (effort(5, 1, 9), "≤ 5", "4 in 5: 1–9"),
        (effort(2000, 1200, None), "≈ 2,000", "9 in 10: 1,200 or more"),
        (effort(6, 3, 1200), "≈ 6", "4 in 5: 3–1,200"),
    ],
)
def test_effort_has_a_median_and_an_interval(
    forecast: RemainingEffort | None, figure: str, interval: str
) -> None:
    assert (effort_figure(forecast), effort_interval(forecast)) == (figure, interval)


@pytest.mark.parametrize(("high", "interval"), [(None, "1,200 to more"), (3000, "1,200 to 3,000")])
def test_reach_ends_at_the_budget_or_beyond(high: int | None, interval: str) -> None:
    assert reach_interval(1200, high) == interval


def advice(next_pair: RemainingEffort | None = None, **values: Any) -> StoppingAdvice:
    given = {"left_out": [], **values}
    return StoppingAdvice(9, 0, True, 9, "a", True, 1, 2, [], None, next_pair=next_pair, **given)


TWO = standing("a"), standing("b")
OPEN, SEPARATED = predicted(*TWO), predicted(*TWO, confidence=0.99)
EARLY, ALONE = predicted(*TWO, early=True), standings(standing("a"))
CERTAIN = predicted(standing("a", base=0.5, top=0.7), standing("b", base=0.1, top=0.4))
EMPTY = standings(*TWO, unpredicted=MissingPrediction("empty"))


@pytest.mark.parametrize(
    ("every", "given", "note"),
    [
        (OPEN, advice(effort(9, 9, 9)), ""),
        (OPEN, advice(effort(9, 3, 20)), "4 in 5: 3–20"),
        (OPEN, advice(effort(9, 9, 9, hours=3.26), seconds_each=12.3), "3.3 h at 12.3 s each"),
        (
            OPEN,
            advice(effort(9, 3, 20, hours=3.26), seconds_each=12.3),
            "3.3 h at 12.3 s each · 4 in 5: 3–20",
        ),
        (
            OPEN,
            advice(effort(9, 9, 9, hours=0.4), seconds_each=1.5),
            "24 min at 1.5 s each, counted as at least 5 s",
        ),
        (CERTAIN, advice(), "nothing is left to decide at the top"),
        (
            OPEN,
            advice(left_out=["forecast"]),
            "Left out, for it would take too long: how many judgments are still to come.",
        ),
        (
            OPEN,
            advice(no_forecast="unjudged_not_relevant"),
            "no forecast while unjudged documents count as not relevant",
        ),
        (EMPTY, None, "nothing is judged yet"),
        (EARLY, None, "too early to say"),
        (ALONE, None, "there is no other run"),
        (SEPARATED, None, "every pair is separated"),
        (OPEN, None, "cannot say yet"),
    ],
)
def test_next_pair_has_a_forecast_or_a_reason(
    every: Standings, given: StoppingAdvice | None, note: str
) -> None:
    assert next_pair_note(every, every, given) == note


def test_a_sample_of_topics_is_named() -> None:
    [row] = predicted(standing("a")).rows
    whole = predicted(row).prediction
    assert whole is not None
    assert sample_sentence(None) == ""
    assert sample_sentence(replace(whole, topics=2000, sampled=2000)) == ""
    assert sample_sentence(replace(whole, topics=2000, sampled=300)) == (
        "Predicted from a random sample of 300 of 2,000 topics."
    )
