"""What is said about stopping: against the kernels asked directly, against every way that unjudged documents
could turn out, and as the real worker writes it."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import psycopg2
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from campaigns import stopping
from campaigns.live import LiveCampaign
from campaigns.models import Advice, Campaign, Judgment, Run
from campaigns.services import campaigns as services
from campaigns.services import computing
from campaigns.services.advice import Forecast, Likely, stopping_of
from campaigns.services.stopping import LOCK, write_advice
from campaigns.tasks import advising
from campaigns.tasks.advising import advise, due
from campaigns.tasks.recomputing import request_recompute
from evaluation.mtc_pairs import confidences
from evaluation.relevance import smoothed_relevance
from selection.forecast import forecast
from selection.stopping import TopDistinct
from tests.campaigns.building import THREE_RUNS, Api, Lists, add_run, make_campaign, signed_in
from tests.campaigns.test_prels import judge_all, wide_lists
from tests.campaigns.test_worker import wait_until

# x and y differ in one document only, which is judged first: what else they rank cancels.
NEARLY_EQUAL: Lists = {
    "x": {"1": ["a", "c", "d", "e"]},
    "y": {"1": ["b", "c", "d", "e"]},
    "z": {"1": ["f", "g"]},
}


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign("Small")


def look(campaign: Campaign) -> LiveCampaign:
    live = LiveCampaign.from_rows(Campaign.objects.get(id=campaign.id))
    computing.bring_up_to_date(live)
    write_advice(live)
    return live


def completions(lists: Lists, known: dict[tuple[str, str], float], p: float) -> Iterator[dict[str, float]]:
    """Every run's mean RBP for each way in which the unjudged documents can turn out, all or nothing; what
    follows a ranking's end adds nothing, or all that it could."""
    topics = sorted({topic for run in lists.values() for topic in run})
    open_ = sorted(
        {(t, d) for run in lists.values() for t, docnos in run.items() for d in docnos} - known.keys()
    )
    for gains in itertools.product((0.0, 1.0), repeat=len(open_)):
        truth = known | dict(zip(open_, gains, strict=True))
        for tails in itertools.product((0.0, 1.0), repeat=len(lists)):
            yield {
                run: sum(rbp([truth[t, d] for d in lists[run].get(t, [])], p, tail) for t in topics)
                / len(topics)
                for run, tail in zip(lists, tails, strict=True)
            }


def rbp(gains: list[float], p: float, tail: float) -> float:
    seen = sum((1 - p) * p**place * gain for place, gain in enumerate(gains))
    return seen + p ** len(gains) * tail


@pytest.mark.django_db
def test_decided_pairs_are_those_that_nothing_can_turn_round() -> None:
    campaign = make_campaign("Small", NEARLY_EQUAL, p=0.5)
    grace = Api(campaign, "Small-grace")
    known: dict[tuple[str, str], float] = {}
    seen = set()
    for docno, grade in (("a", 2), ("b", 0), ("f", 0), ("g", 0), ("c", 1)):
        assert grace.judge("1", docno, grade).status_code == 201
        known["1", docno] = grade / 2
        look(campaign)
        found = stopping_of(campaign=campaign)
        assert found is not None
        futures = list(completions(NEARLY_EQUAL, known, 0.5))
        for pair in found.pairs:
            ahead = min(future[pair.run] - future[pair.other] for future in futures)
            assert pair.decided == (ahead > 1e-12), (docno, pair)
            seen.add(pair.by)
        alone = all(
            min(f[found.best] for f in futures) > max(f[other] for f in futures) + 1e-12
            for other in NEARLY_EQUAL
            if other != found.best
        )
        assert found.distinct == alone
    assert seen == {"", "difference", "intervals"}


@pytest.mark.django_db
def test_confidence_is_that_of_the_kernel_asked_directly(campaign: Campaign) -> None:
    grace = Api(campaign, "Small-grace")
    for topic, docno, grade in (("1", "a", 2), ("1", "h", 0), ("2", "l", 1)):
        grace.judge(topic, docno, grade)
    look(campaign)
    asked = []
    for topic, known in (("1", {"a": 1.0, "h": 0.0}), ("2", {"l": 1.0})):
        pool = sorted({docno for run in THREE_RUNS.values() for docno in run.get(topic, [])})
        relevance = smoothed_relevance(np.array([known.get(docno, np.nan) for docno in pool]))
        rankings = [np.array([pool.index(d) for d in run.get(topic, [])], int) for run in THREE_RUNS.values()]
        asked.append((rankings, relevance))
    sure = confidences(asked).confidence
    place = {run: index for index, run in enumerate(THREE_RUNS)}
    pairs = Api(campaign, "Small-ada").get("pairs/").json()["pairs"]
    assert len(pairs) == 3
    for pair in pairs:
        assert pair["confidence"] == pytest.approx(sure[place[pair["run"]], place[pair["other"]]])


