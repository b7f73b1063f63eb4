"""A job's result for people and programs: table, figure, and the command line that repeats it."""

from __future__ import annotations

import csv
import io
import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Avg
from django.utils.text import slugify
from django.utils.translation import gettext

from campaigns.core.errors import Refusal
from campaigns.figures.charts import render_chart
from campaigns.formats.tables import csv_cell
from campaigns.lab.studies.registry import STUDIES
from campaigns.lab.study_settings import as_text
from campaigns.models import LabJob, LabTrial

FIGURE_TYPES = {"svg": "image/svg+xml", "pdf": "application/pdf", "png": "image/png"}
TABLE_TYPES = {"csv": "text/csv", "json": "application/json"}


@dataclass(frozen=True)
class JobResult:
    """rows : the table as numbers; shown : the same for people; points : what the figure shows; gains : of
    each grade, where none were given"""

    rows: Sequence[Mapping[str, Any]] = ()
    shown: Sequence[Mapping[str, str]] = ()
    points: Sequence[Mapping[str, Any]] = field(default=())
    gains: Mapping[str, float] = field(default_factory=dict)


def seconds_left(job: LabJob) -> float | None:
    """Computing time of the trials that are left, each as long as the mean of those done; None while the job
    does not run or none of its trials is done."""
    if job.state != LabJob.State.RUNNING:
        return None
    done = LabTrial.objects.filter(job=job, seconds__isnull=False)
    mean = done.aggregate(mean=Avg("seconds"))["mean"]
    return None if mean is None else mean * (job.total - job.done)


def ordered_settings(job: LabJob) -> dict[str, Any]:
    """In the order in which the study names them; the database keeps none."""
    study = STUDIES.get(job.study)
    names = dict.fromkeys([*(study.kernel.uses if study else ()), *job.settings])
    return {name: job.settings[name] for name in names if name in job.settings}


def result_of(job: LabJob) -> JobResult:
    """Empty until the job is done."""
    return JobResult(**json.loads(job.result)) if job.result else JobResult()


def require_result(job: LabJob) -> JobResult:
    """Raises Refusal until the job is done."""
    if not job.result:
        words = gettext("the job is not done: it has no table and no figure yet")
        raise Refusal("not_done", words, status=409)
    return result_of(job)


def table_file(job: LabJob, kind: str) -> str:
    """`kind`: of `TABLE_TYPES`. JSON is what the command prints."""
    result = require_result(job)
    if kind == "json":
        about = {"study": job.study, **ordered_settings(job)}
        given = job.collection_gains.split(",") if job.collection_gains else []
        gains = {str(grade): float(gain) for grade, gain in enumerate(given)} or result.gains
        about |= {"gains": gains} if gains else {}
        made = about | {"rows": result.rows, "points": result.points}
        return json.dumps(made, ensure_ascii=False, indent=1) + "\n"
    out = io.StringIO()
    names = list(dict.fromkeys(name for row in result.rows for name in row))
    writer = csv.DictWriter(out, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: csv_cell(value) for name, value in row.items()} for row in result.rows)
    return out.getvalue()


def figure_file(job: LabJob, kind: str) -> bytes:
    """`kind`: of `FIGURE_TYPES`."""
    points = require_result(job).points
    if job.study not in STUDIES:
        words = gettext("this version has no study %(study)s and cannot draw its figure")
        raise Refusal("unknown_study", words % {"study": job.study}, status=409)
    return render_chart(STUDIES[job.study].figure([dict(one) for one in points]), kind)


def file_name(job: LabJob, ending: str) -> str:
    return f"{job.study}-{slugify(job.collection_name) or 'collection'}-{job.id}.{ending}"


def command_line(job: LabJob) -> str:
    """The command that repeats the job on the collection's files (`campaigns.lab.collection_files`), as they
    lie unpacked in the folder where it runs."""
    words = ["python", "manage.py", "study", job.study, "--runs", "runs", "--qrels", "qrels.txt"]
    if job.collection_gains:
        words += ["--gains", job.collection_gains]
    for name, value in ordered_settings(job).items():
        if value != []:
            words += [f"--{name.replace('_', '-')}", as_text(value)]
    return shlex.join(words)
