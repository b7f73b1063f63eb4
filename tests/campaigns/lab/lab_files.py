"""Small runs and qrels for the Lab, and its tasks done in this process."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile

from campaigns.lab import work
from campaigns.lab.collections import CollectionFiles, store_files
from campaigns.lab.study_jobs import create_job
from campaigns.models import LabCollection, LabJob
from tests.plumbing.idle import wait_for

TOPICS, DOCUMENTS, RUNS = 6, 30, 6


def run_files(topics: int = TOPICS, runs: int = RUNS) -> list[SimpleUploadedFile]:
    """Runs of falling quality: the lower a document's number, the likelier it stands at the top."""
    generator = np.random.default_rng(3)
    files = []
    for run in range(runs):
        lines = []
        for topic in range(1, topics + 1):
            noise = (0.2 + run / runs) * DOCUMENTS * generator.random(DOCUMENTS)
            for rank, document in enumerate(np.argsort(np.arange(DOCUMENTS) + noise).tolist(), 1):
                lines.append(f"{topic} Q0 d{document} {rank} {50 - rank} r{run}\n")
        files.append(SimpleUploadedFile(f"r{run}.txt", "".join(lines).encode()))
    return files


def qrels_text(topics: Sequence[int] = range(1, TOPICS + 1)) -> str:
    return "".join(f"{t} 0 d{n} {int(n < 2 + t % 5)}\n" for t in topics for n in range(DOCUMENTS))


def qrels_file(text: str = "", name: str = "qrels.txt") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, (text or qrels_text()).encode())


def make_collection(owner: User, name: str = "Small", **files: Any) -> LabCollection:
    given = {"runs": run_files(), "qrels": qrels_file(), **files}
    return store_files(owner=owner, name=name, files=CollectionFiles(**given))


def make_job(collection: LabCollection, study: str = "replay", **settings: Any) -> LabJob:
    """Created, and divided into trials."""
    job = create_job(owner=collection.owner, collection=collection, study=study, settings=settings)
    work.start(job.id)

    def started() -> bool:
        job.refresh_from_db()
        return job.state != LabJob.State.WAITING

    # A worker that runs beside the test may be dividing it at this moment.
    wait_for(started)
    return job


def do_all(job: LabJob) -> LabJob:
    """Every trial, in this process."""
    while job.state == LabJob.State.RUNNING:
        work.send_wave(job.id)
        job.refresh_from_db()
        work.work(job.id, job.wave, "here")
        job.refresh_from_db()
    return job
