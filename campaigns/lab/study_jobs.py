"""Jobs of the Lab: created, paused, resumed, cancelled and deleted by their owner."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext

from campaigns.core.errors import Refusal
from campaigns.core.jobs import request_lab_start
from campaigns.lab.studies.registry import STUDIES
from campaigns.lab.study_settings import settings_of, stored
from campaigns.models import LabCollection, LabJob
from campaigns.models.lab import UNFINISHED

MOST_UNFINISHED = 20
MOST_JOBS = 1000
State = LabJob.State
# What a state can be changed to by hand.
CHANGES: Mapping[str, tuple[str, ...]] = {
    State.PAUSED: (State.WAITING, State.RUNNING),
    State.RUNNING: (State.PAUSED,),
    State.CANCELLED: UNFINISHED,
}


def create_job(*, owner: User, collection: LabCollection, study: str, settings: Mapping[str, Any]) -> LabJob:
    """Have a study run on a collection, with the settings given; the others are the study's defaults."""
    values = stored(study, settings_of(study, settings))
    _check_size(collection, study)
    jobs = LabJob.objects.filter(owner=owner)
    if jobs.filter(state__in=UNFINISHED).count() >= MOST_UNFINISHED:
        words = gettext("%(most)s jobs are unfinished; cancel one or wait") % {"most": MOST_UNFINISHED}
        raise Refusal("too_many", words, status=409)
    if jobs.count() >= MOST_JOBS:
        words = gettext("you have %(most)s jobs; delete one first") % {"most": MOST_JOBS}
        raise Refusal("too_many", words, status=409)
    with transaction.atomic():
        job = LabJob.objects.create(
            owner=owner,
            collection=collection,
            campaign=collection.campaign,
            collection_name=collection.name,
            collection_gains=collection.gains,
            study=study,
            settings=values,
        )
        request_lab_start(job.id)
    return job


def change_state(*, job: LabJob, state: str) -> LabJob:
    """Pause, resume (`running`) or cancel. No further trial starts; one under way is kept once it ends."""
    if state not in CHANGES:
        words = gettext("a job can be set to %(there)s")
        raise Refusal("bad_state", words % {"there": ", ".join(CHANGES)}, field="state")
    with transaction.atomic():
        # Until the worker has divided the job into trials, it waits for that.
        target = State.WAITING if state == State.RUNNING and not job.total else state
        ended = {"finished": timezone.now()} if state == State.CANCELLED else {}
        rows = LabJob.objects.filter(id=job.id, state__in=CHANGES[state])
        if not rows.update(state=target, wave=F("wave") + 1, **ended):
            job.refresh_from_db(fields=["state"])
            words = gettext("the job is %(state)s") % {"state": job.state}
            raise Refusal("bad_state", words, field="state", status=409)
        if state == State.RUNNING:
            request_lab_start(job.id)
    job.refresh_from_db()
    return job


def delete_job(*, job: LabJob) -> None:
    """Delete a job with its trials and its result. A worker that is at a trial finds no row to keep it in."""
    job.delete()


def _check_size(collection: LabCollection, study: str) -> None:
    kernel = STUDIES[study].kernel
    for name, count, fewest in (
        (gettext("runs"), len(collection.runs), kernel.fewest_runs),
        (gettext("judged topics"), collection.topics, kernel.fewest_topics),
    ):
        if count < fewest:
            words = gettext("too few %(name)s (%(count)s): this study needs %(fewest)s or more")
            detail = words % {"name": name, "count": count, "fewest": fewest}
            raise Refusal("too_small", detail, field="collection", status=409)
