from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from campaigns.formats.compressed_files import find_files
from campaigns.formats.grading import Grading
from campaigns.formats.topics import in_topic_order
from campaigns.management.offline.files import read_files
from tests.campaigns.management.offline.command_files import write_qrels, write_runs


def test_files_become_arrays(tmp_path: Path) -> None:
    campaign = read_files(find_files([write_runs(tmp_path / "runs")]), write_qrels(tmp_path), Grading())
    assert campaign.runs == ("alpha", "beta")
    assert [topic.number for topic in campaign.topics] == ["1", "2", "3", "10"]
    first = campaign.topics[0]
    assert first.docnos == ["a", "b", "c", "d", "e"]
    assert [None if r is None else r.tolist() for r in first.rankings] == [[0, 1, 2, 3], [1, 4]]
    assert campaign.topics[3].rankings[1] is None
    assert campaign.topics[2].rankings == [None, None]
    assert campaign.judged == 7
    assert campaign.without_judgments == ["10"]
    assert [topic.number for topic in campaign.only_judged().topics] == ["1", "2", "3"]


def test_gains_of_grades(tmp_path: Path) -> None:
    campaign = read_files(find_files([write_runs(tmp_path / "runs")]), write_qrels(tmp_path), Grading())
    nan = np.nan
    np.testing.assert_array_equal(campaign.topics[0].gains(Grading()), [1, 0, nan, nan, 1])
    np.testing.assert_array_equal(
        campaign.topics[0].gains(Grading.of_list((0.0, 0.5, 1.0))), [1, 0, nan, nan, 0.5]
    )
    # m is junk, which is judged; l is not judged.
    np.testing.assert_array_equal(campaign.topics[1].gains(Grading.of_list((0.25, 1.0))), [1, nan, 0.25, nan])


def test_docnos_ascend_by_their_utf8_bytes(tmp_path: Path) -> None:
    docnos = ["\U0001f600", "\uffff", "é", "a", "Z", "aa"]
    folder = write_runs(tmp_path / "runs", {"run": {"1": docnos}})
    campaign = read_files(find_files([folder]), write_qrels(tmp_path), Grading())
    assert campaign.topics[0].docnos == sorted(docnos, key=str.encode)
    ranking = campaign.topics[0].rankings[0]
    assert ranking is not None
    assert [campaign.topics[0].docnos[i] for i in ranking] == docnos


@pytest.mark.parametrize(
    ("given", "ordered"),
    [
        ({"10", "9", "101"}, ["9", "10", "101"]),
        ({"MB2", "MB10"}, ["MB10", "MB2"]),
        ({"01", "1"}, ["01", "1"]),
        (set(), []),
    ],
)
def test_topic_order(given: set[str], ordered: list[str]) -> None:
    assert in_topic_order(given) == ordered
