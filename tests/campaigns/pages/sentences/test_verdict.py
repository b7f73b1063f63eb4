"""The verdict in words: one case for each form."""

from __future__ import annotations

import pytest

from campaigns.pages.sentences.verdict import (
    leader_figure,
    leader_label,
    leader_note,
    pairs_figure,
    short_verdict,
    verdict_sentence,
)
from campaigns.predictions.prediction import MissingPrediction
from campaigns.predictions.standings import RunStanding, Standings, Verdict
from tests.campaigns.pages.sentences.standings import predicted, standing, standings

OPEN = "It is open which run is best: "
RIVALS = (("b", 0.2), ("c", 0.1), ("d", 0.05))


@pytest.mark.parametrize(
    ("verdict", "sentence"),
    [
        (
            Verdict("unpredicted", why=MissingPrediction("empty")),
            "Nothing is judged yet: every run can still be best.",
        ),
        (
            Verdict("unpredicted", why=MissingPrediction("too_large")),
            "The campaign is too large for a prediction.",
        ),
        (Verdict("alone", "a"), "There is no other run to compare <strong>a</strong> with."),
        (Verdict("early", "a"), "Too early to say which run is best: there are too few judgments."),
        (
            Verdict("certain", "<a>"),
            "<strong>&lt;a&gt;</strong> is certainly best: no unjudged document can change that.",
        ),
        (Verdict("leaders", "a", leaders=1), "<strong>a</strong> leads: it is likely the best run."),
        (
            Verdict("leaders", "a", leaders=3),
            "No run stands out: 3 runs are among the leaders; the best is likely one of them.",
        ),
        (
            Verdict("probable", "a", best=0.3),
            f"{OPEN}<strong>a</strong> is the likeliest (<strong>30%</strong>).",
        ),
        (
            Verdict("probable", "a", "t", best=0.3),
            f"{OPEN}<strong>a</strong> or its twin <strong>t</strong> is the likeliest "
            "(<strong>30%</strong>).",
        ),
        (Verdict("probable", "a", best=0.8), "<strong>a</strong> is probably best (<strong>80%</strong>)."),
        (
            Verdict("probable", "a", "t", best=0.8),
            "<strong>a</strong> or its twin <strong>t</strong> is probably best (<strong>80%</strong>).",
        ),
        (
            Verdict("probable", "a", best=0.8, rivals=RIVALS[:1]),
            "<strong>a</strong> is probably best (<strong>80%</strong>). The only other run with P(best) ≥ "
            "1% is <strong>b</strong> (20%).",
        ),
        (
            Verdict("probable", "a", best=0.7, rivals=RIVALS[:2]),
            "<strong>a</strong> is probably best (<strong>70%</strong>). The only other runs with P(best) ≥ "
            "1% are <strong>b</strong> (20%) and <strong>c</strong> (10%).",
        ),
        (
            Verdict("probable", "a", best=0.6, rivals=RIVALS),
            "<strong>a</strong> is probably best (<strong>60%</strong>). 3 other runs have P(best) ≥ 1%; the "
            "likeliest is <strong>b</strong> (20%).",
        ),
    ],
)
def test_verdict_has_a_sentence_for_each_form(verdict: Verdict, sentence: str) -> None:
    assert verdict_sentence(verdict, False) == sentence


def test_short_verdict_leaves_the_rivals_out() -> None:
    probable = Verdict("probable", "a", best=0.8, rivals=RIVALS)
    assert short_verdict(probable, False) == "<strong>a</strong> is probably best (<strong>80%</strong>)."
    certain = Verdict("certain", "a")
    assert short_verdict(certain, True) == verdict_sentence(certain, True)


def test_verdict_of_unjudged_as_not_relevant_states_the_condition() -> None:
    condition = "is best if unjudged documents of judged topics are not relevant."
    assert verdict_sentence(Verdict("certain", "a"), True) == f"<strong>a</strong> {condition}"


@pytest.mark.parametrize(
    ("verdict", "label"),
    [
        (Verdict("probable", "a", "t"), "P(best) of the leader and its twin"),
        (Verdict("leaders", "a", leaders=2), "Runs among the leaders"),
        (Verdict("probable", "a"), "P(best) of the leader"),
    ],
)
def test_label_names_the_leader_or_the_leaders(verdict: Verdict, label: str) -> None:
    assert leader_label(verdict) == label


PROBABLE = predicted(standing("a", best=0.8), standing("b", best=0.2))
UNLIKELY = predicted(standing("a", best=0.995), standing("b", best=0.005))
LEADERS = predicted(standing("a", leader=True), standing("b", leader=True), standing("c"))
EARLY = predicted(standing("a"), standing("b"), early=True)
CERTAIN = predicted(standing("a", base=0.5, top=0.7), standing("b", base=0.1, top=0.4))
COMPUTING = standings(standing("a"), standing("b"), unpredicted=MissingPrediction("computing"))
ALONE = standings(standing("a"))


@pytest.mark.parametrize(
    ("rows", "figure", "note"),
    [
        (PROBABLE, "80%", "2 of 2 runs have P(best) ≥ 1%"),
        (UNLIKELY, "99.5%", "1 of 2 runs has P(best) ≥ 1%"),
        (LEADERS, "2 <small>of 3</small>", "the best is likely one of them"),
        (EARLY, "–", "too early for a probability"),
        (CERTAIN, "certain", ""),
        (COMPUTING, "–", "being computed"),
        (ALONE, "–", ""),
    ],
)
def test_figure_and_note_of_the_leader_follow_the_verdict(rows: Standings, figure: str, note: str) -> None:
    assert (leader_figure(rows), leader_note(rows)) == (figure, note)


@pytest.mark.parametrize(
    ("runs", "confidence", "early", "figure"),
    [
        ([standing("a")], 0.99, False, "–"),
        ([standing("a"), standing("b")], 0.99, False, "1 <small>of 1</small>"),
        ([standing("a"), standing("b")], 0.99, True, "0 <small>of 1</small>"),
        ([standing("a"), standing("b")], 1.0, True, "1 <small>of 1</small>"),
    ],
)
def test_pairs_are_counted_while_early_only_if_certain(
    runs: list[RunStanding], confidence: float, early: bool, figure: str
) -> None:
    assert pairs_figure(predicted(*runs, confidence=confidence, early=early)) == figure
