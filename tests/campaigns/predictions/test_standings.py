"""The overview's numbers: nested marks, places, verdict, and their agreement with pair page and API."""

from __future__ import annotations

import inspect
import re
from dataclasses import replace
from datetime import timedelta
from itertools import combinations

import numpy as np
import pytest
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from campaigns.core import decimals
from campaigns.figures import intervals
from campaigns.models import Campaign, Claim
from campaigns.pages.sentences import verdict
from campaigns.predictions.prediction import (
    HELD,
    HELD_WORST,
    MOST_WITH_BEST,
    WIDEST_SHARE,
    RunPrediction,
    ScorePrediction,
    percent_of,
    prediction_of,
)
from campaigns.predictions.standings import (
    MAY_BE_BEST,
    RunStanding,
    Standings,
    pair_state,
    predicted_rows,
    standings_of,
)
from campaigns.results.topic_scope import SCOPES, TopicScope
from campaigns.stopping.advice import stopping_advice_of
from config.embedded.machine import PROJECT
from selection.simulation.prediction import OF_LEADERS
from tests.campaigns.factories import Api, Lists, make_campaign, signed_in
from tests.campaigns.stopping.stopping_look import look, predict_scores

DASHBOARD = PROJECT / "templates" / "campaigns" / "dashboard"
RUNS = 12
LISTS: Lists = {
    f"r{run}": {
        topic: [f"d{(run * 5 + rank * (run + 1)) % 40}" for rank in range(8)] for topic in ("1", "2", "3")
    }
    for run in range(RUNS)
}
LISTS = {tag: {topic: list(dict.fromkeys(docs)) for topic, docs in by.items()} for tag, by in LISTS.items()}


@pytest.fixture
def campaign(db: None) -> Campaign:
    campaign = make_campaign("Small", LISTS, budget=100)
    grace = Api(campaign, "Small-grace")
    for topic in ("1", "2"):
        for place, docno in enumerate(sorted({docno for run in LISTS.values() for docno in run[topic]})[:20]):
            assert grace.judge(topic, docno, place % 3).status_code == 201
    predict_scores(campaign)
    look(campaign)
    return campaign


@pytest.mark.parametrize("scope", SCOPES)
def test_marks_are_nested_and_rows_stand_by_expected_score(campaign: Campaign, scope: TopicScope) -> None:
    standings = standings_of(campaign=campaign, topics=scope)
    assert len(standings.rows) == RUNS
    heights = []
    for row in standings.rows:
        assert row.low is not None
        assert row.high is not None
        assert row.expected is not None
        assert row.base <= row.low <= row.expected <= row.high <= row.top
        heights.append(row.expected)
    assert heights == sorted(heights, reverse=True)
    assert standings.verdict.kind in ("probable", "leaders", "certain")


@pytest.mark.parametrize("scope", SCOPES)
def test_overview_pair_page_and_api_show_one_number(campaign: Campaign, scope: TopicScope) -> None:
    """Read all of them for one campaign."""
    ada, api = signed_in("Small-ada"), Api(campaign, "Small-ada")
    overview = " ".join(ada.get(f"/campaigns/small/?topics={scope}").content.decode().split())
    predicted = api.get("predictions/", topics=scope, limit=1000).json()
    ranges = {run["run"]: run for run in api.get("intervals/", topics=scope).json()["runs"]}
    order = [run["run"] for run in predicted["runs"]]
    assert re.findall(r'<span class="run-tag">([^<]+)', overview) == order
    standings = {row.run: row for row in standings_of(campaign=campaign, topics=scope).rows}
    for run in predicted["runs"]:
        tag = run["run"]
        row, shown = standings[tag], overview.split(f'<span class="run-tag">{tag}</span>')[1]
        shown = shown.split("</li>")[0]
        assert decimals.expected(run["expected"]) in shown
        assert f"{decimals.base(ranges[tag]['base'])}–{decimals.top(ranges[tag]['top'])}" in shown
        assert row.best == run["best"] or row.leader
        if row.best is not None:
            assert decimals.chance(run["best"]).replace("<", "&lt;") in shown
    by_api = {(pair["run"], pair["other"]): pair["confidence"] for pair in predicted["results"]}
    ids = dict(campaign.runs.values_list("tag", "id"))
    matrix = overview.split('class="pair-table"')[1].split("</table>")[0]
    for run, other in combinations(order[:10], 2):
        confidence, percent = by_api[run, other], percent_of(by_api[run, other])
        cell = matrix.split(f"one={ids[run]}&amp;other={ids[other]}")[1].split("</td>")[0]
        assert f"{run} : {other} – {percent}%" in cell
        asked = {"one": ids[run], "other": ids[other], "topics": scope}
        page = " ".join(ada.get("/campaigns/small/pair/", asked).content.decode().split())
        if confidence in (0, 1):
            assert "Certainly separated: <strong>" in page
        elif percent is not None:
            likelier, sure = (run, percent) if confidence >= 0.5 else (other, 100 - percent)
            assert f"{likelier} has the higher final score with a probability of <strong>{sure}%" in page
    answer = api.get("pairs/", topics=scope, limit=1000).json()
    assert {tag for pair in answer["results"] for tag in (pair["run"], pair["other"])} == set(order[:10])
    assert answer["no_forecast"] == ("judged_topics" if scope == "judged" else "")
    shared = {(pair["run"], pair["other"]): pair["confidence"] for pair in answer["results"]}
    assert len(shared) == 45
    for (run, other), confidence in shared.items():
        there = by_api.get((run, other))
        assert confidence == pytest.approx(1 - by_api[other, run] if there is None else there)


