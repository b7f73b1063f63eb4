"""What must hold of every measure: documents' names do not matter, and runs do not meet each other."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from campaigns.formats.grading import Grading
from campaigns.formats.prels import PooledDocument, SampledJudgment
from campaigns.formats.qrels import Grade, ParsedQrels, QrelsReport
from campaigns.formats.runs.files import ParsedRanking, ParsedRun
from campaigns.formats.runs.joined import join_runs
from campaigns.formats.runs.report import RunReport
from campaigns.management.offline.files import build
from campaigns.scoring.score_tables import ScoreTable, score_runs
from evaluation.names import parse_measure

NAMES = "P@5 SDCG@10 DCG@10 AP AP* SP RR RR2 Rprec nDCG nDCG@5 Bpref Q infAP Success@3 R@10"
GRADED = "RBP@5 AP(rel=2) RBP(rel=2)@5 ERR@5 INST(T=2) Judged@5 RR@5 AP(judged_only=True)"
SETS = "SetP SetR SetF SetAP SetRelP Utility Unjudged@5 NumRet NumRelRet NumNonrelRet"
LEVELS = "IPrec@0.1 11pt Rprec(mult=0.2) RelP@5 GMAP GMBpref"
READERS = "INSQ(T=2) BPM(T=1)@5 RBP(p1=0.5,p2=0.8) Compat(p=0.9) Rndcg ndcg_rel G binG"
DIVERSE = "alpha_nDCG@5 ERR_IA@5"
SAMPLED = "statAP statR statPC@5 statRprec statNDCG xinfAP xinfAP@5 infNDCG"
MEASURES = [
    parse_measure(name)
    for name in (
        "RBP(p=0.8)",
        "RBP(p=0.8,ties=shared)",
        *f"{NAMES} {GRADED} {READERS} {SETS} {LEVELS} {DIVERSE} {SAMPLED}".split(),
    )
]
Lists = Mapping[str, list[int]]
GRADING = Grading.of_list((0.0, 0.5, 1.0))


def random_lists(rng: np.random.Generator) -> Lists:
    """Topic 4 may be missing."""
    topics = ["1", "2", "3", "4"][: rng.integers(3, 5)]
    return {topic: rng.permutation(50)[: rng.integers(1, 30)].tolist() for topic in topics}


def scored(
    lists: Mapping[str, Lists], qrels: Mapping[str, Mapping[int, int]], names: list[str]
) -> ScoreTable:
    runs = [
        ParsedRun(
            tag,
            {
                topic: ParsedRanking.of(topic, [names[d] for d in ranked], range(len(ranked), 0, -1))
                for topic, ranked in topics.items()
            },
            RunReport(),
        )
        for tag, topics in lists.items()
    ]
    grades = {topic: {names[d]: grade for d, grade in known.items()} for topic, known in qrels.items()}
    judged: dict[str, dict[str, Grade]] = {
        t: {d: g for d, g in known.items() if g >= 0} for t, known in grades.items()
    }
    open_ = {t: {d for d, g in known.items() if g < 0} for t, known in grades.items()}
    campaign = build([*lists], join_runs(runs), ParsedQrels(judged, QrelsReport(), open_))
    # The document's own number decides how it came to be judged.
    drawn = {
        t: {names[d]: SampledJudgment(g, (1 + d % 4) / 5) for d, g in known.items() if g >= 0}
        for t, known in qrels.items()
    }
    strata = {
        t: {names[d]: PooledDocument(d % 3, g if g >= 0 else None) for d, g in known.items()}
        for t, known in qrels.items()
    }
    subtopics = {
        t: {names[d]: {str(n) for n in range(3) if d % (n + 2) == 0} for d in known}
        for t, known in qrels.items()
    }
    campaign = campaign.with_samples(drawn).with_strata(strata).with_subtopics(subtopics)
    return score_runs(campaign, MEASURES, GRADING)


def data(seed: int) -> tuple[dict[str, Lists], dict[str, dict[int, int]]]:
    rng = np.random.default_rng(seed)
    lists = {f"run{n}": random_lists(rng) for n in range(4)}
    qrels = {topic: {int(d): int(rng.integers(-1, 3)) for d in rng.permutation(50)[:25]} for topic in "1234"}
    return lists, qrels


@pytest.mark.parametrize("seed", range(3))
def test_names_of_documents_do_not_matter(seed: int) -> None:
    lists, qrels = data(seed)
    names = [f"d{n}" for n in range(50)]
    renamed = [f"x{n}" for n in np.random.default_rng(seed).permutation(50)]
    one, other = scored(lists, qrels, names), scored(lists, qrels, renamed)
    assert len(one.means) == 4 * len(MEASURES)
    assert one == other


@pytest.mark.parametrize("seed", range(3))
def test_a_late_run_changes_no_score(seed: int) -> None:
    """Of EAP that cannot hold: a late run adds documents to the pool that may be relevant."""
    lists, qrels = data(seed)
    names = [f"d{n}" for n in range(50)]
    early = scored(dict(list(lists.items())[:3]), qrels, names)
    late = scored(lists, qrels, names)
    known = {row.run for row in early.means}
    assert len(known) == 3
    assert early.means == [row for row in late.means if row.run in known]
    assert early.by_topic == [row for row in late.by_topic if row.run in known]
