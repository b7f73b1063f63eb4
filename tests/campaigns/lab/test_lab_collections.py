"""Collections of the Lab: stored whole or not at all, with a sentence for what is wrong or left out."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from campaigns.core.errors import Refusal
from campaigns.formats.errors import FormatError
from campaigns.formats.grading import Grading
from campaigns.lab import collections
from campaigns.lab.collection_files import write_zip
from campaigns.lab.collections import copy_campaign, known_collection
from campaigns.management.offline.files import read_files
from campaigns.management.offline.studies.collections import known_collection as known_of_files
from campaigns.models import LabCollection, LabTopic
from campaigns.operations.campaign_deletion import delete_campaign
from campaigns.setup.campaigns import close
from selection.studies.known_scores import run_means
from tests.campaigns.factories import Api, make_campaign, make_user
from tests.campaigns.lab.lab_files import make_collection, make_job, qrels_file, qrels_text, run_files
from tests.campaigns.management.offline.command_files import run_json

pytestmark = pytest.mark.django_db


def unpacked(collection: LabCollection, folder: Path) -> str:
    """The fingerprint of the collection's files, as commands read them."""
    with zipfile.ZipFile(write_zip(collection)) as archive:
        archive.extractall(folder)
    gains = collection.gains
    grading = Grading.of_list(tuple(map(float, gains.split(",")))) if gains else Grading()
    runs = sorted((folder / "runs").iterdir())
    campaign = read_files(runs, folder / "qrels.txt", grading)
    return known_of_files(campaign, grading, np.arange(len(campaign.runs))).fingerprint()


def test_collection_is_loaded_and_given_back_as_it_was(tmp_path: Path) -> None:
    text = qrels_text() + "1 0 unranked 1\n"
    collection = make_collection(make_user("ada"), qrels=qrels_file(text))
    collections._loaded.discard(collection.id)
    known = known_collection(collection.id)
    assert (known.runs, known.numbers) == (tuple(f"r{n}" for n in range(6)), tuple("123456"))
    assert known.fingerprint() == collection.fingerprint == unpacked(collection, tmp_path)
    assert (collection.topics, collection.documents, collection.judged) == (6, 180, 181)
    assert collection.notes == []


def graded_qrels(highest: int) -> str:
    """Relevant documents have grades 1 to `highest`; one is junk, one is ranked by no run."""
    rows = [f"{t} 0 d{n} {1 + n % highest if n < 2 + t % 5 else 0}\n" for t in range(1, 7) for n in range(29)]
    return "".join(rows) + f"1 0 d29 -2\n1 0 unranked {highest}\n"


def test_grades_are_kept_where_no_gains_were_given(tmp_path: Path) -> None:
    """nDCG of a collection is that of its grades, as `evaluate` finds it; with gains, of these."""
    ada = make_user("ada")
    graded = make_collection(ada, qrels=qrels_file(graded_qrels(3)))
    assert graded.notes == [
        "no gains were given: RBP and SDCG count grades 1 to 3 as 1; nDCG reads the grades"
    ]
    assert (graded.gains, unpacked(graded, tmp_path)) == ("", graded.fingerprint)
    collections._loaded.discard(graded.id)
    known = known_collection(graded.id)
    assert known.fingerprint() == graded.fingerprint
    files = ["--runs", tmp_path / "runs", "--qrels", tmp_path / "qrels.txt"]
    found = run_json("evaluate", *files, "--measure", "nDCG", "--measure", "DCG@5")["scores"]
    for measure in ("nDCG", "DCG@5"):
        scores = [row["score"] for row in found if row["measure"] == measure]
        assert run_means(known, measure).tolist() == pytest.approx(scores)
    third, two_thirds = 1 / 3, 2 / 3
    given = make_collection(ada, qrels=qrels_file(graded_qrels(3)), gains=(0.0, third, two_thirds, 1.0))
    assert given.notes == []
    assert run_means(known_collection(given.id), "nDCG") == pytest.approx(run_means(known, "nDCG"))
    binary = make_collection(ada, qrels=qrels_file(graded_qrels(1)))
    assert run_means(known_collection(binary.id), "nDCG") != pytest.approx(run_means(known, "nDCG"))
    assert run_means(known_collection(binary.id), "AP") == pytest.approx(run_means(known, "AP"))