def test_the_pair_page_opens_with_the_runs_that_matter(campaign: Campaign) -> None:
    standings = standings_of(campaign=campaign)
    best = sorted(standings.rows, key=lambda row: -(row.best or 0))[:2]
    page = signed_in("Small-ada").get("/campaigns/small/pair/").content.decode()
    title = re.findall(r'<a href="/campaigns/small/runs/(\d+)/">', page.split("<h1")[1].split("</h1>")[0])
    assert {int(run) for run in title} == {row.id for row in best}


def test_the_overview_forecasts_what_the_prediction_decides_next(campaign: Campaign) -> None:
    advice = stopping_advice_of(campaign=campaign)
    assert advice is not None
    assert advice.next_pair is not None
    answer = Api(campaign, "Small-ada").get("pairs/").json()
    assert answer["forecast_as_of"] == 40
    assert answer["next_pair"]["median"] == advice.next_pair.median
    page = " ".join(signed_in("Small-ada").get("/campaigns/small/overview/").content.decode().split())
    strip = page.split("To separate the next pair")[1].split("</div>")[0]
    shown = advice.next_pair.median
    assert ("&gt;" if shown is None else "≤ 5" if shown <= 5 else f"≈ {shown}") in strip
    # These judgments took a fraction of a second.
    assert "at 1.2 s each, counted as at least 5 s" in strip


def test_identical_runs_share_a_row_and_count_once(db: None) -> None:
    lists: Lists = {**LISTS, "copy": LISTS["r0"]}
    campaign = make_campaign("Small", lists)
    grace = Api(campaign, "Small-grace")
    for topic in ("1", "2"):
        for place, docno in enumerate(lists["r0"][topic]):
            assert grace.judge(topic, docno, 2 * (1 - place % 2)).status_code == 201
    predict_scores(campaign)
    standings = standings_of(campaign=campaign)
    assert len(standings.rows) == RUNS
    [first] = [row for row in standings.rows if row.same]
    assert (first.run, first.same) == ("r0", ("copy",))
    assert all(row.last is None or row.last <= RUNS for row in standings.rows)
    assert standings.verdict.run == "r0"
    assert standings.verdict.best == first.best
    by_tag = {run["run"]: run for run in Api(campaign, "Small-ada").get("predictions/").json()["runs"]}
    assert by_tag["copy"]["same_as"] == "r0"
    assert by_tag["r0"]["best"] == by_tag["copy"]["best"] == first.best
    page = " ".join(signed_in("Small-ada").get("/campaigns/small/overview/").content.decode().split())
    assert ">+1 same</small>" in page
    assert '<span class="run-tag">copy</span>' not in page


def test_topics_are_cells_beside_the_best_runs(campaign: Campaign) -> None:
    page = " ".join(signed_in("Small-ada").get("/campaigns/small/overview/").content.decode().split())
    cells = page.split('id="cells-label"')[1].split("</section>")[0]
    assert cells.count('<a id="cell-') == 3
    # Tab reaches one of them, arrow keys the others.
    assert cells.count('tabindex="-1"') == 2
    assert "not begun · suggested next" in cells.replace("</span>", "")
    assert 'class="unjudged" d="M2 0h0.88v10h-0.88z"' in cells


