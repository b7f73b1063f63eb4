import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.measures.ordering import ranking_order


def test_scores_that_differ_only_beyond_32_bits_are_ties() -> None:
    scores = np.array([1.0, 1.0 + 1e-9, 1.0 + 2e-9])
    assert ranking_order(scores, ["b", "a", "c"]).tolist() == [2, 0, 1]


def test_docnos_compare_by_their_utf8_bytes() -> None:
    docnos = ["Z", "a", "é", "\U0001f600", "\uffff"]
    assert ranking_order(np.zeros(5, dtype=np.float32), docnos).tolist() == [3, 4, 2, 1, 0]


@given(
    st.lists(st.tuples(st.sampled_from([0.0, -0.0, 0.5, 2.0, -3.0]), st.text("ab", max_size=4)), max_size=30)
)
def test_as_a_plain_sort(lines: list[tuple[float, str]]) -> None:
    # Two stable sorts, the lesser key first, are the definition.
    expected = sorted(range(len(lines)), key=lambda i: lines[i][1].encode(), reverse=True)
    expected.sort(key=lambda i: -lines[i][0])
    found = ranking_order(
        np.array([line[0] for line in lines], dtype=np.float32), [line[1] for line in lines]
    )
    assert [lines[i] for i in found] == [lines[i] for i in expected]


@pytest.mark.parametrize("score", [float("nan"), float("inf"), 1e39])
def test_scores_that_32_bits_cannot_hold(score: float) -> None:
    with pytest.raises(ValueError, match="not finite"):
        ranking_order(np.array([score]), ["a"])


def test_lengths_that_disagree() -> None:
    with pytest.raises(ValueError, match="docnos"):
        ranking_order(np.zeros(2, dtype=np.float32), ["a"])
