"""The verdict in words: one case for each form."""

from __future__ import annotations

import pytest

from campaigns.pages.sentences.verdict import verdict_sentence
from campaigns.predictions.prediction import MissingPrediction
from campaigns.predictions.standings import Verdict

RIVALS = (("b", 0.2), ("c", 0.1), ("d", 0.05))


@pytest.mark.parametrize(
    ("verdict", "sentence"),
    [
        (Verdict("unpredicted", why=MissingPrediction("empty")), "Nothing is judged yet: every run can"),
        (Verdict("unpredicted", why=MissingPrediction("too_large")), "The campaign is too large"),
        (Verdict("alone", "a"), "There is no other run to compare <strong>a</strong> with."),
        (Verdict("early", "a"), "Too early to say which run is best"),
        (Verdict("certain", "<a>"), "<strong>&lt;a&gt;</strong> is certainly best"),
        (Verdict("leaders", "a", leaders=1), "<strong>a</strong> leads: it is likely the best run."),
        (Verdict("leaders", "a", leaders=3), "No run stands out: 3 runs are among the leaders"),
        (Verdict("probable", "a", best=0.3), "It is open which run is best: <strong>a</strong> is the"),
        (Verdict("probable", "a", "t", best=0.3), "<strong>a</strong> or its twin <strong>t</strong> is the"),
        (Verdict("probable", "a", best=0.8), "<strong>a</strong> is probably best (<strong>80%</strong>)."),
        (Verdict("probable", "a", "t", best=0.8), "its twin <strong>t</strong> is probably best"),
        (Verdict("probable", "a", best=0.8, rivals=RIVALS[:1]), "The only other run with P(best) ≥ 1% is"),
        (Verdict("probable", "a", best=0.7, rivals=RIVALS[:2]), "(20%) and <strong>c</strong> (10%)."),
        (Verdict("probable", "a", best=0.6, rivals=RIVALS), "3 other runs have P(best) ≥ 1%; the likeliest"),
    ],
)
def test_verdict_has_a_sentence_for_each_form(verdict: Verdict, sentence: str) -> None:
    assert sentence in verdict_sentence(verdict)


def test_verdict_of_unjudged_as_not_relevant_states_the_condition() -> None:
    assert "is best if unjudged documents" in verdict_sentence(Verdict("certain", "a"), True)
