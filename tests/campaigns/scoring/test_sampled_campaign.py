"""A campaign judged by `sample`: its exports estimate what the worker's arrays do, to the bit."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from campaigns.computing.live import LiveCampaign
from campaigns.computing.tasks import recompute
from campaigns.formats.grading import Grading
from campaigns.formats.prels import PrelMethod, SampledJudgment, format_prel, read_prels
from campaigns.management.offline.files import read_files
from campaigns.measurement.prels import current_prels
from campaigns.models import Campaign, Claim
from campaigns.scoring.judged_collection import JudgedCollection, JudgedTopic
from campaigns.scoring.sampled_estimates import sampled_estimates
from campaigns.setup.campaigns import change_settings
from evaluation.names import parse_measure
from selection.methods.sample import frozen_documents, judged_prefix
from tests.campaigns.factories import Api, Lists, make_campaign, run_text

pytestmark = pytest.mark.django_db

TOPICS, SIZE = 8, 5
GRADING = Grading({0: 0.0, 1: 0.5, 2: 1.0})
MEASURES = ("RBP(p=0.8)", "P@5", "nDCG@5", "AP")


def lists() -> Lists:
    random = np.random.default_rng(5)
    return {
        tag: {str(t): [f"d{n:02}" for n in random.permutation(40)[:30]] for t in range(1, TOPICS + 1)}
        for tag in ("x", "y", "z")
    }


def judge(campaign: Campaign, per_topic: int) -> None:
    """Judge what is served; every third document is not relevant."""
    api = Api(campaign, f"{campaign.name}-grace")
    for topic in range(1, TOPICS + 1):
        for _ in range(per_topic):
            reply = api.get("next/", topic=str(topic))
            if reply.status_code == 204:
                break
            docno = reply.json()["docno"]
            assert api.judge(str(topic), docno, int(docno[1:]) % 3).status_code == 201
            recompute(campaign.id)


def from_files(campaign: Campaign, given: Lists, folder: Path) -> JudgedCollection:
    for tag, by_topic in given.items():
        (folder / f"{tag}.run").write_bytes(run_text(tag, by_topic))
    rows = current_prels(campaign=campaign)
    prels = "".join(format_prel(row.topic, row.docno, row.grade, row.method, row.inclusion) for row in rows)
    (folder / "prels").write_text(prels)
    runs = read_files([folder / f"{tag}.run" for tag in given], None, GRADING)
    return runs.with_samples(read_prels(folder / "prels", GRADING))


def from_arrays(campaign: Campaign) -> JudgedCollection:
    """The worker's copy, with documents by docno."""
    live = LiveCampaign.from_rows(campaign)
    live.catch_up(known=0)
    names = dict(campaign.collection.documents.values_list("id", "docno"))
    topics = []
    for index, number in enumerate(live.plan.numbers):
        pool, setting = live.arrays.pools[index], live.state.setting
        docnos = [names[id] for id in pool.documents.tolist()]
        order = sorted(docnos)
        at = np.array([order.index(docno) for docno in docnos], dtype=np.int32)
        of = np.repeat(np.arange(len(pool)), np.diff(pool.start))
        rankings = []
        for run in range(len(live.arrays.runs)):
            own = np.flatnonzero(pool.run == run)
            rankings.append(at[of[own[np.argsort(pool.rank[own])]]])
        gains = {document: setting.judgments.gain(index, document) for document in range(len(pool))}
        known = np.array([gains[document] is not None for document in range(len(pool))])
        drawn, inclusion = judged_prefix(setting, index, SIZE, known)
        grades = {document: int(2 * gain) for document, gain in gains.items() if gain is not None}
        prels = {
            docnos[document]: SampledJudgment(grades[document], chance)
            for document, chance in zip(drawn.tolist(), inclusion.tolist(), strict=True)
        }
        for document in np.flatnonzero(frozen_documents(setting, index)).tolist():
            prels[docnos[document]] = SampledJudgment(grades[document], 1.0, PrelMethod.OTHERWISE)
        topics.append(JudgedTopic(number, order, list(rankings), {}, drawn=prels))
    return JudgedCollection(("x", "y", "z"), tuple(topics))


@pytest.mark.parametrize("after_another", [False, True])
def test_exports_estimate_what_the_arrays_do(after_another: bool, tmp_path: Path) -> None:
    given = lists()
    if after_another:
        campaign = make_campaign("Sampled", given, method="C")
        judge(campaign, 2)
        Claim.objects.all().delete()
        change_settings(campaign=campaign, method="sample", options={"size": SIZE})
    else:
        campaign = make_campaign("Sampled", given, method="sample", options={"size": SIZE})
    recompute(campaign.id)
    judge(campaign, SIZE + 1)
    campaign.refresh_from_db()
    files, arrays = from_files(campaign, given, tmp_path), from_arrays(campaign)
    for name in MEASURES:
        ours, theirs = (
            sampled_estimates(one, parse_measure(name), GRADING, p=campaign.p) for one in (files, arrays)
        )
        assert ours.topics == theirs.topics == tuple(str(t) for t in range(1, TOPICS + 1))
        assert ours.runs == theirs.runs
        assert ours.pairs() == theirs.pairs()
        assert ours.too_early == theirs.too_early
        # Few documents are relevant here, and an ideal order may depend on those that no sample shows.
        assert ours.too_early is None or name == "nDCG@5"
    assert {one.method for topic in files.topics for one in (topic.drawn or {}).values()} == (
        {0, 1} if after_another else {1}
    )
