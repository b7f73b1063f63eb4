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
    score_note,
)
from campaigns.participants.leaderboard import BoardEstimate, Leaderboard, LeaderboardRow
from campaigns.predictions.prediction import MissingPrediction
from campaigns.predictions.standings import RunStanding
from campaigns.results.score_ranges import RunScoreRange
from tests.campaigns.pages.sentences.standings import standing, standings

UNPREDICTED = standing("a")
PREDICTED = standing("a", expected=0.5, low=0.4004, high=0.6004, best=0.8, first=1, last=1)
EARLY = standing("a", expected=0.5, low=0.4, high=0.6, early=True)
TITLE = "too early: the prediction interval is too wide"


@pytest.mark.parametrize(
    ("first", "last", "figure"), [(None, None, "–"), (2, 2, "2"), (2, 5, "2–5"), (999, 1200, "999–1,200")]
)
def test_rank_is_a_place_or_several(first: int | None, last: int | None, figure: str) -> None:
    assert rank_figure(standing("a", first=first, last=last)) == figure


COUNTED = '<span class="soft" data-counted="distinct-runs"> of 1,200</span>'


@pytest.mark.parametrize(
    ("row", "withdrawn", "note"),
    [
        (PREDICTED, True, '<span class="soft">withdrawn</span>'),
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
        (EARLY, None, '– <span class="soft">too early</span>'),
        (UNPREDICTED, MissingPrediction("empty"), '– <span class="soft">nothing is judged yet</span>'),
        (None, None, "–"),
        (PREDICTED, None, '0.500<span class="soft"> prediction interval 0.400–0.601</span>'),
    ],
)
def test_score_has_an_interval_or_a_reason(
    row: RunStanding | None, why: MissingPrediction | None, note: str
) -> None:
    assert score_note(row, why) == note


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