def test_topics_that_one_side_lacks_are_left_out_with_a_note() -> None:
    collection = make_collection(make_user("ada"), qrels=qrels_file(qrels_text([2, 3, 4, 9])))
    assert collection.topics == 3
    assert collection.notes == [
        "3 topics of the runs have no judgments and are left out: 1, 5, 6",
        "1 topic of the qrels is answered by no run and is left out: 9",
    ]


def test_runs_of_one_tag_are_named_by_their_files() -> None:
    twice = SimpleUploadedFile("again.txt", run_files()[0].read())
    collection = make_collection(make_user("ada"), runs=[*run_files(), twice])
    assert collection.runs == ["again.txt", "r0.txt", "r1", "r2", "r3", "r4", "r5"]
    words = "several files have the tag r0; their runs are named by their files: again.txt, r0.txt"
    assert collection.notes == [words]


STRANGER = SimpleUploadedFile("stranger.txt", b"1 Q0 other 1 5 stranger\n")


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"qrels": qrels_file(qrels_text([7]))}, "qrels.txt: judges no topic of the runs"),
        ({"qrels": qrels_file("1 0 d1\n")}, "qrels.txt:1: "),
        ({"runs": [SimpleUploadedFile("r.txt", b"1 Q0 d1 1 5\n")]}, "r.txt:1: "),
        ({"runs": [*run_files(), STRANGER]}, "stranger.txt: none of its documents is judged"),
        ({"runs": [*run_files(), run_files()[0]]}, "r0.txt: the same file twice"),
        ({"gains": (0.0,)}, "qrels.txt:1: grade 1, but gains are given for 0 to 0 only"),
    ],
)
def test_wrong_files_are_refused_and_nothing_is_stored(files: dict[str, Any], said: str) -> None:
    with pytest.raises(FormatError) as refused:
        make_collection(make_user("ada"), **files)
    assert str(refused.value).startswith(said)
    assert not LabCollection.objects.exists()
    assert not LabTopic.objects.exists()


@pytest.mark.parametrize("name", ["", " ", "a\nb", "x" * 201])
def test_names_that_cannot_be_shown_are_refused(name: str) -> None:
    with pytest.raises(Refusal, match="a name has 1 to 200 characters"):
        make_collection(make_user("ada"), name)


def test_too_many_lines_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collections, "LAB_LINES", 500)
    with pytest.raises(FormatError, match=r"r2.txt: the runs have more than 500 lines together"):
        make_collection(make_user("ada"))


def test_campaign_is_copied_as_it_is_now(tmp_path: Path) -> None:
    campaign = make_campaign("Small")
    grace, ada = Api(campaign, "Small-grace"), Api(campaign, "Small-ada")
    for topic, docno, grade in (("1", "a", 2), ("1", "b", 1), ("1", "c", 0)):
        assert grace.judge(topic, docno, grade).status_code == 201
    owner = make_user("else")
    collection = copy_campaign(owner=owner, name="Copy", campaign=campaign)
    assert (collection.runs, collection.topics, collection.as_of) == (["x", "y", "z"], 1, 3)
    assert (collection.judged, collection.documents) == (3, 10)
    assert collection.notes == ["1 topic without judgments or without runs is left out"]
    known = known_collection(collection.id)
    assert sorted(known.topics[0].gains[~np.isnan(known.topics[0].gains)].tolist()) == sorted(
        campaign.gain_of(grade) or 0.0 for grade in (0, 1, 2)
    )
    assert collection.fingerprint == unpacked(collection, tmp_path)
    # Later judgments change nothing.
    grace.judge("1", "d", 2)
    collections._loaded.discard(collection.id)
    assert known_collection(collection.id).fingerprint() == collection.fingerprint
    assert ada.get("").status_code == 200


def test_campaign_without_judgments_is_refused() -> None:
    campaign = make_campaign("Small")
    with pytest.raises(Refusal, match="no topic that a run answers is judged yet"):
        copy_campaign(owner=make_user("else"), name="Copy", campaign=campaign)
    assert not LabCollection.objects.exists()


def test_copies_and_their_jobs_go_with_the_campaign() -> None:
    campaign = make_campaign("Small")
    grace = Api(campaign, "Small-grace")
    grace.judge("1", "a", 1)
    grace.judge("2", "k", 1)
    collection = copy_campaign(owner=make_user("else"), name="Copy", campaign=campaign)
    job = make_job(collection)
    close(campaign=campaign)
    delete_campaign(campaign=campaign, confirmation="small")
    assert not LabCollection.objects.exists()
    assert not type(job).objects.exists()
