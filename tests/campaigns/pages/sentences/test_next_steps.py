"""The next step in words: one case for each form."""

from __future__ import annotations

import pytest

from campaigns.overview.next_step import NextStep
from campaigns.pages.sentences.next_steps import next_step_sentence
from campaigns.predictions.standings import MatrixPair
from campaigns.results.topic_rows import TopicRow
from campaigns.stopping.advice import RemainingEffort
from tests.campaigns.pages.sentences.standings import standing

TOPIC = TopicRow(1, "8", "<virus>", judged=3, relevant=1, pool=9, remaining=6, minimum=9)
PAIR = MatrixPair(standing("a&b"), standing("c"), "leaning", 85)
TO_JUDGE = "Topic <strong>8 &lt;virus&gt;</strong> leaves most open (residual 0.328)."
LINK = f'<a href="/pair/?one={PAIR.run.id}&amp;other={PAIR.other.id}">a&amp;b : c</a>'


def effort(median: int | None) -> RemainingEffort:
    return RemainingEffort(median, 1, 90, horizon=100, never=False)


@pytest.mark.parametrize(
    ("step", "sentence"),
    [
        (NextStep("set_up"), "This campaign is a draft: finish its set-up, then open it for judging."),
        (NextStep("resume"), "The campaign is paused: nobody is served documents until it is open again."),
        (NextStep("invite"), "Nobody judges yet: invite assessors, or judge yourself."),
        (NextStep("invite", invited=1), "Nobody judges yet; 1 invitation is open."),
        (NextStep("invite", invited=2), "Nobody judges yet; 2 invitations are open."),
        (NextStep("close", True), "No further judgment can change which run is best: close the campaign."),
        (NextStep("close"), "The method has no more documents to serve: close the campaign."),
        (NextStep("publish"), "The campaign is closed: download the qrels and the scores."),
        (NextStep("judge", topic=TOPIC, residual=0.3274), TO_JUDGE),
        (NextStep("judge", topic=TOPIC, residual=0.3274, pair=PAIR), TO_JUDGE),
        (NextStep("judge", topic=TOPIC, residual=0.3274, pair=PAIR, effort=effort(None)), TO_JUDGE),
        (
            NextStep("judge", topic=TOPIC, residual=0.3274, pair=PAIR, effort=effort(3)),
            f"{TO_JUDGE} At most 5 judgments should separate the next pair; nearest is {LINK}.",
        ),
        (
            NextStep("judge", topic=TOPIC, residual=0.3274, pair=PAIR, effort=effort(1_040)),
            f"{TO_JUDGE} About 1,040 judgments should separate the next pair; nearest is {LINK}.",
        ),
    ],
)
def test_each_step_in_words(step: NextStep, sentence: str) -> None:
    assert next_step_sentence(step, "/pair/") == sentence
