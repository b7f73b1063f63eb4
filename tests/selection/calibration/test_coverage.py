from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from selection.calibration.coverage import (
    POOLED,
    Coverage,
    IntervalFigures,
    Trial,
    coverage_of,
    pooled,
    share_by_campaign,
)

HERE = Trial(collection="one", family="", seen=False)


def row(
    covered: float, error: float = 0.01, *, at_least: bool = False, seen: bool = False, name: str = "one"
) -> Coverage:
    return Coverage(
        statement="95% interval",
        regime="any",
        nominal=0.95,
        covered=covered,
        by_campaign=covered,
        error=error,
        cases=100,
        campaigns=10,
        tolerance=0.03,
        at_least=at_least,
        collection=name,
        family=name,
        seen=seen,
    )


def test_share_error_is_that_of_drawing_campaigns_again() -> None:
    rng = np.random.default_rng(1)
    campaigns = [(rng.random(rng.integers(5, 30)) < rng.beta(8, 2)).tolist() for _ in range(300)]
    share, error = share_by_campaign(campaigns)
    hits = np.array([[sum(one), len(one)] for one in campaigns])
    drawn = rng.integers(0, len(campaigns), (2000, len(campaigns)))
    again = hits[drawn].sum(axis=1)
    assert share == hits[:, 0].sum() / hits[:, 1].sum()
    assert error == pytest.approx((again[:, 0] / again[:, 1]).std(), rel=0.1)


def test_campaigns_without_cases_do_not_count() -> None:
    assert share_by_campaign([[True], [], [False]]) == share_by_campaign([[True], [False]])
    assert np.isnan(share_by_campaign([])).all()
    share, error = share_by_campaign([[True, False]])
    assert share == 0.5
    assert np.isnan(error)


@pytest.mark.parametrize(
    ("found", "verdict"),
    [
        (row(0.95), "yes"),
        (row(0.921), "yes"),
        (row(0.915), "open"),
        (row(0.80), "no"),
        (row(0.999), "open"),
        (row(1.0, 0.001), "no"),
        (row(1.0, 0.001, at_least=True), "yes"),
        (row(0.5, float("nan")), "open"),
        (row(0.95, float("nan")), "open"),
        # Few campaigns cannot show that it holds.
        (row(1.0, 0.04, at_least=True), "open"),
        (row(0.95, seen=True), "seen"),
        (row(0.80, seen=True), "no"),
    ],
)
def test_verdict_allows_for_chance(found: Coverage, verdict: str) -> None:
    assert found.verdict == verdict


def test_agreement_of_all_campaigns_has_an_error() -> None:
    errors = [share_by_campaign([[True] * 5] * count)[1] for count in (2, 20, 200)]
    assert errors == sorted(errors, reverse=True)
    assert min(errors) > 0
    assert share_by_campaign([[False]] * 20)[1] == pytest.approx(errors[1])


def test_collections_together_have_the_error_of_families() -> None:
    rows = [replace(row(share, name=name), cases=50) for share, name in ((1.0, "a"), (0.8, "b"), (0.9, "a"))]
    [whole] = pooled(rows)
    assert (whole.collection, whole.cases, whole.campaigns) == (POOLED, 150, 30)
    assert whole.covered == pytest.approx(0.9)
    # Families a and b: 95 of 100 and 40 of 50.
    assert whole.error == pytest.approx(np.sqrt((5**2 + 5**2) * 2) / 150)
    assert pooled(rows[:1]) == []
    assert np.isnan(pooled([rows[0], rows[2]])[0].error)


def test_interval_figures_together_are_means() -> None:
    figures = [IntervalFigures(above=a, below=0, width=0.5, score=a + 0.5, level=a) for a in (0.1, 0.2)]
    rows = [replace(row(0.9, name=name), interval=one) for name, one in zip("ab", figures, strict=True)]
    [whole] = pooled(rows)
    assert whole.interval is not None
    assert whole.interval.above == pytest.approx(0.15)
    assert whole.interval.score == pytest.approx(0.65)


def counted(cases: list[list[bool]]) -> list[Coverage]:
    return coverage_of(
        "said",
        cases,
        regime="any",
        nominal=0.9,
        tolerance=0.1,
        at_least=True,
        trial=HERE,
    )


def test_a_row_counts_its_cases() -> None:
    [found] = counted([[True, False], [], [True]])
    assert (found.cases, found.campaigns) == (3, 2)
    assert found.covered == pytest.approx(2 / 3)
    assert found.by_campaign == pytest.approx(3 / 4)
    assert counted([[]]) == []
