import math
import struct

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from evaluation.measures.ordering import ScorePrecision, ranking_order

precisions = st.sampled_from([32, 64])
# Few different ones, so that many tie, some only as 32-bit floats.
scores = st.one_of(
    st.sampled_from([0.0, -0.0, 0.5, 0.5 + 1e-9, 0.5 + 2e-9, math.nextafter(0.5, 1), 2.0, -3.0, -3.0 - 1e-8]),
    st.floats(width=32, allow_nan=False, allow_infinity=False),
    st.floats(-1e30, 1e30),
)


def test_scores_that_differ_beyond_32_bits_tie_as_32_bit_floats_only() -> None:
    scores = np.array([1.0, 1.0 + 1e-9, 1.0 + 2e-9])
    assert ranking_order(scores, ["c", "a", "b"]).tolist() == [2, 1, 0]
    assert ranking_order(scores, ["c", "a", "b"], 32).tolist() == [0, 2, 1]


def test_docnos_compare_by_their_utf8_bytes() -> None:
    docnos = ["Z", "a", "é", "\U0001f600", "\uffff"]
    assert ranking_order(np.zeros(5), docnos).tolist() == [3, 4, 2, 1, 0]


def rounded(score: float, precision: ScorePrecision) -> float:
    """As a float of that many bits, without numpy."""
    return float(struct.unpack("f", struct.pack("f", score))[0]) if precision == 32 else score


@given(st.lists(st.tuples(scores, st.text("abé", max_size=4)), max_size=30), precisions)
@example([(1.0, "a"), (1.0 + 1e-9, "b"), (1.0, "c")], 64)
def test_order_equals_that_of_two_plain_sorts(
    lines: list[tuple[float, str]], precision: ScorePrecision
) -> None:
    # Two stable sorts, the lesser key first, are the definition.
    expected = sorted(range(len(lines)), key=lambda i: lines[i][1].encode(), reverse=True)
    expected.sort(key=lambda i: -rounded(lines[i][0], precision))
    found = ranking_order(
        np.array([line[0] for line in lines], dtype=np.float64), [line[1] for line in lines], precision
    )
    assert [lines[i][1] for i in found] == [lines[i][1] for i in expected]
    assert [rounded(lines[i][0], precision) for i in found] == [
        rounded(lines[i][0], precision) for i in expected
    ]


@pytest.mark.parametrize("score", [float("nan"), float("inf"), -float("inf")])
@pytest.mark.parametrize("precision", [32, 64])
def test_scores_that_are_not_finite_are_refused(score: float, precision: ScorePrecision) -> None:
    with pytest.raises(ValueError, match=f"not finite as a {precision}-bit float"):
        ranking_order(np.array([score]), ["a"], precision)


def test_scores_beyond_32_bits_are_refused_as_32_bit_floats_only() -> None:
    large = np.array([1e39, 1e308])
    assert ranking_order(large, ["b", "a"]).tolist() == [1, 0]
    with pytest.raises(ValueError, match="not finite as a 32-bit float"):
        ranking_order(large, ["b", "a"], 32)


def test_lengths_that_disagree() -> None:
    with pytest.raises(ValueError, match="docnos"):
        ranking_order(np.zeros(2), ["a"])
