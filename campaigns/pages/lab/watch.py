"""Two replays of a finished job, played beside each other."""

from __future__ import annotations

import json

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from campaigns.core.decimals import as_typed
from campaigns.core.digits import read_digits
from campaigns.lab.study_settings import restored
from campaigns.models import LabJob, LabTrial
from campaigns.models.campaign import Method
from campaigns.pages.access import signed_in_user
from campaigns.pages.lab.jobs import own_job
from campaigns.templatetags.contexts import PageContext, render_page
from selection.studies.replays import DRAWING_METHODS, replays_of

STUDY = "replay"


class WatchPage(PageContext, template="campaigns/lab/watch.html"):
    """`lists`: choices of a replay by place, label, and whether it is chosen."""

    row: LabJob
    lists: list[list[tuple[int, str, bool]]]
    urls: list[str]


@require_safe
@login_required
def watch(request: HttpRequest, job: int) -> HttpResponse:
    """`?replay=`, once or twice: which replays, by place; without it the first two."""
    user = signed_in_user(request)
    row = _done_replay(own_job(user, job))
    labels = replay_labels(row)
    chosen = [read_digits(text) for text in request.GET.getlist("replay")[:2]] or [0, 1][: len(labels)]
    places = [place for place in chosen if place is not None and place < len(labels)]
    if len(places) < len(chosen):
        raise Http404
    lists = [[(place, label, place == one) for place, label in enumerate(labels)] for one in places]
    urls = [reverse("lab:trajectory", args=[row.id, place]) for place in dict.fromkeys(places)]
    return render_page(request, WatchPage(row, lists, urls))


@require_safe
@login_required
def trajectory(request: HttpRequest, job: int, position: int) -> HttpResponse:
    row = _done_replay(own_job(signed_in_user(request), job))
    trial = LabTrial.objects.filter(job=row, position=position).exclude(seconds=None).first()
    found = json.loads(trial.found) if trial else {}
    # Jobs of earlier versions have none.
    if "trajectory" not in found:
        raise Http404
    return JsonResponse({"label": replay_labels(row)[position], **found["trajectory"]})


def replay_labels(row: LabJob) -> list[str]:
    """Labels of the job's replays, in the order of its trials."""
    return [_label(*one) for one in replays_of(restored(row.settings))]


def _label(method: str, p: float, seed: int) -> str:
    label = f"{Method(method).label}, p = {as_typed(p)}"
    return f"{label}, #{seed}" if method in DRAWING_METHODS else label


def _done_replay(row: LabJob) -> LabJob:
    if row.study != STUDY or row.state != LabJob.State.DONE:
        raise Http404
    return row
