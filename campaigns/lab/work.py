"""The worker's side of the Lab: jobs divided into trials, trials done one by one, results put together.

A trial is claimed by an advisory lock of its row, which a process that dies gives back. It is kept by one
conditional update, so a trial that two processes do counts once.
"""

from __future__ import annotations

import hashlib
import json
import logging
import time
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any
from zlib import crc32

from django.db import transaction
from django.db.models import F
from django.db.models.functions import Greatest
from django.utils import timezone
from django.utils.translation import gettext

from campaigns.core.background import run_at_low_priority
from campaigns.core.database import Space, try_campaign_lock
from campaigns.core.jobs import send_lab_work
from campaigns.lab.collections import known_collection
from campaigns.lab.studies.registry import STUDIES
from campaigns.lab.studies.study import Study, plain_rows, shown_rows
from campaigns.lab.study_settings import restored
from campaigns.models import Judgment, LabCollection, LabJob, LabTrial
from selection.studies.interface import StudySettings, trial_key
from selection.studies.known_collection import KnownCollection

logger = logging.getLogger(__name__)

State = LabJob.State
# Seconds that a task works before what else is waiting has its turn.
BATCH_SECONDS = 1.0
# Tasks of one job that may be at work at once, and jobs that are worked on.
MOST_TASKS, MOST_JOBS = 16, 4
# How many trials that are left a task looks through for one that no other is at.
LOOKED_THROUGH = 4 * MOST_TASKS
MOST_TRIALS = 100_000
# A trial after which so many processes died is not begun again.
MOST_TRIES = 5
# While assessors judge, and with trials that take so long, one process of each worker is enough.
LONG_SECONDS, JUDGED_SECONDS = 5.0, 60
KEPT_PLANS = 4
_LOCK_NUMBERS = 0x7FFFFFFF


@dataclass(frozen=True, eq=False)
class Plan:
    """A job as its study takes it."""

    study: Study
    known: KnownCollection
    settings: StudySettings
    trials: Sequence[Any]
    # Trials that this process has done. The first prepares what the others share, and says nothing of them.
    done: list[int] = field(default_factory=list)


# This process's plans by job, the most recently used last.
_plans: OrderedDict[int, Plan] = OrderedDict()


def start(job_id: int) -> None:
    """Divide a waiting job into trials, and queue tasks that do them. Trials that another job on the same
    collection has done are taken over."""
    with _problems(job_id), try_campaign_lock(Space.LAB_JOB, job_id) as alone:
        job = LabJob.objects.filter(id=job_id).first() if alone else None
        if job is not None and job.state == State.WAITING:
            _divide(job)
    send_wave(job_id)


def send_wave(job_id: int) -> None:
    """Queue tasks for a running job; those that were queued before do nothing more."""
    if not LabJob.objects.filter(id=job_id, state=State.RUNNING).update(wave=F("wave") + 1):
        return
    job = LabJob.objects.filter(id=job_id).first()
    if job is not None:
        send_lab_work(job_id, job.wave, max(1, min(MOST_TASKS, job.total - job.done)))


def unfinished_jobs() -> tuple[list[int], list[int]]:
    """Jobs to start and jobs to work on, the oldest first."""
    jobs = LabJob.objects.order_by("id")
    waiting = jobs.filter(state=State.WAITING).values_list("id", flat=True)[:MOST_JOBS]
    running = jobs.filter(state=State.RUNNING).values_list("id", flat=True)[:MOST_JOBS]
    return list(waiting), list(running)


def work(job_id: int, wave: int, worker: str) -> bool:
    """Do trials for about a second, and put the result together after the last; whether there is more for
    this task to do. `worker`: the name of the worker that this process belongs to."""
    with _problems(job_id):
        job = _current(job_id, wave)
        if job is None:
            return False
        with _room(job, worker) as free:
            more = free and _work(job)
        if more and not job.longest:
            # It is known now how long trials are: others may join.
            send_wave(job_id)
            return False
        return more
    return False


def _work(job: LabJob) -> bool:
    plan, until = _plan(job), time.monotonic() + BATCH_SECONDS
    while True:
        left = list(_left(job).values_list("id", "position", "tries")[:LOOKED_THROUGH])
        if not left:
            _finish(job, plan)
            return False
        if not any(_try(job, plan, *trial) for trial in left):
            # Others are at each of them.
            return False
        if _current(job.id, job.wave) is None:
            return False
        if time.monotonic() > until:
            return True


def _left(job: LabJob) -> Any:
    return LabTrial.objects.filter(job=job, seconds=None).order_by("position")


def _try(job: LabJob, plan: Plan, id: int, position: int, tries: int) -> bool:
    """Run the trial if it is free; true if it is done now."""
    with try_campaign_lock(Space.LAB_TRIAL, id & _LOCK_NUMBERS) as free:
        # Done meanwhile by the process that had it.
        if not free or not _left(job).filter(id=id).update(tries=F("tries") + 1):
            return False
        if tries >= MOST_TRIES:
            words = gettext("a trial ended %(times)s worker processes, perhaps for want of memory")
            raise ValueError(words % {"times": tries})
        began = time.monotonic()
        result = run_at_low_priority(plan.study.kernel.run, plan.known, plan.trials[position])
        seconds = time.monotonic() - began
        _keep(job, id, json.dumps(result, allow_nan=False), seconds, longest=seconds if plan.done else 0.0)
        plan.done.append(position)
    return True