@pytest.mark.django_db
def test_the_forecast_is_that_of_the_kernel_asked_directly() -> None:
    campaign = make_campaign("Small", wide_lists(topics=2, runs=3, documents=12))
    live = look(campaign)
    assert Advice.objects.get().content["forecast"] is None
    judge_all(campaign, np.random.default_rng(3), most=3)
    live = look(campaign)
    found = stopping_of(campaign=campaign)
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
    assert found.forecast == Forecast(
        asked.median, asked.low, asked.high, left, asked.exhausted > 0.5, until="top"
    )
    assert open_
    assert [pair.forecast for pair in open_] == [
        Likely(one.median, one.low, one.high, left, one.exhausted > 0.5) for one in each
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
    monkeypatch.setattr(stopping, "HORIZONS", range(1, 1000))
    one = stopping.advise(live, 1)
    assert one["forecast"]["horizon"] == 1
    assert one["forecast"]["median"] is None
    assert (one["next_horizon"], one["further"]) == (2, True)
    monkeypatch.setattr(stopping, "FORECAST_SECONDS", 0)
    slow = stopping.advise(live, 8)
    assert (slow["next_horizon"], slow["further"]) == (4, False)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("forecast", "words"),
    [
        ({"median": 1320, "low": 900, "high": 2100}, "≈ 1,320 <small>judgments</small>"),
        ({"median": 1320, "low": 900, "high": 2100}, "80 % of the time between 900 and 2,100."),
        ({"median": 1320, "low": 900, "high": None}, "80 % of the time more than 900."),
        ({"median": None, "low": None, "high": None}, "more than 2,500 <small>judgments</small>"),
        ({"median": None, "low": None, "high": None, "never": True}, "no run stands alone even then"),
    ],
)
def test_the_forecast_in_words(campaign: Campaign, forecast: dict[str, Any], words: str) -> None:
    Api(campaign, "Small-grace").judge("1", "a", 2)
    look(campaign)
    row = Advice.objects.get()
    row.content["forecast"] = {"until": "top", "horizon": 2500, "never": False} | forecast
    row.save()
    assert words in panel(campaign)


@pytest.mark.django_db
def test_one_look_at_a_time(campaign: Campaign) -> None:
    Api(campaign, "Small-grace").judge("1", "a", 2)
    with psycopg2.connect(**connection.get_connection_params()) as other:
        with other.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_lock(%s)", [LOCK])
        look(campaign)
        assert not Advice.objects.exists()
    other.close()
    look(campaign)
    assert Advice.objects.get().as_of == 1


@pytest.mark.django_db
@pytest.mark.parametrize("versus", ["base", "top", "projected"])
def test_pairs_by_the_api(campaign: Campaign, versus: str) -> None:
    Api(campaign, "Small-grace").judge("1", "a", 2)
    look(campaign)
    ada = Api(campaign, "Small-ada")
    reply = ada.get("pairs/", versus=versus).json()
    assert {key: reply[key] for key in ("versus", "as_of", "k")} == {"versus": versus, "as_of": 1, "k": 3}
    runs = {row["run"]: row for row in ada.get("intervals/").json()["runs"]}
    assert [(pair["run"], pair["other"]) for pair in reply["pairs"]] == [("x", "y"), ("x", "z"), ("y", "z")]
    for pair in reply["pairs"]:
        assert set(pair) == {"run", "other", "decided", "by", "difference", "confidence", "forecast"}
        assert set(pair["forecast"]) == {
            *("median", "low", "high", "horizon", "never", "hours", "hours_low", "hours_high")
        }
        assert pair["forecast"]["hours"] is None
        expected = runs[pair["run"]]["base"] - runs[pair["other"]][versus]
        assert pair["difference"] == pytest.approx(expected, abs=1e-12)
        assert not pair["decided"]
        assert pair["by"] == ""


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
    found = stopping_of(campaign=campaign)
    assert found is not None
    assert found.seconds_each == 18
    told = [pair.forecast for pair in found.next_apart]
    assert len(told) == sum(not pair.decided for pair in found.pairs) > 0
    for likely in told:
        assert likely is not None
        for judgments, hours in (
            (likely.median, likely.hours),
            (likely.low, likely.hours_low),
            (likely.high, likely.hours_high),
        ):
            assert hours == (None if judgments is None else pytest.approx(judgments / 200))
    order = [(one.never, one.median is None, one.median or 0) for one in told if one is not None]
    assert order == sorted(order)
    page = panel(campaign)
    assert "Next to separate" in page
    assert page.count("<li><a href=") == min(len(found.soonest), 10)
    assert "median of 18 seconds a judgment" in page


