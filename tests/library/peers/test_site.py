"""The library's Site against the real site, by tokens."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest

import judged
from campaigns.api.client import Client
from campaigns.measurement.tasks import measure
from campaigns.models import Campaign, Run, TokenScope
from campaigns.people import tokens
from config.embedded.processes import Child
from judged import Site
from judged.site import SiteCampaign
from tests.campaigns.api.client.collection_folders import DOCNOS
from tests.campaigns.factories import THREE_RUNS, make_user
from tests.plumbing.idle import wait_until_idle

RUNS = pd.DataFrame(
    [
        {"run": tag, "qid": topic, "docno": docno, "score": 1 / (3 + rank)}
        for tag, lists in THREE_RUNS.items()
        for topic, docnos in lists.items()
        for rank, docno in enumerate(docnos)
    ]
)
DOCUMENTS = pd.DataFrame({"docno": DOCNOS, "text": "Text.", "year": [float("nan"), *range(len(DOCNOS) - 1)]})
TOPICS = pd.DataFrame({"qid": [1, 2], "query": ["first", "second"]})
GRADES = {"1": {"a": 2, "b": 0}, "2": {"k": 1}}
QRELS = pd.DataFrame({"qid": ["1", "1", "2"], "docno": ["a", "b", "k"], "label": [2, 0, 1]})


@pytest.fixture
def site(live_site: str) -> Site:
    _, secret = tokens.make(user=make_user("ada"), name="script", scopes=TokenScope.values)
    return Site(live_site, secret, tries=2)


@pytest.fixture
def draft(site: Site) -> SiteCampaign:
    return site.create("Small", p=0.5, min_judgments=0)


@pytest.fixture
def campaign(draft: SiteCampaign) -> SiteCampaign:
    draft.documents.upload(DOCUMENTS)
    draft.topics.upload(TOPICS)
    draft.runs.upload(RUNS)
    draft.open()
    return draft


def test_frames_are_uploaded_and_listed(site: Site, campaign: SiteCampaign) -> None:
    assert [row.slug for row in site.campaigns()] == [campaign.slug] == [site.campaign("small").slug]
    topics = campaign.topics.to_pandas()
    assert list(topics.number) == ["1", "2"]
    assert list(topics.title) == ["first", "second"]
    assert sorted(campaign.runs.to_pandas().run) == ["x", "y", "z"]
    assert {row.run for row in campaign.runs} == {"x", "y", "z"}
    assert campaign.runs.read()["x"] == judged.read_runs(RUNS)["x"]


def test_reports_count_each_file(draft: SiteCampaign, tmp_path: Path) -> None:
    reports = draft.documents.upload(dict.fromkeys(DOCNOS, "Text."))
    assert reports.rows == [
        {
            "file": "documents.jsonl",
            "documents": len(DOCNOS),
            "new": len(DOCNOS),
            "changed": 0,
            "unchanged": 0,
        }
    ]
    draft.topics.upload([{"number": "1", "title": "first"}, {"number": "2", "title": "second"}])
    files = draft.runs.upload(pa.Table.from_pandas(RUNS), group="ours").column("file")
    assert files == ["x.run", "y.run", "z.run"]
    assert {row.group for row in draft.runs} == {"ours"}
    path = tmp_path / "w.run"
    path.write_text("1 Q0 a 1 2.0 w\n")
    assert draft.runs.upload(path).column("file") == ["w.run"]


def test_columns_of_frames_are_chosen(draft: SiteCampaign) -> None:
    frame = DOCUMENTS.rename(columns={"docno": "key", "text": "story"})
    with pytest.raises(judged.FormatError, match="columns key, story, year: no docno"):
        draft.documents.upload(frame)
    with pytest.raises(judged.FormatError, match="“other”"):
        draft.documents.upload(frame, columns={"docno": "other"})
    [row] = draft.documents.upload(frame, columns={"docno": "key", "text": "story"})
    assert row.new == len(DOCNOS)
    with pytest.raises(TypeError, match="columns"):
        draft.runs.upload(RUNS, columns={"docno": "key"})


def test_wrong_data_are_refused_before_anything_is_sent(draft: SiteCampaign) -> None:
    wrong = RUNS.assign(score=[*RUNS.score[:-1], float("inf")])
    with pytest.raises(judged.FormatError, match="score inf"):
        draft.runs.upload(wrong)
    with pytest.raises(judged.FormatError, match="no score or rank"):
        draft.runs.upload(RUNS.drop(columns="score"))
    with pytest.raises(judged.FormatError, match="no row"):
        draft.topics.upload(TOPICS[:0])
    with pytest.raises(TypeError, match="documents are int"):
        draft.documents.upload(3)
    assert not Run.objects.exists()


def test_a_refusal_of_the_site_is_a_problem(site: Site, draft: SiteCampaign) -> None:
    with pytest.raises(judged.Problem) as refused:
        draft.qrels.upload({"nowhere": {"a": 1}})
    assert refused.value.code == "bad_file"
    with pytest.raises(judged.Problem) as refused:
        site.campaign("nowhere").topics.to_pandas()
    assert refused.value.status == 404
    with pytest.raises(AttributeError):
        draft.no_such_thing  # noqa: B018


def test_judgments_and_scores_are_tables(celery_worker: Child, campaign: SiteCampaign) -> None:
    campaign.qrels.upload(
        pd.DataFrame(
            [(q, d, g) for q in GRADES for d, g in GRADES[q].items()], columns=["qid", "docno", "label"]
        )
    )
    assert campaign.qrels.read() == GRADES
    assert campaign.qrels.table["2", "k"].grade == 1
    assert list(campaign.judgments.to_pandas().docno) == ["a", "b", "k"]
    wait_until_idle()
    measure.delay(Campaign.objects.get().id)
    wait_until_idle()
    here = judged.evaluate(RUNS, campaign.qrels.read(), "RBP(p=0.5)", gains={0: 0, 1: 0.5, 2: 1})
    for run in "xyz":
        there = campaign.scores[run]
        assert (there.base, there.residual) == (here[run,].base, here[run,].residual)
    assert {(row.run, row.topic) for row in campaign.topic_scores} == {
        (run, topic) for run in "xyz" for topic in ("1", "2", "all")
    }
    assert "statement" in campaign.measures.columns


def test_assessors_judge(campaign: SiteCampaign, live_site: str) -> None:
    served = campaign.next("1")
    assert served.body == "Text."
    assert campaign.judge("1", served.docno, 2)["judgment"]["grade"] == 2
    assert campaign.judgments[0].grade == 2


def test_the_client_is_the_one_of_the_site(site: Site) -> None:
    assert type(site.client) is Client
