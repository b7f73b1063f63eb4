"""Jobs of the Lab, done in this process: the same numbers as the command, and every way in which they end."""

from __future__ import annotations

import json
import math
import shlex
import zipfile
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User

from campaigns.core.database import Space
from campaigns.core.errors import Refusal
from campaigns.lab import work
from campaigns.lab.collection_files import write_zip
from campaigns.lab.collections import delete_collection
from campaigns.lab.results import command_line, figure_file, result_of, seconds_left, table_file
from campaigns.lab.studies.registry import STUDIES
from campaigns.lab.study_jobs import change_state, create_job
from campaigns.models import LabCollection, LabJob, LabTrial
from tests.campaigns.factories import make_user
from tests.campaigns.lab.lab_files import do_all, make_collection, make_job, qrels_file, qrels_text, run_files
from tests.campaigns.management.offline.command_files import run_command
from tests.plumbing.locks import held_elsewhere

pytestmark = pytest.mark.django_db
State = LabJob.State


@pytest.fixture
def ada() -> User:
    return make_user("ada")


@pytest.fixture
def collection(ada: User) -> LabCollection:
    return make_collection(ada)


def repeated(job: LabJob, folder: Path, *more: Any) -> Any:
    """The command line of the job, run on the collection's files."""
    assert job.collection is not None
    with zipfile.ZipFile(write_zip(job.collection)) as archive:
        archive.extractall(folder)
    words = shlex.split(command_line(job))
    assert words[:2] == ["python", "manage.py"]
    places = {"runs": folder / "runs", "qrels.txt": folder / "qrels.txt"}
    given = [places.get(word, word) for word in words[2:]]
    kept = ["--kept-in", folder / "kept"]
    return json.loads(run_command(str(given[0]), *given[1:], *kept, "--format", "json", *more)[0])


SETTINGS: dict[str, Any] = {
    "trials": 2,
    "seed": 5,
    # Of deeper pools, every run has every document, which says nothing of requests.
    "depth": 10,
    "p": [0.8],
    "budgets": [20, 60],
    "methods": ["pooling", "random"],
}


@pytest.mark.parametrize("study", STUDIES)
def test_job_finds_what_its_command_line_finds(study: str, ada: User, tmp_path: Path) -> None:
    collection = make_collection(ada, runs=run_files(runs=10))
    uses = STUDIES[study].kernel.uses
    job = make_job(collection, study, **{name: SETTINGS[name] for name in SETTINGS if name in uses})
    assert (job.state, job.reason) == (State.RUNNING, "")
    do_all(job)
    assert (job.state, job.done) == (State.DONE, job.total)
    assert json.loads(table_file(job, "json")) == repeated(job, tmp_path)
    assert len(table_file(job, "csv").splitlines()) == len(result_of(job).rows) + 1
    assert figure_file(job, "svg").startswith(b"<svg")


def test_gains_of_no_option_are_in_the_file(ada: User, tmp_path: Path) -> None:
    text = qrels_text().replace(" 1\n", " 2\n").replace("d1 2", "d1 1")
    job = do_all(make_job(make_collection(ada, qrels=qrels_file(text)), budgets=[30], p=[0.5]))
    made = json.loads(table_file(job, "json"))
    assert made["gains"] == {"0": 0.0, "1": 1.0, "2": 1.0}
    assert made == repeated(job, tmp_path)


def test_gains_are_repeated_to_the_last_bit(ada: User, tmp_path: Path) -> None:
    text = qrels_text().replace(" 1\n", " 2\n").replace("d1 2", "d1 1")
    collection = make_collection(ada, qrels=qrels_file(text), gains=(0.0, 1 / 3, 1.0))
    job = do_all(make_job(collection, budgets=[30], p=[0.5, 0.8]))
    assert collection.gains == "0.0,0.3333333333333333,1.0"
    assert json.loads(table_file(job, "json")) == repeated(job, tmp_path)


def test_equal_trials_of_another_job_are_taken_over(collection: LabCollection) -> None:
    first = do_all(make_job(collection, budgets=[30], methods=["A", "C"]))
    second = make_job(collection, budgets=[30], methods=["C", "pooling"])
    assert (second.done, second.total) == (1, 2)
    do_all(second)
    assert result_of(second).rows[0] == result_of(first).rows[1]


def test_pause_resume_and_cancel(collection: LabCollection) -> None:
    job = make_job(collection, budgets=[30])
    wave = job.wave
    change_state(job=job, state="paused")
    assert not work.work(job.id, job.wave, "here")
    assert not work.work(job.id, wave, "here")
    assert LabTrial.objects.filter(job=job, seconds__isnull=False).count() == 0
    with pytest.raises(Refusal, match="is paused"):
        change_state(job=job, state="paused")
    change_state(job=job, state="running")
    assert do_all(job).state == State.DONE
    with pytest.raises(Refusal, match="is done"):
        change_state(job=job, state="cancelled")
    other = make_job(collection, budgets=[31])
    change_state(job=other, state="cancelled")
    assert other.finished is not None
    assert not work.work(other.id, other.wave, "here")
    with pytest.raises(Refusal):
        change_state(job=other, state="running")
    with pytest.raises(Refusal, match="paused, running, cancelled"):
        change_state(job=other, state="done")


def test_job_that_is_paused_before_it_starts_waits_again(collection: LabCollection, ada: User) -> None:
    job = create_job(owner=ada, collection=collection, study="replay", settings={})
    change_state(job=job, state="paused")
    work.start(job.id)
    assert not LabTrial.objects.exists()
    change_state(job=job, state="running")
    assert job.state == State.WAITING
    work.start(job.id)
    job.refresh_from_db()
    assert do_all(job).state == State.DONE


