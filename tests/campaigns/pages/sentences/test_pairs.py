"""A pair of runs in words."""

from __future__ import annotations

import pytest

from campaigns.pages.runs.pair_outlook import MeanDifference, PredictedOrder, UntilSeparated
from campaigns.pages.sentences.pairs import (
    decision_sentence,
    difference_note,
    order_sentence,
    overall_sentence,
    probability_figure,
    until_note,
    versus_label,
)
from campaigns.predictions.differences import Difference
from campaigns.predictions.prediction import NO_PREDICTION, MissingPrediction
from campaigns.results.pairs import PairDetails
from campaigns.stopping.advice import RemainingEffort

OPEN, EARLY = UntilSeparated("open"), UntilSeparated("early")
EMPTY, COMPUTING = MissingPrediction("empty"), MissingPrediction("computing")
STILL_OPEN = "Open: unjudged documents can still change the order."


def pair(decided: str = "") -> PairDetails:
    return PairDetails([], [], decided, None)


@pytest.mark.parametrize(
    ("decided", "until", "why", "not_relevant", "sentence"),
    [
        (
            "intervals",
            OPEN,
            None,
            True,
            "Separated: <strong>a&lt;b</strong> is better if unjudged documents of judged topics are not "
            "relevant.",
        ),
        (
            "intervals",
            OPEN,
            None,
            False,
            "Certainly separated: <strong>a&lt;b</strong> is better, however the remaining documents are "
            "judged. Its base is above the other’s top.",
        ),
        (
            "difference",
            OPEN,
            None,
            False,
            "Certainly separated: <strong>a&lt;b</strong> is better. The score ranges overlap, but documents "
            "that both runs rank cancel out.",
        ),
        ("", OPEN, EMPTY, True, "Nothing is judged yet: either can be the better one."),
        (
            "",
            EARLY,
            COMPUTING,
            False,
            f"{STILL_OPEN} The prediction for the present runs, judgments and settings is being computed.",
        ),
        ("", EARLY, None, False, f"{STILL_OPEN} It is too early for a probability."),
        ("", OPEN, None, True, STILL_OPEN),
    ],
)
def test_decision_gives_the_order_or_says_why_not(
    decided: str, until: UntilSeparated, why: MissingPrediction | None, not_relevant: bool, sentence: str
) -> None:
    assert decision_sentence(pair(decided), "a<b", until, why, not_relevant) == sentence


@pytest.mark.parametrize(
    ("order", "sentence", "overall"),
    [
        (None, "", ""),
        (
            PredictedOrder("a", 100, True, 0, NO_PREDICTION),
            "",
            "Over all 1,200 topics <strong>a</strong> is certainly better.",
        ),
        (
            PredictedOrder("a", 70, False, 0, NO_PREDICTION),
            "a has the higher final score with a probability of <strong>70%</strong>.",
            "Over all 1,200 topics <strong>a</strong> is better with a probability of <strong>70%</strong>.",
        ),
    ],
)
def test_predicted_order_has_a_sentence_for_each_scope(
    order: PredictedOrder | None, sentence: str, overall: str
) -> None:
    assert (order_sentence(order), overall_sentence(order, 1200)) == (sentence, overall)


@pytest.mark.parametrize(
    ("decided", "order", "figure"),
    [
        ("intervals", None, "certain"),
        ("", PredictedOrder("a", 100, True, 0, NO_PREDICTION), "certain"),
        ("", PredictedOrder("a", 70, False, 0, NO_PREDICTION), "70%"),
        ("", None, "–"),
    ],
)
def test_probability_is_certain_once_nothing_can_change(
    decided: str, order: PredictedOrder | None, figure: str
) -> None:
    assert probability_figure(pair(decided), order) == figure


RANGE = "certain range −0.512 to +0.401"


@pytest.mark.parametrize(
    ("band", "why", "until", "note"),
    [
        (
            Difference(-0.1004, 0.2),
            None,
            OPEN,
            f"95% prediction interval −0.101 to +0.200<br>{RANGE}",
        ),
        (None, COMPUTING, EARLY, f"being computed<br>{RANGE}"),
        (None, None, EARLY, f"too early to say<br>{RANGE}"),
        (None, None, OPEN, RANGE),
    ],
)
def test_difference_has_an_interval_within_a_certain_range(
    band: Difference | None, why: MissingPrediction | None, until: UntilSeparated, note: str
) -> None:
    assert difference_note(MeanDifference("all", -0.5111, 0.4001, None, band), why, until) == note


def separation(low: int, high: int, hours: float | None) -> UntilSeparated:
    return UntilSeparated("open", RemainingEffort(9, low, high, horizon=99, never=False, hours=hours))


@pytest.mark.parametrize(
    ("until", "why", "note"),
    [
        (UntilSeparated("separated"), COMPUTING, "separated now"),
        (EARLY, COMPUTING, "being computed"),
        (EARLY, None, "too early to say"),
        (UntilSeparated("judged"), None, "forecast over all topics only"),
        (UntilSeparated("later"), None, "forecast for the ten runs of the highest expected scores"),
        (separation(9, 9, 3.26), None, "3.3 h of judging"),
        (separation(3, 20, None), None, "4 in 5: 3–20"),
        (separation(3, 20, 3.26), None, "3.3 h of judging · 4 in 5: 3–20"),
    ],
)
def test_separation_has_a_forecast_or_a_reason(
    until: UntilSeparated, why: MissingPrediction | None, note: str
) -> None:
    assert until_note(until, why) == note


@pytest.mark.parametrize(("versus", "label"), [("projected", "projection"), ("base", "base"), ("top", "top")])
def test_score_of_the_other_run_has_a_label(versus: str, label: str) -> None:
    assert versus_label(versus) == label
