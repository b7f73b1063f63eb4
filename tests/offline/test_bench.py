"""The bench on data small enough for a test: what it reports is right; its times are not looked at."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
import pytest

import campaigns.bench.selection
from campaigns.bench.data import Size, make_campaign
from campaigns.bench.selection import bench_selection
from campaigns.bench.setting import Bench

SMALL = Size(runs=20, groups=6, topics=3, depth=60, documents=800)


@contextmanager
def no_bar(description: str, total: int) -> Iterator[Callable[[], object]]:
    yield lambda: None


def test_the_data_are_made_from_the_seed() -> None:
    one, same, other = (make_campaign(seed, SMALL) for seed in (1, 1, 2))
    assert all((a == b).all() for a, b in zip(one.rankings[2], same.rankings[2], strict=True))
    assert any((a != b).any() for a, b in zip(one.rankings[2], other.rankings[2], strict=True))
    assert len(one.rankings) == 3
    assert {len(np.unique(ranking)) for ranking in one.rankings[0]} == {60}


def test_selection_agrees_with_recomputing_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(campaigns.bench.selection, "RECOMPUTED", 150)
    figures = list(bench_selection(Bench(seed=3, judgments=200, bar=no_bar, size=SMALL)))
    same = [figure for figure in figures if "same choices" in figure.what]
    assert [figure.value for figure in same] == [100.0, 100.0]
    assert all(figure.met for figure in figures if figure.unit == "MB")
    assert all(np.isfinite(figure.value) and figure.value > 0 for figure in figures)
