"""The Lab's first page, with uploads and copies; and the page of a collection."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.db.models import Count, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods

from campaigns.core.errors import Refusal
from campaigns.formats.errors import FormatError
from campaigns.lab.collections import (
    CollectionFiles,
    copy_campaign,
    delete_collection,
    gains_from,
    precision_from,
    store_files,
)
from campaigns.models import Campaign, LabCollection, LabJob
from campaigns.models.campaign import ScoreFloats
from campaigns.pages.access import places_of, signed_in_user

# Of the jobs on the first page, the latest.
MOST_LISTED = 50


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def home(request: HttpRequest) -> HttpResponse:
    """GET lists collections and jobs; POST stores an upload or copies a campaign."""
    user, context, status = signed_in_user(request), dict[str, Any](), 200
    if request.method == "POST":
        try:
            made = _store(request, user)
        except Refusal as refused:
            context, status = {"problems": [refused.detail]}, refused.status
        except FormatError as error:
            context, status = {"problems": str(error).split("\n")}, 400
        else:
            return redirect("lab:collection", made.id)
        context["typed"] = request.POST
    context |= {
        **places_of(user),
        **jobs_part(user),
        "collections": collections_of(user),
        "campaigns": Campaign.objects.organised_by(user).order_by("name"),
        "wanted": request.GET.get("campaign", ""),
        "precisions": ScoreFloats.choices,
    }
    return render(request, "campaigns/lab/home.html", context, status=status)


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def collection(request: HttpRequest, collection: int) -> HttpResponse:
    user = signed_in_user(request)
    row = own_collection(user, collection)
    if request.method == "POST":
        delete_collection(collection=row)
        messages.success(request, gettext("The collection “%(name)s” is deleted.") % {"name": row.name})
        return redirect("lab:home")
    jobs = row.jobs.defer("result")
    unfinished = sum(job.unfinished for job in jobs)
    context = {**places_of(user), "row": row, "jobs": jobs, "unfinished": unfinished}
    return render(request, "campaigns/lab/collection.html", context)


def jobs_part(user: User) -> dict[str, Any]:
    """Context of templates/campaigns/lab/_jobs.html."""
    rows = LabJob.objects.filter(owner=user).defer("result")
    live = rows.filter(state__in=(LabJob.State.WAITING, LabJob.State.RUNNING)).exists()
    return {"jobs": rows[:MOST_LISTED], "live": live, "more": rows.count() > MOST_LISTED}


def collections_of(user: User) -> QuerySet[LabCollection]:
    rows = LabCollection.objects.filter(owner=user).select_related("campaign")
    return rows.annotate(job_count=Count("jobs"))


def own_collection(user: User, id: int) -> LabCollection:
    row = LabCollection.objects.filter(owner=user, id=id).select_related("campaign").first()
    if row is None:
        raise Http404
    return row


def _store(request: HttpRequest, user: User) -> LabCollection:
    name = request.POST.get("name", "").strip()
    if slug := request.POST.get("campaign", ""):
        campaign = Campaign.objects.organised_by(user).filter(slug=slug).first()
        if campaign is None:
            raise Http404
        return copy_campaign(owner=user, name=name or campaign.name[:200], campaign=campaign)
    runs, qrels = request.FILES.getlist("runs"), request.FILES.get("qrels")
    if not runs or qrels is None:
        raise Refusal("no_files", gettext("choose run files and a qrels file"), field="runs")
    precision = precision_from(request.POST.get("score_precision", ""))
    files = CollectionFiles(runs, qrels, gains_from(request.POST.get("gains", "")), precision)
    return store_files(owner=user, name=name, files=files)
