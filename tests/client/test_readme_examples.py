"""The README's examples, as they stand there, against the live site: from nothing to qrels, which a foreign
evaluator reads as we do."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import ir_measures
import pytest

from campaigns.formats.runs import read_runs
from campaigns.models import Campaign, Invitation, Judgment, TokenScope
from campaigns.services import tokens
from config.embedded.child import Child
from config.embedded.places import PROJECT
from tests.campaigns.building import make_user
from tests.client.folders import with_cranfield

README = (PROJECT / "README.md").read_text()
SECTION = README.partition("From a notebook")[2].partition("## More")[0]
(PYTHON,) = re.findall(r"```python\n(.*?)```", SECTION, re.DOTALL)
(CURL,) = re.findall(r"```sh\n(.*?)```", SECTION, re.DOTALL)

needs_curl = pytest.mark.skipif(shutil.which("curl") is None, reason="there is no curl here")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return with_cranfield(tmp_path)


@pytest.fixture
def environment(celery_worker: Child, live_site: str) -> dict[str, str]:
    _, secret = tokens.make(user=make_user("ada"), name="script", scopes=TokenScope.values)
    return {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(PROJECT), "SITE": live_site, "TOKEN": secret}


def run(program: list[str], folder: Path, environment: dict[str, str]) -> str:
    done = subprocess.run(program, cwd=folder, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_from_python(folder: Path, environment: dict[str, str]) -> None:
    said = run([sys.executable, "-c", PYTHON], folder, environment)
    look_at_what_was_done(folder)
    runs = list(folder.glob("cranfield/runs/*.gz"))
    assert len(re.findall(r": \d\.\d{3} to \d\.\d{3}\n", said)) == len(runs)
    assert "/join/" in said
    assert "Event(id=" in said


@needs_curl
def test_from_curl(folder: Path, environment: dict[str, str]) -> None:
    said = run(["bash", "-eu", "-c", CURL], folder, environment)
    look_at_what_was_done(folder)
    assert '"link":"http' in said
    assert '"residual":' in said
    assert re.search(r"^event: \w+$", said, re.MULTILINE)
    prels = (folder / "cranfield.prels").read_text().splitlines()
    assert len(prels) == 10
    assert {len(line.split()) for line in prels} == {5}


def look_at_what_was_done(folder: Path) -> None:
    campaign = Campaign.objects.get(slug="cranfield")
    runs = sorted(folder.glob("cranfield/runs/*.gz"))
    assert (campaign.status, campaign.runs.count()) == ("open", len(runs))
    assert Invitation.objects.get().role == "assessor"
    assert Judgment.objects.count() == 10
    assert len((folder / "cranfield.qrels").read_text().splitlines()) == 10
    same_precision(folder)


def same_precision(folder: Path) -> None:
    """P@5 of every run in every topic that was judged, by `evaluate` and by ir_measures."""
    wish = "--runs cranfield/runs --qrels cranfield.qrels --measure P@5 --per-topic --format json"
    command = [sys.executable, str(PROJECT / "manage.py"), "evaluate", *wish.split()]
    found = run(command, folder, {"PATH": "/usr/bin:/bin"})
    ours = {(row["run"], row["topic"]): row["score"] for row in json.loads(found)["scores"]}
    lines = (folder / "cranfield.qrels").read_text().splitlines()
    columns = [line.split() for line in lines]
    judged = [ir_measures.Qrel(topic, docno, int(grade)) for topic, _, docno, grade in columns]
    seen = 0
    for path in folder.glob("cranfield/runs/*.gz"):
        (parsed,) = read_runs(path, path.name)
        ranked = [
            ir_measures.ScoredDoc(topic, docno, -float(place))
            for topic, ranking in parsed.rankings.items()
            for place, docno in enumerate(ranking.docnos)
        ]
        for theirs in ir_measures.iter_calc([ir_measures.P @ 5], judged, ranked):
            assert ours[parsed.tag, theirs.query_id] == pytest.approx(theirs.value)
            seen += 1
    assert seen >= 3
