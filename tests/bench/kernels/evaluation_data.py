"""The synthetic campaign as what evaluators read: run files, judged topics, and pytrec_eval's dicts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from campaigns.formats.qrels import write_qrels
from campaigns.scoring.judged_collection import JudgedCollection, JudgedTopic
from selection.pool import Ids
from tests.bench.data import SyntheticCampaign

FIRST_TOPIC, RUNS_A_GROUP, POOL_DEPTH = 401, 2, 100

RunDict = dict[str, dict[str, float]]


def write_runs(campaign: SyntheticCampaign, folder: Path, progress: Callable[[], object]) -> None:
    """A file a run; `progress` is called after each."""
    written = [f"{score:.4f}" for score in _scores(campaign.size.depth)]
    for run in range(campaign.size.runs):
        ends = [f" {rank} {score} run{run:03}\n" for rank, score in enumerate(written, start=1)]
        with (folder / f"run{run:03}.txt").open("w") as out:
            for topic, rankings in enumerate(campaign.rankings):
                begin = f"{FIRST_TOPIC + topic} Q0 "
                names = map(_docno, rankings[run].tolist())
                out.writelines(begin + name + end for name, end in zip(names, ends, strict=True))
        progress()


def write_judgments(campaign: JudgedCollection, file: Path) -> None:
    with file.open("w") as out:
        write_qrels(
            (
                (topic.number, docno, grade)
                for topic in campaign.topics
                for docno, grade in topic.grades.items()
            ),
            out,
        )


def judged_campaign(campaign: SyntheticCampaign) -> JudgedCollection:
    """Judged are the pools of the first two runs a group, 100 deep."""
    names = tuple(f"run{run:03}" for run in range(campaign.size.runs))
    return JudgedCollection(names, tuple(_topic(campaign, topic) for topic in range(campaign.size.topics)))


def _topic(campaign: SyntheticCampaign, topic: int) -> JudgedTopic:
    rankings, gains = campaign.rankings[topic], campaign.gains[topic]
    known = np.unique(np.concatenate(rankings))
    places: list[Ids | None] = [np.searchsorted(known, ranked).astype(np.int32) for ranked in rankings]
    pooling = [
        run
        for group in range(campaign.size.groups)
        for run in np.flatnonzero(campaign.group == group)[:RUNS_A_GROUP].tolist()
    ]
    pool = np.unique(np.concatenate([rankings[run][:POOL_DEPTH] for run in pooling]))
    grades = {_docno(document): int(gains[document]) for document in pool.tolist()}
    return JudgedTopic(str(FIRST_TOPIC + topic), [_docno(each) for each in known.tolist()], places, grades)


def run_dict(campaign: JudgedCollection, run: int) -> RunDict:
    """One run as pytrec_eval takes it."""
    found = {}
    for topic in campaign.topics:
        ranked = topic.rankings[run]
        assert ranked is not None
        found[topic.number] = dict(
            zip((topic.docnos[document] for document in ranked.tolist()), _scores(len(ranked)), strict=True)
        )
    return found


def qrels_dict(campaign: JudgedCollection) -> dict[str, dict[str, int]]:
    return {
        topic.number: {docno: int(grade) for docno, grade in topic.grades.items()}
        for topic in campaign.topics
    }


def _docno(document: int) -> str:
    return f"BENCH-{document:06}"


def _scores(depth: int) -> list[float]:
    """Scores by rank that fall as those of a retrieval system do, and differ in four decimals."""
    fallen: list[float] = (20 * np.arange(1.0, depth + 1) ** -0.3).tolist()
    return fallen