def test_trial_that_another_process_is_at_is_left_to_it(collection: LabCollection) -> None:
    job = make_job(collection, budgets=[30], methods=["A", "C"])
    first = LabTrial.objects.filter(job=job).earliest("position")
    with held_elsewhere(Space.LAB_TRIAL, first.id):
        while work.work(job.id, job.wave, "here"):
            pass  # it returns after a second, whatever is left
        assert list(LabTrial.objects.filter(seconds=None).values_list("id", flat=True)) == [first.id]
        job.refresh_from_db()
        assert (job.done, job.state) == (1, State.RUNNING)
    assert do_all(job).state == State.DONE


def test_result_counts_once_if_a_trial_is_done_twice(collection: LabCollection) -> None:
    job = make_job(collection, budgets=[30], methods=["A", "C"])
    first = LabTrial.objects.filter(job=job).earliest("position")
    work._keep(job, first.id, "[[1, 0.5, 0.5]]", 0.1, longest=0.1)
    work._keep(job, first.id, "[[2, 0.5, 0.5]]", 0.1, longest=0.1)
    job.refresh_from_db()
    first.refresh_from_db()
    assert (job.done, first.found) == (1, "[[1, 0.5, 0.5]]")


def test_trial_that_ends_every_worker_is_given_up(collection: LabCollection) -> None:
    job = make_job(collection, budgets=[30])
    LabTrial.objects.filter(job=job).update(tries=work.MOST_TRIES)
    assert do_all(job).state == State.FAILED
    assert job.reason == "a trial ended 5 worker processes, perhaps for want of memory"


def test_job_whose_collection_was_deleted_says_so_and_a_finished_one_stays(collection: LabCollection) -> None:
    done = do_all(make_job(collection, budgets=[30]))
    job = make_job(collection, budgets=[31])
    delete_collection(collection=collection)
    job.refresh_from_db()
    assert (job.state, job.reason) == (
        State.FAILED,
        "The collection “Small” was deleted before the job was done.",
    )
    done.refresh_from_db()
    assert (done.state, done.collection) == (State.DONE, None)
    assert figure_file(done, "svg").startswith(b"<svg")
    assert not LabTrial.objects.exists()


def test_result_of_a_study_that_a_version_lacks_stays_readable(collection: LabCollection) -> None:
    job = do_all(make_job(collection, budgets=[30]))
    LabJob.objects.update(study="former")
    job.refresh_from_db()
    assert "--budgets 30" in command_line(job)
    assert table_file(job, "csv").startswith("method,")
    with pytest.raises(Refusal, match="this version has no study former"):
        figure_file(job, "svg")


@pytest.mark.parametrize(
    ("study", "settings", "reason"),
    [
        (
            "replay",
            {"budgets": [10, 200]},
            "a budget of 200 judgments is larger than the pool of 180 documents",
        ),
    ],
)
def test_job_that_cannot_be_done_says_why(
    collection: LabCollection, study: str, settings: dict[str, Any], reason: str
) -> None:
    job = make_job(collection, study, **settings)
    assert (job.state, job.reason) == (State.FAILED, reason)
    assert not LabTrial.objects.exists()


@pytest.mark.parametrize(
    ("study", "settings", "said"),
    [
        ("nonesuch", {}, "no study is called “nonesuch”"),
        ("replay", {"depth": 3}, "replay does not read the setting depth"),
        ("replay", {"p": [1.0]}, "p is a number between 0 and 1, not 1.0"),
        ("replay", {"p": 0.5}, "p is a list"),
        ("replay", {"budgets": [0]}, "budgets is a whole number from 1 to"),
        ("replay", {"budgets": list(range(1, 60))}, "at most 50 values"),
        ("replay", {"trials": 1}, "trials is a whole number from 2 to 1000, not 1"),
        ("replay", {"seed": -1}, "seed is a whole number from 0"),
        ("replay", {"minutes_per_topic": 5}, "replay does not read the setting minutes_per_topic"),
        ("cost", {"minutes_per_topic": -1}, "minutes_per_topic is a number from 0 to 10080, not -1"),
        ("cost", {"seconds_per_judgment": math.inf}, "seconds_per_judgment is a number from 0 .* not inf"),
        ("cost", {"seconds_per_judgment": "9"}, "seconds_per_judgment is a number from 0"),
        ("replay", {"methods": ["cal"]}, "no method that replays is called “cal”"),
    ],
)
def test_settings_are_refused(
    collection: LabCollection, ada: User, study: str, settings: dict[str, Any], said: str
) -> None:
    with pytest.raises(Refusal, match=said):
        create_job(owner=ada, collection=collection, study=study, settings=settings)
    assert not LabJob.objects.exists()


def test_too_few_runs_or_topics_are_refused(ada: User) -> None:
    few = make_collection(ada, qrels=qrels_file(qrels_text([1])))
    with pytest.raises(Refusal, match=r"too few judged topics \(1\): this study needs 5 or more"):
        create_job(owner=ada, collection=few, study="topic-selection", settings={})


def test_time_left_is_that_of_the_trials_done(collection: LabCollection) -> None:
    job = make_job(collection, "replay", trials=5, methods=["random"])
    assert seconds_left(job) is None
    for position, seconds in enumerate((4.0, 2.0)):
        LabTrial.objects.filter(job=job, position=position).update(seconds=seconds)
    job.done = 2
    assert seconds_left(job) == 3 * 3.0
    job.state = State.PAUSED
    assert seconds_left(job) is None
