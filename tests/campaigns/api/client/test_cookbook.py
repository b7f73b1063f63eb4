"""The cookbook's examples, as they stand there, against the live site: from nothing to qrels, which a foreign
evaluator reads as we do."""

from __future__ import annotations

import json
import re
import shutil
import sys
from pathlib import Path
from urllib.request import urlopen

import pytest

from campaigns.models import Campaign, Exclusion, Invitation, Judgment, Question, TokenScope
from campaigns.people import tokens
from config.embedded.machine import PROJECT
from config.embedded.processes import Child
from tests.campaigns.api.client.collection_folders import with_cranfield
from tests.campaigns.api.client.independent_evaluator import PATH, run, same_precision
from tests.campaigns.factories import make_user

COOKBOOK = (PROJECT / "docs" / "cookbook.md").read_text()
PYTHON, AS_TABLE, PACKED, QUALITY = re.findall(r"```python\n(.*?)```", COOKBOOK, re.DOTALL)
COPY, CURL = re.findall(r"```sh\n(.*?)```", COOKBOOK, re.DOTALL)

needs_curl = pytest.mark.skipif(shutil.which("curl") is None, reason="there is no curl here")


@pytest.fixture
def folder(tmp_path: Path, demo_folder: Path) -> Path:
    """A folder like that of a clone in which the demo ran, after the page's copy of the demo's files."""
    (tmp_path / ".embedded").mkdir()
    (tmp_path / ".embedded" / "demo").symlink_to(demo_folder)
    (tmp_path / "campaigns").symlink_to(PROJECT / "campaigns")
    run(["bash", "-eu", "-c", COPY], tmp_path, {"PATH": PATH})
    return tmp_path


@pytest.fixture
def environment(celery_worker: Child, live_site: str) -> dict[str, str]:
    _, secret = tokens.make(user=make_user("ada"), name="script", scopes=TokenScope.values)
    return {"PATH": PATH, "SITE": live_site, "TOKEN": secret}


def test_from_python(folder: Path, environment: dict[str, str]) -> None:
    with urlopen(f"{environment['SITE']}/api/v1/client/") as client:
        (folder / "assess_client.py").write_bytes(client.read())
    said = run([sys.executable, "-c", PYTHON], folder, environment)
    look_at_what_was_done(folder, "library")
    runs = list(folder.glob("library/runs/*.run"))
    assert len(re.findall(r": \d\.\d{4} to \d\.\d{4}\n", said)) == len(runs)
    assert "/join/" in said
    assert "Event(id=" in said
    assert re.match(r"\[\('", run([sys.executable, "-c", AS_TABLE], folder, environment))
    said = run([sys.executable, "-c", QUALITY], folder, environment)
    assert "Does a factorisation count?" in said
    assert "10 judgments excluded" in said
    assert Question.objects.get().answer.startswith("Yes")
    assert not Exclusion.objects.exists()
    said = run([sys.executable, "-c", PACKED], folder, environment)
    assert said.startswith("an archive")
    assert f"'runs': {len(runs)}" in said


@needs_curl
def test_from_curl(folder: Path, environment: dict[str, str]) -> None:
    said = run(["bash", "-eu", "-c", CURL], folder, environment)
    look_at_what_was_done(folder, "library-curl")
    assert '"link":"http' in said
    assert '"residual":' in said
    assert re.search(r"^event: \w+$", said, re.MULTILINE)
    prels = (folder / "library.prels").read_text().splitlines()
    assert len(prels) == 10
    assert {len(line.split()) for line in prels} == {5}


def look_at_what_was_done(folder: Path, slug: str) -> None:
    campaign = Campaign.objects.get(slug=slug)
    runs = sorted(folder.glob("library/runs/*.run"))
    assert (campaign.status, campaign.runs.count()) == ("open", len(runs))
    assert Invitation.objects.get().role == "assessor"
    assert Judgment.objects.count() == 10
    assert len((folder / "library.qrels").read_text().splitlines()) == 10
    same_precision(folder, "library")


@needs_curl
def test_somebody_invited_judges_by_curl_alone(tmp_path: Path, environment: dict[str, str]) -> None:
    folder = with_cranfield(tmp_path)
    script = Path(__file__).with_name("journey.sh").read_text()
    run(["bash", "-eu", "-c", script], folder, environment)
    acts = Judgment.objects.order_by("sequence").values_list("assessor__username", "grade")
    assert list(acts) == [("grace", number % 3) for number in range(1, 11)]
    events = (folder / "events").read_text()
    assert {"runs", "judgment", "intervals"} <= set(re.findall(r"^event: (\w+)$", events, re.MULTILINE))
    rows = json.loads((folder / "intervals").read_text())["runs"]
    assert any(row["base"] > 0 for row in rows)
    grades = [int(line.split()[3]) for line in (folder / "cranfield.qrels").read_text().splitlines()]
    assert sorted(grades) == [0, 0, 0, 1, 1, 1, 1, 2, 2, 2]
    same_precision(folder, "cranfield")
