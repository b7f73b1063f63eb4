"""Scores by measures in words: one case for each form."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from campaigns.measurement.measured_scores import Estimate, MeasuredCampaign, MeasuredContent, MeasureScores
from campaigns.measurement.measured_standings import (
    MeasuredPair,
    MeasuredRow,
    MeasuredStandings,
    MeasuredVerdict,
    PairState,
    Span,
    StatementKind,
    VerdictKind,
)
from campaigns.models import Campaign
from campaigns.pages.sentences.measures import (
    difference_figure,
    early_sentence,
    estimate_figure,
    kind_label,
    lacks_sentence,
    like_these_figure,
    like_these_note,
    measured_runs_label,
    measured_sentence,
    no_pairs_sentence,
    pair_state_label,
    pair_title,
    pairs_note,
    score_heading,
    score_label,
    separated_note,
    span_figure,
    unmeasured_sentence,
)

NARROW, WIDE = Span(0.381, 0.443), Span(0.3, 0.5)
ROW = MeasuredRow(1, "<x>", "", True, 0.412, NARROW, WIDE)
POINT = MeasuredRow(1, "<x>", "", True, 0.412)
OTHER = MeasuredRow(2, "y", "", True, 0.3)


def estimate(kind: StatementKind, **values: Any) -> tuple[Estimate, ...]:
    return (Estimate(kind, "by", 30, (0.412,), **values),) if kind in ("sampled", "expected") else ()


def standings(
    kind: StatementKind, verdict: MeasuredVerdict | None = None, row: MeasuredRow = ROW, **values: Any
) -> MeasuredStandings:
    scores = MeasureScores("nDCG@10", "nDCG@10", 30, (0.412,), estimates=estimate(kind, **values))
    measured = MeasuredCampaign(9, (1, 2), MeasuredContent((scores,)))
    found = MeasuredStandings("nDCG@10", measured, scores, [row, OTHER])
    if verdict is not None:
        found.__dict__["verdict"] = verdict
    return found


def campaign(method: str = "C", **values: Any) -> Campaign:
    return Campaign(method=method, **values)


def verdict(kind: VerdictKind, row: MeasuredRow = ROW, **values: Any) -> MeasuredVerdict:
    return MeasuredVerdict(kind, row, 12, **values)


X = "<strong>&lt;x&gt;</strong>"


@pytest.mark.parametrize(
    ("kind", "given", "sentence"),
    [
        ("usual", verdict("alone"), f"There is no other run to compare {X} with."),
        (
            "usual",
            verdict("certain"),
            f"{X} is certainly best by nDCG@10 on these 30 topics: no unjudged document can change that.",
        ),
        (
            "sampled",
            verdict("sampled"),
            f"{X} scores highest by nDCG@10: 0.412 ± 0.031 on these 30 topics, guaranteed by sampling.",
        ),
        (
            "sampled",
            verdict("sampled", better=9),
            f"{X} scores highest by nDCG@10: 0.412 ± 0.031 on these 30 topics, guaranteed by sampling. "
            "It is better than 9 of 12 other runs.",
        ),
        (
            "sampled",
            verdict("sampled", better=9, better_like_these=4),
            f"{X} scores highest by nDCG@10: 0.412 ± 0.031 on these 30 topics, guaranteed by sampling. "
            "It is better than 9 of 12 other runs; on topics like these, than 4.",
        ),
        (
            "sampled",
            verdict("sampled", tied=True),
            f"{X} and other runs share the highest score by nDCG@10: 0.412 ± 0.031 on these 30 topics, by a "
            "sample.",
        ),
        (
            "sampled",
            verdict("sampled", POINT),
            f"{X} scores highest by nDCG@10 so far: 0.412 on these 30 topics, by a sample.",
        ),
        (
            "expected",
            verdict("expected", POINT, least=0.83),
            f"{X} is probably best by nDCG@10: at least 83% sure against every other run, by a model, on "
            "these 30 topics.",
        ),
        (
            "expected",
            verdict("expected", POINT, least=0.6),
            f"It is open which run is best by nDCG@10: {X} has the highest expected score, but is only 60% "
            "sure against its closest rival, by a model, on these 30 topics.",
        ),
        (
            "expected",
            verdict("expected", POINT),
            f"{X} has the highest expected score by nDCG@10: 0.412, by a model, on these 30 topics.",
        ),
        (
            "usual",
            verdict("usual", POINT),
            f"By nDCG@10, {X} leads so far (0.412, unjudged documents count as not relevant). Method C "
            "gives no probability for it.",
        ),
        (
            "usual",
            verdict("usual", POINT, tied=True),
            f"By nDCG@10, {X} and other runs share the lead so far (0.412, unjudged documents count as not "
            "relevant). Method C gives no probability for it.",
        ),
    ],
)
def test_measured_sentence_says_who_how_sure_and_for_whom(
    kind: StatementKind, given: MeasuredVerdict, sentence: str
) -> None:
    assert measured_sentence(standings(kind, given), campaign()) == sentence


def test_a_certain_verdict_may_rest_on_unjudged_documents() -> None:
    found = measured_sentence(standings("usual", verdict("certain")), campaign(unjudged_not_relevant=True))
    text = "is best by nDCG@10 if unjudged documents of judged topics are not relevant."
    assert found == f"{X} {text}"


def test_a_verdict_without_rows_says_why() -> None:
    nothing = MeasuredStandings("AP", MeasuredCampaign(0, (), MeasuredContent(reason="computing")), None)
    assert measured_sentence(nothing, campaign()) == "The scores by AP are being computed."
    early = standings("sampled", MeasuredVerdict("unmeasured"), early="topics", early_count=1, early_needed=5)
    text = "No run has a score by nDCG@10 yet. Too early for an interval: 1 of 5 topics."
    assert measured_sentence(early, campaign()) == text


@pytest.mark.parametrize(
    ("reason", "sentence"),
    [
        ("computing", "The scores by AP are being computed."),
        ("too_large", "The campaign is too large to score by AP."),
        ("empty", "Nothing is judged yet: every run can still be best."),
        ("", "No run has a score by AP yet."),
    ],
)
def test_unmeasured_sentence_names_the_reason(reason: str, sentence: str) -> None:
    assert unmeasured_sentence(reason, "AP") == sentence


@pytest.mark.parametrize(
    ("early", "sentence"),
    [
        ("topics", "Too early for an interval: 3 of 5 topics."),
        ("judgments", "Too early for an interval: 3 of 5 judgments a topic."),
        ("relevant", "Too early for an interval: 3 of 5 relevant documents."),
        ("depth", "No interval: the measure weighs documents that the sample hardly ever draws."),
        (
            "ideal",
            "No interval: the ideal order depends on relevant documents that the sample does not show.",
        ),
        ("other", "Too early for an interval."),
    ],
)
def test_early_sentence_says_what_is_missing(early: str, sentence: str) -> None:
    sampled = Estimate("sampled", "sample", 30, (), early=early, early_count=3.0, early_needed=5.0)
    assert early_sentence(sampled) == sentence


@pytest.mark.parametrize(
    ("found", "method", "sentence"),
    [
        (standings("usual", row=POINT), "C", "No interval: Method C draws no sample."),
        (
            standings("usual", row=POINT),
            "statap",
            "No interval: the sample of this method does not estimate nDCG@10.",
        ),
        (
            standings("expected", row=POINT),
            "mtc",
            "No intervals: the model states expected scores of these topics.",
        ),
        (
            standings("sampled", row=POINT, early="judgments", early_count=3, early_needed=5),
            "sample",
            "Too early for an interval: 3 of 5 judgments a topic.",
        ),
        (standings("sampled", row=POINT), "statap", "No interval: the sample estimates nDCG@10 without one."),
        (
            standings("sampled", row=MeasuredRow(1, "x", "", True, 0.4, NARROW)),
            "statap",
            "No interval for topics like these: the sample speaks about these topics.",
        ),
        (standings("sampled", approximate=True), "sample", "The intervals are approximate."),
        (standings("sampled", left_out=("4",)), "sample", "Left out, with too few judgments: topic 4."),
        (
            standings("sampled", left_out=("4", "7")),
            "sample",
            "Left out, with too few judgments: topics 4 and 7.",
        ),
    ],
)
def test_lacks_sentence_names_what_does_not_exist(
    found: MeasuredStandings, method: str, sentence: str
) -> None:
    assert lacks_sentence(found, campaign(method)) == f"nDCG@10 has no certain bounds. {sentence}"


def test_figures_of_estimates_and_ends() -> None:
    assert estimate_figure(None, None) == "–"
    assert estimate_figure(0.412, None) == "0.412"
    assert estimate_figure(0.412, NARROW) == "0.412 ± 0.031"
    assert estimate_figure(0.412, Span(0.4, 0.5)) == "0.412 (0.400–0.500)"
    assert (span_figure(None), span_figure(WIDE)) == ("–", "0.300–0.500")
    assert (difference_figure(None), difference_figure(Span(-0.1, 0.2))) == ("–", "−0.100 to +0.200")


@pytest.mark.parametrize(
    ("kind", "label", "score", "heading", "pairs"),
    [
        ("sampled", "guaranteed by sampling", "estimate", "Estimate", "Separated: the 95% interval of"),
        (
            "expected",
            "expected by a model",
            "expected score",
            "Expected",
            "The number: how sure the calibrated model is",
        ),
        (
            "usual",
            "unjudged not relevant",
            "score, unjudged not relevant",
            "Score",
            "Separated: the certain bounds",
        ),
    ],
)
def test_labels_name_the_kind(kind: StatementKind, label: str, score: str, heading: str, pairs: str) -> None:
    assert (kind_label(kind), score_label(kind), score_heading(kind)) == (label, score, heading)
    names = {"sampled": "difference", "expected": "calibrated"}
    matrices = {names[kind]: np.zeros((2, 2))} if kind in names else {}
    assert pairs_note(replace(standings(kind), matrices=matrices)).startswith(pairs)


def test_an_estimate_without_an_interval_guarantees_nothing() -> None:
    found = standings("sampled", row=POINT)
    assert kind_label(found.shown_kind) == "estimated by a sample, without an interval"
    assert (score_label(found.shown_kind), score_heading(found.shown_kind)) == ("estimate", "Estimate")


@pytest.mark.parametrize(
    ("state", "label"),
    [
        ("certain", "certain"),
        ("guaranteed", "guaranteed by sampling"),
        ("likely", "≥ 95%, by a model"),
        ("leaning", "80–94%, by a model"),
        ("open", "open"),
    ],
)
def test_pair_state_label_names_the_statement(state: PairState, label: str) -> None:
    assert pair_state_label(state) == label


def test_no_pairs_sentence_says_why() -> None:
    nothing = MeasuredStandings("AP", MeasuredCampaign(0, (), MeasuredContent(reason="computing")), None)
    assert no_pairs_sentence(nothing, campaign()) == "The scores by AP are being computed."
    alone = MeasuredStandings("AP", nothing.measured, standings("usual").scores, [ROW])
    assert no_pairs_sentence(alone, campaign()) == "Pairs need two runs."
    early = standings("sampled", early="topics", early_count=1, early_needed=5)
    assert no_pairs_sentence(early, campaign()) == "Too early for an interval: 1 of 5 topics."
    text = "The sample states intervals by nDCG@10 of runs, and none of pairs."
    assert no_pairs_sentence(standings("sampled"), campaign()) == text
    text = "Method C gives no probability for the order of two runs by nDCG@10."
    assert no_pairs_sentence(standings("usual"), campaign()) == text


def test_pair_title_has_every_statement() -> None:
    assert pair_title(MeasuredPair(ROW, OTHER, 0.1)) == "<x> : y"
    sampled = MeasuredPair(ROW, OTHER, 0.1, interval=Span(0.05, 0.15), like_these=Span(-0.1, 0.3))
    text = "<x> : y – these topics +0.050 to +0.150, topics like these −0.100 to +0.300"
    assert pair_title(sampled) == text
    expected = MeasuredPair(ROW, OTHER, 0.1, calibrated=0.83, published=0.9)
    assert pair_title(expected) == "<x> : y – calibrated 83%, as published 90%"


def test_separated_note_counts_by_statement() -> None:
    pairs = [
        MeasuredPair(ROW, OTHER, 0.1, bounds=Span(0.01, 0.2)),
        MeasuredPair(ROW, OTHER, 0.1, interval=Span(0.05, 0.15)),
        MeasuredPair(ROW, OTHER, 0.1, calibrated=0.96),
        MeasuredPair(ROW, OTHER, 0.1, calibrated=0.85),
    ]
    text = "1 certain · 1 guaranteed by sampling · 1 at ≥ 95%, by a model · 1 open"
    assert separated_note(pairs) == text
    assert [pair.state for pair in pairs] == ["certain", "guaranteed", "likely", "leaning"]
    assert separated_note([]) == ""


@pytest.mark.parametrize(
    ("found", "figure", "note"),
    [
        (
            standings("sampled", verdict("sampled", better_like_these=4)),
            "4 <small>of 12</small>",
            "guaranteed by sampling, for topics like these",
        ),
        (standings("expected", verdict("expected")), "–", "the model speaks about these topics only"),
        (standings("usual", verdict("usual")), "–", "no statement about topics like these"),
    ],
)
def test_topics_like_these_have_a_figure_or_a_reason(
    found: MeasuredStandings, figure: str, note: str
) -> None:
    assert (like_these_figure(found), like_these_note(found)) == (figure, note)


def test_measured_runs_label_names_what_is_shown() -> None:
    assert measured_runs_label(standings("usual"), 1) == "Show the first 1"
    assert measured_runs_label(standings("usual"), 2) == "Show all 2 runs"
