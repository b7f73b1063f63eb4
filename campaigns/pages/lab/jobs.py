"""Pages of jobs: a new one, its progress and result, and two beside each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.http import require_safe

from campaigns.core.digits import read_digits
from campaigns.core.errors import Refusal
from campaigns.lab.results import command_line, ordered_settings, result_of, seconds_left
from campaigns.lab.studies.registry import STUDIES
from campaigns.lab.studies.study import Study
from campaigns.lab.study_jobs import CHANGES, change_state, create_job, delete_job
from campaigns.lab.study_settings import DEFAULTS, as_text, typed
from campaigns.models import LabCollection, LabJob
from campaigns.models.campaign import Method
from campaigns.pages.access import signed_in_user
from campaigns.pages.acts import Answer, page_with_acts, redirect_with
from campaigns.pages.help.handbook import FOLDER
from campaigns.pages.lab.collections import jobs_part, own_collection
from campaigns.templatetags.contexts import PageContext, render_page
from selection.registry import PLANNABLE_METHODS

# Pages of studies, with their figures.
EVIDENCE = FOLDER / "evidence"
# Label and effect of each setting that a study may read.
SETTINGS = {
    "trials": (gettext_lazy("Trials"), gettext_lazy("Repetitions of each draw, 2 to 1,000")),
    "seed": (gettext_lazy("Seed"), gettext_lazy("Random seed of the first trial")),
    "depth": (gettext_lazy("Judged depth"), gettext_lazy("Documents of each run and topic that are judged")),
    "p": (
        gettext_lazy("Persistence p"),
        gettext_lazy("Numbers between 0 and 1 with spaces between them; empty: the study’s own"),
    ),
    "budgets": (
        gettext_lazy("Budgets"),
        gettext_lazy("Numbers of judgments; empty: chosen by the size of the collection"),
    ),
    "methods": (gettext_lazy("Methods"), gettext_lazy("None chosen: the study’s own")),
    "variance": (gettext_lazy("Variance"), gettext_lazy("Variance of AP and R@k: published or delta")),
    "minutes_per_topic": (gettext_lazy("Minutes a topic"), gettext_lazy("Time to develop a topic")),
    "seconds_per_judgment": (gettext_lazy("Seconds a judgment"), gettext_lazy("Time to judge a document")),
}


@dataclass(frozen=True)
class SettingField:
    """`choices`: name, label and whether it is chosen; empty: a text field."""

    name: str
    label: str
    help: str
    value: str
    choices: tuple[tuple[str, str, bool], ...] = ()


@require_safe
@login_required
def running(request: HttpRequest) -> HttpResponse:
    """The list of jobs, for a page that waits."""
    return render_page(request, jobs_part(signed_in_user(request)))


def _asked(request: HttpRequest, given: QueryDict) -> tuple[LabCollection, str]:
    """The collection and the study that an address or a form names."""
    collection = own_collection(signed_in_user(request), _id(given.get("collection", "")))
    study = given.get("study", "")
    if study and study not in STUDIES:
        raise Http404
    return collection, study


def _start(request: HttpRequest) -> HttpResponse:
    collection, study = _asked(request, request.POST)
    settings = _settings(request, study)
    job = create_job(owner=signed_in_user(request), collection=collection, study=study, settings=settings)
    return redirect("lab:job", job.id)


@dataclass(frozen=True)
class OfferedStudy:
    """`picture`: the address of its figure on a known collection, for a thumbnail; empty if there is none."""

    name: str
    study: Study
    picture: str

    @property
    def title(self) -> str:
        return gettext(self.study.title)


@dataclass(frozen=True)
class PaperGroup:
    """Studies of one paper; `paper` is empty for those of this project's own."""

    paper: str
    studies: tuple[OfferedStudy, ...]


def paper_groups() -> list[PaperGroup]:
    """All studies by paper, in the registry's order."""
    by_paper: dict[str, list[OfferedStudy]] = {}
    for name, study in STUDIES.items():
        by_paper.setdefault(study.paper, []).append(OfferedStudy(name, study, _thumbnail(name)))
    return [PaperGroup(paper, tuple(studies)) for paper, studies in by_paper.items()]


def _thumbnail(study: str) -> str:
    files = sorted(EVIDENCE.glob(f"studies-*/{study}-cranfield.svg"))
    return reverse("help:file", args=[f"evidence/{files[0].relative_to(EVIDENCE)}"]) if files else ""


class NewJobPage(PageContext, template="campaigns/lab/new.html"):
    collection: LabCollection
    refused: Refusal | None
    name: str = ""
    study: Study | None = None
    fields: Sequence[SettingField] = ()
    papers: Sequence[PaperGroup] = field(default_factory=paper_groups)

    @property
    def title(self) -> str:
        return gettext(self.study.title) if self.study else ""


