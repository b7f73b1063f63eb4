"""Numbers are rounded once, by one rule: bases down, tops up, all else to the nearest."""

from __future__ import annotations

import math
from decimal import ROUND_HALF_EVEN, Decimal

import numpy as np
import pytest
from django.template import Context, Template
from django.utils import translation
from hypothesis import example, given
from hypothesis import strategies as st

from campaigns.core import decimals
from campaigns.core.decimals import NOISE, base, decimal, p_value, percentage, score, signed, top
from campaigns.templatetags.figures import significant
from tests.campaigns.core.decimal_samples import sample

KNOWN = [value for value in sample() if not math.isnan(value)]
# Numbers of at most 10^12, beyond which a float has too few bits.
NUMBERS = st.floats(-1e12, 1e12)


def exactly(value: float, digits: int) -> Decimal:
    """The slow reference: decimal arithmetic on the float's exact value."""
    return Decimal(value).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_EVEN)


def shown(text: str) -> Decimal:
    return Decimal(text.replace(",", "").replace("−", "-"))


@pytest.mark.parametrize("digits", range(5))
def test_samples_are_rounded_to_the_nearest(digits: int) -> None:
    for value in KNOWN:
        assert shown(decimal(value, digits)) == exactly(value, digits), value.hex()


@given(NUMBERS, st.integers(0, 4))
def test_any_number_is_rounded_to_the_nearest(value: float, digits: int) -> None:
    assert shown(decimal(value, digits)) == exactly(value, digits)
    assert shown(decimal(value, digits, trim=True)) == exactly(value, digits)


def check_range(low: float, high: float) -> None:
    slack, step = Decimal(NOISE) * 2, Decimal("0.001")
    assert 0 <= Decimal(low) - shown(base(low)) + slack < step + 2 * slack
    assert 0 <= shown(top(high)) - Decimal(high) + slack < step + 2 * slack
    assert shown(base(low)) <= shown(score(low)) <= shown(top(low))


def test_samples_lie_within_the_range_shown() -> None:
    for value in KNOWN:
        check_range(value, value)


@given(st.floats(0, 1), st.floats(0, 1))
@example(0.88497, 0.0)
@example(0.3, 0.7)
def test_a_score_range_contains_the_true_one(low: float, residual: float) -> None:
    check_range(low, low + residual)


def test_noise_moves_no_bound() -> None:
    for step in range(1001):
        for wrong in (0.0, 3e-16, -3e-16, 9e-13, -9e-13):
            assert base(step / 1000 + wrong) == top(step / 1000 + wrong) == f"{step / 1000:.3f}"
    assert (base(0.25 - 2e-12), top(0.25 + 2e-12)) == ("0.249", "0.251")
    assert top(0.1 + 0.2) == "0.300"
    assert top(0.9 + 0.1) == "1.000"


def test_examples_from_the_pages() -> None:
    assert (base(0.88497), score(0.88497), top(0.88497)) == ("0.884", "0.885", "0.885")
    assert [p_value(p) for p in (0.0509, 0.0505, 0.0504, 0.001, 0.00099, 0.0, None)] == [
        "0.051",
        "0.051",
        "0.050",
        "0.001",
        "< 0.001",
        "< 0.001",
        "–",
    ]
    assert [score(value) for value in (0.0625, 0.1875, 0.0005, 1.0005)] == [
        "0.062",
        "0.188",
        "0.001",
        "1.000",
    ]


def test_zero_has_no_sign() -> None:
    for value in (0.0, -0.0, -0.0004, 0.0004):
        assert score(value) == signed(value) == "0.000"
    assert (base(-0.0), top(-0.0), top(-0.0004), base(-1e-13)) == ("0.000",) * 4
    assert (signed(0.0126), signed(-0.0126), signed(-0.5, 2)) == ("+0.013", "−0.013", "−0.50")


def test_other_numbers_below_zero_have_a_minus_sign() -> None:
    assert (decimal(-0.25, 2), score(-0.0126), decimal(-12345.678, 1)) == ("−0.25", "−0.013", "−12,345.7")
    shown = [significant(number) for number in (0.25, 12.0, -0.001, 1.01e-05, -2e-12, 3.456e7)]
    assert shown == ["0.250", "12.0", "−0.00100", "1.01 × 10⁻⁵", "−2.00 × 10⁻¹²", "3.46 × 10⁷"]


def test_what_is_unknown_is_a_dash() -> None:
    assert score(None) == score(math.nan) == decimal(math.nan, 1) == p_value(math.nan) == "–"


def test_part_of_a_whole_is_never_all_of_it() -> None:
    shares = (0.0, 0.5, 0.0625, 0.97, 0.99949, 0.9999, 1.0)
    assert [percentage(share) for share in shares] == ["0", "50", "6.2", "97", "99.9", "99.9", "100"]


def test_numpys_numbers_are_rounded_alike() -> None:
    for value in KNOWN:
        for rule in (score, base, top, signed):
            assert rule(np.float64(value)) == rule(value)


def test_german_has_a_comma() -> None:
    with translation.override("de"):
        assert (base(0.88497), top(0.88497), p_value(0.0001)) == ("0,884", "0,885", "< 0,001")
        assert (signed(-0.25), decimal(12345.678, 1), percentage(0.999)) == ("−0,250", "12.345,7", "99,9")
        assert (decimals.as_typed(0.85), decimals.as_typed(1.0)) == ("0,85", "1")


def test_templates_round_by_the_same_rule() -> None:
    page = "{% load figures %}{{ x|base }} {{ x|top }} {{ x|rounded:2 }} {{ x|at_most:1 }} {{ x|signed:4 }}"
    assert Template(page).render(Context({"x": 0.96875})) == "0.968 0.969 0.97 1 +0.9688"
    times = "{% load figures %}{{ a|hours }} {{ b|hours }} {{ a|duration }} {{ c|duration }}"
    assert Template(times).render(Context({"a": 9.25, "b": 31.5, "c": 150})) == "9.2 h 32 h 9.2 s 2 min"


def test_percent_signs_follow_the_language() -> None:
    assert [decimals.chance(value) for value in (0.71, 0.001, 0.9991)] == ["71%", "< 1%", "99.9%"]
    with translation.override("de"):
        assert [decimals.chance(value) for value in (0.71, 0.001)] == ["71\u00a0%", "< 1\u00a0%"]
        assert decimals.with_percent("12,5") == "12,5\u00a0%"
