"""What the client fetches and follows: results, lists, files."""

from __future__ import annotations

from pathlib import Path

import pytest

from campaigns.api import client as module
from campaigns.api.client import Campaign, Judgment
from campaigns.measurement.tasks import measure
from campaigns.models import Campaign as StoredCampaign
from campaigns.models import Judgment as Stored
from campaigns.stopping.tasks import predict
from config.embedded.processes import Child
from tests.plumbing.idle import wait_until_idle


def test_many_judgments_each_with_its_outcome(assessor: Campaign, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "AT_ONCE", 2)
    acts = [Judgment("1", "a", 1), Judgment("1", "nowhere", 1), Judgment("2", "k", 0)]
    outcomes = assessor.judge_many(acts)
    assert [(one.id, one.status < 400) for one in outcomes] == [
        (acts[0].id, True),
        (acts[1].id, False),
        (acts[2].id, True),
    ]
    assert outcomes[1].problem is not None
    assert outcomes[1].problem.code
    assert [one.status for one in assessor.judge_many(acts)][::2] == [200, 200]
    assert Stored.objects.count() == 2


def test_intervals_pairs_priorities_and_files(
    celery_worker: Child, campaign: Campaign, assessor: Campaign, tmp_path: Path
) -> None:
    assessor.judge(Judgment("1", "a", 2))
    # Scores come first, the queues after them.
    wait_until_idle()
    assert campaign.intervals("1")[0].base > 0
    rows = {row.run: row for row in campaign.intervals()}
    assert set(rows) == {"x", "y", "z"}
    assert rows["x"].top == pytest.approx(rows["x"].base + rows["x"].residual)
    assert campaign.priorities("1", limit=1)["results"][0]["docno"] == "b"
    assert isinstance(campaign.pairs()["results"], list)
    predict.delay(StoredCampaign.objects.get().id)
    wait_until_idle()
    predicted = campaign.predictions()
    assert (predicted["as_of"], len(predicted["runs"]), len(predicted["results"])) == (1, 3, 3)
    [pair] = campaign.predictions("judged", runs=["x", "z"])["results"]
    assert {pair["run"], pair["other"]} == {"x", "z"}
    measure.delay(StoredCampaign.objects.get().id)
    wait_until_idle()
    [scored] = campaign.measures()["measures"]
    assert scored["runs"][0]["run"] in {"x", "y"}
    assert campaign.measures(scored["measure"])["measures"] == [scored]
    assert campaign.measure_pairs(runs=["x"])["measure"] == scored["measure"]
    table = campaign.export("measures", tmp_path / "measures.csv").read_text()
    assert table.startswith("run,group,measure,statement,")
    assert campaign.qrels(tmp_path / "qrels.txt").read_text() == "1 0 a 2\n"
    assert campaign.prels(tmp_path / "prels.txt").read_text().startswith("1 a 2 ")
    assert campaign.bundle(tmp_path / "small.zip").read_bytes()[:2] == b"PK"


def test_a_file_is_fetched_again_only_when_it_would_differ(
    campaign: Campaign, assessor: Campaign, tmp_path: Path
) -> None:
    assessor.judge(Judgment("1", "a", 2))
    target = campaign.qrels(tmp_path / "qrels.txt")
    before = target.stat().st_ino
    assert campaign.qrels(target).stat().st_ino == before
    target.write_text("my own")
    assert campaign.qrels(target).read_text() == "1 0 a 2\n"
    assessor.judge(Judgment("1", "b", 0))
    assert campaign.qrels(target).read_text() == "1 0 a 2\n1 0 b 0\n"
    assert not list(tmp_path.glob("*.part"))


def test_lists_to_their_end_page_after_page(campaign: Campaign, assessor: Campaign) -> None:
    for docno in "abc":
        assessor.judge(Judgment("1", docno, 1))
    assert [row["number"] for row in campaign.topics()] == ["1", "2"]
    assert {row["run"] for row in campaign.runs()} == {"x", "y", "z"}
    assert {row["username"] for row in campaign.members()} == {"ada", "grace"}
    rows = list(campaign.judgments(limit=2))
    assert [(row["sequence"], row["docno"]) for row in rows] == [(1, "a"), (2, "b"), (3, "c")]
    assert campaign.invite("assessor", days=3).startswith("http")
    assert [row["state"] for row in campaign.invitations()] == ["open"]
    (line,) = campaign.invite_list("new@example.org", check_only=True)
    assert line["state"] == "new"
    ids = [row["id"] for row in campaign.invitations()]
    assert campaign.act_on_invitations("revoke", ids) == {"changed": ids, "skipped": []}
