"""The Lab on real worker processes: shared work, kills at random moments, and judging before it."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from contextlib import suppress

import pytest

from campaigns.core.database import Space
from campaigns.lab import work
from campaigns.lab.results import result_of
from campaigns.lab.study_jobs import change_state, create_job
from campaigns.lab.tasks import take_up
from campaigns.models import LabCollection, LabJob, LabTrial
from config.embedded.processes import Child
from tests.campaigns.factories import Api, make_campaign, make_user
from tests.campaigns.lab.lab_files import do_all, make_collection, make_job, qrels_file, qrels_text, run_files
from tests.plumbing.idle import wait_for, wait_until_idle
from tests.plumbing.locks import held_elsewhere

State = LabJob.State
KILLS = 10


@pytest.fixture
def larger(transactional_db: None) -> LabCollection:
    """A replay on it takes some tens of milliseconds."""
    topics = range(1, 41)
    runs = run_files(topics=len(topics), runs=12)
    return make_collection(make_user("ada"), runs=runs, qrels=qrels_file(qrels_text(list(topics))))


def children_of(process: int) -> list[int]:
    listed = subprocess.run(["pgrep", "-P", str(process)], capture_output=True, text=True, check=False).stdout
    return [int(line) for line in listed.split()]


def kill_one_child(worker: Child, chance: random.Random) -> None:
    # One that ended meanwhile is killed already.
    with suppress(ProcessLookupError, IndexError):
        os.kill(chance.choice(children_of(worker.pid)), signal.SIGKILL)


def state_of(job: LabJob) -> str:
    job.refresh_from_db()
    return job.state


class Progress:
    """Whether so many further trials are done, or the job is. As beat does, tasks that were lost are made up
    for, where nothing has moved for a while."""

    def __init__(self, job: LabJob, trials: int) -> None:
        job.refresh_from_db()
        self._job, self._until = job, job.done + trials
        self._looks = 0

    def __call__(self) -> bool:
        before = self._job.done
        self._job.refresh_from_db()
        self._looks = 0 if self._job.done > before else self._looks + 1
        if self._looks % 20 == 19:
            take_up()
        return self._job.done >= self._until or self._job.state not in (State.WAITING, State.RUNNING)


@pytest.mark.django_db(transaction=True)
def test_workers_killed_at_random_moments_change_no_number(
    celery_worker: Child, larger: LabCollection
) -> None:
    # Small trials, and many more than any machine does between ten kills.
    settings = {"methods": ["random", "C"], "trials": 300, "budgets": [30, 60]}
    alone = do_all(make_job(larger, "replay", **settings))
    assert alone.state == State.DONE, alone.reason
    # Trials of the other job are not taken over.
    LabTrial.objects.filter(job=alone).delete()
    job = create_job(owner=larger.owner, collection=larger, study="replay", settings=settings)
    chance = random.Random(4)
    for _ in range(KILLS):
        wait_for(Progress(job, chance.randint(1, 4)))
        # The moment within a trial is what is random here.
        time.sleep(chance.uniform(0, 0.1))
        kill_one_child(celery_worker, chance)
    assert state_of(job) == State.RUNNING, "it ended before it could be killed"
    wait_for(Progress(job, job.total + 1))
    assert (job.state, job.reason) == (State.DONE, "")
    assert job.done == job.total == LabTrial.objects.filter(job=job, seconds__isnull=False).count()
    assert result_of(job) == result_of(alone)


@pytest.mark.django_db(transaction=True)
def test_paused_job_rests_and_goes_on(celery_worker: Child, larger: LabCollection) -> None:
    settings = {"methods": ["random"], "trials": 100, "budgets": [600]}
    job = create_job(owner=larger.owner, collection=larger, study="replay", settings=settings)

    wait_for(Progress(job, 1))
    change_state(job=job, state="paused")
    wait_until_idle()
    job.refresh_from_db()
    done = job.done
    assert 0 < done < job.total
    take_up()
    wait_until_idle()
    job.refresh_from_db()
    assert (job.state, job.done) == (State.PAUSED, done)
    change_state(job=job, state="running")
    wait_for(lambda: state_of(job) == State.DONE)
    assert job.done == job.total


@pytest.mark.django_db
def test_while_assessors_judge_one_process_of_a_worker_is_enough() -> None:
    campaign = make_campaign("Small")
    job = make_job(make_collection(make_user("ada")), budgets=[30], methods=["A", "B", "C"])
    LabJob.objects.filter(id=job.id).update(done=1, longest=0.1)
    with held_elsewhere(Space.LAB_ROOM, work.room_of("here")):
        Api(campaign, "Small-grace").judge("1", "a", 1)
        assert not work.work(job.id, job.wave, "here")
        assert not LabTrial.objects.filter(seconds__isnull=False).exists()
        # Those of another worker are free.
        while work.work(job.id, job.wave, "elsewhere"):
            pass  # it returns after a second, whatever is left
        assert not LabTrial.objects.filter(seconds=None).exists()


@pytest.mark.django_db
@pytest.mark.parametrize(("longest", "done"), [(work.LONG_SECONDS + 1, 1), (0.0, 0), (0.0, 1)])
def test_long_trials_and_the_first_one_leave_processes_free(longest: float, done: int) -> None:
    job = make_job(make_collection(make_user("ada")), budgets=[30], methods=["A", "B"])
    LabJob.objects.filter(id=job.id).update(done=done, longest=longest)
    with held_elsewhere(Space.LAB_ROOM, work.room_of("here")):
        assert not work.work(job.id, job.wave, "here")
        assert not LabTrial.objects.filter(seconds__isnull=False).exists()
        LabJob.objects.filter(id=job.id).update(done=1, longest=0.1)
        work.work(job.id, job.wave, "here")
        assert LabTrial.objects.filter(seconds__isnull=False).exists()