def test_the_verdict_always_names_all_topics(campaign: Campaign) -> None:
    ada = signed_in("Small-ada")
    said = {scope: ada.get("/campaigns/small/", {"topics": scope}).content.decode() for scope in SCOPES}
    words = {
        scope: re.sub(r"<[^>]+>", "", text.split('id="verdict">')[1].split("</p>")[0])
        for scope, text in said.items()
    }
    assert words["judged"].startswith("On the 2 judged topics:")
    assert words["judged"].split("Over all 3:")[1].split() == words["all"].split()
    assert "leads" not in said["all"].split('id="overview"')[1]


def test_the_judging_so_far_is_a_curve(campaign: Campaign) -> None:
    found = prediction_of(campaign=campaign)
    assert found is not None
    assert [one.judged for one in found.history] == [40]
    Api(campaign, "Small-grace").judge("3", LISTS["r0"]["3"][0], 2)
    predict_scores(campaign)
    found = prediction_of(campaign=campaign)
    assert found is not None
    assert [one.judged for one in found.history] == [40, 41]
    assert found.history[-1].pairs == 45
    page = signed_in("Small-ada").get("/campaigns/small/overview/").content.decode()
    assert re.search(r'class="line" d="M40\.00 [\d.]+L41\.00', page)


def test_somebody_who_has_just_judged_counts_as_judging(campaign: Campaign) -> None:
    page = signed_in("Small-ada").get("/campaigns/small/overview/").content.decode()
    assert "Small-grace" in page.split('id="judging-label"')[1]
    assert Api(campaign, "Small-ada").get("status/").json()["judging_now"] == 1
    long_ago = timezone.now() - timedelta(hours=1)
    campaign.judgments.update(created=long_ago)
    Claim.objects.update(expires_at=long_ago)
    page = signed_in("Small-ada").get("/campaigns/small/overview/").content.decode()
    assert "No one has judged in the last five minutes." in page


def standing(number: int, **figures: float) -> RunStanding:
    base, top = figures.get("base", 0.2), figures.get("top", 0.9)
    return RunStanding(number, f"r{number}", "", base, top, late=False, contributes=True)


