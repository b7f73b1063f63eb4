from __future__ import annotations

import numpy as np
import pytest

from selection.studies.coverage import Coverage, coverage_of, share_by_campaign


def row(covered: float, error: float = 0.01, *, at_least: bool = False) -> Coverage:
    return Coverage(
        statement="95% interval",
        regime="any",
        nominal=0.95,
        covered=covered,
        error=error,
        cases=100,
        campaigns=10,
        tolerance=0.03,
        at_least=at_least,
        collection="one",
        held_out="other half",
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
    ],
)
def test_verdict_allows_for_chance(found: Coverage, verdict: str) -> None:
    assert found.verdict == verdict


def counted(cases: list[list[bool]]) -> list[Coverage]:
    return coverage_of(
        "said",
        cases,
        regime="any",
        nominal=0.9,
        tolerance=0.1,
        at_least=True,
        collection="one",
        held_out="other half",
    )


def test_a_row_counts_its_cases() -> None:
    [found] = counted([[True, False], [], [True]])
    assert (found.cases, found.campaigns) == (3, 2)
    assert found.covered == pytest.approx(2 / 3)
    assert counted([[]]) == []
