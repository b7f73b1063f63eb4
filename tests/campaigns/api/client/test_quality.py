"""Questions, flags, exclusions, archives and recognition by the client."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from campaigns.api.client import HEAD_BYTES, Campaign, Client, Judgment, Problem, main
from campaigns.models import Campaign as Rows
from campaigns.models import Question
from campaigns.people import members
from tests.campaigns.api.client.collection_folders import DOCNOS
from tests.campaigns.factories import make_user


def test_questions_are_asked_once_and_answered(campaign: Campaign, assessor: Campaign) -> None:
    asked = assessor.ask("1", "a", "Does a remake count?")
    assert (asked["docno"], asked["answer"]) == ("a", None)
    assert [row["text"] for row in campaign.questions()] == ["Does a remake count?"]
    assert campaign.answer(asked["id"], "Yes.")["answered_by"] == "ada"
    # Assessors do not see who answered.
    assert [(row["answer"], row["answered_by"]) for row in assessor.questions()] == [("Yes.", None)]
    with pytest.raises(Problem) as refused:
        campaign.answer(asked["id"], "No.")
    assert refused.value.code == "answered"
    with pytest.raises(Problem) as refused:
        assessor.answer(asked["id"], "No.")
    assert refused.value.status == 403
    assert Question.objects.count() == 1


def test_judgments_are_excluded_and_included(campaign: Campaign, assessor: Campaign) -> None:
    for topic, docno in (("1", "a"), ("2", "k")):
        assessor.judge(Judgment(topic, docno, 2))
    assert campaign.quality() == {"flags": [], "exclusions": [], "imports": []}
    for _ in range(2):
        found = campaign.exclude("grace", ["1"])["exclusions"]
        assert [(row["assessor"], row["topic"], row["judgments"]) for row in found] == [("grace", "1", 1)]
    campaign.exclude("grace")
    assert [row["topic"] for row in campaign.quality()["exclusions"]] == [None]
    with pytest.raises(Problem) as refused:
        campaign.include("grace", "1")
    assert refused.value.code == "excluded_everywhere"
    campaign.include("grace")
    assert campaign.quality()["exclusions"] == []
    members.add_member(
        campaign=Rows.objects.get(slug=campaign.slug), username=make_user("alan").username, role="assessor"
    )
    # Sent twice, it has its effect once.
    for _ in range(2):
        assert [row["topic"] for row in campaign.exclude("grace", ["2"], to="alan")["exclusions"]] == ["2"]
    with pytest.raises(Problem) as refused:
        assessor.exclude("ada")
    assert refused.value.status == 403


def test_an_archive_is_stored_whole(client: Client, folder: Path, tmp_path: Path) -> None:
    packed = shutil.make_archive(str(tmp_path / "packed" / "all"), "zip", folder)
    draft = client.create("Packed")
    assert draft.recognise(packed)["kind"] == "archive"
    [report] = draft.upload("files", packed)
    assert (report.kind, report.taken["documents"], report.taken["runs"]) == ("archive", len(DOCNOS), 3)
    assert [row["number"] for row in draft.topics()] == ["1", "2"]


def test_a_large_file_is_recognised_by_its_beginning(client: Client, folder: Path, tmp_path: Path) -> None:
    draft = client.create("Small")
    kinds = {name: draft.recognise(folder / name) for name in ("docs.jsonl", "topics.tsv", "runs/x.gz")}
    assert {name: found["kind"] for name, found in kinds.items()} == {
        "docs.jsonl": "documents",
        "topics.tsv": "topics",
        "runs/x.gz": "run",
    }
    assert kinds["topics.tsv"]["topics"] == 2
    large = tmp_path / "large.jsonl"
    line = '{"docno": "d%d", "text": "' + "word " * 200 + '"}\n'
    large.write_text("".join(line % number for number in range(300)))
    assert large.stat().st_size > 4 * HEAD_BYTES
    found = draft.recognise(large)
    assert (found["kind"], found["first"][0]) == ("documents", {"name": "docno", "value": "d0"})
    # Nothing of it is stored.
    assert draft.about()["status"] == "draft"
    assert list(draft.topics()) == []


def test_the_command_uploads_an_archive(
    client: Client,
    folder: Path,
    tmp_path: Path,
    live_site: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    packed = shutil.make_archive(str(tmp_path / "packed" / "all"), "gztar", folder)
    monkeypatch.setenv("ASSESS_TOKEN", client.token)
    slug = client.create("Packed").slug
    assert main(["--url", live_site, "upload", slug, "files", packed]) == 0
    assert "3 runs" in capsys.readouterr().out
