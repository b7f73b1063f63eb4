"""Priors that follow from the table of collections."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from selection.simulation.relevance.prior import (
    COEFFICIENTS,
    LEAST_DEVIATION,
    WIDER_EFFECTS,
    Experience,
    TaughtCollection,
    family_of,
    prior_of,
    prior_without,
    taught_collections,
    usual_prior,
)


def slow_prior(rows: list[TaughtCollection]) -> list[tuple[float, float]]:
    """Mean and deviation of each coefficient: a family counts as one, by its collections' mean and spread."""
    families: dict[str, list[TaughtCollection]] = {}
    for row in rows:
        families.setdefault(row.family, []).append(row)
    count, found = len(families), []
    for at in range(len(COEFFICIENTS)):
        values = [[row.coefficients[at] for row in family] for family in families.values()]
        mean = sum(sum(family) / len(family) for family in values) / count
        away = sum(sum((value - mean) ** 2 for value in family) / len(family) for family in values) / count
        half = stats.t.ppf(0.975, count - 1) * np.sqrt(away * count / (count - 1) * (1 + 1 / count))
        found.append(
            (WIDER_EFFECTS * mean, max(WIDER_EFFECTS * half / stats.norm.ppf(0.975), LEAST_DEVIATION))
        )
    return found


rows = st.lists(
    st.builds(
        TaughtCollection,
        name=st.just("one"),
        family=st.sampled_from("abcd"),
        coefficients=st.tuples(*[st.floats(-3, 3)] * len(COEFFICIENTS)),
        unjudged=st.just("not relevant"),
        chosen=st.booleans(),
    ),
    min_size=1,
    max_size=9,
)


@given(rows)
def test_prior_is_students_interval_over_families(rows: list[TaughtCollection]) -> None:
    if len({row.family for row in rows}) < 2:
        with pytest.raises(ValueError, match="two families"):
            prior_of(rows)
        return
    prior = prior_of(rows)
    expected = slow_prior(rows)
    assert prior.means == pytest.approx([mean for mean, _ in expected], abs=6e-4)
    assert prior.deviations == pytest.approx([deviation for _, deviation in expected], abs=6e-4)


def test_table_of_collections_has_ten_rows_of_five_families() -> None:
    table = taught_collections()
    assert len({row.name for row in table}) == len(table) == 10
    assert len({row.family for row in table}) == 5
    assert all(family_of(row.name) == row.family for row in table)
    assert {row.unjudged for row in table} <= {"not relevant", "left out"}
    assert [row.name for row in table if row.chosen] == [
        *("cranfield", "trec-covid-r1", "trec-covid-r2", "trec-dl-2019")
    ]


def test_prior_without_a_family_does_not_know_it() -> None:
    table = list(taught_collections())
    for family in {row.family for row in table}:
        others = [row for row in table if row.family != family]
        assert prior_without([family]) == prior_of(others)
        assert prior_without([family]) != usual_prior()
    assert prior_without([""]) == usual_prior()
    assert usual_prior().freedom == 4


@pytest.mark.parametrize("name", ["trec-covid-r1", "trec-covid", "trec-covidence", "covid", "cranfield2", ""])
def test_family_is_the_beginning_of_the_name(name: str) -> None:
    known = {"trec-covid-r1": "trec-covid", "trec-covid": "trec-covid"}
    assert family_of(name) == known.get(name, "")


def test_finished_campaigns_narrow_what_is_open() -> None:
    shares = [Experience(campaigns=count).open_share for count in (0, 1, 5, 1000)]
    assert shares == sorted(shares, reverse=True)
    assert shares[0] == 1
    # Campaigns of one site differ from one another, too.
    assert shares[-1] > 0.8
