"""How many judgments are still to go: as the kernel says, in words, and in hours."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from campaigns.computing.live import LiveCampaign
from campaigns.models import Advice, Campaign, Judgment, Run
from campaigns.stopping import advice_computation
from campaigns.stopping.advice import RemainingEffort, StoppingForecast, stopping_advice_of
from selection.simulation.forecast import forecast
from selection.stopping.tests import TopDistinct
from tests.campaigns.exchange.test_prels import judge_all, wide_lists
from tests.campaigns.factories import Api, make_campaign
from tests.campaigns.stopping.stopping_look import look, panel


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign("Small")


@pytest.mark.django_db
def test_the_forecast_is_that_of_the_kernel_asked_directly() -> None:
    campaign = make_campaign("Small", wide_lists(topics=2, runs=3, documents=12))
    live = look(campaign)
    assert Advice.objects.get().content["forecast"] is None
    judge_all(campaign, np.random.default_rng(3), most=3)
    live = look(campaign)
    found = stopping_advice_of(campaign=campaign)
    assert found is not None
    assert found.forecast is not None
    left = sum(len(pool) for pool in live.arrays.pools) - 6
    open_ = [pair for pair in found.pairs if not pair.decided]
    tags = dict(Run.objects.filter(campaign=campaign).values_list("tag", "id"))
    place = {tag: live.arrays.runs.index(run) for tag, run in tags.items()}
    pairs = tuple((place[pair.run], place[pair.other]) for pair in open_)
    asked, *each = forecast(
        live.state, [TopDistinct()], horizon=left, draws=20, seed=campaign.seed, pairs=pairs
    )
    assert not found.distinct
    assert found.forecast == StoppingForecast(
        asked.median, asked.low, asked.high, left, asked.exhausted > 0.5, until="top"
    )
    assert open_
    assert [pair.forecast for pair in open_] == [
        RemainingEffort(one.median, one.low, one.high, left, one.exhausted > 0.5) for one in each
    ]
    assert [pair.ids for pair in open_] == [(tags[pair.run], tags[pair.other]) for pair in open_]
    # Asking changes nothing.
    fresh = LiveCampaign.from_rows(campaign)
    fresh.catch_up(known=0)
    assert live.state.best() == fresh.state.best()
    assert live.state.base.tolist() == fresh.state.base.tolist()


@pytest.mark.django_db
def test_how_far_a_look_looks(campaign: Campaign, monkeypatch: pytest.MonkeyPatch) -> None:
    """Twice as far where it was too near, half as far where it took too long."""
    Api(campaign, "Small-grace").judge("1", "a", 2)
    live = look(campaign)
    monkeypatch.setattr(advice_computation, "HORIZONS", range(1, 1000))
    monkeypatch.setattr(advice_computation, "FORECAST_SECONDS", 1e9)
    one = advice_computation.compute_advice(live, 1)
    assert one.forecast is not None
    assert (one.forecast.horizon, one.forecast.median) == (1, None)
    assert (one.next_horizon, one.further) == (2, True)
    monkeypatch.setattr(advice_computation, "FORECAST_SECONDS", 0)
    slow = advice_computation.compute_advice(live, 8)
    assert (slow.next_horizon, slow.further) == (4, False)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("forecast", "words"),
    [
        ({"median": 1320, "low": 900, "high": 2100}, "≈ 1,320"),
        ({"median": 1320, "low": 900, "high": 2100}, "4 in 5: 900–2,100"),
        # Nine in ten: only the low end can be missed.
        ({"median": 1320, "low": 900, "high": None}, "9 in 10: 900 or more"),
        ({"median": None, "low": None, "high": None}, "&gt; 2,500"),
        ({"median": 5, "low": 5, "high": 5}, "≤ 5"),
    ],
)
def test_the_forecast_in_words(campaign: Campaign, forecast: dict[str, Any], words: str) -> None:
    Api(campaign, "Small-grace").judge("1", "a", 2)
    look(campaign)
    row = Advice.objects.get()
    row.content["next_pair"] = {"horizon": 2500, "never": False} | forecast
    row.save()
    assert words in panel(campaign)


@pytest.mark.django_db
def test_hours_go_by_the_median_time_of_a_judgment() -> None:
    campaign = make_campaign("Small", wide_lists(topics=2, runs=3, documents=12))
    judge_all(campaign, np.random.default_rng(3), most=8)
    made = Judgment.objects.filter(campaign=campaign).order_by("id")
    assert made.count() > 10
    # One was left open over lunch, and one has no time.
    made.update(milliseconds=18_000)
    made.filter(id=made[0].id).update(milliseconds=3_600_000)
    made.filter(id=made[1].id).update(milliseconds=None)
    look(campaign)
    found = stopping_advice_of(campaign=campaign)
    assert found is not None
    assert found.seconds_each == 18
    forecasts_shown = [pair.forecast for pair in found.pairs if pair.forecast is not None]
    assert len(forecasts_shown) == sum(not pair.decided for pair in found.pairs) > 0
    for likely in forecasts_shown:
        for judgments, hours in (
            (likely.median, likely.hours),
            (likely.low, likely.hours_low),
            (likely.high, likely.hours_high),
        ):
            assert hours == (None if judgments is None else pytest.approx(judgments / 200))
    timed = found.next_pair is not None and found.next_pair.hours is not None
    assert (" s each" in panel(campaign)) == timed
    # No assessor judges a document in a fifth of a second: it is shown, and hours count five seconds.
    made.update(milliseconds=200)
    look(campaign)
    found = stopping_advice_of(campaign=campaign)
    assert found is not None
    assert (found.seconds_each, found.counted_seconds) == (0.2, 5)
    floored = [(one.low, one.hours_low) for one in (pair.forecast for pair in found.pairs) if one]
    assert floored == [(low, None if low is None else pytest.approx(low * 5 / 3600)) for low, _ in floored]
    assert ("at 0.2 s each, counted as at least 5 s" in panel(campaign)) == timed
