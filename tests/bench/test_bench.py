"""The bench on data small enough for a test: what it reports is right; its times are not looked at."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

import tests.bench.judging.reading
import tests.bench.kernels.evaluation
import tests.bench.kernels.selection
from campaigns.formats.qrels import read_qrels
from campaigns.formats.runs.files import read_run_files
from tests.bench.data import Size, make_campaign
from tests.bench.kernels.evaluation import bench_evaluation
from tests.bench.kernels.evaluation_data import judged_campaign, write_runs
from tests.bench.kernels.evaluators import EVALUATORS, OURS, OURS_TWICE, installed
from tests.bench.kernels.selection import bench_selection
from tests.bench.kernels.topics import bench_topics
from tests.bench.setting import Bench
from tests.bench.watching.dashboard_data import judged_text
from tests.campaigns.factories import make_campaign as stored_campaign

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
    monkeypatch.setattr(tests.bench.kernels.selection, "RECOMPUTED", 150)
    figures = list(bench_selection(Bench(seed=3, judgments=200, bar=no_bar, size=SMALL)))
    same = [figure for figure in figures if "same choices" in figure.what]
    assert [figure.value for figure in same] == [100.0, 100.0]
    assert all(figure.met for figure in figures if figure.unit == "MB")
    assert all(np.isfinite(figure.value) and figure.value > 0 for figure in figures)


def test_topics_are_chosen_as_by_recomputing_everything() -> None:
    figures = list(bench_topics(Bench(seed=3, judgments=1, bar=no_bar, size=SMALL)))
    assert [figure.value for figure in figures if "same choices" in figure.what] == [100.0]
    assert all(np.isfinite(figure.value) and figure.value > 0 for figure in figures)


def test_run_files_hold_the_campaign(tmp_path: Path) -> None:
    campaign = make_campaign(4, SMALL)
    write_runs(campaign, tmp_path, lambda: None)
    runs = read_run_files(sorted(tmp_path.iterdir()))
    judged = judged_campaign(campaign)
    assert tuple(run.tag for run in runs) == judged.runs
    assert not any(run.report.as_rows() for run in runs)
    for topic in judged.topics:
        for run, ranked in zip(runs, topic.rankings, strict=True):
            assert ranked is not None
            assert run.rankings[topic.number].docnos == [topic.docnos[place] for place in ranked]
        assert 0 < sum(topic.grades.values()) < len(topic.grades)
        assert topic.grades.keys() <= set(topic.docnos)


def test_evaluation_agrees_with_its_peers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tests.bench.judging.reading, "ROUNDS", 1)
    figures = list(bench_evaluation(Bench(seed=4, judgments=20, bar=no_bar, size=SMALL)))
    documents = [figure for figure in figures if "as many documents" in figure.what]
    assert [figure.value for figure in documents] == [100.0, 100.0]
    [furthest] = [figure for figure in figures if "furthest" in figure.what]
    assert furthest.met
    whole = [figure.what for figure in figures if "from start to scores" in figure.what]
    assert {name for name in EVALUATORS if any(f", {name}, " in what for what in whole)} == {
        *(OURS, OURS_TWICE),
        *filter(installed, ("rbp_eval", "pytrec_eval", "ir_measures", "ranx")),
    }
    assert all(np.isfinite(figure.value) and figure.value > 0 for figure in figures if figure != furthest)


def test_evaluation_says_which_peers_are_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tests.bench.judging.reading, "ROUNDS", 1)
    monkeypatch.setattr(tests.bench.kernels.evaluation, "installed", lambda name: False)
    missing, *others = bench_evaluation(Bench(seed=4, judgments=20, bar=no_bar, size=SMALL))
    assert missing.what.endswith("rbp_eval, pytrec_eval, ir_measures, ranx")
    assert missing.value == 4
    assert others
    assert not any("pytrec_eval" in figure.what or "ir_measures" in figure.what for figure in others)


@pytest.mark.django_db
def test_the_dashboard_is_judged_at_the_heads_of_its_runs() -> None:
    campaign = stored_campaign()
    parsed = read_qrels(io.BytesIO(judged_text(campaign, np.random.default_rng(5))), "judged.qrels")
    assert {topic: set(row) for topic, row in parsed.grades.items()} == {
        "1": set("abcdefghij"),
        "2": set("klmn"),
    }
    assert {grade for row in parsed.grades.values() for grade in row.values()} <= {0, 1}
