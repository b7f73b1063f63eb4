from __future__ import annotations

import shutil
import stat
from io import StringIO
from pathlib import Path

import pytest
from django.contrib.auth import authenticate
from django.contrib.auth.models import User
from django.core.management import call_command
from django.core.management.base import CommandError
from pytest_django import Settings

from campaigns.computing.tasks import recompute
from campaigns.management.demo import loading
from campaigns.management.demo.files import COLLECTION, TOPICS
from campaigns.management.demo.rankers import SYSTEMS
from campaigns.models import Campaign, Interval, Judgment, Membership, Priority
from tests.campaigns.factories import Api

pytestmark = pytest.mark.django_db


@pytest.fixture
def made(small_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Files that were made before."""
    # The shipped topics and judgments are of more documents than these files have.
    topics, qrels = small_folder / "topics.trec", small_folder / "qrels.txt"
    topics.write_text(TOPICS.read_text().partition("</top>")[0] + "</top>\n")
    qrels.write_text("1 0 numpy.linalg.solve 2\n1 0 scipy.linalg.solve 1\n")
    monkeypatch.setattr(loading, "TOPICS", topics)
    monkeypatch.setattr(loading, "QRELS", qrels)
    return small_folder


@pytest.fixture
def folder(made: Path, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The command's data folder."""
    settings.DATA_DIR = tmp_path

    def copy_to(folder: Path) -> None:
        for path in [made / COLLECTION, *made.glob("*.run")]:
            shutil.copy(path, folder)

    monkeypatch.setattr("campaigns.management.commands.demo.build_apart", copy_to)
    return tmp_path / "demo"


def run_demo() -> str:
    out = StringIO()
    call_command("demo", stdout=out)
    return out.getvalue()


def logins(output: str) -> list[str]:
    return [line for line in output.splitlines() if line.startswith("Sign in")]


class TestAtFullSize:
    @pytest.fixture
    def made(self, demo_folder: Path) -> Path:
        return demo_folder

    def test_the_worker_computes_it_and_the_assessor_is_served(self, folder: Path) -> None:
        output = run_demo()
        campaign = Campaign.objects.get(slug="python-library")
        topics = campaign.topics.count()
        assert f"{campaign.collection.documents.count():,} documents, {topics} topics" in output
        recompute(campaign.id)
        assert Priority.objects.filter(topic__campaign=campaign).count() == topics
        assert Interval.objects.filter(run__campaign=campaign).count() == topics * len(SYSTEMS)
        document = Api(campaign, "grace").get("next/", topic="1").json()["document"]
        assert document["docno"] in document["title"]
        assert len(document["body"]) > 50
        # Most of the shipped judgments are of documents that every installation has.
        assert Judgment.objects.count() >= 0.9 * len(loading.QRELS.read_text().splitlines())


def test_an_open_campaign_of_all_runs(folder: Path) -> None:
    run_demo()
    campaign = Campaign.objects.get(slug="python-library")
    assert (campaign.status, campaign.method, campaign.p) == ("open", "C", 0.8)
    assert [(row["grade"], row["gain"]) for row in campaign.grades] == [(0, 0.0), (1, 0.5), (2, 1.0)]
    assert set(campaign.runs.values_list("tag", flat=True)) == {system.tag for system in SYSTEMS}
    roles = dict(Membership.objects.filter(campaign=campaign).values_list("user__username", "role"))
    assert roles == {"ada": "organiser", "grace": "assessor"}


def test_the_printed_passwords_work_and_are_private(folder: Path) -> None:
    for line in logins(run_demo()):
        words = line.split()
        assert authenticate(username=words[3], password=words[-1]) is not None
    assert stat.S_IMODE((folder / "logins.json").stat().st_mode) == 0o600


def test_a_second_start_keeps_what_was_judged_and_the_logins(folder: Path) -> None:
    first = run_demo()
    campaign = Campaign.objects.get(slug="python-library")
    before = Judgment.objects.count()
    docno = Api(campaign, "grace").get("next/", topic="1").json()["document"]["docno"]
    assert Api(campaign, "grace").judge("1", docno, 2).status_code == 201
    second = run_demo()
    assert logins(second) == logins(first)
    assert f"{before + 1} judgments" in second
    assert Campaign.objects.count() == 1


def test_shipped_judgments_of_absent_documents_are_left_out(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shipped = tmp_path / "qrels.txt"
    shipped.write_text("1 0 numpy.linalg.solve 2\n1 0 scipy.linalg.solve 1\n1 0 gone.in.this.version 1\n")
    monkeypatch.setattr(loading, "QRELS", shipped)
    output = run_demo()
    assert "2 judgments." in output
    assert "\n1 of the stored judgments" in output
    judged = Judgment.objects.values_list("document__docno", "grade", "assessor__username")
    assert set(judged) == {("numpy.linalg.solve", 2, "ada"), ("scipy.linalg.solve", 1, "ada")}


def test_somebody_elses_account_is_left_alone(folder: Path) -> None:
    User.objects.create_user("ada", password="her own secret")
    with pytest.raises(CommandError, match="account named “ada”"):
        run_demo()
    assert authenticate(username="ada", password="her own secret") is not None
    assert not Campaign.objects.exists()
    assert not User.objects.filter(username="grace").exists()


def test_lost_passwords_are_not_made_up(folder: Path) -> None:
    run_demo()
    (folder / "logins.json").unlink()
    assert all(line.endswith("password as it was set before") for line in logins(run_demo()))
