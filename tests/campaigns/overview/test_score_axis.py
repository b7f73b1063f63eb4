"""The axis of the overview's rows, and the marks that stand on it."""

from __future__ import annotations

import re
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from campaigns.overview.score_axis import MOST_PARTS, score_axis
from campaigns.templatetags.figures import standing_marks

SCORES = st.tuples(st.floats(0, 1), st.floats(0, 1)).map(lambda ends: (min(ends), max(ends)))


@given(st.lists(SCORES, min_size=1, max_size=20), st.sampled_from([1.0, 20.0, 0.5]))
def test_every_span_is_on_the_axis_between_few_even_ticks(
    spans: list[tuple[float, float]], reach: float
) -> None:
    spans = [(low * reach, high * reach) for low, high in spans]
    axis = score_axis(spans, reach)
    assert axis.low <= min(low for low, _ in spans) + 1e-9
    assert axis.high >= max(high for _, high in spans) - 1e-9
    assert 1 <= axis.parts <= MOST_PARTS
    steps = [after - before for before, after in zip(axis.ticks, axis.ticks[1:], strict=False)]
    assert steps == pytest.approx([steps[0]] * axis.parts)
    whole = axis.whole or axis
    assert (whole.low, whole.parts) == (0, 5)
    assert whole.high == pytest.approx(reach)
    assert 0 <= axis.low < axis.high <= whole.high + 1e-9


def test_without_a_span_or_over_most_of_it_the_axis_is_whole() -> None:
    assert score_axis([]).whole is None
    assert score_axis([(0.05, 0.9)]).whole is None
    assert score_axis([(0.5, 0.5)]).ticks == (0.49, 0.5)
    assert score_axis([(1, 1)]).ticks == (0.99, 1)
    assert score_axis([(0, 0)]).ticks == (0, 0.01)


def test_a_part_of_the_axis_shows_marks_where_its_ticks_stand() -> None:
    axis = score_axis([(0.58, 0.74), (0.61, 0.834)])
    row = SimpleNamespace(base=0.58, top=0.74, low=0.6, high=0.7, expected=0.65, too_early=False)
    part, whole = re.findall(r'class="score-tick" x="(.*?)%"', standing_marks(row, axis, True))
    assert float(part) == pytest.approx(100 * (0.65 - 0.55) / 0.3, abs=0.001)
    assert float(whole) == pytest.approx(65)
    assert re.findall(r'class="marks(.*?)"', standing_marks(row, axis, False)) == [" whole"]
    assert re.findall(r'class="marks(.*?)"', standing_marks(row, score_axis([]), True)) == [""]
    early = SimpleNamespace(**(vars(row) | {"too_early": True}))
    assert "band" not in standing_marks(early, axis, True)
