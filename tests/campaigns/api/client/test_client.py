"""The client against the real site, by tokens: from an empty draft to qrels."""

from __future__ import annotations

import os
import subprocess
import sys
import uuid
from pathlib import Path
from urllib.request import urlopen

import pytest

from campaigns.api import client as module
from campaigns.api.client import Campaign, Client, Judgment, Problem
from campaigns.computing.worker import campaigns_behind
from campaigns.models import Judgment as Stored
from config.embedded.processes import Child
from tests.campaigns.api.client.collection_folders import DOCNOS
from tests.plumbing.idle import wait_for
from tests.plumbing.programs import finished


def test_uploads_report_what_was_taken(client: Client, folder: Path) -> None:
    draft = client.create("Small", slug="other")
    assert draft.slug == "other"
    (report,) = draft.upload("collection", folder / "docs.jsonl")
    assert (report.kind, report.name, report.taken) == (
        "collection",
        "docs.jsonl",
        {"documents": len(DOCNOS), "new": len(DOCNOS), "changed": 0, "unchanged": 0},
    )
    draft.upload("topics", folder / "topics.tsv")
    reports = draft.upload("runs", folder / "runs", group="ours")
    assert [report.name for report in reports] == ["x.gz", "y.gz", "z.gz"]
    assert draft.about()["status"] == "draft"
    assert draft.change(p=0.9)["p"] == 0.9
    assert {row["slug"] for row in client.campaigns()} == {"other"}


def test_a_refused_file_is_told_line_by_line(client: Client, folder: Path) -> None:
    draft = client.create("Small")
    bad = folder / "bad.run"
    bad.write_text("1 Q0 a 1 2.0 x\n1 Q0 b\n1 Q0 c 3 much x\n")
    with pytest.raises(Problem) as refused:
        draft.upload("runs", bad)
    problem = refused.value
    assert (problem.status, problem.code) == (400, "bad_file")
    assert [error.line for error in problem.errors] == [2, 3]
    assert problem.lines(str(bad))[0].startswith(f"{bad}:2: ")


def test_names_of_files_and_fields_are_sent_as_they_are(client: Client, folder: Path) -> None:
    draft = client.create("Small")
    odd = folder / 'größe "2".tsv'
    odd.write_text("1\tfirst\n")
    assert draft.upload_file("topics", odd).name == "größe %222%22.tsv"


def test_documents_are_served_and_judged_once(assessor: Campaign) -> None:
    served = assessor.next("1")
    assert served is not None
    assert (served.title, served.body) == (f"Title {served.docno}", "Text.")
    act = Judgment("1", served.docno, 2)
    first = assessor.judge(act)
    assert first["judgment"]["grade"] == 2
    assert assessor.judge(act)["judgment"]["id"] == first["judgment"]["id"] == act.id
    assert Stored.objects.count() == 1
    with pytest.raises(Problem) as refused:
        assessor.judge(Judgment("1", served.docno, 9))
    assert refused.value.status == 400


def test_a_topic_that_is_done_serves_nothing(assessor: Campaign) -> None:
    while served := assessor.next("2"):
        assessor.judge(Judgment("2", served.docno, 0))
    assert Stored.objects.count() == 4


def test_events_go_on_after_the_last_that_was_seen(
    celery_worker: Child, campaign: Campaign, assessor: Campaign
) -> None:
    stream = campaign.events(after=0)
    first = next(stream)
    # A first computation sends one event for all judgments before it.
    wait_for(lambda: not campaigns_behind())
    assessor.judge(Judgment("1", "a", 2))
    later = next(event for event in stream if event.kind == "judgment")
    assert later.id > first.id
    stream.close()  # type: ignore[attr-defined]
    again = campaign.events(after=later.id - 1)
    assert next(again) == later
    again.close()  # type: ignore[attr-defined]


def test_what_is_not_there_and_what_is_not_allowed(
    client: Client, assessor: Campaign, live_site: str
) -> None:
    with pytest.raises(Problem) as refused:
        client.campaign("no such/campaign").about()
    assert refused.value.status == 404
    with pytest.raises(Problem) as refused:
        assessor.intervals()
    assert refused.value.status == 403
    stranger = Client(live_site, "assess_" + "x" * 43)
    with pytest.raises(Problem) as refused:
        list(stranger.campaigns())
    assert (refused.value.status, refused.value.code) == (401, "bad_token")