@pytest.mark.django_db
def test_who_may_ask_for_pairs_and_how(campaign: Campaign) -> None:
    make_campaign("Other")
    assert Api(campaign, "Small-grace").get("pairs/").status_code == 403
    assert Api(campaign, "Other-ada").get("pairs/").status_code == 404
    assert Api(campaign, "Small-ada").post("pairs/", {}).status_code == 405
    wrong = Api(campaign, "Small-ada").get("pairs/", versus="bottom")
    assert wrong.status_code == 400
    assert wrong.json()["errors"][0]["field"] == "versus"
    nothing = {"versus": "base", "as_of": 0, "k": 0, "pairs": []}
    assert Api(campaign, "Small-ada").get("pairs/").json() == nothing


@pytest.mark.django_db
def test_the_panel_is_for_the_campaigns_organisers(campaign: Campaign) -> None:
    make_campaign("Other")
    path = "/campaigns/small/stop/"
    assert signed_in("Small-grace").get(path).status_code == 403
    assert signed_in("Other-ada").get(path).status_code == 404
    assert signed_in("Small-ada").post(path).status_code == 405


def panel(campaign: Campaign) -> str:
    page = signed_in(f"{campaign.name}-ada").get(f"/campaigns/{campaign.slug}/stop/").content.decode()
    return " ".join(page.split())


@pytest.mark.django_db
def test_nothing_is_said_before_the_first_judgment(campaign: Campaign) -> None:
    assert panel(campaign) == ""
    look(campaign)
    assert panel(campaign) == ""
    grace = Api(campaign, "Small-grace")
    grace.judge("1", "a", 2)
    look(campaign)
    assert "Can we stop?" in panel(campaign)
    grace.judge("1", "a", undo=True)
    look(campaign)
    assert panel(campaign) == ""


@pytest.mark.django_db
def test_a_settled_campaign_and_its_age() -> None:
    campaign = make_campaign("Small", NEARLY_EQUAL, p=0.2)
    grace = Api(campaign, "Small-grace")
    for docno, grade in (("a", 2), ("b", 0), ("f", 0)):
        grace.judge("1", docno, grade)
    look(campaign)
    said = panel(campaign)
    assert "The top run is settled" in said
    assert '<p class="figure">x</p>' in said
    assert "of 3 pairs are decided" in said
    assert "As of the latest judgment." in said
    grace.judge("1", "c", 0)
    grace.judge("1", "d", 0)
    assert "As of 2 judgments ago." in panel(campaign)
    add_run(campaign, "w", {"1": ["a"]}, contributes=False)
    assert "As of earlier runs or settings" in panel(campaign)
    dashboard = signed_in("Small-ada").get("/campaigns/small/").content.decode()
    assert "The top run is settled" in dashboard


@pytest.mark.django_db
def test_one_run_has_no_pairs() -> None:
    campaign = make_campaign("Small", {"x": {"1": ["a", "b"]}})
    Api(campaign, "Small-grace").judge("1", "a", 2)
    look(campaign)
    assert "There is no other run to compare x with." in panel(campaign)
    assert Api(campaign, "Small-ada").get("pairs/").json()["pairs"] == []


@pytest.mark.django_db
def test_a_run_may_miss_topics_and_runs_may_be_the_same() -> None:
    lists: Lists = {
        "x": {"1": ["a", "b"], "2": ["c"]},
        "same": {"1": ["a", "b"], "2": ["c"]},
        "y": {"2": ["d"]},
    }
    campaign = make_campaign("Small", lists)
    grace = Api(campaign, "Small-grace")
    for topic, docno in (("1", "a"), ("1", "b"), ("2", "c"), ("2", "d")):
        grace.judge(topic, docno, 1)
    look(campaign)
    found = stopping_of(campaign=campaign)
    assert found is not None
    # Only what follows the ends of their rankings is open between them, and stays open.
    assert not found.pairs[0].decided
    assert {found.pairs[0].run, found.pairs[0].other} == {"x", "same"}