def with_best(*best: float) -> Standings:
    """Runs by descending expected score, with these probabilities."""
    rows = [
        replace(standing(number), expected=0.7 - number / 50, low=0.5, high=0.8, best=one)
        for number, one in enumerate(best)
    ]
    runs = [RunPrediction(row.id, 0.5, 0.4, 0.6, row.best) for row in rows]
    pairs = np.full(len(best) * (len(best) - 1) // 2, 0.6)
    return Standings("all", 9, 9, 9, rows, ScorePrediction(9, 3, False, runs, pairs))


def test_the_verdict_names_the_likeliest_and_its_rivals() -> None:
    verdict = with_best(0.7, 0.005, 0.28, 0.015).verdict
    assert (verdict.kind, verdict.run, verdict.best) == ("probable", "r0", 0.7)
    assert verdict.rivals == (("r2", 0.28), ("r3", 0.015))


def test_the_last_run_that_may_be_best_ends_the_group() -> None:
    assert with_best(0.7, 0.005, 0.28, 0.0).last_may == 3
    assert with_best(0.5, 0.5).last_may == 0


def test_twins_count_as_one() -> None:
    found = with_best(0.4, 0.35, 0.25)
    rows = [replace(row, twin=row.id < 2) for row in found.rows]
    verdict = replace(found, rows=rows).verdict
    assert (verdict.run, verdict.twin) == ("r0", "r1")
    assert verdict.best == pytest.approx(0.75)
    assert verdict.rivals == (("r2", 0.25),)


def test_what_bounds_decide_is_certain() -> None:
    found = with_best(0.9, 0.1)
    rows = [replace(found.rows[0], base=0.95, top=0.97), found.rows[1]]
    sure = replace(found, rows=rows)
    assert (sure.verdict.kind, sure.verdict.run) == ("certain", "r0")
    assert [pair.state for pair in sure.pairs] == ["certain"]


@pytest.mark.parametrize(
    ("confidence", "state"),
    [
        (1, "certain"),
        (0.95, "likely"),
        (0.0499, "likely"),
        (0.9499, "leaning"),
        (0.8, "leaning"),
        (0.79, "open"),
        (None, "open"),
    ],
)
def test_states_of_a_pair(confidence: float | None, state: str) -> None:
    assert pair_state(confidence) == state


@pytest.mark.parametrize(
    ("share", "shown"),
    [(None, "–"), (0.0, "–"), (0.004, "< 1%"), (0.71, "71%"), (0.997, "99.7%"), (0.99999, "99.9%")],
)
def test_chances_in_words(share: float | None, shown: str) -> None:
    assert decimals.chance(share) == shown


def test_expected_scores_are_rounded_half_up() -> None:
    assert [decimals.expected(score) for score in (0.0625, 0.1225, 0.7964, 0.79651)] == [
        "0.063",
        "0.123",
        "0.796",
        "0.797",
    ]


def test_pages_and_figures_name_the_threshold_of_runs_that_may_be_best() -> None:
    threshold = f"P(best) ≥ {100 * MAY_BE_BEST:g}%"
    sentences, figure = inspect.getsource(verdict), inspect.getsource(intervals)
    assert sentences.count(f"{threshold}%") == 5
    assert threshold in figure
    for text in (sentences, (DASHBOARD / "_verdict.html").read_text(), figure):
        assert "may be best." not in text
        assert "may still overtake" not in text


@given(st.data(), st.integers(2, 60))
def test_a_verdict_names_only_the_first_run(data: st.DataObject, runs: int) -> None:
    """Over predictions whose expected scores and P(best) need not agree."""
    unit = st.floats(0, 1)
    expected, weights = (data.draw(st.lists(unit, min_size=runs, max_size=runs)) for _ in range(2))
    weights[data.draw(st.integers(0, runs - 1))] += data.draw(st.floats(0.01, 100))
    chances = {run: weight / sum(weights) for run, weight in enumerate(weights)}
    shown = runs <= MOST_WITH_BEST
    predicted = [
        RunPrediction(run, one, one / 2, (1 + one) / 2, chances[run] if shown else None)
        for run, one in enumerate(expected)
    ]
    pairs = np.array(
        data.draw(st.lists(unit, min_size=runs * (runs - 1) // 2, max_size=runs * (runs - 1) // 2))
    )
    early = data.draw(st.booleans())
    prediction = ScorePrediction(9, 3, early, predicted, pairs, chances=chances)
    ranges = [standing(run, base=one * data.draw(unit), top=1.0) for run, one in enumerate(expected)]
    rows = sorted(predicted_rows(ranges, prediction), key=lambda row: (-(row.expected or 0), row.id))
    found = Standings("all", 9, 9, 9, rows, prediction)
    assert found.verdict.run in ("", rows[0].run)
    assert found.contest is not None
    assert found.contest[0] is rows[0]
    marked = [row.leader for row in rows]
    assert marked == sorted(marked, reverse=True)
    assert found.verdict.leaders == sum(marked) or found.verdict.kind in ("certain", "early")
    if any(marked):
        assert sum(chances[row.id] for row in rows if row.leader) >= 0.95 - 1e-9
        assert all(row.best is None for row in rows)
    order = {row.id: place for place, row in enumerate(rows)}
    assert all(order[pair.run.id] < order[pair.other.id] for pair in found.next_pairs)
    assert all(row.best is None for row in rows) or shown


def test_more_than_forty_runs_have_leaders_and_no_shares() -> None:
    found = with_best(*[1 / 41] * 41)
    chances = dict.fromkeys(range(41), 0.0) | {0: 0.97, 1: 0.03}
    assert found.prediction is not None
    prediction = replace(found.prediction, chances=chances)
    bare = [replace(row, best=None) for row in found.rows]
    many = replace(
        prediction, runs=[RunPrediction(row.id, 0.7 - row.id / 50, 0.4, 0.8, None) for row in bare]
    )
    rows = predicted_rows([standing(number) for number in range(41)], many)
    verdict = Standings("all", 9, 9, 9, rows, many).verdict
    assert (verdict.kind, verdict.run, verdict.leaders) == ("leaders", "r0", 1)


@pytest.mark.parametrize(
    ("marks", "early"),
    [((0.1, 0.2, 0.7, 0.8), True), ((0.1, 0.2, 0.5, 0.8), False), ((0.4, 0.4, 0.49, 0.49), False)],
)
def test_a_wide_interval_is_too_early(marks: tuple[float, float, float, float], early: bool) -> None:
    base, low, high, top = marks
    row = replace(standing(1, base=base, top=top), low=low, high=high, expected=low)
    assert row.too_early is early
    assert replace(row, early=True).too_early
    assert not standing(1).too_early


def test_the_handbook_says_how_often_prediction_intervals_held() -> None:
    said = " ".join((PROJECT / "docs" / "concepts.md").read_text().split())
    assert f"of {HELD} in 100 runs, and of {HELD_WORST} in the worst collection" in said
    assert f"P(best) sum up to {100 * OF_LEADERS:.0f}%" in said
    assert f"more than {MOST_WITH_BEST} distinct runs" in said
    assert f"wider than {100 * WIDEST_SHARE:.0f}% of its score range" in said