def _keep(job: LabJob, id: int, result: str, seconds: float, *, longest: float) -> None:
    with transaction.atomic():
        if LabTrial.objects.filter(id=id, seconds=None).update(found=result, seconds=seconds):
            LabJob.objects.filter(id=job.id).update(
                done=F("done") + 1,
                seconds=F("seconds") + seconds,
                longest=Greatest(F("longest"), longest),
            )


def _divide(job: LabJob) -> None:
    study, known = STUDIES[job.study], _known(job)
    settings = restored(job.settings)
    study.kernel.check(known)
    trials = run_at_low_priority(study.kernel.trials, known, settings)
    if len(trials) > MOST_TRIALS:
        words = gettext("the job has %(count)s trials; %(most)s are possible")
        raise ValueError(words % {"count": f"{len(trials):,}", "most": f"{MOST_TRIALS:,}"})
    keys = [hashlib.sha256(trial_key(trial).encode()).hexdigest() for trial in trials]
    with transaction.atomic():
        if not LabJob.objects.filter(id=job.id, state=State.WAITING).update(
            state=State.RUNNING, total=len(trials)
        ):
            return
        rows = [LabTrial(job=job, position=place, key=key) for place, key in enumerate(keys)]
        LabTrial.objects.bulk_create(rows, batch_size=5000)
        _take_over(job)


def _take_over(job: LabJob) -> None:
    others = LabTrial.objects.filter(job__collection=job.collection_id, seconds__isnull=False)
    known = dict(others.exclude(job=job).values_list("key", "id"))
    mine = [row for row in _left(job) if row.key in known]
    for row in mine:
        trial = LabTrial.objects.get(id=known[row.key])
        row.found, row.seconds = trial.found, trial.seconds
        row.save(update_fields=["found", "seconds"])
    LabJob.objects.filter(id=job.id).update(done=len(mine))


def _finish(job: LabJob, plan: Plan) -> None:
    rows = LabTrial.objects.filter(job=job).order_by("position").values_list("found", flat=True)
    results = dict(zip(plan.trials, map(json.loads, rows), strict=True))
    kernel = plan.study.kernel
    lines = run_at_low_priority(kernel.rows, plan.known, plan.settings, results)
    points = run_at_low_priority(kernel.points, plan.known, plan.settings, results)
    shown = shown_rows(plan.study, lines)
    content = {"rows": plain_rows(lines), "shown": shown, "points": points}
    result = json.dumps(content | {"gains": plan.known.default_gains()}, allow_nan=False)
    running = LabJob.objects.filter(id=job.id, state=State.RUNNING)
    running.update(state=State.DONE, result=result, done=F("total"), finished=timezone.now())
    _plans.pop(job.id, None)


def _plan(job: LabJob) -> Plan:
    plan = _plans.pop(job.id, None)
    if plan is None:
        study, known, settings = STUDIES[job.study], _known(job), restored(job.settings)
        plan = Plan(study, known, settings, run_at_low_priority(study.kernel.trials, known, settings))
    if len(plan.trials) != job.total:
        raise ValueError(gettext("the study has changed since the job began: start it again"))
    _plans[job.id] = plan
    while len(_plans) > KEPT_PLANS:
        _plans.popitem(last=False)
    return plan


def _known(job: LabJob) -> KnownCollection:
    if job.collection_id is None:
        raise LabCollection.DoesNotExist
    return known_collection(job.collection_id)


def _current(job_id: int, wave: int) -> LabJob | None:
    """The job, unless it was paused or ended, or later tasks were queued for it."""
    rows = LabJob.objects.filter(id=job_id, wave=wave, state=State.RUNNING)
    return rows.defer("result").first()


@contextmanager
def _room(job: LabJob, worker: str) -> Iterator[bool]:
    """Reserve a slot for this process; yields false if there is none. While assessors judge, while trials are
    long, and until their length is known, each worker uses one process: the others stay free."""
    since = timezone.now() - timedelta(seconds=JUDGED_SECONDS)
    known_short = 0 < job.longest <= LONG_SECONDS
    if known_short and not Judgment.objects.filter(created__gt=since).exists():
        yield True
        return
    with try_campaign_lock(Space.LAB_ROOM, room_of(worker)) as free:
        yield free


def room_of(worker: str) -> int:
    """The number of the lock that one process of this worker may hold."""
    return crc32(worker.encode()) & _LOCK_NUMBERS


@contextmanager
def _problems(job_id: int) -> Iterator[None]:
    """End the job if something goes wrong, with the reason in words."""
    try:
        yield
    except LabCollection.DoesNotExist:
        _fail(job_id, gettext("The collection was deleted before the job was done."))
    except ValueError as error:
        _fail(job_id, str(error))
    except (ArithmeticError, LookupError, TypeError, MemoryError, AssertionError) as error:
        logger.exception("job %s of the Lab failed", job_id)
        words = gettext("The study broke off with an error of its own (%(kind)s); the site's log has more.")
        _fail(job_id, words % {"kind": type(error).__name__})


def _fail(job_id: int, reason: str) -> None:
    rows = LabJob.objects.filter(id=job_id, state__in=(State.WAITING, State.RUNNING))
    rows.update(state=State.FAILED, reason=reason, finished=timezone.now())
    _plans.pop(job_id, None)
