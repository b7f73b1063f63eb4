"""Runs in words."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils.timezone import now

from campaigns.models import Run
from campaigns.pages.sentences.runs import (
    all_runs_label,
    best_figure,
    expected_figure,
    leaderboard_note,
    noticed_text,
    participation_sentence,
    rank_figure,
    rank_note,
    rival_figure,
    run_sentence,
    score_note,
)
from campaigns.participants.leaderboard import BoardEstimate, Leaderboard, LeaderboardRow
from campaigns.predictions.prediction import MissingPrediction
from campaigns.predictions.standings import RunStanding, Standings
from campaigns.results.score_ranges import RunScoreRange
from tests.campaigns.pages.sentences.standings import predicted, standing, standings

UNPREDICTED = standing("a")
PREDICTED = standing("a", expected=0.5, low=0.4004, high=0.6004, best=0.8, first=1, last=1)
EARLY = standing("a", expected=0.5, low=0.4, high=0.6, early=True)
TITLE = "too early: the prediction interval is too wide"


@pytest.mark.parametrize(
    ("first", "last", "figure"), [(None, None, "–"), (2, 2, "2"), (2, 5, "2–5"), (999, 1200, "999–1,200")]
)
def test_rank_is_a_place_or_several(first: int | None, last: int | None, figure: str) -> None:
    assert rank_figure(standing("a", first=first, last=last)) == figure


COUNTED = ' <small data-counted="distinct-runs">of 1,200</small>'


@pytest.mark.parametrize(
    ("row", "withdrawn", "note"),
    [
        (PREDICTED, True, "–"),
        (UNPREDICTED, False, "–"),
        (None, False, "–"),
        (PREDICTED, False, f"1{COUNTED}"),
        (standing("a", first=2, last=5), False, f"2–5{COUNTED}"),
    ],
)
def test_rank_note_counts_the_runs(row: RunStanding | None, withdrawn: bool, note: str) -> None:
    assert rank_note(row, 1200, withdrawn) == note


@pytest.mark.parametrize(
    ("row", "best", "expected"),
    [
        (None, "–", "–"),
        (UNPREDICTED, "–", "–"),
        (PREDICTED, "80%", "0.500"),
        (standing("a", leader=True, expected=0.25), "among the leaders", "0.250"),
        (EARLY, "–", f'<span title="{TITLE}">–<span class="visually-hidden"> too early</span></span>'),
    ],
)
def test_run_has_a_chance_and_an_expected_score(row: RunStanding | None, best: str, expected: str) -> None:
    assert (best_figure(row), expected_figure(row)) == (best, expected)


@pytest.mark.parametrize(
    ("row", "why", "note"),
    [
        (EARLY, None, "too early"),
        (UNPREDICTED, MissingPrediction("empty"), "nothing is judged yet"),
        (None, None, ""),
        (PREDICTED, None, "95% prediction interval 0.400–0.601"),
    ],
)
def test_score_has_an_interval_or_a_reason(
    row: RunStanding | None, why: MissingPrediction | None, note: str
) -> None:
    assert score_note(row, why) == note


LEADER, RIVAL, OTHER = standing("a", best=0.7), standing("b", best=0.28), standing("c", best=0.002)
TWINS = [standing("a", best=0.5, twin=True), standing("t", best=0.45, twin=True), standing("b", best=0.05)]
MAY_LEAD = [standing("a", leader=True), standing("b", leader=True), standing("c")]
LEADS = [standing("a", leader=True), standing("b")]
BEHIND = [
    standing("a", base=0.5, best=0.9),
    standing("b", base=0.45, best=0.1),
    standing("c", top=0.4, best=0.0),
]
LAST = [standing("a", base=0.5, best=0.9), standing("b", best=0.1), standing("c", top=0.4, best=0.0)]
UNKNOWN = [standing("a", best=0.8), standing("b", best=0.2), standing("c")]


@pytest.mark.parametrize(
    ("rows", "of", "sentence"),
    [
        (
            standings(LEADER, RIVAL),
            None,
            "<strong>x</strong> is withdrawn: it is compared with no other run.",
        ),
        (standings(LEADER), 0, "There is no other run to compare <strong>a</strong> with."),
        (
            predicted(LEADER, RIVAL, OTHER),
            0,
            "<strong>a</strong> is probably best (<strong>70%</strong>). The only other run with P(best) ≥ "
            "1% is <strong>b</strong> (28%).",
        ),
        (
            predicted(*TWINS),
            1,
            "<strong>a</strong> or its twin <strong>t</strong> is probably best (<strong>95%</strong>). The "
            "only other run with P(best) ≥ 1% is <strong>b</strong> (5%).",
        ),
        (
            predicted(LEADER, RIVAL, OTHER),
            1,
            "<strong>x</strong> is the only run that may still overtake <strong>a</strong> (28%).",
        ),
        (
            predicted(LEADER, RIVAL, standing("d", best=0.02)),
            1,
            "<strong>x</strong> may still overtake <strong>a</strong> (28%).",
        ),
        (
            predicted(LEADER, RIVAL, OTHER),
            2,
            "<strong>x</strong> is probably not best: P(best) is below 1%.",
        ),
        (
            predicted(*LAST),
            2,
            "<strong>x</strong> is certainly not best: 1 run is better whatever is unjudged.",
        ),
        (
            predicted(*BEHIND),
            2,
            "<strong>x</strong> is certainly not best: 2 runs are better whatever is unjudged.",
        ),
        (predicted(*UNKNOWN), 2, "<strong>x</strong> is not predicted yet."),
        (predicted(*LEADS), 0, "<strong>a</strong> leads: it is likely the best run."),
        (predicted(*LEADS), 1, "<strong>x</strong> is not the run that leads."),
        (
            predicted(*MAY_LEAD),
            1,
            "<strong>x</strong> is among the 2 leaders: the best is likely one of them.",
        ),
        (
            predicted(*MAY_LEAD),
            2,
            "<strong>x</strong> is not among the 2 leaders: the best is likely one of them.",
        ),
    ],
)
def test_run_has_a_sentence_for_each_place(rows: Standings, of: int | None, sentence: str) -> None:
    assert run_sentence("x", None if of is None else rows.rows[of], rows, False) == sentence


def test_bounds_decide_nothing_where_unjudged_documents_count_as_not_relevant() -> None:
    rows = predicted(*LAST)
    sentence = run_sentence("x", rows.rows[2], rows, True)
    assert sentence == "<strong>x</strong> is probably not best: P(best) is below 1%."


@pytest.mark.parametrize(
    ("confidence", "early", "figure"),
    [
        (0.5, True, "–"),
        (0.29, False, "29%"),
        (0.999, False, "99%"),
        (1.0, False, "certain"),
        (0.0, False, "ruled out"),
    ],
)
def test_chance_to_beat_a_rival_is_certain_only_where_bounds_decide(
    confidence: float, early: bool, figure: str
) -> None:
    rows = predicted(standing("a"), standing("b"), confidence=confidence, early=early)
    assert rival_figure(rows.pair(*rows.rows)) == figure


def bounds(contributes: bool, late: bool, withdrawn: bool) -> RunScoreRange:
    return RunScoreRange(1, "a", "", 0.1, 0.8, 0.9, 0.5, 9, contributes, late, withdrawn)


@pytest.mark.parametrize(
    ("contributes", "late", "withdrawn", "sentence"),
    [
        (
            True,
            False,
            True,
            "Withdrawn 3\xa0hours ago: in no queue, no picture and no comparison. It is kept, and scored on.",
        ),
        (True, False, False, "Contributing run: its documents are judged."),
        (
            False,
            False,
            False,
            "Non-contributing run: scored, but documents only it retrieved are not judged.",
        ),
        (
            False,
            True,
            False,
            "Non-contributing run: scored, but documents only it retrieved are not judged. Late run: "
            "documents only it retrieved were not pooled, so its bounds are wider.",
        ),
    ],
)
def test_participation_of_a_run_is_explained(
    contributes: bool, late: bool, withdrawn: bool, sentence: str
) -> None:
    run = Run(withdrawn_at=now() - timedelta(hours=3, minutes=5))
    assert participation_sentence(run, bounds(contributes, late, withdrawn)) == sentence


@pytest.mark.parametrize(
    ("same", "most_rows", "label"),
    [
        ((), 1, "Show the first 1"),
        ((), 150, "Show all 2 runs"),
        (("c",), 150, "Show all 2 distinct runs"),
    ],
)
def test_link_to_further_runs_counts_them(same: tuple[str, ...], most_rows: int, label: str) -> None:
    assert all_runs_label(standings(standing("a", same=same), standing("b")), most_rows) == label


@pytest.mark.parametrize(
    ("row", "text"),
    [
        ({"what": "ties"}, "<strong>ties</strong>"),
        ({"what": "ties", "count": 1200}, "<strong>ties</strong> (1,200)"),
        ({"what": "ties", "detail": "a<b"}, "<strong>ties</strong>: a&lt;b"),
        ({"what": "ties", "count": 2, "detail": "a"}, "<strong>ties</strong> (2): a"),
    ],
)
def test_anomaly_has_a_count_and_a_detail(row: dict[str, Any], text: str) -> None:
    assert noticed_text(row) == text


RANKS = " A rank such as 1–6 leaves open what is not separated at 95%."


@pytest.mark.parametrize(
    ("estimate", "row", "as_of", "text"),
    [
        ("predicted", {}, 5, "A score is certain to lie in its score range." + RANKS),
        (
            "sampled",
            {"low": 0.1, "high": 0.2},
            5,
            "Scores are estimates from a random sample, with 95% intervals on these topics." + RANKS,
        ),
        ("sampled", {}, 5, "Scores are estimates from a random sample; it is too early for intervals."),
        (
            "expected",
            {},
            5,
            "Scores are expected by a model, if this collection is like those that it knows." + RANKS,
        ),
        (
            "",
            {"base": 0.1, "top": 0.2},
            5,
            "Scores so far: unjudged documents count as not relevant. The bounds are certain." + RANKS,
        ),
        ("", {}, 5, "Scores so far: unjudged documents count as not relevant. They have no interval."),
        ("", {}, 0, "No run has a score yet."),
    ],
)
def test_leaderboard_explains_its_scores(
    estimate: BoardEstimate, row: dict[str, float], as_of: int, text: str
) -> None:
    rows = [LeaderboardRow("a", "", **row)]  # type: ignore[arg-type]  # only scores
    board = Leaderboard("AP", estimate, as_of, 5, 2, 3, anonymous=False, published_at=None, rows=rows)
    assert leaderboard_note(board) == text
