from __future__ import annotations

import pytest

from selection.simulation.assessor_errors import AssessorErrors

DOCNOS = [f"D{n}" for n in range(20_000)]


def wrong(errors: AssessorErrors, relevant: bool, topic: str = "1", seed: int = 0) -> set[str]:
    return {docno for docno in DOCNOS if errors.errs(relevant, topic, docno, seed)}


@pytest.mark.parametrize("rate", [0.0, 0.1, 0.5, 1.0])
def test_each_rate_concerns_its_own_documents(rate: float) -> None:
    # Four standard deviations of the share of 20,000.
    near = pytest.approx(rate, abs=4 * (rate * (1 - rate) / len(DOCNOS)) ** 0.5)
    assert len(wrong(AssessorErrors(missed=rate), True)) / len(DOCNOS) == near
    assert len(wrong(AssessorErrors(false=rate), False)) / len(DOCNOS) == near
    assert wrong(AssessorErrors(missed=rate), False) == wrong(AssessorErrors(false=rate), True) == set()


def test_errors_differ_by_seed_and_topic_and_come_again() -> None:
    errors = AssessorErrors(0.2)
    first = wrong(errors, True)
    assert wrong(errors, True) == first
    for other in (wrong(errors, True, seed=1), wrong(errors, True, topic="2")):
        assert len(first & other) / len(DOCNOS) == pytest.approx(0.04, abs=0.01)


def test_higher_rates_add_errors() -> None:
    assert wrong(AssessorErrors(0.1), True) < wrong(AssessorErrors(0.3), True)


@pytest.mark.parametrize("rates", [(-0.1, 0), (0, 1.5), (float("nan"), 0)])
def test_rates_outside_their_range_are_refused(rates: tuple[float, float]) -> None:
    with pytest.raises(ValueError, match="outside"):
        AssessorErrors(*rates)