def test_a_closed_campaign_is_deleted_if_confirmed(campaign: Campaign, assessor: Campaign) -> None:
    with pytest.raises(Problem) as refused:
        campaign.delete(confirm=campaign.slug)
    assert (refused.value.status, refused.value.code) == (409, "campaign_open")
    campaign.close()
    with pytest.raises(Problem) as refused:
        campaign.delete(confirm="another")
    assert refused.value.code == "not_confirmed"
    with pytest.raises(Problem) as refused:
        assessor.delete(confirm=campaign.slug)
    assert refused.value.status == 403
    campaign.delete(confirm=campaign.slug)
    assert list(campaign.client.campaigns()) == []


def test_a_stranger_with_a_large_file_is_told_why(live_site: str, tmp_path: Path) -> None:
    large = tmp_path / "large.jsonl"
    large.write_bytes(b" " * (8 << 20))
    with pytest.raises(Problem) as refused:
        Client(live_site, "assess_" + "x" * 43, tries=1).campaign("small").upload("collection", large)
    assert refused.value.status == 401


@pytest.fixture
def environment(client: Client) -> dict[str, str]:
    return {**os.environ, "ASSESS_TOKEN": client.token, "ASSESS_URL": client.root.removesuffix("/api/v1/")}


def command(environment: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    """The file alone, without this project and without packages."""
    program = [sys.executable, "-I", "-S", module.__file__]
    return finished([*program, *arguments], env=environment)


def test_the_site_hands_it_out(
    live_site: str, environment: dict[str, str], campaign: Campaign, tmp_path: Path
) -> None:
    """To a person without a token, with nothing but Python."""
    file = tmp_path / "assess_client.py"
    fetch = f"from urllib.request import urlretrieve as get; get('{live_site}/api/v1/client/', '{file}')"
    alone = [sys.executable, "-I", "-S"]
    subprocess.run([*alone, "-c", fetch], env={}, check=True)
    assert file.read_bytes() == Path(module.__file__).read_bytes()
    help = subprocess.run([*alone, file, "--help"], env={}, capture_output=True, text=True, check=True)
    assert "assess-client" in help.stdout
    said = subprocess.run(
        [*alone, file, "intervals", "small"], env=environment, capture_output=True, text=True
    )
    assert (said.stderr, said.returncode) == ("", 0)
    assert {line.split("\t")[0] for line in said.stdout.splitlines()} == {"x", "y", "z"}
    with urlopen(f"{live_site}/api/v1/client/") as answer:
        assert answer.headers["Content-Disposition"] == 'attachment; filename="assess_client.py"'
        assert answer.headers["ETag"]


def test_the_command_needs_nothing_but_python(
    environment: dict[str, str], assessor: Campaign, folder: Path
) -> None:
    said = command(environment, "create", "Second", "--slug", "second")
    assert (said.stdout, said.stderr, said.returncode) == ("second\n", "", 0)
    bad = folder / "runs" / "bad"
    bad.write_text("nonsense\n")
    command(environment, "upload", "second", "topics", str(folder / "topics.tsv"))
    said = command(environment, "upload", "second", "runs", str(folder / "runs"))
    assert said.returncode == 1
    assert [line.split(":")[0] for line in said.stdout.splitlines()] == [
        str(folder / "runs" / f"{tag}.gz") for tag in "xyz"
    ]
    assert said.stderr.startswith(f"{bad}:1: ")
    assert command(environment, "open", "second").returncode == 0
    docno = command(environment, "next", "second", "1").stdout.splitlines()[0]
    said = command(environment, "judge", "second", "1", docno, "1")
    assert said.stdout == f"1 0 {docno} 1\n", said.stderr
    printed = [line.split("\t") for line in command(environment, "intervals", "second").stdout.splitlines()]
    assert len(printed) == 3
    assert all(float(base) + float(residual) == float(top) for _, base, residual, top in printed)
    said = command(environment, "qrels", "second", str(folder / "qrels.txt"))
    assert (folder / "qrels.txt").read_text() == f"1 0 {docno} 1\n", said.stderr
    assert command(environment, "next", "third", "1").stderr.strip()
    assert command({**environment, "ASSESS_TOKEN": ""}, "open", "second").returncode == 2


def test_ids_are_made_once_and_addresses_are_checked() -> None:
    act = Judgment("1", "a", 1)
    assert act.body()["id"] == act.id
    assert uuid.UUID(act.id)
    assert "reason" not in act.body()
    with pytest.raises(ValueError, match="not the address of a site"):
        Client("assess.example.org", "secret")