@page_with_acts(login_required, act=_start)
def new(request: HttpRequest, answer: Answer) -> HttpResponse:
    """The studies, or the settings of the chosen one; a form starts the job."""
    collection, study = _asked(request, request.POST if request.method == "POST" else request.GET)
    chosen = (study, STUDIES[study], _fields(request, study)) if study else ()
    return render_page(request, NewJobPage(collection, answer.refused, *chosen))


def _delete(request: HttpRequest, job: int) -> HttpResponse:
    delete_job(job=own_job(signed_in_user(request), job))
    return redirect_with(request, gettext("The job is deleted."), "lab:home")


def _change(request: HttpRequest, job: int) -> str:
    """Pause, resume or cancel the job."""
    change_state(job=own_job(signed_in_user(request), job), state=request.POST["act"])
    return ""


class JobPart(PageContext, template="campaigns/lab/_job.html"):
    """A job, and the table of its result."""

    row: LabJob
    title: str
    table_text: str
    live: bool
    percent: int
    seconds_left: float | None
    settings: list[tuple[str, str]]
    command: str
    heads: list[str]
    lines: list[list[Any]]


class JobPage(PageContext, template="campaigns/lab/job.html"):
    part: JobPart
    others: QuerySet[LabJob]
    refused: Refusal | None


@page_with_acts(login_required, acts={"delete": _delete, **dict.fromkeys(CHANGES, _change)})
def job(request: HttpRequest, answer: Answer, job: int) -> HttpResponse:
    user = signed_in_user(request)
    row = own_job(user, job)
    others = LabJob.objects.filter(owner=user, state=LabJob.State.DONE).exclude(id=row.id)
    page = JobPage(job_part(row), others.defer("result")[:20], answer.refused)
    return render_page(request, page)


@require_safe
@login_required
def progress(request: HttpRequest, job: int) -> HttpResponse:
    """Progress of a job, for a page that waits."""
    return render_page(request, job_part(own_job(signed_in_user(request), job)))


class ComparePage(PageContext, template="campaigns/lab/compare.html"):
    sides: list[JobPart]


@require_safe
@login_required
def compare(request: HttpRequest) -> HttpResponse:
    """Two jobs beside each other."""
    user = signed_in_user(request)
    sides = [job_part(own_job(user, _id(value))) for value in request.GET.getlist("job")[:2]]
    if len(sides) < 2:
        raise Http404
    return render_page(request, ComparePage(sides))


def job_part(row: LabJob) -> JobPart:
    shown = result_of(row).shown
    study = STUDIES.get(row.study)
    heads = list(dict.fromkeys(name for line in shown for name in line))
    return JobPart(
        row,
        title=gettext(study.title) if study else row.study,
        table_text=study.table if study else "",
        live=row.state in (LabJob.State.WAITING, LabJob.State.RUNNING),
        percent=100 * row.done // row.total if row.total else 0,
        seconds_left=seconds_left(row),
        settings=[(_label(name), as_text(value)) for name, value in ordered_settings(row).items()],
        command=command_line(row),
        heads=heads,
        lines=[[line.get(head, "") for head in heads] for line in shown],
    )


def own_job(user: User, id: int) -> LabJob:
    row = LabJob.objects.filter(owner=user, id=id).select_related("collection").first()
    if row is None:
        raise Http404
    return row


def _id(text: str) -> int:
    found = read_digits(text)
    if found is None:
        raise Http404
    return found


def _label(name: str) -> str:
    return str(SETTINGS[name][0]) if name in SETTINGS else name


def _settings(request: HttpRequest, study: str) -> dict[str, Any]:
    """Typed settings; empty fields are left to the study's defaults."""
    found: dict[str, Any] = {}
    for name in STUDIES[study].kernel.uses if study else ():
        if name == "methods":
            values: Any = request.POST.getlist(name)
        else:
            text = request.POST.get(name, "").strip()
            values = typed(name, text) if text else None
        if values not in (None, []):
            found[name] = values
    return found


def _fields(request: HttpRequest, study: str) -> list[SettingField]:
    fields = []
    for name in STUDIES[study].kernel.uses:
        label, said = SETTINGS.get(name, (name, ""))
        usual = as_text(getattr(DEFAULTS, name))
        chosen = request.POST.getlist(name)
        methods = (
            tuple((one, str(Method(one).label), one in chosen) for one in PLANNABLE_METHODS)
            if name == "methods"
            else ()
        )
        value = request.POST.get(name, usual)
        fields.append(SettingField(name, str(label), str(said), value, methods))
    return fields
