"""A pair of runs in words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from campaigns.measurement.measured_scores import Estimate, MeasuredCampaign, MeasuredContent, MeasureScores
from campaigns.measurement.measured_standings import MeasuredPair, MeasuredRow, MeasuredStandings, Span
from campaigns.models import Campaign
from campaigns.pages.runs.pair_outlook import MeanDifference, PredictedOrder, UntilSeparated
from campaigns.pages.runs.run_statements import PairStatements
from campaigns.pages.sentences.pairs import (
    absent_cell,
    certain_cell,
    decision_sentence,
    difference_note,
    expected_cell,
    order_sentence,
    overall_sentence,
    pair_measure_sentence,
    probability_figure,
    sampled_cell,
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


ROW = MeasuredRow(1, "x", "", True, 0.4)
OTHER = MeasuredRow(2, "y", "", True, 0.3)
AROUND, ABOVE = Span(-0.1, 0.3), Span(0.05, 0.15)


def stated(pair: MeasuredPair | None, *estimates: Estimate, predicted: Span | None = None) -> PairStatements:
    scores = MeasureScores("AP", "AP", 30, (0.4, 0.3), estimates=estimates)
    measured = MeasuredCampaign(9, (1, 2), MeasuredContent((scores,)))
    return PairStatements(MeasuredStandings("AP", measured, scores, [ROW, OTHER]), pair, predicted)


SAMPLED = Estimate("sampled", "sample", 30, (0.4, 0.3))


@pytest.mark.parametrize(
    ("found", "sentence"),
    [
        (stated(None), "No run has a score by AP yet."),
        (
            stated(MeasuredPair(ROW, OTHER, 0.1, bounds=ABOVE)),
            "<strong>x</strong> is certainly better by AP on these 30 topics.",
        ),
        (
            stated(MeasuredPair(ROW, OTHER, 0.1, interval=ABOVE, like_these=ABOVE), SAMPLED),
            "<strong>x</strong> is better by AP on these 30 topics and on topics like these, guaranteed by "
            "sampling.",
        ),
        (
            stated(MeasuredPair(ROW, OTHER, 0.1, interval=ABOVE, like_these=AROUND), SAMPLED),
            "<strong>x</strong> is better by AP on these 30 topics, guaranteed by sampling.",
        ),
        (
            stated(MeasuredPair(ROW, OTHER, 0.1, interval=AROUND), SAMPLED),
            "Open: the 95% interval of the difference by AP on these 30 topics contains 0.",
        ),
        (
            stated(MeasuredPair(ROW, OTHER, 0.1, calibrated=0.83)),
            "<strong>x</strong> is better by AP with a probability of <strong>83%</strong>, by a model, on "
            "these 30 topics.",
        ),
        (
            stated(MeasuredPair(ROW, OTHER, 0.1), SAMPLED),
            "<strong>x</strong> is ahead by +0.100 in AP on these 30 topics, by a sample; the pair has no "
            "interval.",
        ),
        (
            stated(MeasuredPair(ROW, OTHER, 0.1)),
            "<strong>x</strong> is ahead by +0.100 in AP so far, unjudged documents not relevant. Method C "
            "gives no probability for it.",
        ),
    ],
)
def test_pair_measure_sentence_names_the_statement(found: PairStatements, sentence: str) -> None:
    assert pair_measure_sentence(found, Campaign(method="C")) == sentence


def test_cells_name_what_does_not_exist() -> None:
    bare = stated(MeasuredPair(ROW, OTHER, 0.1))
    assert {certain_cell(bare), absent_cell(bare), expected_cell(bare)} == {"does not exist for AP"}
    assert certain_cell(stated(MeasuredPair(ROW, OTHER, 0.1, bounds=AROUND))) == "−0.100 to +0.300"
    proved = stated(MeasuredPair(ROW, OTHER, 0.1, proved=True))
    assert certain_cell(proved) == "x is better, however the remaining documents are judged"
    assert sampled_cell(bare, None) == "no sample"
    assert sampled_cell(stated(bare.pair, SAMPLED), None) == "no interval of pairs"
    early = replace(SAMPLED, early="topics", early_count=1, early_needed=5)
    assert sampled_cell(stated(bare.pair, early), None) == "Too early for an interval: 1 of 5 topics."
    assert sampled_cell(stated(bare.pair, SAMPLED), ABOVE) == "+0.100 (+0.050 to +0.150)"
    chances = stated(MeasuredPair(ROW, OTHER, 0.1, calibrated=0.83, published=0.9))
    assert expected_cell(chances) == "P(better) 83% calibrated, 90% as published"
    assert expected_cell(stated(bare.pair, predicted=AROUND)) == "−0.100 to +0.300"