@pytest.mark.django_db
def test_what_would_take_too_long_is_left_out_and_named(
    campaign: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    Api(campaign, "Small-grace").judge("1", "a", 2)
    monkeypatch.setattr(stopping, "MOST_TOPICS", 1)
    look(campaign)
    found = stopping_of(campaign=campaign)
    assert found is not None
    assert found.left_out == ["difference", "confidence", "forecast"]
    assert found.forecast is None
    assert {pair.confidence for pair in found.pairs} == {None}
    assert "Left out, for it would take too long: pairs that only" in panel(campaign)


@pytest.mark.django_db
def test_when_a_campaign_is_due(campaign: Campaign, monkeypatch: pytest.MonkeyPatch) -> None:
    draft = make_campaign("Draft", opened=False)
    computing.bring_up_to_date(LiveCampaign.from_rows(draft))
    assert due() == []
    advise(campaign.id)
    assert due() == []
    assert Advice.objects.get().as_of == 0
    Api(campaign, "Small-grace").judge("1", "a", 2)
    # It is due once the figures have moved, not while they are behind.
    assert due() == []
    computing.bring_up_to_date(LiveCampaign.from_rows(campaign))
    monkeypatch.setattr(advising, "REST", 1e9)
    assert due() == []
    monkeypatch.setattr(advising, "REST", 0)
    assert due() == [campaign.id]
    advise(campaign.id)
    assert Advice.objects.get().as_of == 1
    assert due() == []
    Advice.objects.update(content={**Advice.objects.get().content, "further": True})
    assert due() == [campaign.id]
    advise(campaign.id)
    services.close(campaign=campaign)
    assert due() == []


@pytest.mark.django_db
def test_the_task_leaves_rows_and_copy_as_a_recompute_would(campaign: Campaign) -> None:
    Api(campaign, "Small-grace").judge("1", "a", 2)
    advise(campaign.id)
    Api(campaign, "Small-grace").judge("1", "b", 1)
    advise(campaign.id)
    fresh = LiveCampaign.from_rows(campaign)
    fresh.catch_up(known=0)
    shown = Api(campaign, "Small-ada").get("intervals/").json()
    assert shown["as_of"] == 2
    base, residual = fresh.state.mean_bounds()
    assert [row["base"] for row in shown["runs"]] == base.tolist()
    assert [row["residual"] for row in shown["runs"]] == residual.tolist()


@pytest.mark.django_db
def test_as_many_queries_for_many_runs_as_for_few() -> None:
    counts = []
    for name, runs in (("few", 2), ("many", 12)):
        lists = {f"r{run}": {"1": ["a", f"b{run}", "c"]} for run in range(runs)}
        campaign = make_campaign(name, lists)
        Api(campaign, f"{name}-grace").judge("1", "a", 2)
        look(campaign)
        client = signed_in(f"{name}-ada")
        for path in (f"/campaigns/{name}/stop/", f"/api/v1/campaigns/{name}/pairs/"):
            with CaptureQueriesContext(connection) as captured:
                assert client.get(path).status_code == 200
            counts.append(len(captured))
    assert counts[:2] == counts[2:]


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("celery_worker")
def test_the_real_worker_writes_it() -> None:
    campaign = make_campaign("Small", NEARLY_EQUAL, p=0.5)
    request_recompute(campaign.id)
    grace = Api(campaign, "Small-grace")
    for docno, grade in (("a", 2), ("b", 0), ("f", 0)):
        grace.judge("1", docno, grade)

    def there() -> bool:
        if Advice.objects.filter(campaign=campaign, as_of=3).exists():
            return True
        # As the beat does, but sooner.
        advising.advise_where_due.delay()
        time.sleep(1)
        return False

    wait_until(there, seconds=90)
    said: dict[str, Any] = Advice.objects.get().content
    direct = stopping.advise(look(campaign))
    assert {**said, "seconds": 0} == {**direct, "seconds": 0}
    pairs = Api(campaign, "Small-ada").get("pairs/").json()["pairs"]
    assert (pairs[0]["run"], pairs[0]["other"], pairs[0]["by"]) == ("x", "y", "difference")
