"""Standings by a measure: rows by the best estimate, pairs by every statement about them."""

from __future__ import annotations

import pytest

from campaigns.measurement.measured_scores import measured_of
from campaigns.measurement.measured_standings import (
    MeasuredPair,
    MeasuredRow,
    MeasuredStandings,
    has_own_standings,
    measured_standings,
)
from campaigns.models import Campaign
from tests.campaigns.factories import make_campaign
from tests.campaigns.measurement.measured import expected, sampled, store

pytestmark = pytest.mark.django_db


def standings(campaign: Campaign) -> MeasuredStandings:
    return measured_standings(campaign=campaign, measured=measured_of(campaign=campaign))


def test_a_sample_comes_before_a_model_and_pairs_by_its_intervals() -> None:
    campaign = make_campaign("Measured", measures="AP", method="sample")
    store(campaign, "AP", expected(), sampled())
    found = standings(campaign)
    assert (found.kind, found.topics, found.has_intervals, found.has_like_these) == (
        "sampled",
        30,
        True,
        True,
    )
    assert [row.run for row in found.rows] == ["x", "y", "z"]
    first, second, third = found.rows
    assert [found.pair(*two).state for two in ((first, second), (first, third))] == ["guaranteed"] * 2
    verdict = found.verdict
    assert (verdict.kind, verdict.others, verdict.better, verdict.better_like_these) == ("sampled", 2, 2, 1)


def test_the_model_states_pairs_and_no_intervals() -> None:
    campaign = make_campaign("Measured", measures="AP", method="mtc")
    store(campaign, "AP", expected())
    found = standings(campaign)
    first, second, third = found.rows
    pair = found.pair(first, second)
    assert (pair.state, pair.percent) == ("leaning", 83)
    assert pair.published == pytest.approx(0.6889)
    assert found.pair(first, third).state == "likely"
    assert found.verdict.kind == "expected"
    assert found.verdict.least == pytest.approx(0.83)
    assert not found.has_intervals


def test_bounds_separate_for_certain_and_stretch_the_axis() -> None:
    campaign = make_campaign("Measured", measures="DCG@10")
    store(campaign, "DCG@10", bounds=True, score=(4.31, 1.0, 0.5))
    found = standings(campaign)
    assert found.verdict.kind == "certain"
    assert found.reach == 5


def test_equal_scores_are_tied() -> None:
    campaign = make_campaign("Measured", measures="RR")
    store(campaign, "RR", score=(0.5, 0.5, 0.1))
    found = standings(campaign)
    assert (found.verdict.kind, found.verdict.tied) == ("usual", True)
    assert found.pairs(10) == []


def test_rbp_has_standings_of_its_own_with_a_sample_only() -> None:
    campaign = make_campaign("Measured", method="sample")
    store(campaign, "RBP(p=0.8)", bounds=True)
    assert not has_own_standings(campaign, measured_of(campaign=campaign))
    store(campaign, "RBP(p=0.8)", sampled(), bounds=True)
    assert has_own_standings(campaign, measured_of(campaign=campaign))


def test_nothing_is_measured_for_a_reason() -> None:
    found = standings(make_campaign("Measured", measures="AP"))
    assert (found.reason, found.verdict.kind, found.rows, found.reach) == ("computing", "unmeasured", (), 1)


def test_a_chance_is_rounded_down() -> None:
    row = MeasuredRow(1, "a", "", True, 0.5)
    shown = {0.9499: 94, 0.95: 95, 0.999: 99, 0.001: 1, 0.29: 29}
    assert {chance: MeasuredPair(row, row, 0.1, calibrated=chance).percent for chance in shown} == shown
