"""No figure is stated of rows of which fewer than four in five were measured; each says how many were."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.urls import reverse

from campaigns.computing.health import serving_figures
from campaigns.computing.tasks import recompute
from campaigns.core.measured import is_measured
from campaigns.figures.provenance import provenance_of
from campaigns.figures.topic_residuals import topics_figure_of
from campaigns.judging.topic_closure import summary_of
from campaigns.log.current import LAST_PLACE, stretches_by_assessors
from campaigns.models import Campaign, Interval, Judgment, QrelsImport
from campaigns.people.workload import assessor_details, workload_of
from campaigns.quality.flags import found_flags
from campaigns.stopping.advice_computation import judgment_times
from tests.campaigns.factories import Api, make_campaign, signed_in
from tests.config.test_monitoring import read

pytestmark = pytest.mark.django_db

DOCNOS = [f"d{number:02}" for number in range(40)]
SMALL = ("campaign", "small")


@pytest.fixture(scope="module")
def judged(module_rows: None) -> int:
    campaign = make_campaign("Small", {"x": {"1": DOCNOS}, "y": {"1": DOCNOS[::-1]}}, flag_seconds=9.0)
    recompute(campaign.id)
    grace = Api(campaign, "Small-grace")
    for place, docno in enumerate(DOCNOS):
        assert grace.judge("1", docno, place % 3).status_code == 201
    return campaign.id


def grace() -> User:
    return User.objects.get(username="Small-grace")


def of_person(campaign: Campaign) -> Any:
    return next(row for row in workload_of(campaign=campaign) if row.username == "Small-grace")


def work(campaign: Campaign) -> Any:
    return assessor_details(campaign=campaign, user=grace())


def metric(name: str, *labels: tuple[str, str]) -> Callable[[Campaign], float | None]:
    return lambda campaign: read(signed_in("Small-ada")).get((name, (SMALL, *labels)))


def status(name: str) -> Callable[[Campaign], Any]:
    return lambda campaign: Api(campaign, "Small-ada").get("status/").json()["serving"][name]


def own_page(campaign: Campaign) -> str | None:
    page = signed_in("Small-grace").get(reverse("assess:own-work", args=["small"]))
    assert page.status_code == 200
    return "stated" if "Median time of a judgment" in page.content.decode() else None


def done_card(campaign: Campaign) -> int | None:
    return summary_of(campaign=campaign, topic=campaign.topics.get(), assessor=grace()).milliseconds


def planner(campaign: Campaign) -> str | None:
    page = signed_in("Small-ada").get("/campaigns/small/planner/").content.decode()
    said = "Judgments of this campaign took a median of" in page
    assert said != ("Time of a judgment: –, measured for only" in page)
    return "stated" if said else None


def hasty(campaign: Campaign) -> object:
    flags = found_flags(campaign=campaign)
    return next((figures for (_, kind), figures in flags.items() if kind == "time"), None)


# By name: the columns that are missing where things are bad, and the figure, None while it is not stated.
AGE, WEIGHT, TIME = (
    {"queue_age": None, "weight_given_up": None},
    {"weight_given_up": None},
    {"milliseconds": None},
)
FIGURES: dict[str, tuple[dict[str, None], Callable[[Campaign], Any]]] = {
    "queue age, median": (AGE, status("queue_age_median")),
    "queue age, 95th percentile": (AGE, status("queue_age_high")),
    "weight given up": (WEIGHT, status("weight_given_up")),
    "metric of the median age": (AGE, metric("assess_served_queue_age_judgments", ("quantile", "0.5"))),
    "metric of the high age": (AGE, metric("assess_served_queue_age_judgments", ("quantile", "0.95"))),
    "metric of weight given up": (WEIGHT, metric("assess_weight_given_up_ratio")),
    "time on the people's page": (TIME, lambda campaign: of_person(campaign).seconds),
    "time on an assessor's page": (TIME, lambda campaign: work(campaign).work.seconds),
    "slow tenth on an assessor's page": (TIME, lambda campaign: work(campaign).work.slow),
    "time in a topic": (TIME, lambda campaign: work(campaign).topics[0].seconds),
    "time on one's own page": (TIME, own_page),
    "time of a topic that is done": (TIME, done_card),
    "time in advice and forecasts": (TIME, lambda campaign: judgment_times(campaign.id).seconds),
    "time in the planner": (TIME, planner),
    "flag of hasty judgments": (TIME, hasty),
}


@pytest.mark.parametrize("share", [0.0, 0.5, 0.8, 1.0])
@pytest.mark.parametrize("figure", FIGURES)
def test_a_figure_is_stated_only_where_most_is_measured(judged: int, figure: str, share: float) -> None:
    campaign = Campaign.objects.get(id=judged)
    missing, of = FIGURES[figure]
    rows = Judgment.objects.filter(campaign=campaign)
    rows.update(served_exactly=False, queue_age=0, weight_given_up=0.0, milliseconds=1200)
    many = round(40 * (1 - share))
    lost = [1 + place * 40 // many for place in range(many)]
    rows.filter(sequence__in=lost).update(**missing)
    assert rows.filter(**{f"{name}__isnull": False for name in missing}).count() == round(40 * share)
    found = of(campaign)
    assert (found is not None) == (share >= 0.8), found


@pytest.mark.parametrize(
    ("measured", "rows", "enough"), [(0, 0, False), (0, 5, False), (3, 4, False), (4, 5, True), (5, 5, True)]
)
def test_four_in_five_are_enough(measured: int, rows: int, enough: bool) -> None:
    assert is_measured(measured, rows) == enough


def test_how_many_were_measured_is_said(judged: int) -> None:
    campaign = Campaign.objects.get(id=judged)
    rows = Judgment.objects.filter(campaign=campaign)
    rows.update(served_exactly=False, queue_age=None, weight_given_up=None, milliseconds=None)
    rows.filter(sequence__lte=10).update(queue_age=0, weight_given_up=0.0, milliseconds=1200)
    found = serving_figures(campaign)
    assert (found.served, found.aged, found.weighed) == (40, 10, 10)
    page = signed_in("Small-ada").get("/campaigns/small/people/Small-grace/").content.decode()
    assert "measured for only 10 of 40 judgments" in page
    page = signed_in("Small-ada").get("/campaigns/small/planner/").content.decode()
    assert "Time of a judgment: –, measured for only 10 of 40 judgments." in page


def test_shares_of_a_person_without_judgments_are_not_0(judged: int) -> None:
    campaign = Campaign.objects.get(id=judged)
    found = assessor_details(campaign=campaign, user=User.objects.get(username="Small-alan"))
    assert {row.share for row in found.grades} == {None}


def test_topics_that_are_not_computed_are_open_in_the_figure(judged: int) -> None:
    campaign = Campaign.objects.get(id=judged)
    recompute(campaign.id)
    Interval.objects.filter(run__campaign=campaign, run__tag="x").delete()
    [other] = Interval.objects.filter(run__campaign=campaign)
    provenance = provenance_of(campaign=campaign, scope="all")
    [topic] = topics_figure_of(campaign=campaign, provenance=provenance, top=10).every
    assert topic.mean == pytest.approx((1 + other.residual) / 2)


def test_times_are_those_between_imports(judged: int) -> None:
    rows = Judgment.objects.filter(campaign=judged)
    for sequence in range(1, 41):
        rows.filter(sequence=sequence).update(milliseconds=sequence * 1000)
    for first, last in ((1, 3), (4, 4), (20, 29), (38, 40)):
        QrelsImport.objects.create(campaign_id=judged, first=first, last=last, file="x")
    assert list(stretches_by_assessors(judged)) == [(41, LAST_PLACE), (30, 37), (5, 19)]
    found = judgment_times(judged)
    assert (found.seconds, found.timed, found.judgments) == (16.0, 23, 23)
